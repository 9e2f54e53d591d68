"""Markup: what a notebook shows of a mesh, a plan or a run. Names are text, whoever wrote them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from html import escape

import numpy as np


def shown(value: object) -> str:
    """A value in a few characters: numbers with 4 digits, counts in full."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.0f}" if float(value).is_integer() and abs(float(value)) < 1e15 else f"{value:.4g}"
    return str(value)


def counted(n: int, noun: str) -> str:
    """A number of things: 1 block, 2 blocks."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def html_table(caption: str, rows: Iterable[tuple[object, ...]]) -> str:
    """A table whose first column says what a row is; empty where it has no rows."""
    lines = ["<tr><th style='text-align:left'>" + escape(shown(first)) + "</th>"
             + "".join(f"<td style='text-align:left'>{escape(shown(value))}</td>" for value in rest) + "</tr>"
             for first, *rest in rows]
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>" if lines else ""


def wrapped(text: str, indent: str = "") -> str:
    """Prose in lines of at most 100 columns, as pages have it."""
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
