#!/usr/bin/env python3
"""Draws the picture of docs/how-a-loop-runs.md: docs/drawings/draw_loop.py. Needs python3-matplotlib, python3-pil."""

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from draw_concepts import HUES, INK, PALE, keep, tint

# left, bottom, width, height; the words in it
BANDS = (
    (0.0, 2.2, "global memory"),
    (0.0, 1.1, "shared memory of the block"),
    (0.0, 0.0, "registers of a thread"),
)
BOXES = (
    (1.9, 2.25, 1.7, "nodes x\ncells q, adt", 0),
    (5.9, 2.25, 1.7, "cells res", 1),
    (1.9, 1.15, 1.7, "copies of x, q, adt\nof the block's points", 0),
    (5.9, 1.15, 1.7, "sums of res\nof the block's cells", 1),
    (1.9, 0.05, 1.7, "arg0 … arg5\nof its edge", 0),
    (5.9, 0.05, 1.7, "arg6, arg7\nof its edge", 1),
)
ARROWS = (  # from, to, words, where they stand
    ((2.75, 2.25), (2.75, 1.85), "1 stage: async_copy", (2.9, 2.05), "left"),
    ((2.75, 1.15), (2.75, 0.75), "2 read_staged", (2.9, 0.95), "left"),
    ((3.6, 0.4), (5.9, 0.4), "3 compute: res_calc", (4.75, 0.5), "center"),
    ((6.75, 0.75), (6.75, 1.15), "4 add_by_slot: plain_add,\n   a barrier a round", (6.9, 0.95), "left"),
    ((6.55, 1.85), (6.55, 2.25), "5 give_sums: store inside,\n   atomic_add at the border", (6.9, 2.05), "left"),
    ((6.2, 2.25), (6.2, 1.85), "1 stage:\ninner cells", (6.1, 2.05), "right"),
)


def main():
    figure, ax = plt.subplots(figsize=(9.5, 3.6), layout="constrained")
    for x, y, words in BANDS:
        ax.add_patch(plt.Rectangle((x, y), 9.3, 0.7, facecolor="#f5f5f5", edgecolor=PALE))
        ax.text(x + 0.1, y + 0.35, words.replace(" of ", "\nof "), va="center", color=INK, fontsize=10)
    for x, y, width, words, hue in BOXES:
        ax.add_patch(plt.Rectangle((x, y), width, 0.6, facecolor=tint(HUES[hue], 0.45), edgecolor=INK, linewidth=0.8))
        ax.text(x + width / 2, y + 0.3, words, ha="center", va="center", color=INK, fontsize=9.5)
    for start, end, words, place, side in ARROWS:
        ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.3})
        ax.text(*place, words, ha=side, va="center", color=INK, fontsize=9.5)
    ax.set(xlim=(-0.05, 9.35), ylim=(-0.05, 2.95))
    ax.set_axis_off()
    keep(figure, "loop")


if __name__ == "__main__":
    main()
