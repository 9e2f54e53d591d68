"""The quantities of runs, plans, blocks and elements: what their names mean, from core/plan/quantities.h."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Quantity:
    """A line of core/plan/quantities.h, whose head explains the columns."""

    name: str  # in records
    title: str  # in tables
    scale: float  # of what is shown, per what is recorded
    format: str  # of what is shown, as C has it
    unit: str
    better: int  # 1: larger, -1: smaller, 0: neither
    of: str  # run, plan, block, element; setting: a title alone
    metric: bool  # one number of a run
    source: str
    long_name: str | None
    definition: str | None

    @property
    def is_whole(self) -> bool:
        """Whether it is a count."""
        return self.format == "%.0f"


_table = json.loads((Path(__file__).parent / "quantities.json").read_text())
QUANTITIES = {one["name"]: Quantity(**one) for one in _table["quantities"]}
OLD_WORDS: dict[tuple[str, str], str] = {(of, old): today for of, old, today in _table["old_words"]}
RENAMED: dict[str, str] = dict(_table["renamed"])  # names of earlier versions


def metric_name(name: str) -> str:
    """The name that a metric has now; what follows a / or an @ stays."""
    stem = re.split("[/@]", name, maxsplit=1)[0]
    return RENAMED.get(stem, stem) + name[len(stem):]


def spelled(of: str, text: str) -> str:
    """A recorded value of a setting, or a spec, in the words of today (core/base/old_words.h)."""
    def of_option(option: re.Match[str]) -> str:
        key = OLD_WORDS.get(("", option[2]), option[2])
        return f"{option[1]}{key}={OLD_WORDS.get((key, option[3]), option[3])}"

    return re.sub(r"(^|[:,])([^:,=\"]+)=([^:,\"]*)", of_option, OLD_WORDS.get((of, text), text))


def title_of(name: str) -> str:
    """What tables have for a name."""
    return QUANTITIES[name].title if name in QUANTITIES else name


def old_names(name: str) -> list[str]:
    """Those that it had in earlier versions."""
    return [old for old, now in RENAMED.items() if now == name]


def of_block(column: str) -> Quantity | None:
    """The quantity of a column of `Plan.blocks`."""
    return QUANTITIES.get("block_elements" if column == "size" else f"block_{column}")
