#!/usr/bin/env bash
# Reading speed: seconds of `wc -w` and of the readers on the same (uncompressed) files, best of 5.
# usage: tests/data/read_speed.sh FILE...      (after cmake --build --preset release)
set -eu
read_mesh=${READ_MESH:-build/release/tests/read_mesh}

# best_of_5 COMMAND...: the fewest seconds of five runs
best_of_5() {
    local best=1e9 start end
    for _ in 1 2 3 4 5; do
        start=$(date +%s.%N)
        "$@" >/dev/null 2>&1
        end=$(date +%s.%N)
        best=$(awk -v a="$best" -v b="$end" -v c="$start" 'BEGIN { d = b - c; print (d < a ? d : a) }')
    done
    echo "$best"
}

printf '%-40s %8s %8s %8s %6s\n' file MB 'wc -w' read ratio
for file in "$@"; do
    words=$(LC_ALL=C.UTF-8 best_of_5 wc -w "$file")
    mesh=$(best_of_5 "$read_mesh" "$file")
    printf '%-40s %8.1f %8.3f %8.3f %6.2f\n' "$(basename "$file")" \
        "$(stat -c %s "$file" | awk '{ print $1 / 1e6 }')" "$words" "$mesh" \
        "$(awk -v a="$mesh" -v b="$words" 'BEGIN { print a / b }')"
done
