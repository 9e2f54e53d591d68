"""Runs in one file: those of a second lab beside those of a first, each once."""

import pytest
from conftest import ROOT

PAPERS = ROOT / "notebooks/papers"
pytest.importorskip("pandas")

from tesselab import LabError, open_lab, open_table, run_file  # noqa: E402


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


def test_times_are_kept_to_six_digits(tmp_path):
    lab = open_lab(ROOT / "notebooks/lab")
    run_file.save_table(lab, tmp_path / "runs.csv")
    table = open_table(tmp_path / "runs.csv")
    times = {run: lab.record(run).samples.get("time", ()) for run in lab.runs().index}
    assert any(map(len, times.values()))
    for run, of in times.items():
        assert table.samples(run) == pytest.approx(list(of), rel=1e-5)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"run,samples\na,1\n", b"run,time\na,2026-11-30\n", b"run,samples,time\na,1,yesterday\n"])
def test_what_is_no_file_of_runs_is_refused_as_such(tmp_path, content):
    (tmp_path / "runs.csv").write_bytes(content)
    with pytest.raises(LabError, match="runs.csv: this is no file of runs"):
        open_table(tmp_path / "runs.csv")
