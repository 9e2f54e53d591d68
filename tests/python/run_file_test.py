"""Runs in one file: those of a second lab beside those of a first, each once."""

import pytest
from conftest import ROOT

PAPERS = ROOT / "notebooks/papers"
pytest.importorskip("pandas")

from tesselab import open_lab, open_table, run_file  # noqa: E402


def test_runs_are_added_and_stand_once(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    first, second = (open_lab(PAPERS / name / "lab").runs() for name in ("giles-2012", "fun3d-2021"))
    run_file.main([str(PAPERS / "giles-2012/lab"), str(path)])
    alone = path.read_text()
    for _ in range(2):
        run_file.main([str(PAPERS / "fun3d-2021/lab"), str(path), "--add"])
    assert capsys.readouterr().out.splitlines()[-1] == f"{len(first) + len(second)} runs in {path}"
    both = open_table(path).runs()
    assert sorted(both.index) == sorted([*first.index, *second.index])
    assert both.loc[first.index[0], "reuse_factor"] == pytest.approx(first.reuse_factor.iloc[0])
    run_file.main([str(PAPERS / "giles-2012/lab"), str(path)])
    assert path.read_text() == alone
