#!/usr/bin/env bash
# Draws the pictures of gallery.md and the README: docs/draw_gallery.sh [NAME...], after a build.
# Needs ParaView, Xvfb and python3-pil; colours are reduced to 128, which keeps the files small.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
tess=build/release/bin/tess
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
wanted=" ${*:-blocks partitioners_2d partitioners_3d cut solid thread reuse rcb_levels solution} "

is_wanted() { [[ $wanted == *" $1 "* ]]; }

# keep NAME COLUMNS PICTURE...: tiles pictures of one size and writes docs/NAME.png.
keep() {
    /usr/bin/python3 - "docs/$1.png" "${@:2}" <<'PYTHON'
import sys
from PIL import Image, PngImagePlugin
target, columns, pictures = sys.argv[1], int(sys.argv[2]), [Image.open(p) for p in sys.argv[3:]]
width, height = pictures[0].size
whole = Image.new("RGB", (columns * width, -(-len(pictures) // columns) * height), "white")
for i, picture in enumerate(pictures):
    whole.paste(picture.convert("RGB"), (i % columns * width, i // columns * height))
small = whole.quantize(128, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
words = PngImagePlugin.PngInfo()  # the captions, which tests compare with the numbers of today
words.add_itxt("Description", "\n".join(p.text.get("Description", "") for p in pictures).strip())
small.save(target, optimize=True, pnginfo=words)
PYTHON
    echo "docs/$1.png $(stat --format=%s "docs/$1.png") bytes"
}

# draw NAME LAB VIEW-ARGUMENTS...
draw() {
    is_wanted "$1" || return 0
    $tess view "${@:3}" --lab "$work/$2" --png "$work/$1.png" >/dev/null
    keep "$1" 1 "$work/$1.png"
}

nine=(@last~8 @last~7 @last~6 @last~5 @last~4 @last~3 @last~2 @last~1 @last)

$tess partition data/meshes/north_sea.msh.xz --map edges:cells --block-size 128 --lab "$work/lab2d" --quiet \
    --partitioner random,file-order,rcm,gps,hilbert,rcb,metis,scotch,mosaic >/dev/null
draw blocks lab2d @last~2 --explode 0.1 --size 910x850
draw partitioners_2d lab2d "${nine[@]}" --side-by-side --outline --no-edges --size 400x380
draw thread lab2d @last~2 --block 40 --colour thread_colour --size 700x600
draw reuse lab2d @last~2 --colour reuse --outline --no-edges --size 760x760

$tess partition hexes:nx=32:ny=24:nz=16 --map cells:nodes --block-size 128 --lab "$work/lab3d" \
    --quiet --partitioner file-order,rcm,gps,hilbert,rcb,bricks,metis,scotch,mosaic >/dev/null
draw partitioners_3d lab3d "${nine[@]}" --side-by-side --explode 0.4 --size 400x360

if is_wanted cut || is_wanted solid; then
    $tess partition data/meshes/refine_cube_sphere.meshb.xz --map cells:nodes --block-size 512 \
        --lab "$work/labtets" --quiet --partitioner mosaic >/dev/null
    draw solid labtets @last --explode 0.35 --size 760x640
    draw cut labtets @last --cut y=0.5 --outline --size 760x640
fi

if is_wanted rcb_levels; then
    $tess partition data/meshes/north_sea.msh.xz --map edges:cells --partitioner rcb --block-size 256 \
        --no-lab --quiet --catalyst viz/scripts/partitioning.py --viz-folder "$work/film" >/dev/null
    for level in 0 1 2 3 4 5; do
        /usr/bin/python3 -c 'import sys; from PIL import Image
Image.open(sys.argv[1]).resize((450, 350), Image.Resampling.LANCZOS).save(sys.argv[2])' \
            "$work/film/partitioning_00000$level.png" "$work/level$level.png"
    done
    keep rcb_levels 3 "$work"/level?.png
fi

if is_wanted solution; then
    $tess run airfoil --mesh airfoil:i=200:j=60 --partitioner rcb --block-size 256 --device host \
        --samples 1 --no-lab --quiet --steps 400 --catalyst viz/scripts/solution.py \
        --catalyst-every 400 --viz-folder "$work/march" --viz-field pressure --viz-range 0.92,1.04 \
        --viz-window=-0.6,1.6,-0.8,0.8 >/dev/null
    keep solution 1 "$work/march/solution_000400.png"
fi
