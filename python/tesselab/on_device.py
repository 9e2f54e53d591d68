"""Blocks of elements that lie in a device's memory, as arrays of CuPy, PyTorch or numpy by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

from .shared_library import BadInputError, library

# Of DLPack's header: devices and types of data.
CPU, CUDA = 1, 2
INTEGER, FLOAT = 0, 2
DEFAULT_STREAM = 1


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("n_axes", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


class _Places(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("n", ctypes.c_int64), ("dimension", ctypes.c_int),
                ("coordinates", ctypes.c_void_p)]


class _DeviceArray:
    """An array that lies in rows, one behind the other; as long as this lives, so does it."""

    def __init__(self, array: Any, name: str, kind: tuple[int, int, str]) -> None:
        code, bits, words = kind
        try:
            type_of_device, _ = array.__dlpack_device__()
            self._capsule = array.__dlpack__(stream=DEFAULT_STREAM) if type_of_device == CUDA else array.__dlpack__()
        except (AttributeError, BufferError, TypeError) as error:
            raise BadInputError(f"{name} is no array that DLPack hands over: {error}") from error
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = _Tensor.from_address(pointer(self._capsule, b"dltensor"))
        self.shape = tuple(tensor.shape[axis] for axis in range(tensor.n_axes))
        if tensor.device_type not in (CPU, CUDA):
            raise BadInputError(f"{name} lies on a device of DLPack's kind {tensor.device_type}, not on a GPU of NVIDIA's")
        if (tensor.code, tensor.bits, tensor.lanes) != (code, bits, 1):
            raise BadInputError(f"{name} is no array of {words}")
        step = 1
        for axis in reversed(range(tensor.n_axes)):
            if tensor.strides and self.shape[axis] > 1 and tensor.strides[axis] != step:
                raise BadInputError(f"{name} does not lie in rows, one behind the other: make it contiguous")
            step *= self.shape[axis]
        self.device = "emulator" if tensor.device_type == CPU else f"cuda:{tensor.device}"
        self.address = (tensor.data or 0) + tensor.offset


def partition_on_device(places: Any, block_of: Any, block_size: int = 128, partitioner: str = "rcb") -> Any:
    """Cuts elements by where they lie, on the GPU that has them in its memory, and gives block_of.

    `places` [n, d], float64, are the elements' coordinates, block_of [n], int32, becomes their blocks: both are arrays of
    CuPy, PyTorch or whatever hands them over by DLPack, on one device; with numpy's the emulator does it. The
    partitioner is "rcb", "rcb:cut=turns" or "hilbert"; its blocks have `block_size` elements but for the last.

    Raises BadInputError where something is wrong with what is given, NotInstalledError where the device is not there."""
    given = _DeviceArray(places, "places", (FLOAT, 64, "float64"))
    blocks = _DeviceArray(block_of, "block_of", (INTEGER, 32, "int32"))
    if len(given.shape) != 2 or blocks.shape != given.shape[:1]:
        raise BadInputError(f"places are [n, d] and block_of [n], not {list(given.shape)} and {list(blocks.shape)}")
    if given.device != blocks.device:
        raise BadInputError(f"places lie on {given.device}, block_of on {blocks.device}")
    if not 1 <= block_size < 2**31:
        raise BadInputError(f"a block of {block_size} elements: 1 to 2^31 - 1 will do")
    asked = _Places(given.device.encode(), given.shape[0], given.shape[1], given.address)
    library().call("tess_partition_on_device", ctypes.byref(asked), partitioner.encode(), ctypes.c_int32(block_size),
                   ctypes.c_void_p(blocks.address))
    return block_of
