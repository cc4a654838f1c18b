"""The notebooks of docs/notebooks: all cells run, as the reader would run them, and the stored ones have their outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = ["1-first-model", "2-parameter-study", "3-hybrid-controller"]


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        output
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
    ]


def pictures(notebook: dict[str, Any]) -> list[str]:
    found = [output.get("data", {}).get("image/png") for output in outputs(notebook)]
    return [picture for picture in found if picture]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_runs(name: str, tree: Path, tmp_path: Path) -> None:
    for module in ("nbconvert", "ipykernel", "matplotlib", "pandas", "scipy"):
        pytest.importorskip(module)
    source = tree / "docs" / "notebooks" / f"{name}.ipynb"
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "python"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else the kernel warns about its debugger
    }
    environment.pop("MPLBACKEND", None)  # pictures go into the notebook
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(source)]
    command += ["--output-dir", str(tmp_path), "--output", f"{name}.ipynb"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    assert pictures(read(tmp_path / f"{name}.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_stored_notebook_has_its_outputs(name: str, tree: Path) -> None:
    path = tree / "docs" / "notebooks" / f"{name}.ipynb"
    notebook = read(path)
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in codes] == list(range(1, len(codes) + 1))
    assert not [output for output in outputs(notebook) if output["output_type"] == "error"]
    assert len(pictures(notebook)) >= 2
    assert not [output for output in outputs(notebook) if output.get("name") == "stderr"]
    assert path.stat().st_size < 500_000
