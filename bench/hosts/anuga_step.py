#!/usr/bin/env python3
"""ANUGA's steps on a square of triangles: anuga_step.py MESH.su2 ORDER prints processor seconds a
step, the least of eight, by one thread; and of its two loops the share of all eight, and nanoseconds
a triangle each time. By ORDER own its reorder_domain orders the mesh."""
import os
import statistics
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # threads that wait spin
try:
    import anuga
    import meshio
    import numpy as np
except ImportError as lack:
    print(f"{lack}: pip install anuga meshio")
    sys.exit(127)


def step(domain, begin):
    start = time.process_time()
    for _ in domain.evolve(yieldstep=1e-6, duration=1e-6, skip_initial_step=begin):
        pass
    return time.process_time() - start


def timed(name):
    """The processor seconds that a method of Domain takes, each time, from now on."""
    method, times = getattr(anuga.Domain, name), []

    def method_and_clock(*args, **named):
        start = time.process_time()
        result = method(*args, **named)
        times.append(time.process_time() - start)
        return result

    setattr(anuga.Domain, name, method_and_clock)
    return times


mesh = meshio.read(sys.argv[1])
triangles = np.vstack([cells.data for cells in mesh.cells if cells.type == "triangle"])
domain = anuga.Domain(mesh.points[:, :2], triangles)
if sys.argv[2] == "own":
    domain = anuga.reorder_domain(domain) or domain
domain.set_name("step")
domain.set_store(False)
domain.set_quantity("elevation", lambda x, y: -x / 10)
domain.set_quantity("friction", 0.01)
domain.set_quantity("stage", lambda x, y: 1 + 0.1 * np.exp(-50 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)))
domain.set_boundary({tag: anuga.Reflective_boundary(domain) for tag in domain.get_boundary_tags()})
domain.set_flow_algorithm("DE0")
step(domain, False)
loops = {name: timed(name) for name in ("distribute_to_vertices_and_edges", "compute_fluxes")}
steps = [step(domain, True) for _ in range(8)]
print("seconds a step:", min(steps))
for name, times in loops.items():
    print(f"{name}: {sum(times) / sum(steps):.2f} of a step, {1e9 * statistics.median(times) / len(triangles):.0f} ns a triangle")
