"""Tables of pages: rows and columns of Markdown as data frames."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from .archive import LabError


def cells_of(line: str) -> list[str]:
    return [cell.strip().replace("`", "").replace("**", "") for cell in line.strip().strip("|").split("|")]


def page_table(page: Path, *titles: str) -> pd.DataFrame:
    """The first table of a page whose columns begin with these titles; every cell as text, an empty first one as in the
    row above."""
    lines = page.read_text().splitlines()
    for place, line in enumerate(lines):
        if line.startswith("|") and cells_of(line)[:len(titles)] == list(titles):
            names = cells_of(line)
            rows: list[list[str]] = []
            for row in lines[place + 2:]:
                if not row.startswith("|"):
                    break
                cells = cells_of(row)
                rows.append([cells[0] or rows[-1][0], *cells[1:]])
            return pd.DataFrame(rows, columns=[name or f"column {i}" for i, name in enumerate(names)])
    raise LabError(f"{page}: there is no table with the columns {', '.join(titles)}")


def first_number(cell: str) -> float:
    """0.368 of `0.368 (128, 128)`, 852159 of `852,159; 840,412`."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", cell)
    return float(found[0].rstrip(",").replace(",", "")) if found else float("nan")
