"""Names of dats: tables of a strategy's text, as the points of blocks, are called likewise."""

import pytest

STRATEGIES = ("global-colour,point-parallel,two-step,block-colour,owner-block:sum=block-gather,owner-block:sum=slots,"
              "halo-atomics:sum=block-gather,halo-atomics:border=ordered")  # fmt: skip


def run(tess, folder, read, summed, code=0):
    (folder / "flux.h").write_text("static inline void flux(const real *q, real *sum) { sum[0] += q[1]; sum[1] += q[0]; }\n")
    (folder / "flux.yaml").write_text(
        "name: flux\nover: edges\n"
        f"dats: [{{name: {read}, set: cells, dim: 1}}, {{name: {summed}, set: cells, dim: 1, start: zero}}]\n"
        f'args: [{{dat: {read}, map: "edges:cells", access: read}}, {{dat: {summed}, map: "edges:cells", access: inc}}]\n')
    return tess("run", "--kernel", "flux.h", "--loop", "flux.yaml", "--mesh", "quads:nx=9:ny=7", "--strategy", STRATEGIES,
                "-b", 32, "--no-lab", "--samples", 0, cwd=folder, code=code)  # fmt: skip


@pytest.mark.parametrize("name", ["index", "points", "border", "border_sums", "list", "gather", "rank", "local"])
def test_a_dat_may_be_called_as_a_table(tess, tmp_path, name):
    assert run(tess, tmp_path, "q", name).stdout.count("passed") == STRATEGIES.count(",") + 1


def test_two_dats_that_would_be_one_are_refused_by_name(tess, tmp_path):
    assert "would both be called cells_index_: call the dat otherwise" in run(tess, tmp_path, "index", "index_", code=3).stderr
