"""Blocks of elements that lie in a device's memory, as arrays of CuPy, PyTorch, JAX or NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

from .foreign_arrays import array_kind
from .shared_library import BadInputError, library


class _Places(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("n", ctypes.c_int64), ("dimension", ctypes.c_int),
                ("coordinates", ctypes.c_void_p)]


class _Blocks(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("n_blocks", ctypes.c_int32), ("block_of", ctypes.c_void_p), ("was", ctypes.c_void_p)]


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


def _asked(places: Any, block_size: int, **others: Any) -> tuple[_Places, list[int]]:
    """The elements, and where arrays of integers lie beside their places."""
    device, places_at = _found(places, "places", "float64")
    found = {name: _found(array, name, "int32") for name, array in others.items()}
    for name in others:
        if len(places.shape) != 2 or len(others[name].shape) != 1 or (name != "before" and others[name].shape[0] != places.shape[0]):
            raise BadInputError(f"places are [n, d] and {name} [n], not {list(places.shape)} and {list(others[name].shape)}")
        if found[name][0] != device:
            raise BadInputError(f"places lie on {device}, {name} on {found[name][0]}")
    if not 1 <= block_size < 2**31:
        raise BadInputError(f"a block of {block_size} elements: 1 to 2^31 - 1 will do")
    return _Places(device.encode(), *places.shape, places_at), [at for _, at in found.values()]


def partition_on_device(places: Any, block_of: Any, block_size: int = 128, partitioner: str = "rcb") -> Any:
    """Cuts elements by where they lie, on the GPU that has them in its memory, and gives block_of.

    `places` [n, d], float64, are the elements' coordinates, block_of [n], int32, becomes their blocks: both are arrays of
    CuPy or PyTorch, on one device; with NumPy's the emulator does it. The
    partitioner is "rcb", "rcb:cut=turns" or "hilbert"; its blocks have `block_size` elements but for the last.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where the device is not there."""
    asked, (blocks_at,) = _asked(places, block_size, block_of=block_of)
    library().call("tess_partition_on_device", ctypes.byref(asked), partitioner.encode(), ctypes.c_int32(block_size),
                   ctypes.c_void_p(blocks_at))
    return block_of


def update_on_device(places: Any, was: Any, before: Any, n_blocks: int, block_of: Any, block_size: int = 128,
                     partitioner: str = "rcb") -> int:  # fmt: skip
    """Cuts anew where elements have changed, as partition_on_device does, and gives how many blocks there are now.

    `was` [n], int32, is the number that each element had before, -1 of one that is to be cut anew, `before` the block,
    below n_blocks, of each element then; block_of [n] becomes the blocks now. Blocks that have lost no element keep
    theirs, in their order. All arrays are on one device.

    Raises as partition_on_device; BadInputError on a number or a block that there was not."""
    asked, (was_at, before_at, blocks_at) = _asked(places, block_size, was=was, before=before, block_of=block_of)
    there = _Blocks(before.shape[0], n_blocks, before_at, was_at)
    n_now = ctypes.c_int32()
    library().call("tess_partition_update_on_device", ctypes.byref(asked), ctypes.byref(there), partitioner.encode(),
                   ctypes.c_int32(block_size), ctypes.c_void_p(blocks_at), ctypes.byref(n_now))
    return n_now.value
