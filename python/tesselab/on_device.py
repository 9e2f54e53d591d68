"""Blocks of elements that lie in a device's memory, as arrays of CuPy, PyTorch, JAX or NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

from .foreign_arrays import array_kind
from .shared_library import BadInputError, library


class _Places(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("n", ctypes.c_int64), ("dimension", ctypes.c_int),
                ("coordinates", ctypes.c_void_p)]


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


def partition_on_device(places: Any, block_of: Any, block_size: int = 128, partitioner: str = "rcb") -> Any:
    """Cuts elements by where they lie, on the GPU that has them in its memory, and gives block_of.

    `places` [n, d], float64, are the elements' coordinates, block_of [n], int32, becomes their blocks: both are arrays of
    CuPy or PyTorch, on one device; with NumPy's the emulator does it. The
    partitioner is "rcb", "rcb:cut=turns" or "hilbert"; its blocks have `block_size` elements but for the last.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where the device is not there."""
    device, places_at = _found(places, "places", "float64")
    other, blocks_at = _found(block_of, "block_of", "int32")
    if len(places.shape) != 2 or tuple(block_of.shape) != tuple(places.shape[:1]):
        raise BadInputError(f"places are [n, d] and block_of [n], not {list(places.shape)} and {list(block_of.shape)}")
    if device != other:
        raise BadInputError(f"places lie on {device}, block_of on {other}")
    if not 1 <= block_size < 2**31:
        raise BadInputError(f"a block of {block_size} elements: 1 to 2^31 - 1 will do")
    asked = _Places(device.encode(), *places.shape, places_at)
    library().call("tess_partition_on_device", ctypes.byref(asked), partitioner.encode(), ctypes.c_int32(block_size),
                   ctypes.c_void_p(blocks_at))
    return block_of
