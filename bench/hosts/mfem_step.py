#!/usr/bin/env python3
"""MFEM's diffusion on tets, first order: mfem_step.py MESH.msh ORDER prints processor seconds of the
assembly and of an iteration of CG with Gauss-Seidel, the least of five. By ORDER own it orders
elements along its Hilbert curve first."""
import sys
import time

try:
    import mfem.ser as mfem
except ImportError as lack:
    print(f"{lack}: pip install mfem")
    sys.exit(127)

ITERATIONS = 30
clock = time.process_time
mesh = mfem.Mesh(sys.argv[1], 1, 0)
begin = clock()
if sys.argv[2] == "own":
    order = mfem.intArray()
    mesh.GetHilbertElementOrdering(order)
    mesh.ReorderElements(order)
print("seconds of ordering:", clock() - begin)
space = mfem.FiniteElementSpace(mesh, mfem.H1_FECollection(1, mesh.Dimension()))
fixed, sides = mfem.intArray(), mfem.intArray(mesh.bdr_attributes.Max())
sides.Assign(1)
space.GetEssentialTrueDofs(sides, fixed)
one = mfem.ConstantCoefficient(1.0)
load = mfem.LinearForm(space)
load.AddDomainIntegrator(mfem.DomainLFIntegrator(one))
load.Assemble()
form = mfem.BilinearForm(space)
form.AddDomainIntegrator(mfem.DiffusionIntegrator(one))
begin = clock()
form.Assemble()
print("seconds of assembly:", clock() - begin)
solution = mfem.GridFunction(space)
solution.Assign(0.0)
operator, right, found = mfem.OperatorPtr(), mfem.Vector(), mfem.Vector()
form.FormLinearSystem(fixed, solution, load, operator, found, right)
smoother = mfem.GSSmoother(mfem.OperatorHandle2SparseMatrix(operator))
times = []
for _ in range(5):
    found.Assign(0.0)
    begin = clock()
    mfem.PCG(operator, smoother, right, found, 0, ITERATIONS, 1e-30, 0.0)
    times.append((clock() - begin) / ITERATIONS)
print("seconds an iteration:", min(times))
