#!/usr/bin/python3
"""Proves a plan file and computes its metrics again, from the plan and mesh files alone.

    recompute.py LAB                      every plan of a lab, against the metrics that it stores
    recompute.py PLAN.hdf MESH.hdf        one plan: prints its metrics as JSON

It shares no code with Tesselab: the definitions are those of docs/concepts.md, "Metrics", and of
`tess explain`.
It needs numpy and h5py."""

import json
import pathlib
import sys

import h5py
import numpy

SECTOR, LINE, NO_POINT = 32, 128, 65535
BYTES = {"int": 4, "float": 4, "double": 8}


class Wrong(Exception):
    """What is wrong with a plan."""


def require(condition, words):
    if not condition:
        raise Wrong(words)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def distinct_pairs(first, second, n_second):
    """The distinct pairs (first, second), sorted."""
    keys = numpy.unique(first.astype(numpy.int64) * max(n_second, 1) + second)
    return keys // max(n_second, 1), keys % max(n_second, 1)


class Reach:
    """One to-set: the slots that lead there, and the points of each position through them."""

    def __init__(self, name, size):
        self.name, self.size = name, size
        self.slots, self.incremented, self.points = [], [], None


class Dat:
    """One dat of the loop: the set it is reached on (None: direct), its slots there, its bytes."""

    def __init__(self, name, reach, dim, value_bytes):
        self.name, self.reach, self.dim, self.value_bytes = name, reach, dim, value_bytes
        self.row = dim * value_bytes
        self.slots, self.read, self.written = set(), False, False

    @property
    def accesses(self):
        return self.read + self.written


