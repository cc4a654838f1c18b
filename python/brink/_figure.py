"""A figure that shows itself in notebooks. Imported when it is first needed: matplotlib may be missing."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

__all__ = ["OwnFigure"]


class OwnFigure(Figure):
    """A figure that pyplot does not know: a notebook shows it where it is the value of a cell, and not a second time."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=100)
        return data.getvalue()
