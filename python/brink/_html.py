"""How results, tables and events show themselves in a notebook."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brink._result import Result
    from brink._solution import Solution
    from brink._table import Table

__all__ = ["frame", "of_result", "of_solution", "of_table", "table"]

#: a larger page is not put into a notebook, which would keep it
LARGEST_PAGE = 8_000_000
#: what the page says instead of a report, if the library was built without it (page/plain.html)
NO_PAGE = "built without the page of reports"

# Rows and columns of a table that are shown.
_HEAD, _TAIL, _COLUMNS = 6, 4, 12


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return html.escape(str(value))


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A plain table, which takes the notebook's style."""
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption style='text-align:left'>{html.escape(caption)}</caption>")
    parts.append("<thead><tr>" + "".join(f"<th>{html.escape(h)}</th>" for h in headers) + "</tr></thead>")
    parts.append("<tbody>")
    parts += ["<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row) + "</tr>" for row in rows]
    parts.append("</tbody></table>")
    return "".join(parts)


def frame(page: str) -> str:
    """A page inside a cell. A script of the page cannot reach the notebook around it."""
    return (
        '<iframe sandbox="allow-scripts allow-downloads allow-popups" '
        'style="width:100%;height:760px;border:1px solid #8884;border-radius:4px;resize:vertical" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def of_table(values: Table) -> str:
    """The first and the last rows."""
    import numpy as np

    columns = values.columns[:_COLUMNS]
    dots = ["…"] if len(values.columns) > _COLUMNS else []
    if not isinstance(values.t, np.ndarray):
        rows = [(c.name, values[c.name], c.unit) for c in values.columns]
        return table(["name", "value", "unit"], rows, f"t = {values.t:g}")
    count = len(values.t)
    if count <= _HEAD + _TAIL + 1:
        shown: list[int | None] = list(range(count))
    else:
        shown = [*range(_HEAD), None, *range(count - _TAIL, count)]
    data = [c.convert(values.array[:, k]) for k, c in enumerate(columns)]
    rows_html = [
        [float(values.t[k]), *(d[k].item() for d in data), *dots]
        if k is not None
        else ["…"] * (1 + len(data) + len(dots))
        for k in shown
    ]
    headers = ["t", *(_with_unit(c.name, c.unit) for c in columns), *dots]
    return table(headers, rows_html, f"{count} rows, {len(values.columns)} columns")


def of_result(result: Result) -> str:
    """The report's page; without it a table and a picture. A cell must show something, whatever goes wrong here."""
    try:
        page = result.report_html()
        if len(page) <= LARGEST_PAGE and NO_PAGE not in page[:2000]:
            return frame(page)
    except Exception:  # the run may have been changed on its way, so that it cannot be repeated
        pass
    parts = [f"<p><code>{html.escape(repr(result))}</code></p>"]
    for make in (_picture, _rows):
        try:
            parts.append(make(result))
        except Exception:  # no matplotlib, no rows
            continue
    return "".join(parts)


def of_solution(solution: Solution) -> str:
    """A picture. A cell must show something, whatever goes wrong here."""
    text = f"<pre>{html.escape(repr(solution))}</pre>"
    try:
        return text + _picture(solution)
    except Exception:  # no matplotlib, no rows
        return text


def _rows(result: Result) -> str:
    return of_table(result.table)


def _picture(result: Result | Solution) -> str:
    data = io.BytesIO()
    result.plot().savefig(data, format="png", dpi=90)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'
