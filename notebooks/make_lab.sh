#!/usr/bin/env bash
# Makes notebooks/lab, the small lab that ships: partitions of the North Sea's edges, and volna's
# main loop on the host, timed. The repository stands for the home directory, so that no path of
# the machine is kept.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
tess=$PWD/build/release/bin/tess
mesh=data/north_sea.msh.xz
XDG_CACHE_HOME=$(mktemp --directory)
export HOME=$PWD TESS_LAB=notebooks/lab XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
rm -rf "$TESS_LAB"

"$tess" partition $mesh --map edges:cells --no-view --block-size 128 \
    --partitioner natural,hilbert,rcb,metis,scotch,mosaic:shape=0,mosaic:shape=0.5,mosaic
"$tess" partition $mesh --map edges:cells --no-view --block-size 256 --partitioner rcb,metis,mosaic
# Strategies that are named twice are equal runs, their samples interleaved: an A/A test.
for partitioner in rcb metis; do
    "$tess" run volna --mesh $mesh --no-view --device host --partitioner $partitioner \
        --strategy sequential,openmp,openmp,openmp,openmp --samples 60
done
for run in $("$tess" runs --csv --columns run --where 'strategy = openmp' | tail -n +2 | cut -d, -f1); do
    "$tess" tag parallel "$run"
done
rm -f "$TESS_LAB/index.hdf"
