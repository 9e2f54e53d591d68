"""NVRTC compiles one text at a time in a process: others are compiled by processes beside it, each text once."""

import json
import os

from pretended_gpu import gpu, libraries, nvrtc  # noqa: F401


def compiled(tess, nvrtc, folder, threads):  # noqa: F811
    """Which processes compiled which texts, and what the predictions say of registers."""
    (folder / "log").write_text("")
    done = tess("predict", "airfoil", "--mesh", "quads:nx=9:ny=8", "--strategy", "atomics,two-step,halo-atomics",
                "--partitioner", "rcb,file-order", "--json", env={
                    **os.environ, "LD_LIBRARY_PATH": str(nvrtc), "FAKE_NVRTC_LOG": str(folder / "log"), "OMP_NUM_THREADS": threads,
                    "TESS_CACHE": str(folder / "cache")})  # fmt: skip
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    registers = {one["features"]["registers"] for one in json.loads(done.stdout)["predictions"] if one["strategy"] == "atomics"}
    return [process for process, _ in lines], [text for _, text in lines], registers


def test_texts_are_compiled_side_by_side(tess, nvrtc, tmp_path):  # noqa: F811
    (tmp_path / "one").mkdir()
    (tmp_path / "four").mkdir()
    processes, texts, registers = compiled(tess, nvrtc, tmp_path / "one", "1")
    assert len(set(processes)) == 1 and len(texts) == len(set(texts)) >= 6 and registers == {41}
    processes, again, registers = compiled(tess, nvrtc, tmp_path / "four", "4")
    assert len(set(processes)) >= 3 and sorted(again) == sorted(texts) and registers == {41}
    processes, texts, _ = compiled(tess, nvrtc, tmp_path / "four", "4")  # all are kept
    assert texts == []


def test_a_search_waits_for_no_compiler_when_its_time_is_over(gpu, libraries, nvrtc, tmp_path):  # noqa: F811
    """One thread compiles, nobody beside it when it comes to the last text, which would take ten minutes."""
    done = gpu("--budget", "12", "--strategy", "atomics,block-colour,two-step", "--partitioner", "file-order", "--block-size", "64",
               "--layout", "soa", "--lab", "lab", command="tune", OMP_NUM_THREADS="2", FAKE_NVRTC_SLOW="KERNEL(two_step",
               FAKE_NVRTC_LOG=str(tmp_path / "log"), TESS_CACHE=str(tmp_path / "cache"), LD_LIBRARY_PATH=f"{libraries['new']}:{nvrtc}")  # fmt: skip
    places = {one["strategy"]: one["place"] for one in json.loads(done.stdout)["candidates"]}
    assert places["two-step"] == "not tried" and "best" in places.values()
    assert len((tmp_path / "log").read_text().splitlines()) >= 3  # it was begun


def test_a_search_compiles_what_the_next_one_cuts_by(gpu, libraries, nvrtc, tmp_path):  # noqa: F811
    """Beside its candidates, where there are threads enough, and nothing where the host cuts: for blocks and their ends, for
    plans, and for tables. The next one is cut there: of nothing, by a pretended GPU."""

    def searched(threads, place, strategy, code=0):
        log = tmp_path / f"{threads}-{place}-{strategy}"
        log.write_text("")
        done = gpu("--mesh", "quads:nx=260:ny=250", "--strategy", strategy, "--partitioner", "rcb", "--block-size", "64", "--layout",
                   "soa", "--partition-on", place, "--no-lab", command="tune", code=code, OMP_NUM_THREADS=threads,
                   FAKE_NVRTC_LOG=str(log), TESS_CACHE=f"{log}-cache", LD_LIBRARY_PATH=f"{libraries['new']}:{nvrtc}")  # fmt: skip
        return {line.split()[1] for line in log.read_text().splitlines()}, done

    atomics, colours = (searched("8", "auto", way)[0] - searched("8", "host", way)[0] for way in ("atomics", "block-colour"))
    assert atomics == colours and len(colours) == 4
    assert not atomics & searched("2", "auto", "atomics")[0]
    texts, again = searched("8", "auto", "atomics", code=1)
    assert not texts and "block offsets end at 0" in again.stderr
    assert not searched("8", "host", "atomics")[0]


def test_what_follows_a_cut_is_compiled_beside_it(gpu, libraries, nvrtc, tmp_path):  # noqa: F811
    """The texts that end cuts, of plans, and of a strategy's tables, where the device cuts; the pretended one plans nothing."""

    def ran(strategy, place, cache):
        log = tmp_path / "compiled"
        log.write_text("")
        gpu("--mesh", "quads:nx=260:ny=250", "--strategy", strategy, "--partitioner", "rcb", "--block-size", "64", "--partition-on", place,
            "--no-lab", code=None, FAKE_NVRTC_LOG=str(log), TESS_CACHE=str(tmp_path / cache),
            LD_LIBRARY_PATH=f"{libraries['new']}:{nvrtc}")  # fmt: skip
        lines = [line.split() for line in log.read_text().splitlines()]
        assert len(lines) == len({text for _, text in lines})
        return {process for process, _ in lines}, {text for _, text in lines}

    (_, atomics), (processes, colours) = ran("atomics", "device", "atomics"), ran("block-colour", "device", "colours")
    assert atomics == colours and len(colours) == len(processes) == 4
    assert not ran("block-colour", "device", "colours")[1], "all are kept"
    assert not colours & ran("block-colour", "host", "host")[1]
