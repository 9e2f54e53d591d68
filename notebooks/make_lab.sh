#!/usr/bin/env bash
# make_lab.sh [LAB [SAMPLES]] makes notebooks/lab, the small lab that ships, or another one with fewer
# samples: partitions of the North Sea's edges, and volna's main loop on the host, timed. The
# repository stands for the home directory, so that no path of the machine is kept.
set -euo pipefail
lab=$(readlink -m "${1:-$(dirname "$(readlink -f "$0")")/lab}")
samples=${2:-100}
cd "$(dirname "$(readlink -f "$0")")/.."
tess=${TESS_BIN:-$PWD/build/release/bin/tess}
mesh=data/meshes/north_sea.msh.xz
XDG_CACHE_HOME=$(mktemp --directory)
export HOME=$PWD TESS_LAB=${lab#"$PWD"/} XDG_CACHE_HOME OMP_NUM_THREADS=1
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
[ $# -gt 0 ] || rm -rf "$TESS_LAB"

"$tess" partition $mesh --map edges:cells --block-size 128 \
    --partitioner file-order,hilbert,rcb,metis,scotch,mosaic:shape=0,mosaic:shape=0.5,mosaic
"$tess" partition $mesh --map edges:cells --block-size 256 --partitioner rcb,metis,mosaic
# Three sessions, each of six runs that are timed in turns. Each partitioner is named by two of them,
# which is an A/A test; its tag takes all of its runs together.
for _ in 1 2 3; do
    "$tess" run volna --mesh $mesh --device host --partitioner rcb,metis,random \
        --strategy sequential,sequential --samples "$samples"
done
"$tess" runs --csv --columns partitioner --where 'application = volna' | tail -n +2 |
    while IFS=, read -r run partitioner; do
        "$tess" tag "$partitioner" "$run"
    done
rm -f "$TESS_LAB/index.hdf"
