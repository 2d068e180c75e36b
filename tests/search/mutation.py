"""The search package with one statement taken out, imported beside the sound one."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import explorer.search

PACKAGE = "explorer.search"
FOLDER = Path(explorer.search.__file__).parent


def settling_statements() -> list[tuple[str, int, str]]:
    """(module, line, text) of every statement of the package that gives an item its fate."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if _settles(node):
                found.append((path.stem, node.lineno, ast.unparse(node)))
    return found


@contextmanager
def without_statement(module: str | None, line: int) -> Iterator[ModuleType]:
    """`explorer.search.global_search`, imported anew with the statement at `line` of `module` turned into `pass`."""
    before = {name: held for name, held in sys.modules.items() if name.startswith(PACKAGE + ".")}
    for name in before:
        del sys.modules[name]
    finder = _Finder(module, line)
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module(PACKAGE + ".global_search")
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith(PACKAGE + ".")]:
            del sys.modules[name]
        sys.modules.update(before)
        for name, held in before.items():
            setattr(explorer.search, name.removeprefix(PACKAGE + "."), held)


def _settles(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "settle"
    )


class _Remove(ast.NodeTransformer):
    def __init__(self, line: int) -> None:
        self.line = line
        self.removed = 0

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if node.lineno == self.line and _settles(node):
            self.removed += 1
            return ast.copy_location(ast.Pass(), node)
        return node


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, module: str | None, line: int) -> None:
        self.module = module
        self.line = line

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(PACKAGE + "."):
            return None
        return importlib.util.spec_from_file_location(
            fullname,
            FOLDER / f"{fullname.rpartition('.')[2]}.py",
            loader=self,  # type: ignore[arg-type]
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        assert module.__file__ is not None
        tree = ast.parse(Path(module.__file__).read_text("utf-8"))
        if module.__name__ == f"{PACKAGE}.{self.module}":
            remove = _Remove(self.line)
            tree = ast.fix_missing_locations(remove.visit(tree))
            assert remove.removed == 1
        exec(compile(tree, module.__file__, "exec"), module.__dict__)
