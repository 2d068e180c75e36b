"""Columns with bytes that are no UTF-8, though Arrow's texts should have no others: each such byte becomes "�"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def repaired(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column of texts, or of lists or structures of them. Raises pa.ArrowException for other types."""
    return [_decoded(value) for value in column.cast(_as_bytes(column.type)).to_pylist()]


def _as_bytes(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_string(kind):
        return pa.binary()
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return _as_bytes(kind.value_type)
    if pa.types.is_large_list(kind):
        return pa.large_list(_as_bytes(kind.value_type))
    if pa.types.is_list(kind):
        return pa.list_(_as_bytes(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _as_bytes(field.type)) for field in kind])
    return kind


def _decoded(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    return {name: _decoded(item) for name, item in value.items()} if isinstance(value, dict) else value
