"""Patterns of Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from brink._callables import describe, numbers
from brink._errors import ArgumentError

__all__ = ["Sparsity", "full_pattern", "sparsity_of"]


class Sparsity:
    """A pattern by columns, and where its entries are."""

    def __init__(self, rows: NDArray[Any], columns: NDArray[Any], n: int) -> None:
        order = np.lexsort((rows, columns))
        self.n = n
        self.rows = np.ascontiguousarray(rows[order], dtype=np.uintp)
        self.columns = np.ascontiguousarray(columns[order], dtype=np.uintp)
        counts = np.bincount(self.columns.astype(np.intp), minlength=n)
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uintp)

    @property
    def dense(self) -> bool:
        return len(self.rows) == self.n * self.n

    def values_of(self, matrix: Any, role: str) -> NDArray[np.float64]:
        """The entries of a matrix, dense or sparse, in the order of the pattern."""
        n = self.n
        wanted = f"a matrix of {n} by {n} numbers"
        if hasattr(matrix, "tocsc"):
            matrix = matrix.tocsc()
            if matrix.shape != (n, n):
                raise ArgumentError(
                    f"{role} returned a sparse matrix of shape {matrix.shape} instead of {wanted}"
                )
        else:
            matrix = (
                numbers(matrix, (n, n), role, wanted)
                if n > 1
                else numbers(matrix, np.shape(matrix) or (1,), role, wanted).reshape(1, 1)
            )
        if self.dense:
            full = matrix.toarray() if hasattr(matrix, "toarray") else matrix
            return np.asarray(full, dtype=float).T.ravel()
        values = np.asarray(
            matrix[self.rows.astype(np.intp), self.columns.astype(np.intp)], dtype=float
        ).ravel()
        nonzero = (
            matrix.count_nonzero() if hasattr(matrix, "count_nonzero") else np.count_nonzero(matrix)
        )
        if nonzero > np.count_nonzero(values):
            raise ArgumentError(
                f"{role} returned entries that the pattern `sparsity` does not have"
            )
        return values

    def colours(self) -> NDArray[np.uintp]:
        """A number for each column; columns of one number share no row. Greedy, the fullest
        first."""
        taken: list[set[int]] = []
        colours = np.zeros(self.n, dtype=np.uintp)
        counts = np.diff(self.starts.astype(np.intp))
        for j in np.argsort(-counts, kind="stable"):
            own = set(self.rows[int(self.starts[j]) : int(self.starts[j + 1])].tolist())
            for k, rows in enumerate(taken):
                if rows.isdisjoint(own):
                    break
            else:
                k = len(taken)
                taken.append(set())
            taken[k] |= own
            colours[j] = k
        return colours


def sparsity_of(given: Any, n: int) -> Sparsity:
    """From a sparse matrix, a matrix of zeros and others, or a pair of rows and columns."""
    if hasattr(given, "tocoo"):
        found = given.tocoo()
        if found.shape != (n, n):
            raise ArgumentError(
                f"the pattern of the Jacobian has shape {found.shape}, not {(n, n)}"
            )
        pairs = np.unique(np.stack([found.col, found.row], axis=1).astype(np.intp), axis=0)
        return Sparsity(pairs[:, 1], pairs[:, 0], n)
    try:
        matrix = np.asarray(given)
    except ValueError:
        matrix = np.empty(0)
    if matrix.shape != (n, n) or matrix.dtype.kind not in "fiub":
        raise ArgumentError(
            f"the pattern of the Jacobian is {describe(given)}: give a matrix of {n} by {n}, "
            "dense or sparse"
        )
    rows, columns = np.nonzero(matrix)
    return Sparsity(rows, columns, n)


def full_pattern(n: int) -> Sparsity:
    rows, columns = np.divmod(np.arange(n * n), n)
    return Sparsity(rows, columns, n)
