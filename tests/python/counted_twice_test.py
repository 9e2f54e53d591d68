"""Counted twice: which counts are compared, and how they are told apart."""

import pandas as pd
import pytest

from tesselab import LabError
from tesselab import counted_twice as module

NAN = float("nan")


def run(strategy, source, reads, writes, atomics=0, conflicts=0, barriers=0):
    counts = dict(zip(module.COUNTED, (reads, writes, atomics, conflicts, barriers)))
    both = {f"{name}@{one}": NAN for name in counts for one in ("emulator", "counter")}
    return {"application": "volna", "mesh": "tris:nx=9:ny=9", "layouts": "soa", "strategy": strategy, **both,
            **{f"{name}@{source}": float(count) for name, count in counts.items()}}  # fmt: skip


RUNS = pd.DataFrame([
    run("atomics", "emulator", 100, 10, 7), run("atomics", "counter", 100, 10, 7),
    run("block-colour", "emulator", 995, 10), run("block-colour", "counter", 900, 10),
    run("block-colour", "counter", 1000, 10),  # made again
    run("two-step", "emulator", 5, 5),  # counted once
    run("halo-atomics", "emulator", 98, 12), run("halo-atomics", "counter", 100, 12),
])  # fmt: skip


def test_counts_from_two_sources_are_compared():
    table = module.counted_twice(RUNS)
    assert [row[-1] for row in table.index] == ["atomics", "block-colour", "halo-atomics"]
    assert table.loc[("volna", "tris:nx=9:ny=9", "soa", "atomics")].tolist()[:3] == [1, 1, 1]


def test_only_what_deviates_is_shown():
    text = module.page(module.counted_twice(RUNS), True)
    assert text.startswith("13 of 15 counts are the same, 14 are within 1 %; 1 of 3 rows")
    assert "| volna tris, soa | block-colour | -0.50 | 0 | – | – | – |" in text
    assert "| halo-atomics | -2.00 |" in text and "| atomics |" not in text


def test_a_lab_that_was_counted_once_is_refused_by_what_it_lacks():
    once = RUNS.drop(columns="write_sectors@counter")
    with pytest.raises(LabError, match="no run here has write_sectors@counter: sweep .*counters.yaml on a GPU"):
        module.counted_twice(once)


def test_it_is_written_between_the_marks(monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- counters: old -->\n<!-- end of counters -->\n")
    monkeypatch.setattr(module, "open_lab", lambda path: type("Lab", (), {"runs": lambda self: RUNS})())
    module.main(["lab", "--into", str(page)])
    assert "13 of 15" in page.read_text() and page.read_text().endswith("<!-- end of counters -->\n")
