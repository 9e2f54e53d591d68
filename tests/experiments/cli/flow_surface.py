#!/usr/bin/env python3
"""The flow around airfoil's grids beside theory, run by hand: flow_surface.py PICTURE.png WALL.csv...

Each WALL.csv is what `tess march airfoil --mesh airfoil:... --surface` wrote of a steady flow. Prints
lift, drag, the highest pressure coefficient and the distance from the published pressures, and draws
the coefficients over the chord.
"""

import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

MACH, ANGLE = 0.4, math.radians(3)
FOCUS = 1.1019 * 0.12**2 / 2  # the grid's nose lies at -FOCUS, its trailing edge at 1

# Abbott and von Doenhoff, Theory of Wing Sections, 1959, NACA 0012: per cent of the chord, (v/V)^2 of
# the thickness alone, and dv/V for a lift coefficient of 1
TABLE = np.array([
    [0.5, 0.640, 1.475], [1.25, 1.010, 1.199], [2.5, 1.241, 0.934], [5, 1.378, 0.685],
    [7.5, 1.402, 0.558], [10, 1.411, 0.479], [15, 1.411, 0.381], [20, 1.399, 0.319],
    [25, 1.378, 0.273], [30, 1.350, 0.239], [40, 1.288, 0.187], [50, 1.228, 0.149],
    [60, 1.166, 0.118], [70, 1.109, 0.092], [80, 1.044, 0.068], [90, 0.956, 0.044], [95, 0.906, 0.029]])
LIFT = 0.363  # of the profile at 3 degrees without compressibility, by a panel method


def compressed(coefficient):
    """Karman's and Tsien's correction of a pressure coefficient."""
    beta = math.sqrt(1 - MACH**2)
    return coefficient / (beta + MACH**2 / (1 + beta) * coefficient / 2)


def published(side):
    """The pressure coefficients of the upper (1) or lower (-1) side at TABLE's places."""
    return compressed(1 - (np.sqrt(TABLE[:, 1]) + side * TABLE[:, 2] * LIFT)**2)


def stagnation():
    return ((1 + 0.2 * MACH**2)**3.5 - 1) / (0.7 * MACH**2)


def distances(x, y, coefficient):
    """From the published values between 5 and 90 % of the chord, both sides."""
    inside = (TABLE[:, 0] >= 5) & (TABLE[:, 0] <= 90)
    found = []
    for side in (1, -1):
        rows = np.flatnonzero(side * y > 0)
        rows = rows[np.argsort(x[rows])]
        found.append((np.interp(TABLE[:, 0] / 100, x[rows], coefficient[rows]) - published(side))[inside])
    return np.concatenate(found)


def draw(path, surfaces):
    figure, axes = plt.subplots(figsize=(7, 4.6), dpi=100)
    shades = plt.get_cmap("Blues")(np.linspace(0.4, 1, len(surfaces)))
    for (x, _, coefficient), shade in zip(surfaces, shades):
        axes.plot(x, coefficient, color=shade, linewidth=1.3, label=f"{len(x)} edges")
    for side in (1, -1):
        axes.plot(TABLE[:, 0] / 100, published(side), "ko", markersize=4, markerfacecolor="none",
                  label="Abbott, von Doenhoff; Kármán, Tsien" if side == 1 else None)
    axes.axhline(stagnation(), color="grey", linewidth=0.7, linestyle=":")
    axes.invert_yaxis()
    axes.set_xlabel("x / chord")
    axes.set_ylabel("pressure coefficient")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)


def main(picture, *walls):
    surfaces = []
    print("edges    lift    drag    nose  distance")
    for wall in walls:
        rows = np.genfromtxt(wall, delimiter=",", names=True)
        coefficient, chord = rows["pressure_coefficient"], 1 + FOCUS
        push_x, push_y = ((coefficient * rows[f"normal_{axis}"]).sum() / chord for axis in "xy")
        x = (rows["x"] + FOCUS) / chord
        print(f"{len(rows):5d} {push_y * math.cos(ANGLE) - push_x * math.sin(ANGLE):7.4f} "
              f"{push_x * math.cos(ANGLE) + push_y * math.sin(ANGLE):7.4f} {coefficient.max():7.3f} "
              f"{np.sqrt(np.mean(distances(x, rows['y'], coefficient)**2)):9.4f}")
        surfaces.append((x, rows["y"], coefficient))
    print(f"theory {LIFT / math.sqrt(1 - MACH**2):6.4f}  0      {stagnation():7.3f}")
    draw(picture, surfaces)


if __name__ == "__main__":
    main(*sys.argv[1:])
