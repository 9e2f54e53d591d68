"""Marches among runs: OP2's table as rows, and the gain of a whole application."""

import pytest

pandas = pytest.importorskip("pandas")

from tesselab import marches, open_lab  # noqa: E402


def test_a_march_has_a_row_for_each_of_its_loops(tess, tmp_path):
    tess("march", "airfoil", "--mesh", "airfoil:i=10:j=15", "--steps", "3", "--loops", "--set", "update.block_size=32", "--lab", tmp_path)
    runs = open_lab(tmp_path).runs()
    rows = marches.with_loops(runs)
    (march,) = runs.index
    loops = rows[rows.loop != "step"].set_index("loop")
    assert rows.index.is_unique and rows.loc[march, "loop"] == "step" and marches.is_march(rows).all()
    assert loops.loop_count.to_dict() == {"save_soln": 3, "adt_calc": 6, "res_calc": 6, "bres_calc": 6, "update": 6}
    assert loops.loop_block_size["update"] == 32 and loops.partitioner.eq(runs.partitioner[march]).all()
    for loop in loops.index:
        assert loops.loop_time[loop] * loops.loop_count[loop] == pytest.approx(runs.loc[march, f"loop_seconds/{loop}"])
    assert "median_time" not in loops or loops.median_time.isna().all()


def test_an_application_gains_on_the_original_of_its_mesh():
    def march(strategy, partitioner, mesh, seconds, loop="step"):
        return {"loop": loop, "device": "cuda", "application": "airfoil", "mesh": mesh, "precision": "double", "strategy": strategy,
                "partitioner": partitioner, "median_time": seconds}

    runs = pandas.DataFrame([march("block-colour", "file-order", "a", 4.0), march("block-colour:loads=single", "metis", "a", 2.0),
                             march("block-colour", "metis", "b", 3.0), march("block-colour", "file-order", "a", 9.0, "res_calc")])
    gain = marches.application_speedup(runs)
    assert list(gain[:2]) == [1, 2] and gain[2:].isna().all()
    assert marches.application_speedup(runs.drop(columns="loop")).isna().all()
    runs["loop_count/res_calc"] = [None, None, None, None]
    with_waits = pandas.concat([runs, pandas.DataFrame([march("block-colour", "file-order", "a", 5.0) | {"loop_count/res_calc": 400.0}])],
                               ignore_index=True)  # fmt: skip
    gain = marches.application_speedup(with_waits)
    assert list(gain[:2]) == [1, 2] and gain[2:].isna().all()
    with_waits["loops_timed"] = [None, None, None, None, "after it"]  # by steps more: the newest original, which waits for nothing
    gain = marches.application_speedup(with_waits)
    assert list(gain[[0, 1, 4]]) == [1.25, 2.5, 1] and gain[[2, 3]].isna().all()