class Plan:
    """A plan file on its mesh file."""

    def __init__(self, plan_path, mesh_path):
        with h5py.File(plan_path) as plan, h5py.File(mesh_path) as mesh:
            self.sizes = {name: int(item.attrs["size"]) for name, item in mesh["sets"].items()}
            self.maps = {
                f"{text(item.attrs['from'])}:{text(item.attrs['to'])}": item[...] for item in mesh["maps"].values()
            }
            self.set, self.over = text(plan.attrs["set"]), text(plan.attrs["over"])
            self.over_to_set = bool(plan.attrs["over_to_set"])
            self.block_size, self.layout = int(plan.attrs["block_size"]), text(plan.attrs["layout"])
            self.counting_maps = [text(name) for name in plan.attrs["maps"]]
            self.args = [
                {key: text(row[key]) if row[key].dtype.kind == "S" else int(row[key]) for key in row.dtype.names}
                for row in plan["loop/args"][...]
            ]
            self.block_of = plan["partition/block_of"][...]
            self.executed = plan["plan/executed"][...]
            self.block_offset = plan["plan/block_offset"][...]
            self.coloured = "thread_colour" in plan["plan"] or "block_colour" in plan["plan"]
            if self.coloured:
                self.thread_colour = plan["plan/thread_colour"][...].astype(numpy.int64)
                self.block_colour = plan["plan/block_colour"][...]
            self.stored_sets = {
                name: {key: item[key][...] for key in item} | {"slots": [text(s) for s in item.attrs["slots"]]}
                for name, item in plan["plan/sets"].items()
            }
            self.renumber = {name: item[...] for name, item in plan.get("renumber", {}).items()}
            self.metrics = {
                name.replace(":", "/").replace("cache_lines_per_block", "sectors_per_block"): float(item[()])
                for name, item in plan["metrics"].items()
                if text(item.attrs["source"]) == "plan"
            }
            self.blocks = {name: item[...] for name, item in plan["blocks"].items()}
        self.n_blocks = len(self.block_offset) - 1
        self.n_elements = self.sizes[self.set]
        self.bind()

    def bind(self):
        """Reaches and dats from the loop's args, in their order."""
        self.reaches, self.dats = {}, {}
        for arg in self.args:
            indirect = arg["map"] != ""
            if not indirect and arg["set"] != self.set:
                continue
            dat = self.dats.setdefault(
                (arg["dat"], arg["set"], indirect),
                Dat(arg["dat"], arg["set"] if indirect else None, arg["dim"], BYTES[arg["type"]]),
            )
            dat.read |= arg["access"] != "write"
            dat.written |= arg["access"] != "read"
            if not indirect:
                continue
            reach = self.reaches.setdefault(arg["set"], Reach(arg["set"], self.sizes[arg["set"]]))
            slots = range(self.maps[arg["map"]].shape[1]) if arg["slot"] < 0 else [arg["slot"]]
            for slot in slots:
                key = (arg["map"], slot)
                if key not in reach.slots:
                    reach.slots.append(key)
                    reach.incremented.append(False)
                at = reach.slots.index(key)
                reach.incremented[at] |= arg["access"] != "read"
                dat.slots.add(at)
        self.increments = something = any(any(reach.incremented) for reach in self.reaches.values())
        for reach in self.reaches.values():
            columns = [self.maps[name][self.executed, slot] for name, slot in reach.slots]
            reach.points = numpy.stack(columns, axis=1).astype(numpy.int64)
            reach.counting = [s for s in range(len(reach.slots)) if reach.incremented[s] or not something]
            reach.incremented = [s for s in range(len(reach.slots)) if reach.incremented[s]]
        wanted = {name for r in self.reaches.values() for name, _ in [r.slots[s] for s in r.counting]}
        require(set(self.counting_maps) == wanted, f"maps are {self.counting_maps}, the loop's are {wanted}")

    def pairs(self, reach, slots, at):
        """(at[position], point) of every access through the slots."""
        points = reach.points[:, sorted(slots)]
        some = points >= 0
        return numpy.repeat(at, points.shape[1]).reshape(points.shape)[some], points[some]

    def prove(self):
        """Everything that makes it a plan of this mesh and partition."""
        offsets = self.block_offset
        require(offsets[0] == 0 and offsets[-1] == len(self.executed), "block offsets do not span the positions")
        require((numpy.diff(offsets) >= 0).all(), "block offsets fall")
        self.block_at = numpy.repeat(numpy.arange(self.n_blocks), numpy.diff(offsets))
        sizes = numpy.bincount(self.block_of, minlength=self.n_blocks)
        require(len(self.block_of) == self.sizes[self.over], "the partition is not of its set")
        require(len(sizes) == self.n_blocks and sizes.min(initial=1) > 0, "some block is empty or not there")
        require(sizes.max(initial=0) <= self.block_size, "a block is over the block size")
        if self.over_to_set:
            self.prove_owned()
        else:
            require(self.over == self.set, "the partitioned set is not the loop's")
            once = numpy.bincount(self.executed, minlength=self.n_elements) == 1
            require(len(self.executed) == self.n_elements and once.all(), "executed is no permutation")
            require((self.block_of[self.executed] == self.block_at).all(), "an element is in a wrong block")
        require(set(self.stored_sets) == set(self.reaches), "the sets are not those that the loop reaches")
        for reach in self.reaches.values():
            self.prove_set(reach, self.stored_sets[reach.name])
        self.prove_colours()

    def prove_owned(self):
        """Each block executes every element that touches one of its points, once, and no other."""
        reach = self.reaches[self.over]
        wanted = set()
        for name, slot in reach.slots:
            points = self.maps[name][:, slot]
            some = points >= 0
            wanted |= set(zip(self.block_of[points[some]].tolist(), numpy.flatnonzero(some).tolist()))
        found = list(zip(self.block_at.tolist(), self.executed.tolist()))
        require(len(found) == len(set(found)) and set(found) == wanted, "a block executes wrong elements")

    def prove_set(self, reach, stored):
        n_slots = len(reach.slots)
        require(stored["slots"] == [f"{name}.{slot}" for name, slot in reach.slots], "slots are out of order")
        block, point = distinct_pairs(*self.pairs(reach, range(n_slots), self.block_at), reach.size)
        offset = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(block, minlength=self.n_blocks))])
        require((stored["point_offset"] == offset).all(), f"{reach.name}: points of blocks are miscounted")
        require((stored["points"] == point).all(), f"{reach.name}: points of a block are wrong")
        local = stored["local_index"].astype(numpy.int64)
        require(((local == NO_POINT) == (reach.points < 0)).all(), f"{reach.name}: a padded slot has a point")
        at = numpy.where(local == NO_POINT, 0, local + offset[self.block_at][:, None])
        require((at < len(point)).all() if local.size else True, f"{reach.name}: a local index leaves its block")
        if len(point):
            same = (point[at] == reach.points) | (reach.points < 0)
            require(same.all(), f"{reach.name}: a local index addresses a wrong point")

    def conflicts(self, groups, elements):
        """Whether two different elements of one group increment a common point."""
        for reach in self.reaches.values():
            if not reach.incremented:
                continue
            points = reach.points[:, reach.incremented]
            some = points >= 0
            shape = points.shape
            group = numpy.broadcast_to(groups[:, None], shape)[some]
            element = numpy.broadcast_to(elements[:, None], shape)[some]
            _, group = numpy.unique(group, return_inverse=True)
            order = numpy.lexsort((element, points[some], group))
            g, p, e = group[order], points[some][order], element[order]
            if ((g[1:] == g[:-1]) & (p[1:] == p[:-1]) & (e[1:] != e[:-1])).any():
                return True
        return False

    def prove_colours(self):
        position = numpy.arange(len(self.executed))
        require(self.coloured or not self.increments, "a loop that increments has no colours")
        if self.over_to_set or not self.coloured:
            return  # blocks write their own points only; see plan_check for what is left
        n_colours = int(self.thread_colour.max(initial=0)) + 1
        threads = self.block_at * n_colours + self.thread_colour
        require(not self.conflicts(threads, position), "two elements of a block and colour share a point")
        require(not self.conflicts(self.block_colour[self.block_at], self.block_at), "two blocks of a colour share a point")

    def units(self, dat, reach, block, point, unit):
        """Distinct units of `unit` bytes, once a block, that the rows of (block, point) touch."""
        if reach.name in self.renumber:
            place = numpy.empty(reach.size, dtype=numpy.int64)
            place[self.renumber[reach.name]] = numpy.arange(reach.size)
            point = place[point]
        width, arrays = (dat.value_bytes, dat.dim) if self.layout == "soa" else (dat.row, 1)
        first, last = point * width // unit, (point * width + width - 1) // unit
        n_units = reach.size * width // unit + 2
        keys = [
            numpy.unique(block[first + k <= last] * n_units + (first + k)[first + k <= last])
            for k in range(int((last - first).max(initial=0)) + 1)
        ]
        return arrays * len(numpy.unique(numpy.concatenate(keys)))

    def pieces(self):
        """Connected pieces of each block: labels sink to the smallest through common points."""
        label = numpy.arange(len(self.executed))
        groups = []
        for reach in self.reaches.values():
            if reach.counting:
                position, point = self.pairs(reach, reach.counting, numpy.arange(len(self.executed)))
                if reach.name == self.set and not self.increments:  # elements are points themselves
                    position = numpy.concatenate([position, numpy.arange(len(self.executed))])
                    point = numpy.concatenate([point, self.executed])
                _, group = numpy.unique(self.block_at[position] * reach.size + point, return_inverse=True)
                groups.append((position, group))
        while True:
            before = label.copy()
            for position, group in groups:
                least = numpy.full(group.max(initial=-1) + 1, len(label))
                numpy.minimum.at(least, group, label[position])
                numpy.minimum.at(label, position, least[group])
            while (label[label] != label).any():
                label = label[label]
            if (label == before).all():
                return numpy.bincount(self.block_at[numpy.unique(label)], minlength=self.n_blocks)

    def neighbours(self):
        """The pairs of neighbours in two blocks, and the share of elements with one of them."""
        reach = self.reaches[self.set]
        element, other = self.pairs(reach, range(len(reach.slots)), self.executed)
        outside = self.block_of[element] != self.block_of[other]
        low = numpy.minimum(element, other)[outside].astype(numpy.int64)
        high = numpy.maximum(element, other)[outside].astype(numpy.int64)
        low, high = distinct_pairs(low, high, self.n_elements)
        return len(low), len(numpy.unique(numpy.concatenate([low, high]))) / self.n_elements

    def bounds(self):
        """The largest number of elements of each block that increment one point; at least 1."""
        most = numpy.ones(self.n_blocks, dtype=numpy.int64)
        for reach in self.reaches.values():
            if reach.incremented:
                position, point = self.pairs(reach, reach.incremented, numpy.arange(len(self.executed)))
                position, point = distinct_pairs(position, point, reach.size)
                keys, counts = numpy.unique(self.block_at[position] * reach.size + point, return_counts=True)
                numpy.maximum.at(most, keys // reach.size, counts)
        return most

    def warps(self, lanes):
        """For each slot, "set.slot", how many warps of so many lanes have how many distinct points."""
        inside = numpy.arange(len(self.executed)) - self.block_offset[self.block_at]
        first = numpy.concatenate([[0], numpy.cumsum((numpy.diff(self.block_offset) + lanes - 1) // lanes)])
        warp = first[self.block_at] + inside // lanes
        histograms = {}
        for reach in self.reaches.values():
            for s in range(len(reach.slots)):
                of_warp, _ = distinct_pairs(*self.pairs(reach, [s], warp), reach.size)
                counts = numpy.bincount(of_warp, minlength=first[-1])
                histograms[f"{reach.name}.{s}"] = numpy.bincount(counts, minlength=lanes + 1)
        return histograms

    def compute(self):
        """All metrics whose source is the plan, and the distributions over blocks."""
        n_blocks, n_executed = self.n_blocks, len(self.executed)
        count = dict.fromkeys(("accesses", "points", "accesses_all", "points_all", "used", "total", "more_by_op2", "shared"), 0)
        shared = numpy.zeros(n_blocks, dtype=numpy.int64)
        block_points, block_accesses = numpy.zeros((2, n_blocks), dtype=numpy.int64)
        for reach in self.reaches.values():
            every, _ = distinct_pairs(*self.pairs(reach, range(len(reach.slots)), self.block_at), reach.size)
            count["accesses_all"] += int((reach.points >= 0).sum())
            count["points_all"] += len(every)
            count["used"] += 2 * n_executed * len(reach.slots) + 4 * len(every)
            count["more_by_op2"] -= 2 * n_executed * len(reach.slots) + 4 * len(every)
            rows = sum(dat.row for dat in self.dats.values() if dat.reach == reach.name)
            shared += rows * numpy.bincount(every, minlength=n_blocks)
            if reach.counting:
                pairs = self.pairs(reach, reach.counting, self.block_at)
                block, _ = distinct_pairs(*pairs, reach.size)
                count["accesses"] += len(pairs[0])
                count["points"] += len(block)
                block_points += numpy.bincount(block, minlength=n_blocks)
                block_accesses += numpy.bincount(pairs[0], minlength=n_blocks)
        count["total"] = count["used"]
        metrics, sectors = {}, {}
        accessed = staged = 0
        for dat in self.dats.values():
            if dat.reach is None:
                count["used"] += dat.accesses * dat.row * n_executed
                count["total"] += dat.accesses * dat.row * n_executed
                continue
            reach = self.reaches[dat.reach]
            pairs = self.pairs(reach, dat.slots, self.block_at)
            block, point = distinct_pairs(*pairs, reach.size)
            accessed += dat.row * len(pairs[0])
            staged += dat.row * len(block)
            count["used"] += dat.accesses * dat.row * len(block)
            count["more_by_op2"] += 2 * n_executed * len(dat.slots) + 4 * len(block)
            count["total"] += dat.accesses * LINE * self.units(dat, reach, block, point, LINE)
            sectors[dat.name] = self.units(dat, reach, block, point, SECTOR)
            metrics[f"sectors_per_block/{dat.name}"] = sectors[dat.name] / n_blocks if n_blocks else 0.0
        pieces, bounds = self.pieces(), self.bounds()

        def ratio(a, b):
            return int(a) / int(b) if b else 0.0

        metrics |= {
            "reuse_factor": ratio(count["accesses"], count["points"]),
            "reuse_factor_all": ratio(count["accesses_all"], count["points_all"]),
            "reuse_factor_bytes": ratio(accessed, staged),
            "blocks": n_blocks,
            "fill": ratio(self.sizes[self.over], n_blocks * self.block_size),
            "components_mean": ratio(pieces.sum(), n_blocks),
            "redundancy": ratio(n_executed, self.n_elements),
            "shared_bytes_plan": ratio(shared.sum(), n_blocks),
            "shared_bytes_plan_max": int(shared.max(initial=0)),
            "transfer_used": count["used"],
            "transfer_total": count["total"],
            "transfer_used_op2": count["used"] + count["more_by_op2"],
            "transfer_total_op2": count["total"] + count["more_by_op2"],
            "sectors_per_block": ratio(sum(sectors.values()), n_blocks),
        }
        blocks = {"size": numpy.diff(self.block_offset), "points": block_points, "components": pieces,
                  "reuse": numpy.divide(block_accesses, block_points, out=numpy.zeros(n_blocks), where=block_points > 0)}
        if self.coloured:
            colours = numpy.zeros(n_blocks, dtype=numpy.int64)
            numpy.maximum.at(colours, self.block_at, self.thread_colour + 1)
            blocks["thread_colours"] = colours
            metrics |= {
                "block_colours": int(self.block_colour.max(initial=-1)) + 1,
                "thread_colours_mean": ratio(colours.sum(), n_blocks),
                "thread_colours_max": int(colours.max(initial=0)),
                "thread_colours_bound_mean": ratio(bounds.sum(), n_blocks),
            }
        if self.set in self.reaches and not self.over_to_set:
            metrics["cut"], metrics["border"] = self.neighbours()
        for name, lanes, tenths in (("unique_points_warp", 32, 5), ("unique_points_warp_p90", 32, 9),
                                    ("unique_points_warp64", 64, 5), ("unique_points_warp64_p90", 64, 9)):
            histograms = self.warps(lanes)
            for slot, histogram in [("", sum(histograms.values())), *histograms.items()]:
                reached = 10 * numpy.cumsum(histogram) >= tenths * histogram.sum()
                metrics[name + ("/" if slot else "") + slot] = int(numpy.argmax(reached))
        return metrics, blocks

    def check(self, is_todays=True):
        """Proves the plan and compares every stored metric; gives the metrics. A plan of today has all."""
        self.prove()
        metrics, blocks = self.compute()
        for name, value in self.metrics.items():
            require(name in metrics, f"the metric {name} is unknown here")
            require(value == metrics[name], f"{name} is stored as {value!r}, recomputed {metrics[name]!r}")
        missing = set(metrics) - set(self.metrics) if is_todays else ()
        require(not missing, f"metrics are missing: {sorted(missing)}")
        for name, values in self.blocks.items():
            require((values == blocks[name]).all(), f"/blocks/{name} differs")
        return metrics


def check_lab(lab, is_todays=True):
    """Checks every plan of a lab; gives how many. One of an older program lacks what was added since."""
    plans = sorted((pathlib.Path(lab) / "plans").glob("*.hdf"))
    for path in plans:
        with h5py.File(path) as file:
            mesh = text(file.attrs["mesh"])
        try:
            Plan(path, pathlib.Path(lab) / "meshes" / f"{mesh}.hdf").check(is_todays)
        except Wrong as wrong:
            raise Wrong(f"{path}: {wrong}") from None
    return len(plans)


def main(arguments):
    if len(arguments) == 1:
        print(f"{check_lab(arguments[0])} plans proved, their metrics agree")
    elif len(arguments) == 2:
        plan = Plan(*arguments)
        plan.prove()
        print(json.dumps(plan.compute()[0], indent=2))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"recompute: {wrong}")
