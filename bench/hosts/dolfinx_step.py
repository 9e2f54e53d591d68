#!/usr/bin/env python3
"""DOLFINx's diffusion on tets, first order: dolfinx_step.py MESH.su2 prints processor seconds of
making the mesh, of the assembly and of an iteration of PETSc's CG with SSOR, the least of some.
It orders cells and unknowns itself, whatever it is given."""
import sys
import time

try:
    import dolfinx
    import meshio
    import ufl
    from mpi4py import MPI
    from petsc4py import PETSc
except ImportError as lack:
    print(f"{lack}: apt-get install python3-dolfinx, pip install meshio")
    sys.exit(127)

ITERATIONS = 30
clock = time.process_time
given = meshio.read(sys.argv[1])
begin = clock()
mesh = dolfinx.mesh.create_mesh(MPI.COMM_SELF, given.cells_dict["tetra"], given.points,
                                ufl.Mesh(ufl.VectorElement("Lagrange", ufl.tetrahedron, 1)))
print("seconds of the mesh:", clock() - begin)
space = dolfinx.fem.FunctionSpace(mesh, ("Lagrange", 1))
u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
form = dolfinx.fem.form((ufl.inner(ufl.grad(u), ufl.grad(v)) + u * v) * ufl.dx)
matrix = dolfinx.fem.petsc.create_matrix(form)
times = []
for _ in range(4):
    matrix.zeroEntries()
    begin = clock()
    dolfinx.fem.petsc.assemble_matrix(matrix, form)
    matrix.assemble()
    times.append(clock() - begin)
print("seconds of assembly:", min(times))
right = matrix.createVecRight()
right.set(1.0)
found = right.duplicate()
solver = PETSc.KSP().create(MPI.COMM_SELF)
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("sor")
solver.setTolerances(rtol=1e-30, atol=0, max_it=ITERATIONS)
solver.setUp()
times = []
for _ in range(24):  # orders differ by less than what else runs
    found.set(0)
    begin = clock()
    solver.solve(right, found)
    times.append((clock() - begin) / solver.getIterationNumber())
print("seconds an iteration:", min(times))
