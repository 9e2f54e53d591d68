#!/usr/bin/env bash
# How fast `tess runs` is on 5,000 and 50,000 runs: runs_speed.sh [BUILD], by hand. Prints seconds.
set -eu
build=${1:-build/release}
lab=$(mktemp --directory)
trap 'rm -rf "$lab"' EXIT
"$build/tests/lab_writer" "$lab" 16 >"$lab/ids"
mapfile -t ids <"$lab/ids"
n=16
for wanted in 5000 50000; do
    # The same runs under other ids: a record's name is its file's.
    for ((; n < wanted; n++)); do
        printf -v id '01m7%022d' "$n"
        cp "$lab/runs/${ids[n % 16]}.hdf" "$lab/runs/$id.hdf"
    done
    for what in "index made:" "filter:" "filter, again:"; do
        printf '%6d runs, %-14s ' "$wanted" "$what"
        TIMEFORMAT=%R
        time "$build/bin/tess" runs --lab "$lab" --limit 3 \
            --where 'partitioner = "metis" and block_size >= 128' >/dev/null
    done
done
