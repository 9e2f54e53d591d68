#!/usr/bin/env python3
"""Gmsh's meshes that hosts are measured on: meshes.py FOLDER makes a cube of 918,000 tets and a
square of 460,000 triangles by Delaunay (Gmsh 4.15), whose order is nearly random; with the size of
tets, or of tets and triangles, as meshes.py FOLDER 0.1, coarse ones. With frontal or hxt behind the
sizes Gmsh makes them so (hxt: tets; its triangles are frontal). pip install gmsh"""
import pathlib
import sys

import gmsh

WAYS = {"delaunay": (5, 1), "frontal": (6, 4), "hxt": (6, 10)}  # numbers of Gmsh, for triangles and for tets


def make(path, dimension, size, way):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    shapes = gmsh.model.occ
    solid = shapes.addBox(0, 0, 0, 1, 1, 1) if dimension == 3 else shapes.addRectangle(0, 0, 0, 1, 1)
    shapes.synchronize()
    for i, (_, side) in enumerate(gmsh.model.getEntities(dimension - 1)):
        gmsh.model.addPhysicalGroup(dimension - 1, [side], i + 1, f"wall{i}")
    gmsh.model.addPhysicalGroup(dimension, [solid], 10, "inside")
    for option in ("MeshSizeMax", "MeshSizeMin"):
        gmsh.option.setNumber(f"Mesh.{option}", size)
    for option, number in zip(("Algorithm", "Algorithm3D"), WAYS[way]):
        gmsh.option.setNumber(f"Mesh.{option}", number)
    gmsh.model.mesh.generate(dimension)
    gmsh.write(str(path))
    gmsh.finalize()


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
way = sys.argv.pop() if sys.argv[-1] in WAYS else "delaunay"
sizes = [float(word) for word in sys.argv[2:]] or [0.0178, 0.0025]
make(folder / "cube.msh", 3, sizes[0], way)
make(folder / "square.msh", 2, sizes[-1], way)
