"""The front of a trade-off: the rows that no other row beats in both of two values."""

from __future__ import annotations

import pandas as pd


def front(frame: pd.DataFrame, more: str, less: str) -> pd.DataFrame:
    """The rows of `frame` that are on the front of column `more`, the larger the better, against
    `less`, the smaller the better; sorted by both. Of equal rows the first is kept, rows without
    one of the values are left out."""
    rows = frame.dropna(subset=[more, less]).sort_values(
        [less, more], ascending=[True, False], kind="stable")
    best = rows[more].cummax().shift()
    return rows[best.isna() | (rows[more] > best)]
