#!/usr/bin/env python3
"""Gmsh's meshes that hosts are measured on: meshes.py FOLDER makes a cube of 918,000 tets and a
square of 460,000 triangles by Delaunay (Gmsh 4.15), whose order is nearly random; with the size of
tets, or of tets and triangles, as meshes.py FOLDER 0.1, coarse ones. pip install gmsh"""
import pathlib
import sys

import gmsh


def make(path, dimension, size):
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
    gmsh.option.setNumber("Mesh.Algorithm", 5)
    gmsh.model.mesh.generate(dimension)
    gmsh.write(str(path))
    gmsh.finalize()


folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)
sizes = [float(word) for word in sys.argv[2:]] or [0.0178, 0.0025]
make(folder / "cube.msh", 3, sizes[0])
make(folder / "square.msh", 2, sizes[-1])
