"""What this machine lacks for a window, and how its own package manager brings it. Standard library only."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time

# A shared library that Qt opens, and the package that brings it, by package manager. Qt names none of them when it
# aborts for want of one, so each is tried here first.
_WINDOW_LIBRARIES: tuple[tuple[str, dict[str, str]], ...] = (
    ("libglib-2.0.so.0", {"apt-get": "libglib2.0-0", "dnf": "glib2", "pacman": "glib2", "zypper": "libglib-2_0-0"}),
    ("libGL.so.1", {"apt-get": "libgl1", "dnf": "libglvnd-glx", "pacman": "libglvnd", "zypper": "Mesa-libGL1"}),
    ("libEGL.so.1", {"apt-get": "libegl1", "dnf": "libglvnd-egl", "pacman": "libglvnd", "zypper": "Mesa-libEGL1"}),
    (
        "libxkbcommon.so.0",
        {"apt-get": "libxkbcommon0", "dnf": "libxkbcommon", "pacman": "libxkbcommon", "zypper": "libxkbcommon0"},
    ),
    (
        "libfontconfig.so.1",
        {"apt-get": "libfontconfig1", "dnf": "fontconfig", "pacman": "fontconfig", "zypper": "fontconfig"},
    ),
    (
        "libfreetype.so.6",
        {"apt-get": "libfreetype6", "dnf": "freetype", "pacman": "freetype2", "zypper": "libfreetype6"},
    ),
    ("libdbus-1.so.3", {"apt-get": "libdbus-1-3", "dnf": "dbus-libs", "pacman": "dbus", "zypper": "libdbus-1-3"}),
    (
        "libxcb-cursor.so.0",
        {
            "apt-get": "libxcb-cursor0",
            "dnf": "xcb-util-cursor",
            "pacman": "xcb-util-cursor",
            "zypper": "libxcb-cursor0",
        },
    ),
    (
        "libxcb-icccm.so.4",
        {"apt-get": "libxcb-icccm4", "dnf": "xcb-util-wm", "pacman": "xcb-util-wm", "zypper": "libxcb-icccm4"},
    ),
    (
        "libxcb-keysyms.so.1",
        {
            "apt-get": "libxcb-keysyms1",
            "dnf": "xcb-util-keysyms",
            "pacman": "xcb-util-keysyms",
            "zypper": "libxcb-keysyms1",
        },
    ),
    (
        "libxcb-shape.so.0",
        {"apt-get": "libxcb-shape0", "dnf": "libxcb", "pacman": "libxcb", "zypper": "libxcb-shape0"},
    ),
    ("libxcb-xkb.so.1", {"apt-get": "libxcb-xkb1", "dnf": "libxcb", "pacman": "libxcb", "zypper": "libxcb-xkb1"}),
    (
        "libxkbcommon-x11.so.0",
        {
            "apt-get": "libxkbcommon-x11-0",
            "dnf": "libxkbcommon-x11",
            "pacman": "libxkbcommon-x11",
            "zypper": "libxkbcommon-x11-0",
        },
    ),
)
_TEST_PROGRAMS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "Xvfb",
        {
            "apt-get": "xvfb",
            "dnf": "xorg-x11-server-Xvfb",
            "pacman": "xorg-server-xvfb",
            "zypper": "xorg-x11-server-Xvfb",
        },
    ),
    ("xdotool", {"apt-get": "xdotool", "dnf": "xdotool", "pacman": "xdotool", "zypper": "xdotool"}),
    # A keyring of its own for the one test that uses a real Secret Service.
    ("dbus-run-session", {"apt-get": "dbus", "dnf": "dbus-daemon", "pacman": "dbus", "zypper": "dbus-1-daemon"}),
    (
        "gnome-keyring-daemon",
        {"apt-get": "gnome-keyring", "dnf": "gnome-keyring", "pacman": "gnome-keyring", "zypper": "gnome-keyring"},
    ),
)
_CJK_FONTS = {
    "apt-get": "fonts-noto-cjk",
    "dnf": "google-noto-sans-cjk-fonts",
    "pacman": "noto-fonts-cjk",
    "zypper": "google-noto-sans-cjk-fonts",
}
_PAUSE = 15.0  # seconds, longer each time: servers may be away, or another program may just be installing
# Waits for the lock of another program, and asks a server that breaks off again.
_PATIENT = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=5"]
_INSTALL = {
    "apt-get": ["apt-get", "install", "-y", "--no-install-recommends"],
    "dnf": ["dnf", "install", "-y"],
    "pacman": ["pacman", "-S", "--noconfirm", "--needed"],
    "zypper": ["zypper", "--non-interactive", "install"],
}


def has_screen() -> bool:
    """Whether a window can be shown: always on Windows and macOS, elsewhere where a display is named."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")) or bool(
        os.environ.get("QT_QPA_PLATFORM", "") not in ("", "offscreen", "minimal")
    )


def package_manager() -> str | None:
    """The first package manager of this system that is known here, or None."""
    return next((name for name in _INSTALL if shutil.which(name)), None)


def missing_packages(*, tests: bool) -> list[str]:
    """System packages that a window needs and this machine lacks, each once; with `tests` those of the tests too.

    Empty on Windows and macOS, where the Python packages bring everything, and where the package manager is unknown.
    """
    manager = package_manager()
    if not sys.platform.startswith("linux") or manager is None:
        return []
    wanted = [packages[manager] for library, packages in _WINDOW_LIBRARIES if not _opens(library)]
    if tests:
        wanted += [packages[manager] for program, packages in _TEST_PROGRAMS if shutil.which(program) is None]
    if manager == "apt-get" and not os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
        wanted.append("ca-certificates")
    if not _has_cjk_font():
        wanted.append(_CJK_FONTS[manager])
    return list(dict.fromkeys(wanted))


def install_command(packages: list[str]) -> str:
    """The one command, as a person would type it, that brings the packages."""
    manager = package_manager() or "apt-get"
    return " ".join(["sudo", *_INSTALL[manager], *packages])


def install(packages: list[str], *, tries: int) -> bool:
    """Install as root with the system's own manager; whether it went well. Its output goes to stderr."""
    manager = package_manager()
    if manager is None:
        return False
    for attempt in range(1, tries + 1):
        if all(_done(command) for command in _install_steps(manager, packages)):
            return True
        if attempt < tries:
            print(f"That did not work; once more in {_PAUSE * attempt:.0f} seconds.", file=sys.stderr, flush=True)
            time.sleep(_PAUSE * attempt)
    return False


def _install_steps(manager: str, packages: list[str]) -> list[list[str]]:
    if manager != "apt-get":
        return [[*_INSTALL[manager], *packages]]
    command, *rest = _INSTALL[manager]
    return [[command, "update", "-q", *_PATIENT], [command, *_PATIENT, *rest, *packages]]


def _done(command: list[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, stdout=sys.stderr, check=False)
    # A list of packages that is a day old may still do: whether the packages come is what counts.
    return done.returncode == 0 or "update" in command


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _opens(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_cjk_font() -> bool:
    """Whether some font for Chinese, Japanese and Korean lies in the usual folders (its file names say so)."""
    folders = ("/usr/share/fonts", "/usr/local/share/fonts", os.path.expanduser("~/.local/share/fonts"))
    marks = ("cjk", "wqy", "droidsansfallback", "sourcehan", "unifont", "ipa", "nanum")
    for folder in folders:
        for _, _, files in os.walk(folder):
            if any(mark in name.lower() for name in files for mark in marks):
                return True
    return False
