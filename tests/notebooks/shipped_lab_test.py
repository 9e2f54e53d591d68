"""The lab that ships is what today's program makes: its own script makes it again, and all that does not
depend on time is compared."""

import os
import subprocess

import pytest
from conftest import ROOT, limited

WHO = ["loop", "partitioner", "strategy", "block_size"]
REMAKE = "notebooks/lab is stale: make it again with notebooks/make_lab.sh, and read the notebooks against it"


def open_lab(folder):
    pytest.importorskip("pandas")
    import tesselab

    return tesselab.open_lab(folder)


def by_what_ran(lab):
    """The records of runs that are equal but for their times."""
    kinds = {}
    for run in lab.ids():
        record = lab.record(run)
        kinds.setdefault(tuple(record.configuration.text.get(name, "") for name in WHO), []).append(record)
    return kinds


def of_plan(record):
    """The metrics that follow from mesh, partition and plan."""
    return record.metrics.value[record.metrics.source == "plan"].to_dict()


def test_today_s_program_makes_the_same_lab(tess_bin, tmp_path):
    done = subprocess.run([ROOT / "notebooks/make_lab.sh", tmp_path / "lab", "1"], capture_output=True, text=True,
                          env={**os.environ, "TESS_BIN": str(tess_bin)}, **limited(120))  # fmt: skip
    assert done.returncode == 0, done.stderr
    shipped, made = open_lab(ROOT / "notebooks/lab"), open_lab(tmp_path / "lab")
    old, new = by_what_ran(shipped), by_what_ran(made)
    assert {who: len(records) for who, records in old.items()} == {who: len(records) for who, records in new.items()}, REMAKE
    n_compared = 0
    for who, records in old.items():
        versions = {record.environment.text.get("partitioner_version", "ours") for record in [records[0], new[who][0]]}
        if len(versions) > 1:
            continue  # another METIS or SCOTCH cuts otherwise
        n_compared += 1
        kept, today = ([of_plan(record) for record in records] for records in (records, new[who]))
        assert len(kept[0]) > 10 and all(values == kept[0] for values in kept + today), (REMAKE, who)
    assert n_compared >= 9, "those of the workbench's own partitioners"


def test_the_shipped_lab_holds_no_path_of_a_machine():
    lab = open_lab(ROOT / "notebooks/lab")
    for run in lab.ids():
        text = lab.record(run).environment.text.to_string() + lab.record(run).configuration.text.to_string()
        assert "/work/" not in text and str(ROOT) not in text
