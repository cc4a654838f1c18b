"""Builds brink._native, which is all that Python knows of libbrink: cffi, API mode.

    python3 brink_build.py                   in place: brink/_native.abi3.so, if anything has changed
    python3 brink_build.py --output FILE     there
    python3 brink_build.py --missing         says what is missing for that, if anything is: status 1
    python3 brink_build.py --site PREFIX     where packages of this Python go that are installed to a prefix

Which libbrink, in this order:

    BRINK_LIBRARY, BRINK_INCLUDE     a file (libbrink.a or libbrink.so) and the directory that holds brink/brink.h
    ../build/libbrink.a              of the source tree that this package is in
    pkg-config brink                 an installed one

A static library becomes a part of the extension, which then needs no libbrink on the machine it runs on. The module uses
the stable ABI of Python: one file serves all later versions.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import platform
import re
import shlex
import site
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parent

# In this order: a declaration comes before its use.
HEADERS = ["brink", "history", "sensitivity", "hsml", "record", "sweep", "fit"]

# The little C of this package: src/shim.c, …
SHIM = ["shim", "ode"]

MODULE = "_native.abi3.so"

# As libbrink is built (cmake/BrinkFlags.cmake; scripts/check-hardening looks). CFLAGS and LDFLAGS may say otherwise.
HARDENED = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
if platform.machine() in ("x86_64", "AMD64"):
    HARDENED.append("-fcf-protection=full")
HARDENED_LINK = ["-Wl,-z,relro,-z,now,-z,noexecstack"]


# ---- the library ----


@dataclass
class Library:
    """A libbrink and what linking with it takes."""

    include: Path
    arguments: list[str] = field(default_factory=list)
    file: Path | None = None

    def version(self) -> str:
        header = (self.include / "brink" / "brink.h").read_text()
        found = re.search(r'#define BRINK_VERSION "(.*)"', header)
        assert found is not None
        return found[1]


def libraries_of_pc(text: str) -> list[str]:
    """What a static libbrink needs besides itself, by its brink.pc.

    >>> libraries_of_pc("Libs: -L${libdir} -lbrink -lm -pthread\\nLibs.private: -lz")
    ['-lm', '-pthread', '-lz']
    """
    words: list[str] = []
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key in ("Libs", "Libs.private"):
            words += shlex.split(value)
    return [word for word in words if word != "-lbrink" and not word.startswith("-L")]


def find_pc(library: Path) -> Path:
    """The brink.pc that belongs to a library: beside it where it is built, or as it is installed."""
    for place in (library.parent / "brink.pc", library.parent / "pkgconfig" / "brink.pc"):
        if place.exists():
            return place
    raise SystemExit(f"brink: there is no brink.pc beside {library}, nor in pkgconfig/")


def from_file(library: Path, include: Path) -> Library:
    if not library.exists():
        raise SystemExit(f"brink: there is no library {library}")
    if not (include / "brink" / "brink.h").exists():
        raise SystemExit(f"brink: there is no brink/brink.h in {include}")
    needs = libraries_of_pc(find_pc(library).read_text()) if library.suffix == ".a" else []
    return Library(include, [str(library), *needs], library)


def pkg_config(*options: str) -> list[str] | None:
    try:
        said = subprocess.run(
            ["pkg-config", *options, "brink"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return shlex.split(said.stdout)


def from_pkg_config() -> Library:
    include, libdir = pkg_config("--variable=includedir"), pkg_config("--variable=libdir")
    arguments = pkg_config("--libs")
    if not include or not libdir or arguments is None:
        raise SystemExit(
            "brink: found no libbrink: neither ../build/libbrink.a (run make in the source tree), nor "
            "one that pkg-config knows; BRINK_LIBRARY and BRINK_INCLUDE may name one"
        )
    place = Path(libdir[0]).resolve()
    if list(place.glob("libbrink.so*")):
        arguments.append(f"-Wl,-rpath,{place}")
    return Library(Path(include[0]).resolve(), [f"-L{place}", *arguments])


def find_library() -> Library:
    chosen = os.environ.get("BRINK_LIBRARY")
    if chosen:
        include = os.environ.get("BRINK_INCLUDE", str(TREE / "include"))
        return from_file(Path(chosen).resolve(), Path(include).resolve())
    built = TREE / "build" / "libbrink.a"
    return from_file(built, TREE / "include") if built.exists() else from_pkg_config()


# ---- the module ----


def cdef_files() -> list[Path]:
    return [HERE / "cdef" / f"{name}.h" for name in [*HEADERS, *SHIM]]


def write_source(file: Path) -> None:
    """The C of the module."""
    from cffi import FFI

    builder = FFI()
    for declarations in cdef_files():
        builder.cdef(declarations.read_text())
    includes = "".join(f"#include <brink/{name}.h>\n" for name in HEADERS)
    builder.set_source("brink._native", includes + "".join(f'#include "{name}.c"\n' for name in SHIM))
    with contextlib.redirect_stdout(None):  # it tells what it does
        builder.emit_c_code(str(file))


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def build(output: Path, library: Library) -> None:
    """Makes the extension module. Another process may be using an older one of that name: it is replaced, not written to."""
    output.parent.mkdir(parents=True, exist_ok=True)
    link = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    if sys.platform.startswith("linux"):
        # Symbols of libbrink stay inside: another libbrink in the same process is none of ours.
        link += ["-Wl,--exclude-libs,ALL", "-Wl,--strip-debug", "-Wl,--as-needed", *HARDENED_LINK]
    with tempfile.TemporaryDirectory(dir=output.parent) as scratch:
        write_source(Path(scratch) / "_native.c")
        flags = ["-std=gnu17", "-O2", "-fPIC", *HARDENED, *shlex.split(os.environ.get("CFLAGS", ""))]
        places = [HERE / "src", library.include, Path(sysconfig.get_path("include"))]
        command = [
            *compiler(),
            *flags,
            *(f"-I{place}" for place in places),
            "_native.c",
            "-o",
            MODULE,
            *shlex.split(os.environ.get("LDFLAGS", "")),
            *link,
            *library.arguments,
        ]
        if subprocess.run(command, cwd=scratch).returncode != 0:
            raise SystemExit(
                f"brink: the compiler failed: {shlex.join(command)}\n"
                f"Is the libbrink in {library.include} of the version of this package?"
            )
        os.replace(Path(scratch) / MODULE, output)


def inputs(library: Library) -> list[Path]:
    files = [Path(__file__).resolve(), *cdef_files(), *(HERE / "src").iterdir()]
    files += (library.include / "brink").glob("*.h")
    return files if library.file is None else [*files, library.file]


def build_in_place() -> None:
    output, library = HERE / "brink" / MODULE, find_library()
    newest = max(file.stat().st_mtime for file in inputs(library))
    if not output.exists() or output.stat().st_mtime <= newest:
        build(output, library)


# ---- what others ask ----


def missing() -> list[str]:
    """What a build would fail for.

    >>> missing()
    []
    """
    lacks = []
    if importlib.util.find_spec("cffi") is None:
        lacks.append("cffi (Debian package python3-cffi)")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        lacks.append("Python.h (Debian package python3-dev)")
    return lacks


def site_directory(prefix: str) -> str:
    """Where packages go that are installed to a prefix: a place where this Python looks, if there is one below it."""
    for place in [*site.getsitepackages(), site.getusersitepackages()]:
        if place.startswith(prefix.rstrip("/") + "/lib"):
            return place
    return sysconfig.get_path("platlib", "posix_prefix", {"base": prefix, "platbase": prefix})


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the extension module of the package brink.")
    parser.add_argument("--output", type=Path, metavar="FILE")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--site", metavar="PREFIX")
    options = parser.parse_args()
    if options.site is not None:
        print(site_directory(options.site))
        return
    lacks = missing()
    if lacks:
        sys.exit(f"missing: {', '.join(lacks)}")
    if options.missing:
        return
    if options.output is not None:
        build(options.output.resolve(), find_library())
    else:
        build_in_place()


if __name__ == "__main__":
    main()
