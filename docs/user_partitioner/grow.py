"""Blocks that grow, one after another, by the element that shares most points with them."""

import heapq

import numpy


def partition(problem):
    offset, neighbour, shared = (array.tolist() for array in problem.graph())
    block_of = numpy.full(problem.n_elements, -1)
    seeds = [(0, element) for element in range(problem.n_elements)]  # beside most that is taken
    taken_beside = [0] * problem.n_elements
    for block in range(problem.n_blocks):
        front, inside, size = [], {}, 0
        while size < problem.block_size and (front or seeds):
            _, element = heapq.heappop(front or seeds)
            if block_of[element] >= 0:
                continue
            block_of[element] = block
            size += 1
            for edge in range(offset[element], offset[element + 1]):
                near = neighbour[edge]
                inside[near] = inside.get(near, 0) + shared[edge]
                taken_beside[near] += 1
                if block_of[near] < 0:
                    heapq.heappush(front, (-inside[near], near))
                    heapq.heappush(seeds, (-taken_beside[near], near))
    return block_of
