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


NEXT = """name: diffusion
dats:
  - {name: u_next, set: cells, dim: 1}
  - {name: u, set: cells, dim: 1}
  - {name: gain, set: cells, dim: 1, start: zero}
loops:
  - name: exchange
    over: edges
    args: [{dat: u, map: "edges:cells", access: read}, {dat: gain, map: "edges:cells", access: inc}]
  - name: advance
    over: cells
    args: [{dat: u, access: rw}, {dat: gain, access: rw, cleared: yes}]
  - name: note
    over: cells
    args: [{dat: u_next, access: rw}, {dat: u, access: read}]
step: [exchange, advance, note]
"""
NEXT_KERNELS = """static inline void exchange(const real *u, real *gain) {
    gain[0] += (real)0.1 * (u[1] - u[0]);
    gain[1] += (real)0.1 * (u[0] - u[1]);
}
static inline void advance(real *u, real *gain) { u[0] += gain[0], gain[0] = 0; }
static inline void note(real *u_next, const real *u) { u_next[0] = (real)0.5 * u_next[0] + u[0]; }
"""


@pytest.mark.parametrize("device", [["--device", "emulator"], ["--device", "host"], ["--device", "host", "--ranks", "2"]])
def test_a_dat_called_next_is_no_second_buffer_of_another(tess, tmp_path, device):
    (tmp_path / "diffusion.yaml").write_text(NEXT)
    (tmp_path / "diffusion.h").write_text(NEXT_KERNELS)
    march = ["march", "--kernel", "diffusion.yaml", "--mesh", "tris:nx=9:ny=7", "--no-lab", "--steps", "3", "--check", *device]
    assert "same state" in tess(*march, "--chains", "exchange+advance", cwd=tmp_path).stdout
    assert "would both be called cells_u_next" in tess(*march, "--chains", "exchange+advance+note", cwd=tmp_path, code=2).stderr
