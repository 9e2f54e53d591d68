"""Blocks of elements that lie in a device's memory, as arrays of CuPy, PyTorch or NumPy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from math import prod
from typing import Any

from .foreign_arrays import array_kind
from .shared_library import BadInputError, library


class _Places(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("n", ctypes.c_int64), ("dimension", ctypes.c_int),
                ("coordinates", ctypes.c_void_p), ("n_slots", ctypes.c_int), ("map", ctypes.c_void_p)]


class _Points(ctypes.Structure):
    _fields_ = [("n_slots", ctypes.c_int), ("map", ctypes.c_void_p), ("point_offset", ctypes.c_void_p), ("points", ctypes.c_void_p),
                ("local_index", ctypes.c_void_p), ("n_points", ctypes.c_int64), ("owner", ctypes.c_void_p),
                ("thread_colour", ctypes.c_void_p), ("block_colour", ctypes.c_void_p)]  # fmt: skip


class _Set(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int64), ("by", ctypes.c_int), ("new_to_old", ctypes.c_void_p), ("old_to_new", ctypes.c_void_p)]


class _Map(ctypes.Structure):
    _fields_ = [("from_set", ctypes.c_int), ("to_set", ctypes.c_int), ("arity", ctypes.c_int), ("index", ctypes.c_void_p),
                ("renumbered", ctypes.c_void_p)]  # fmt: skip


class _Dat(ctypes.Structure):
    _fields_ = [("set", ctypes.c_int), ("bytes", ctypes.c_int64), ("values", ctypes.c_void_p), ("renumbered", ctypes.c_void_p)]


class _Renumbering(ctypes.Structure):
    _fields_ = [("n_sets", ctypes.c_int), ("sets", ctypes.POINTER(_Set)), ("n_maps", ctypes.c_int), ("maps", ctypes.POINTER(_Map)),
                ("n_dats", ctypes.c_int), ("dats", ctypes.POINTER(_Dat))]  # fmt: skip


class _Plan(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("n_blocks", ctypes.c_int32), ("block_of", ctypes.c_void_p),
                ("executed", ctypes.c_void_p), ("block_offset", ctypes.c_void_p), ("n_sets", ctypes.c_int),
                ("sets", ctypes.POINTER(_Points)), ("n_kept", ctypes.c_int32),
                ("renumbering", ctypes.POINTER(_Renumbering)), ("owned_slots", ctypes.c_int), ("owned_map", ctypes.c_void_p),
                ("n_owned", ctypes.c_int64), ("n_executed", ctypes.c_int64)]  # fmt: skip


class _Blocks(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("n_blocks", ctypes.c_int32), ("block_of", ctypes.c_void_p), ("was", ctypes.c_void_p)]


@dataclass
class DeviceRenumbering:
    """New numbers of sets in a device's memory, which plan_on_device gives: of the first set, the plan's, those of its order;
    each of the others follows the map of number `by` to or from a set before it: to it in the order in which elements first
    lead to each, from it by the numbers of what each leads to; -1: it keeps its numbers.

    `sets` are (size, by), `maps` (from, to, index [size of from, arity], int32, -1: none), `dats` (set, values [size, ...]);
    then new_to_old and old_to_new have those of each set, new_maps and new_dats what followed."""

    sets: list[tuple[int, int]]
    maps: list[tuple[int, int, Any]]
    dats: list[tuple[int, Any]] = field(default_factory=list)
    new_to_old: list[Any] = field(default_factory=list)
    old_to_new: list[Any] = field(default_factory=list)
    new_maps: list[Any] = field(default_factory=list)
    new_dats: list[Any] = field(default_factory=list)

    def _described(self, like: Any) -> _Renumbering:
        """Where it lies, with room where `like` does."""
        kind, (device, _) = array_kind(like), _found(like, "block_of", "int32")
        of_maps, of_dats = [(a, index) for a, _, index in self.maps], self.dats
        for name, arrays in (("map", of_maps), ("dat", of_dats)):
            for at, array in arrays:
                if not 0 <= at < len(self.sets) or (name == "map" and len(array.shape) != 2):
                    raise BadInputError(f"a {name} of set {at} is of shape {list(array.shape)}: there are {len(self.sets)} sets, and maps are [n, slots]")
                if array.shape[0] != self.sets[at][0]:
                    raise BadInputError(f"set {at} has {self.sets[at][0]} elements, a {name} of it {array.shape[0]} rows")
                if kind.type_of(array) == "object":
                    raise BadInputError(f"a {name} of set {at} is an array of Python's objects: give one of numbers")
                if _found(array, name, "int32" if name == "map" else kind.type_of(array))[0] != device:
                    raise BadInputError(f"block_of lies on {device}, a {name} does not")
        self.new_to_old, self.old_to_new = ([kind.empty((size,), "int32", like) for size, _ in self.sets] for _ in range(2))
        self.new_maps, self.new_dats = ([kind.empty(tuple(array.shape), kind.type_of(array), like) for _, array in arrays]
                                        for arrays in (of_maps, of_dats))  # fmt: skip
        address = kind.address
        sets = [_Set(*one, address(new), address(old)) for one, new, old in zip(self.sets, self.new_to_old, self.old_to_new, strict=True)]
        maps = [_Map(a, b, index.shape[1], address(index), address(new))
                for (a, b, index), new in zip(self.maps, self.new_maps, strict=True)]  # fmt: skip
        dats = [_Dat(of, prod(values.shape[1:]) * values.dtype.itemsize, address(values), address(new))
                for (of, values), new in zip(self.dats, self.new_dats, strict=True)]  # fmt: skip
        return _Renumbering(len(sets), (_Set * len(sets))(*sets), len(maps), (_Map * len(maps))(*maps), len(dats),
                            (_Dat * len(dats))(*dats))  # fmt: skip


@dataclass
class DevicePlan:
    """A plan in a device's memory: arrays as in Plan. `sets` has, map by map, point_offset, points (of which the first
    point_offset[-1] are filled) and local_index; where asked for, owners has the first block that has each point, -1: none
    has, thread_colours a number of each position, which differs in a block where a point is shared, block_colours one of each
    block."""

    block_of: Any
    maps: list[Any]
    executed: Any
    block_offset: Any
    sets: list[tuple[Any, Any, Any]]
    n_kept: int = 0
    owners: list[Any] = field(default_factory=list)
    thread_colours: list[Any] = field(default_factory=list)
    block_colours: list[Any] = field(default_factory=list)

    def _described(self) -> tuple[str, _Plan]:
        """On which device it lies, and where."""
        device, executed = _found(self.executed, "executed", "int32")
        arrays = {"block_of": (self.block_of, "int32"), "block_offset": (self.block_offset, "int32")}
        for i, (point_map, (offset, points, local)) in enumerate(zip(self.maps, self.sets, strict=True)):
            arrays |= {f"maps[{i}]": (point_map, "int32"), f"point_offset[{i}]": (offset, "int32"),
                       f"points[{i}]": (points, "int32"), f"local_index[{i}]": (local, "uint16")}  # fmt: skip
        at = {}
        for name, (array, type_name) in arrays.items():
            where, at[name] = _found(array, name, type_name)
            if where != device:
                raise BadInputError(f"block_of lies on {device}, {name} on {where}")
        sets = [_Points(point_map.shape[1], *(at[f"{name}[{i}]"] for name in ("maps", "point_offset", "points", "local_index")))
                for i, point_map in enumerate(self.maps)]  # fmt: skip
        for points, owner in zip(sets, self.owners, strict=bool(self.owners)):
            points.n_points, points.owner = owner.shape[0], array_kind(owner).address(owner)
        for points, colours in zip(sets, self.thread_colours, strict=bool(self.thread_colours)):
            points.thread_colour = array_kind(colours).address(colours)
        for points, colours in zip(sets, self.block_colours, strict=bool(self.block_colours)):
            points.block_colour = array_kind(colours).address(colours)
        return device, _Plan(self.block_of.shape[0], self.block_offset.shape[0] - 1, at["block_of"], executed, at["block_offset"],
                             len(sets), (_Points * len(sets))(*sets), 0)  # fmt: skip


def _found(array: Any, name: str, type_name: str) -> tuple[str, int]:
    """On which device an array lies, in rows, one behind the other, and where."""
    kind = array_kind(array)
    if not hasattr(array, "shape") or kind.type_of(array) != type_name:
        raise BadInputError(f"{name} is no array of {type_name}")
    kind.wait(array)
    address = kind.address(array)
    if kind.address(kind.contiguous(array)) != address:
        raise BadInputError(f"{name} does not lie in rows, one behind the other: make it contiguous")
    device = kind.device(array)
    return "emulator" if device == "host" else device, address


def _asked(places: Any, block_size: int, map: Any, **others: Any) -> tuple[_Places, list[int]]:
    """The elements, with what they reach, and where arrays of integers lie beside their places."""
    device, places_at = _found(places, "places", "float64")
    map_device, map_at = (device, None) if map is None else _found(map, "map", "int32")
    if map is not None and (len(map.shape) != 2 or map.shape[0] != places.shape[0] or map_device != device):
        raise BadInputError(f"map is [n, slots] on {device}, where places {list(places.shape)} are, not {list(map.shape)} on {map_device}")
    found = {name: _found(array, name, "int32") for name, array in others.items()}
    for name in others:
        if len(places.shape) != 2 or len(others[name].shape) != 1 or (name != "before" and others[name].shape[0] != places.shape[0]):
            raise BadInputError(f"places are [n, d] and {name} [n], not {list(places.shape)} and {list(others[name].shape)}")
        if found[name][0] != device:
            raise BadInputError(f"places lie on {device}, {name} on {found[name][0]}")
        if name == "block_of" and not array_kind(others[name]).may_change(others[name]):
            raise BadInputError("block_of is read-only: it becomes the blocks")
    if not 1 <= block_size < 2**31:
        raise BadInputError(f"a block of {block_size} elements: 1 to 2^31 - 1 will do")
    return _Places(device.encode(), *places.shape, places_at, map.shape[1] if map_at else 0, map_at), [at for _, at in found.values()]


def partition_on_device(places: Any, block_of: Any, block_size: int = 128, partitioner: str = "rcb", map: Any = None) -> Any:
    """Cuts elements by where they lie, on the GPU that has them in its memory, and gives block_of.

    `places` [n, d], float64, are the elements' coordinates, block_of [n], int32, becomes their blocks: both are arrays of
    CuPy or PyTorch, on one device; with NumPy's the emulator does it. The
    partitioner is "rcb", "rcb:cut=turns" or "hilbert"; its blocks have `block_size` elements but for the last. By "rcb:swap=8"
    neighbouring blocks then swap elements in 8 rounds, so that they reach fewer points: `map` [n, slots], int32, has those of
    each element, once, -1: none.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where the device is not there."""
    asked, (blocks_at,) = _asked(places, block_size, map, block_of=block_of)
    library().call("tess_partition_on_device", ctypes.byref(asked), None, partitioner.encode(), ctypes.c_int32(block_size),
                   ctypes.c_void_p(blocks_at), None)
    return block_of


def update_on_device(places: Any, was: Any, before: Any, n_blocks: int, block_of: Any, block_size: int = 128,
                     partitioner: str = "rcb", map: Any = None) -> int:  # fmt: skip
    """Cuts anew where elements have changed, as partition_on_device does, and gives how many blocks there are now.

    `was` [n], int32, is the number that each element had before, -1 of one that is to be cut anew, `before` the block,
    below n_blocks, of each element then; block_of [n] becomes the blocks now. Blocks that have lost no element keep
    theirs, in their order. All arrays are on one device.

    Raises as partition_on_device; BadInputError on a number or a block that there was not."""
    asked, (was_at, before_at, blocks_at) = _asked(places, block_size, map, was=was, before=before, block_of=block_of)
    there = _Blocks(before.shape[0], n_blocks, before_at, was_at)
    n_now = ctypes.c_int32()
    library().call("tess_partition_on_device", ctypes.byref(asked), ctypes.byref(there), partitioner.encode(),
                   ctypes.c_int32(block_size), ctypes.c_void_p(blocks_at), ctypes.byref(n_now))
    return n_now.value


def plan_on_device(block_of: Any, n_blocks: int, maps: list[Any], before: DevicePlan | None = None, was: Any = None, *,
                   n_points: list[int] | None = None, renumbering: DeviceRenumbering | None = None,
                   colours: bool = False) -> DevicePlan:  # fmt: skip
    """Plans blocks on the GPU that has them in its memory: the order of elements, the points of blocks and local indices.

    block_of [n], int32, is the block of each element, below n_blocks; each of maps [n, slots], int32, has the points that
    it reaches, or -1. After a change `before` is the plan that there was, and was [n], int32, the number that each element
    had in it, or -1: blocks with the same elements are taken over (n_kept of them), the others planned. With n_points, how
    many each map leads to, points have owners; with `colours` elements have them, map by map, as `--colouring greedy`
    gives them, and with n_points blocks, too; a `renumbering` is filled.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where the device is not there."""
    if len(block_of.shape) != 1 or any(len(one.shape) != 2 or one.shape[0] != block_of.shape[0] for one in maps):
        raise BadInputError(f"block_of is [n] and maps are [n, slots], not {list(block_of.shape)} and {[list(one.shape) for one in maps]}")
    if not 1 <= n_blocks < 2**31:
        raise BadInputError(f"{n_blocks} blocks: 1 to 2^31 - 1 will do")
    if (before is None) != (was is None) or (was is not None and was.shape != block_of.shape):
        raise BadInputError("a plan before goes with was [n], the number of each element in it")
    if n_points and (len(n_points) != len(maps) or min(n_points) < 0):
        raise BadInputError(f"n_points {n_points} say to how many points each of {len(maps)} maps leads")
    kind, n = array_kind(block_of), block_of.shape[0]

    def room(n_values: int, type_name: str = "int32") -> Any:
        return kind.empty((n_values,), type_name, block_of)

    sets = [(room(n_blocks + 1), room(n * one.shape[1]), room(n * one.shape[1], "uint16")) for one in maps]
    plan = DevicePlan(block_of, maps, room(n), room(n_blocks + 1), sets, owners=[room(size) for size in n_points or []],
                      thread_colours=[room(n, "uint16") for _ in maps if colours],
                      block_colours=[room(n_blocks) for _ in n_points or [] if colours])
    device, described = plan._described()
    if renumbering:
        described.renumbering = ctypes.pointer(renumbering._described(block_of))
    earlier = before._described()[1] if before else None
    was_on, was_at = _found(was, "was", "int32") if before else (device, None)
    if was_on != device:
        raise BadInputError(f"block_of lies on {device}, was on {was_on}")
    library().call("tess_plan_on_device", device.encode(), ctypes.byref(earlier) if earlier else None, ctypes.c_void_p(was_at),
                   ctypes.byref(described))  # fmt: skip
    plan.n_kept = described.n_kept
    return plan
