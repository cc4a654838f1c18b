"""Builds wheels of the package brink for pip (PEP 517, PEP 660).

Why not setuptools: pip hides the packages of the system from it (build isolation) and wants to download it, and Debian's needs one
more package to make a wheel. All that a build takes is cffi and a C compiler. If cffi is installed, nothing is downloaded.

    python3 brink_backend.py DIRECTORY VERSION      what a .dist-info directory has, for `make install`
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import site
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# What pip has hidden. At the end: what it has downloaded comes first.
sys.path += [place for place in site.getsitepackages() if place not in sys.path]

import brink_build  # noqa: E402

METADATA = """\
Metadata-Version: 2.1
Name: brink
Version: {version}
Summary: Simulate hybrid systems, and never look past a guard
License: BSD-3-Clause
Classifier: License :: OSI Approved :: BSD License
Classifier: Topic :: Scientific/Engineering
Requires-Python: >=3.11
Requires-Dist: cffi
Requires-Dist: numpy
Provides-Extra: all
Requires-Dist: matplotlib; extra == "all"
Requires-Dist: pandas; extra == "all"
"""

# Libbrink contains the page of reports, and that contains uPlot.
LICENCES = ["LICENSE", "docs/licences/uPlot.txt"]


def licences() -> list[Path]:
    return [path for path in (HERE.parent / name for name in LICENCES) if path.exists()]


def info_name(version: str) -> str:
    return f"brink-{version}.dist-info"


class Wheel:
    """A wheel that is being written."""

    def __init__(self, directory: str, version: str) -> None:
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        self.tag = f"cp311-abi3-{machine}"
        self.info = info_name(version)
        self.path = Path(directory) / f"brink-{version}-{self.tag}.whl"
        self.archive = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []
        self.version = version

    def add(self, name: str, data: bytes) -> None:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")
        self.write(name, data)

    def write(self, name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(name)  # with the same time whenever it is made
        entry.external_attr = 0o644 << 16
        self.archive.writestr(entry, data, zipfile.ZIP_DEFLATED)

    def close(self) -> str:
        """Adds what describes the wheel and returns its name."""
        for name, data in describe(self.version).items():
            self.add(f"{self.info}/{name}", data)
        wheel = f"Wheel-Version: 1.0\nGenerator: brink\nRoot-Is-Purelib: false\nTag: {self.tag}\n"
        self.add(f"{self.info}/WHEEL", wheel.encode())
        self.record.append(f"{self.info}/RECORD,,")
        self.write(f"{self.info}/RECORD", "".join(f"{line}\n" for line in self.record).encode())
        self.archive.close()
        return self.path.name


def describe(version: str) -> dict[str, bytes]:
    """The files of the .dist-info directory that say what the package is."""
    files = {"METADATA": METADATA.format(version=version).encode()}
    for licence in licences():
        files[f"licenses/{licence.name}"] = licence.read_bytes()
    return files


def write(files: dict[str, bytes], directory: Path) -> None:
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def package_files() -> list[Path]:
    """All files of the package but the extension module, which is built."""
    found = [path for path in (HERE / "brink").rglob("*") if path.is_file()]
    return sorted(path for path in found if path.suffix in (".py", ".pyi") or path.name == "py.typed")


# ---- what pip calls ----


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [] if importlib.util.find_spec("cffi") else ["cffi"]


get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    version = brink_build.find_library().version()
    write(describe(version), Path(metadata_directory) / info_name(version))
    return info_name(version)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    library = brink_build.find_library()
    wheel = Wheel(wheel_directory, library.version())
    for path in package_files():
        wheel.add(str(path.relative_to(HERE)), path.read_bytes())
    module = Path(wheel_directory) / brink_build.MODULE
    brink_build.build(module.resolve(), library)
    wheel.add(f"brink/{brink_build.MODULE}", module.read_bytes())
    os.remove(module)
    return wheel.close()


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None
) -> str:
    brink_build.build_in_place()
    wheel = Wheel(wheel_directory, brink_build.find_library().version())
    wheel.add("brink-editable.pth", f"{HERE}\n".encode())
    return wheel.close()


# ---- what `make install` calls ----


def main() -> None:
    directory, version = sys.argv[1:]
    write({**describe(version), "INSTALLER": b"make\n"}, Path(directory))


if __name__ == "__main__":
    main()
