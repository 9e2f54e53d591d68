"""Runs that are compared are timed in turns: rounds, their order, groups that fit the memory,
interrupts."""

import json
import os
import signal
import subprocess

import h5py
import numpy as np
import pytest

RUN = ["run", "airfoil", "--mesh", "quads:nx=40:ny=40", "--device", "host", "--no-view"]


@pytest.fixture(autouse=True)
def settings(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def series(lab, run):
    """Session, rounds, starts and times of an archived run."""
    with h5py.File(lab / "runs" / f"{run}.hdf") as file:
        session = {row["key"]: row["text"] for row in file["environment"][:]}[b"session"]
        return (session.decode(), *(file[f"samples/{name}"][:] for name in ("round", "start", "time")))


def test_all_variants_are_timed_in_turns(tess, tmp_path):
    report = json.loads(tess(*RUN, "--strategy", "sequential,openmp,sequential", "--partitioner",
                             "rcb,hilbert", "--block-size", "64,128", "--samples", "9", "--lab",
                             tmp_path, "--json").stdout)
    runs = report["runs"]
    assert len(runs) == 12 and len({run["run"] for run in runs}) == 12
    stored = [series(tmp_path, run["run"]) for run in runs]
    assert {session for session, *_ in stored} == {runs[0]["session"]}
    starts = np.array([start for _, _, start, _ in stored])  # [run][round]
    for run, (_, rounds, _, times) in zip(runs, stored):
        assert rounds.tolist() == list(range(9)) == run["rounds"]
        assert times.tolist() == run["samples"] and (times > 0).all()
    assert (starts.max(axis=0)[:-1] < starts.min(axis=0)[1:]).all(), "a round begins when all had a turn"
    orders = {tuple(np.argsort(column)) for column in starts.T}
    assert len(orders) >= 8, "the order of each round is its own"
    again = json.loads(tess(*RUN, "--strategy", "sequential,openmp", "--samples", "3", "--lab",
                            tmp_path, "--json").stdout)
    assert again["runs"][0]["session"] != runs[0]["session"]


def test_a_seed_decides_the_order(tess, tmp_path):
    def orders(seed):
        report = json.loads(tess(*RUN, "--strategy", "sequential,sequential,sequential,sequential",
                                 "--samples", "6", "--seed", seed, "--lab", tmp_path,
                                 "--json").stdout)
        starts = [series(tmp_path, run["run"])[2] for run in report["runs"]]
        return np.argsort(np.array(starts), axis=0).tolist()

    assert orders(7) == orders(7) != orders(8)


def test_what_the_memory_does_not_hold_is_another_session(tess, tmp_path):
    """The dats and arrays of a run of airfoil on 1,600 cells take 200 to 400 kB."""
    result = tess(*RUN, "--strategy", ",".join(["sequential"] * 6), "--samples", "2", "--memory",
                  "0.0008", "--lab", tmp_path, "--json", "--verbose")
    sessions = [run["session"] for run in json.loads(result.stdout)["runs"]]
    assert 2 <= len(set(sessions)) <= 3 and sessions == sorted(sessions)
    assert result.stderr.count("runs timed in turns") == len(set(sessions))


def test_a_run_that_fails_leaves_the_others(tess, tmp_path):
    """Atomics do not run on the host."""
    report = json.loads(tess(*RUN, "--strategy", "sequential,atomics,openmp", "--samples", "3",
                             "--lab", tmp_path, "--json").stdout)
    assert [run["check"] for run in report["runs"]] == ["passed", "not applicable", "passed"]
    assert report["runs"][0]["session"] == report["runs"][2]["session"]
    assert len(list((tmp_path / "runs").iterdir())) == 2


@pytest.mark.parametrize("runs, rounds, kept", [(16, 1, 0), (2, 8, 2)])
def test_ctrl_c_keeps_runs_with_enough_rounds(tess_bin, tmp_path, runs, rounds, kept):
    """Interrupted when the progress line tells of a round; a round of 16 takes a fifth of a second, so
    that the fifth one is not reached in the first case."""
    master, slave = os.openpty()
    arguments = ["run", "airfoil", "--mesh", "quads:nx=400:ny=400", "--device", "host", "--no-view",
                 "--strategy", ",".join(["sequential"] * runs), "--samples", "100000", "--lab", str(tmp_path)]
    with subprocess.Popen([tess_bin, *arguments], stderr=slave, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(slave)
        text = b""
        while f"round {rounds}/".encode() not in text:
            text += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        while True:  # a full terminal would block it
            try:
                os.read(master, 4096)
            except OSError:
                break
        output = process.stdout.read().decode()
    os.close(master)
    assert process.returncode == 130
    records = list((tmp_path / "runs").glob("*.hdf"))
    assert len(records) == kept, output
    for record in records:
        with h5py.File(record) as file:
            assert rounds - 1 <= len(file["samples/time"]) < 100000
            assert b"interrupted after" in file["log"][0]


def test_points_of_a_sweep_share_a_session(tess, tmp_path):
    (tmp_path / "two.yaml").write_text(
        "sweep: two\naxes: {device: host, application: airfoil, mesh: 'quads:nx=9:ny=9', samples: 3,"
        " strategy: [sequential, openmp]}\n"
    )
    tess("sweep", tmp_path / "two.yaml", "--lab", tmp_path / "lab", "--no-view")
    runs = [path.stem for path in (tmp_path / "lab/runs").glob("*.hdf")]
    sessions = {series(tmp_path / "lab", run)[0] for run in runs}
    assert len(runs) == 2 and len(sessions) == 1
