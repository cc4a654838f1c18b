"""The code of docs/python.md: it runs as it stands, and prints what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

BLOCK = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.M | re.S)


def test_the_page_prints_what_it_shows(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hsml FILE` is written to a file, `python` is run, `text` is what the block before it prints."""
    page = tree / "docs" / "python.md"
    text = page.read_text()
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    printed, shown = "", 0
    for block in BLOCK.finditer(text):
        kind, title, body = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        if kind == "hsml":
            Path(title).write_text(body)
        elif kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                # Lines of tracebacks are those of the page.
                exec(compile("\n" * line + body, str(page), "exec"), names)
            printed = out.getvalue()
        elif kind == "text":
            assert printed == body, f"line {line} of the page shows something else"
            shown += 1
    assert shown >= 10
