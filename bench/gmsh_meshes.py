#!/usr/bin/env python3
"""Irregular meshes of triangles and of quads made by Gmsh, for the rows that name them.

    pip install gmsh        # or apt-get install python3-gmsh
    bench/gmsh_meshes.py FOLDER [NAME...]

A square with an off-centre hole, the mesh finer towards it. Gmsh gives the same mesh every time,
but another version of it may give another one."""

import pathlib
import sys

MESHES = {  # name: (size far from the hole, whether quads)
    "gmsh_tris_small.msh": (0.012, False), "gmsh_quads_small.msh": (0.009, True)}


def make(path, size, quads):
    import gmsh

    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("General.NumThreads", 1)
    gmsh.option.setNumber("Mesh.Algorithm", 8 if quads else 6)  # frontal, for quads or not
    geometry = gmsh.model.occ
    hole = geometry.addDisk(0.4, 0.55, 0, 0.1, 0.1)
    geometry.cut([(2, geometry.addRectangle(0, 0, 0, 1, 1))], [(2, hole)])
    geometry.synchronize()
    field = gmsh.model.mesh.field
    field.add("MathEval", 1)
    distance = "Sqrt((x-0.4)*(x-0.4)+(y-0.55)*(y-0.55))"
    field.setString(1, "F", f"{size}*(0.25+1.5*({distance}-0.1))")
    field.setAsBackgroundMesh(1)
    for option in ("ExtendFromBoundary", "FromPoints", "FromCurvature"):
        gmsh.option.setNumber("Mesh.MeshSize" + option, 0)
    if quads:
        gmsh.option.setNumber("Mesh.RecombineAll", 1)
        gmsh.option.setNumber("Mesh.RecombinationAlgorithm", 3)  # all quads, by one halving
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.removeDuplicateNodes()
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    gmsh.option.setNumber("Mesh.Binary", 1)
    gmsh.write(str(path))
    counts = {gmsh.model.mesh.getElementProperties(kind)[0]: len(tags) for kind, tags in
              zip(*gmsh.model.mesh.getElements(2)[:2])}
    gmsh.finalize()
    return counts


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(MESHES):
        sys.exit(f"usage: {sys.argv[0]} FOLDER [{' | '.join(MESHES)}]...")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MESHES:
        if not (folder / name).exists():
            counts = make(folder / f".{name}", *MESHES[name])
            (folder / f".{name}").rename(folder / name)
            print(name, ", ".join(f"{n} {kind}" for kind, n in counts.items()))


if __name__ == "__main__":
    main()
