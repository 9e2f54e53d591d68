#!/usr/bin/env python3
"""A corpus of meshes of many kinds: one a seed, of a kind, size and grading that the seed draws.

    pip install gmsh        # or apt-get install python3-gmsh
    bench/corpus_meshes.py FOLDER SEED...

Each mesh has 20,000 to 300,000 elements. Some are made by Gmsh (FOLDER/corpus-SEED-KIND.msh; another version of it
may make another mesh), the others by `tess`, with options that the seed draws. --rows prints the rows of the seeds as
mosaic_rows.csv has them: every map of each mesh, in blocks of a size that the seed draws too."""

import argparse
import math
import pathlib
import random
import sys

LEAST, MOST = 20_000, 300_000  # elements, which in 2D are up to two edges a cell, in 3D up to three faces
CELLS = {2: (LEAST, MOST / 2), 3: (LEAST, MOST / 3)}  # by dimension
COARSE = 4  # the first mesh of Gmsh, of which the sizes of the second follow
BLOCK_SIZES = (64, 128, 256, 480)


def even(rng, least, most):
    """A number between two, evenly on a logarithmic scale."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


# --- kinds that Gmsh makes: each draws its geometry and its sizes ------------------------------------------


def closed_curve(gmsh, rng, centre, radius, roughness, sizes):
    """A ragged closed curve around a centre, a size of cells at each of its points; the curve loop."""
    n = rng.randrange(12, 60)
    phase, waves = rng.uniform(0, 6), rng.randrange(2, 6)
    points = []
    for i in range(n):
        angle = 2 * math.pi * i / n
        r = radius * (1 + roughness * (math.sin(waves * angle + phase) + rng.uniform(-0.4, 0.4)))
        points.append(gmsh.model.geo.addPoint(centre[0] + 1.4 * r * math.cos(angle),
                                              centre[1] + r * math.sin(angle), 0, rng.choice(sizes)))
    lines = [gmsh.model.geo.addLine(points[i], points[(i + 1) % n]) for i in range(n)]
    return gmsh.model.geo.addCurveLoop(lines)


def farm(gmsh, rng):
    """A rectangle of a regular grid in the middle, as a farm of turbines is meshed; its curve loop."""
    wide, high, n = rng.uniform(0.2, 0.4), rng.uniform(0.1, 0.3), rng.randrange(30, 150)
    size = 2 * wide / n
    corners = [gmsh.model.geo.addPoint(x * wide, y * high, 0, size) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sides = [gmsh.model.geo.addLine(corners[i], corners[(i + 1) % 4]) for i in range(4)]
    loop = gmsh.model.geo.addCurveLoop(sides)
    surface = gmsh.model.geo.addPlaneSurface([loop])
    for i, side in enumerate(sides):
        length = 2 * (high if i % 2 else wide)
        gmsh.model.geo.mesh.setTransfiniteCurve(side, max(4, int(length / size) + 1))
    gmsh.model.geo.mesh.setTransfiniteSurface(surface)
    return loop


def coast(gmsh, rng, islands=True, patch=False, basins=1):
    """Ragged basins with islands, fine and coarse by turns along their coasts."""
    size = even(rng, 0.006, 0.016)
    sizes = [size * factor for factor in (0.3, 1, 1, even(rng, 1, 6))]
    for basin in range(basins):
        at = 4.0 * basin
        loops = [closed_curve(gmsh, rng, (at, 0), 1, 0.12, sizes)]
        if patch and basin == 0:
            loops.append(farm(gmsh, rng))
        places = [(0.75 * math.cos(a), 0.6 * math.sin(a)) for a in (0.5, 2.3, 3.6, 5.2)]
        for place in rng.sample(places, rng.randrange(5)) if islands else []:
            loops.append(closed_curve(gmsh, rng, (at + place[0], place[1]), rng.uniform(0.02, 0.1), 0.2, sizes))
        gmsh.model.geo.addPlaneSurface(loops)
    gmsh.model.geo.synchronize()
    return 2


def farms(gmsh, rng):
    return coast(gmsh, rng, patch=True)


def basins(gmsh, rng):
    return coast(gmsh, rng, basins=rng.randrange(2, 5))


def jagged_quads(gmsh, rng):
    """Quads by recombination; where it fails some triangles stay, so that the mesh is mixed."""
    gmsh.option.setNumber("Mesh.RecombineAll", 1)
    for option in ("RecombinationAlgorithm", "RecombineOptimizeTopology", "RecombineNodeRepositioning"):
        gmsh.option.setNumber("Mesh." + option, 0)  # the simple way, which takes seconds
    return coast(gmsh, rng)


def strips(gmsh, rng):
    """Strips side by side: grids of quads, grids of triangles and free triangles."""
    size, n = even(rng, 0.006, 0.012), rng.randrange(2, 6)
    xs = [0.0]
    for _ in range(n):
        xs.append(xs[-1] + rng.uniform(0.3, 1.2))
    points = [[gmsh.model.geo.addPoint(x, y, 0, size * rng.uniform(0.5, 2)) for x in xs] for y in (0, 1)]
    ends = [[gmsh.model.geo.addLine(points[j][i], points[j][i + 1]) for i in range(n)] for j in (0, 1)]
    walls = [gmsh.model.geo.addLine(points[0][i], points[1][i]) for i in range(n + 1)]
    for wall in walls:
        gmsh.model.geo.mesh.setTransfiniteCurve(wall, int(1 / size))
    for i in range(n):
        loop = gmsh.model.geo.addCurveLoop([ends[0][i], walls[i + 1], -ends[1][i], -walls[i]])
        surface = gmsh.model.geo.addPlaneSurface([loop])
        kind = rng.choice(["quads", "tris", "free"])
        if kind != "free":
            for j in (0, 1):
                gmsh.model.geo.mesh.setTransfiniteCurve(ends[j][i], int((xs[i + 1] - xs[i]) / size * rng.uniform(0.5, 1)))
            gmsh.model.geo.mesh.setTransfiniteSurface(surface, rng.choice(["Left", "Right", "Alternate"]))
        if kind == "quads":
            gmsh.model.geo.mesh.setRecombine(2, surface)
    gmsh.model.geo.synchronize()
    return 2


def walls(gmsh, rng):
    """Bodies in a channel, layers of thin quads at their walls, triangles between."""
    occ, size = gmsh.model.occ, even(rng, 0.012, 0.03)
    channel = occ.addRectangle(0, 0, 0, 3, 1)
    bodies = [occ.addDisk(0.5 + i * 0.8, rng.uniform(0.3, 0.7), 0, rng.uniform(0.08, 0.16), rng.uniform(0.04, 0.08))
              for i in range(rng.randrange(1, 4))]
    occ.cut([(2, channel)], [(2, body) for body in bodies])
    occ.synchronize()
    field = gmsh.model.mesh.field
    curves = [tag for _, tag in gmsh.model.getEntities(1) if gmsh.model.getType(1, tag) == "Ellipse"]
    layer = field.add("BoundaryLayer")
    field.setNumbers(layer, "CurvesList", curves)
    for name, value in {"Size": size * even(rng, 0.002, 0.05), "Ratio": rng.uniform(1.1, 1.3), "Quads": 1,
                        "Thickness": 0.03}.items():
        field.setNumber(layer, name, value)
    field.setAsBoundaryLayer(layer)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", size * 0.1)
    gmsh.model.mesh.setSize([(0, tag) for _, tag in gmsh.model.getBoundary([(1, c) for c in curves], combined=False)],
                            size * 0.15)
    return 2


def surface(gmsh, rng):
    """The surface of bodies melted together, finer where a point draws it."""
    occ = gmsh.model.occ
    bodies = [(3, occ.addSphere(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.8, 1.2)))]
    bodies.append((3, rng.choice([occ.addTorus(0, 0, 0, 2, rng.uniform(0.3, 0.6)),
                                  occ.addBox(-1.5, -0.5, -0.4, 3, 1, 0.8)])))
    occ.fuse(bodies[:1], bodies[1:])
    occ.synchronize()
    graded(gmsh, rng, even(rng, 0.025, 0.05))
    return 2


def graded(gmsh, rng, size):
    """Sizes that grow away from two points."""
    centres = [[rng.uniform(-1, 1) for _ in range(3)] for _ in range(2)]
    growth = rng.uniform(0.2, 1.2)
    away = [f"Sqrt((x-({a:.3f}))^2+(y-({b:.3f}))^2+(z-({c:.3f}))^2)" for a, b, c in centres]
    field = gmsh.model.mesh.field
    own = field.add("MathEval")
    nearest = f"(({away[0]}+{away[1]})-Fabs({away[0]}-({away[1]})))/2"
    field.setString(own, "F", f"{size:.5f}*(0.4+{growth:.3f}*({nearest}))")
    field.setAsBackgroundMesh(own)
    for option in ("ExtendFromBoundary", "FromPoints", "FromCurvature"):
        gmsh.option.setNumber("Mesh.MeshSize" + option, 0)


def tets(gmsh, rng):
    """A box with holes, filled with tets that grow away from two points."""
    occ = gmsh.model.occ
    box = [(3, occ.addBox(-1, -1, -1, rng.uniform(1.5, 3), 2, rng.uniform(1, 2)))]
    holes = [(3, occ.addSphere(rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0), rng.uniform(0.1, 0.3)))
             for _ in range(rng.randrange(4))]
    if holes:
        occ.cut(box, holes)
    occ.synchronize()
    graded(gmsh, rng, even(rng, 0.05, 0.09))
    return 3


def extruded(gmsh, rng, quads=False):
    """A ragged basin, extruded in layers that grow: prisms, or hexes with prisms between them."""
    if quads:
        gmsh.option.setNumber("Mesh.RecombineAll", 1)
        gmsh.option.setNumber("Mesh.Algorithm", 8)
    size, n = even(rng, 0.03, 0.06), rng.randrange(8, 40)
    ratio = rng.uniform(1, 1.2)
    heights = [sum(ratio**j for j in range(i + 1)) for i in range(n)]
    base = gmsh.model.geo.addPlaneSurface([closed_curve(gmsh, rng, (0, 0), 1, 0.1, [size, size * 2])])
    gmsh.model.geo.extrude([(2, base)], 0, 0, rng.uniform(0.2, 1), [1] * n, [h / heights[-1] for h in heights],
                           recombine=True)
    gmsh.model.geo.synchronize()
    return 3


def extruded_quads(gmsh, rng):
    return extruded(gmsh, rng, quads=True)


GMSH_KINDS = {"coast": coast, "farms": farms, "basins": basins, "quads": jagged_quads, "strips": strips, "walls": walls,
              "surface": surface, "tets": tets, "prisms": extruded, "hexes": extruded_quads}
STRETCHED = ("coast", "farms", "quads", "strips")  # kinds of which some are stretched as a whole


# --- kinds that tess makes ---------------------------------------------------------------------------------


def box(rng, kind, cells_a_step, periodic):
    """A cuboid with three random sides."""
    cells = even(rng, *CELLS[3]) / cells_a_step
    sides = [even(rng, 0.4, 2.5) for _ in range(3)]
    scale = (cells / math.prod(sides)) ** (1 / 3)
    nx, ny, nz = (max(6, int(scale * side)) for side in sides)
    return f"{kind}:nx={nx}:ny={ny}:nz={nz}:periodic={rng.choice(periodic)}:stretch={even(rng, 1, 100):.0f}"


def rectangle(rng, kind, cells_a_step, periodic):
    cells, side = even(rng, *CELLS[2]) / cells_a_step, even(rng, 0.3, 3)
    return (f"{kind}:nx={int(math.sqrt(cells) * side)}:ny={int(math.sqrt(cells) / side)}"
            f":periodic={rng.choice(periodic)}:stretch={even(rng, 1, 1e4):.0f}")


def moved(rng):
    n = int(math.sqrt(even(rng, *CELLS[2]) / 2))
    return f"irregular:nx={n}:ny={n}:jitter={rng.uniform(0.2, 1):.2f}:rounds={rng.randrange(1, 5)}:seed={rng.randrange(1000)}"


def ring(rng):
    n = int(math.sqrt(even(rng, *CELLS[2])))
    return f"ogrid:ni={2 * n}:nj={n // 2}:stretch={even(rng, 10, 1e5):.0f}"


def layers(rng):
    n = int(math.sqrt(even(rng, *CELLS[3]) / 80))
    return (f"layers:base={rng.choice(['regular', 'irregular', 'wing'])}:nx={n}:ny={n}:prisms={rng.randrange(5, 20)}"
            f":tets={rng.randrange(4, 12)}:seed={rng.randrange(1000)}")


TESS_KINDS = {
    "box-hexes": lambda rng: box(rng, "hexes", 1, ["none", "x", "xy", "xyz"]),
    "box-tets": lambda rng: box(rng, "tets", 6, ["none", "xy", "xyz"]),
    "box-prisms": lambda rng: box(rng, "prisms", 2, ["none", "x", "xyz"]),
    "sheet-quads": lambda rng: rectangle(rng, "quads", 1, ["none", "x", "xy"]),
    "sheet-tris": lambda rng: rectangle(rng, "tris", 2, ["none", "x", "xy"]),
    "moved": moved,
    "ring": ring,
    "layers": layers}


# --- the corpus --------------------------------------------------------------------------------------------


def draw(seed):
    """The kind of a seed and what draws the rest; neighbours (2 n, 2 n + 1) have the same kind."""
    kinds = sorted(GMSH_KINDS) + sorted(TESS_KINDS)
    return kinds[seed // 2 % len(kinds)], random.Random(seed)


def stretch(gmsh, rng):
    """Cells up to hundreds of times as long as wide: coordinates only."""
    by = even(rng, 3, 300)
    gmsh.model.mesh.affineTransform([by, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])


def generate(gmsh, dimension, factor):
    """Meshes anew, all sizes multiplied; how many cells there are."""
    gmsh.model.mesh.clear()
    gmsh.option.setNumber("Mesh.MeshSizeFactor", factor)
    gmsh.model.mesh.generate(dimension)
    return sum(len(tags) for tags in gmsh.model.mesh.getElements(dimension)[1])


def mesh_by_gmsh(path, kind, rng):
    """How many cells it has: about as many as the seed draws, found from a coarse mesh; None if that fails."""
    import gmsh

    gmsh.initialize(interruptible=False)
    try:
        for name, value in {"General.Terminal": 0, "General.NumThreads": 1, "Mesh.RandomSeed": rng.randrange(1, 1000),
                            "Mesh.Algorithm": rng.choice([5, 6]), "Mesh.MshFileVersion": 4.1, "Mesh.Binary": 1}.items():
            gmsh.option.setNumber(name, value)
        dimension = GMSH_KINDS[kind](gmsh, rng)
        least, most = CELLS[dimension]
        wanted, factor = even(rng, 1.5 * least, most), COARSE
        for _ in range(3):
            n = generate(gmsh, dimension, factor)
            if 0.7 * wanted < n < 1.5 * wanted:
                break
            factor *= (n / wanted) ** (1 / dimension)
        gmsh.model.mesh.removeDuplicateNodes()
        if kind in STRETCHED and rng.random() < 0.3:
            stretch(gmsh, rng)
        if not LEAST <= n <= MOST:
            return None
        gmsh.write(str(path))
        return n
    finally:
        gmsh.finalize()


def named(seed):
    """The mesh of a seed as tess takes it, made or not."""
    kind, rng = draw(seed)
    mesh = TESS_KINDS[kind](rng) if kind in TESS_KINDS else f"corpus-{seed:03}-{kind}.msh"
    return mesh + (":shuffle=1" if random.Random(-seed - 1).random() < 0.3 else "")


def make(folder, seed):
    """Its name; a file of Gmsh's is made if it is not there. None where Gmsh fails."""
    kind, rng = draw(seed)
    path = folder / f"corpus-{seed:03}-{kind}.msh"
    if kind in GMSH_KINDS and not path.exists():
        draft = folder / f".{seed}-{kind}.msh"
        try:
            n = mesh_by_gmsh(draft, kind, rng)
        except Exception as error:  # Gmsh's words: some random geometry cannot be meshed
            print(f"seed {seed}, {kind}: Gmsh: {error}", file=sys.stderr)
            return None
        if n is None:
            print(f"seed {seed}, {kind}: too small or too large, left out", file=sys.stderr)
            return None
        draft.rename(path)
    return named(seed)


SOLID = ("tets", "prisms", "hexes", "layers", "box")  # kinds of 3D meshes


def rows_of(seed):
    """Mesh, map and block size of every row of a seed, whose mesh is made or not."""
    kind, _ = draw(seed)
    maps = ["faces:cells" if kind.startswith(SOLID) else "edges:cells",
            "tris:nodes" if kind == "surface" else "cells:nodes", "edges:nodes"]
    mesh, sizes = named(seed), random.Random(1000 + seed)
    return [(mesh, name, sizes.choice(BLOCK_SIZES)) for name in maps]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=pathlib.Path, help="where the meshes of Gmsh are written")
    words.add_argument("seeds", type=int, nargs="+", metavar="SEED")
    words.add_argument("--rows", action="store_true", help="print mesh, map, block size and kind, and make nothing")
    asked = words.parse_args()
    if asked.rows:
        for seed in asked.seeds:
            for row in rows_of(seed):
                print(*row, draw(seed)[0], sep=",")
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    for seed in asked.seeds:
        mesh = make(asked.folder, seed)
        if mesh:
            print(mesh, flush=True)


if __name__ == "__main__":
    main()
