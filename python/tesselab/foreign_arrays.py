"""Arrays of other packages, used where they lie: NumPy's, PyTorch's, CuPy's and JAX's."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .shared_library import BadInputError


class ArrayKind(ABC):
    """How arrays of a package are looked into."""

    name: str

    def contiguous(self, array: Any) -> Any:
        """The array, or a copy whose last extent is the fastest, without gaps."""
        return array

    @abstractmethod
    def to_numpy(self, array: Any) -> NDArray[Any]: ...

    @abstractmethod
    def type_of(self, array: Any) -> str:
        """Its type as NumPy calls it: "float64"."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        """An array in the same place as another one."""

    @abstractmethod
    def address(self, array: Any) -> int: ...

    @abstractmethod
    def zeros(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        """One of zeros."""

    @abstractmethod
    def copy(self, array: Any) -> Any: ...

    def refuse_special(self, array: Any, name: str) -> None:
        """Raises BadInputError where an array is more than its values."""

    def may_change(self, array: Any) -> bool:
        """Whether its values may be written where they lie."""
        return True

    def device(self, array: Any) -> str:
        """As `tess run --device` has it."""
        return "host"

    def wait(self, array: Any) -> None:
        """For what is still being written to it."""

    def queue(self, array: Any) -> int | None:
        """CUDA's stream that works on arrays of its device; None: nobody says, so that work is waited for."""
        return None


class _NumPy(ArrayKind):
    name = "numpy"

    def contiguous(self, array: Any) -> NDArray[Any]:
        return np.ascontiguousarray(array)

    def to_numpy(self, array: Any) -> NDArray[Any]:
        return np.asarray(array)

    def type_of(self, array: Any) -> str:
        return str(array.dtype)

    def empty(self, shape: tuple[int, ...], type_name: str, like: Any) -> NDArray[Any]:
        return np.empty(shape, type_name)

    def zeros(self, shape: tuple[int, ...], type_name: str, like: Any) -> NDArray[Any]:
        return np.zeros(shape, type_name)

    def copy(self, array: Any) -> NDArray[Any]:
        return np.array(array)

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def may_change(self, array: Any) -> bool:
        return bool(array.flags.writeable)


class _Torch(ArrayKind):
    name = "torch"

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")

    def contiguous(self, array: Any) -> Any:
        return array.contiguous()

    def to_numpy(self, array: Any) -> NDArray[Any]:
        return np.asarray(array.detach().cpu())

    def type_of(self, array: Any) -> str:
        return str(array.dtype).removeprefix("torch.")

    def empty(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        return self.torch.empty(shape, dtype=getattr(self.torch, type_name), device=like.device)

    def zeros(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        return self.torch.zeros(shape, dtype=getattr(self.torch, type_name), device=like.device)

    def copy(self, array: Any) -> Any:
        return array.clone()

    def refuse_special(self, array: Any, name: str) -> None:
        if array.requires_grad:
            raise BadInputError(f"{name} requires a gradient, and there is none: give {name}.detach()")

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def device(self, array: Any) -> str:
        where = array.device
        if where.type == "cpu":
            return "host"
        if where.type != "cuda":
            raise BadInputError(f"values are on {where}: only the CPU and CUDA devices are known")
        return f"cuda:gpu={where.index}"

    def wait(self, array: Any) -> None:
        if array.device.type == "cuda":
            self.torch.cuda.current_stream(array.device).synchronize()

    def queue(self, array: Any) -> int | None:
        return int(self.torch.cuda.current_stream(array.device).cuda_stream)


class _CuPy(ArrayKind):
    name = "cupy"

    def __init__(self) -> None:
        self.cupy = importlib.import_module("cupy")

    def contiguous(self, array: Any) -> Any:
        return self.cupy.ascontiguousarray(array)

    def to_numpy(self, array: Any) -> NDArray[Any]:
        return np.asarray(array.get())

    def type_of(self, array: Any) -> str:
        return str(array.dtype)

    def empty(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        with like.device:
            return self.cupy.empty(shape, type_name)

    def zeros(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        with like.device:
            return self.cupy.zeros(shape, type_name)

    def copy(self, array: Any) -> Any:
        with array.device:
            return array.copy()

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def device(self, array: Any) -> str:
        return f"cuda:gpu={array.device.id}"

    def wait(self, array: Any) -> None:
        with array.device:
            self.cupy.cuda.get_current_stream().synchronize()

    def queue(self, array: Any) -> int | None:
        with array.device:
            return int(self.cupy.cuda.get_current_stream().ptr)


class _Jax(ArrayKind):
    """JAX's arrays never change: a new one is filled before anybody else has it."""

    name = "jax"

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")

    def refuse_special(self, array: Any, name: str) -> None:
        if isinstance(array, self.jax.core.Tracer):
            raise BadInputError(f"{name} is traced by JAX: call this outside of jax.jit")
        if len(array.devices()) != 1:
            raise BadInputError(f"{name} lies on {len(array.devices())} devices: it is taken from one")

    def contiguous(self, array: Any) -> Any:
        self.refuse_special(array, "values")
        return array.block_until_ready()

    def to_numpy(self, array: Any) -> NDArray[Any]:
        return np.asarray(array)

    def type_of(self, array: Any) -> str:
        return str(array.dtype)

    def empty(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        return self.zeros(shape, type_name, like)

    def zeros(self, shape: tuple[int, ...], type_name: str, like: Any) -> Any:
        with self.jax.default_device(next(iter(like.devices()))):
            return self.jax.numpy.zeros(shape, type_name).block_until_ready()

    def copy(self, array: Any) -> Any:
        return self.jax.numpy.array(array, copy=True).block_until_ready()

    def address(self, array: Any) -> int:
        return int(array.unsafe_buffer_pointer())

    def may_change(self, array: Any) -> bool:
        return False

    def device(self, array: Any) -> str:
        where = next(iter(array.devices()))
        if where.platform == "cpu":
            return "host"
        if where.platform not in ("gpu", "cuda"):
            raise BadInputError(f"values are on {where}: only the CPU and CUDA devices are known")
        return f"cuda:gpu={where.local_hardware_id}"


def worker_for(asked: str | None, device: str) -> str:
    """The device that works on arrays of one: that itself, or the one that is asked for, to which this machine's arrays are
    brought. Arrays of another device it could not read."""
    if asked is None or device == "host":
        return asked or device
    name, *options = asked.split(":")
    gpu = next((option for option in options if option.startswith("gpu=")), "gpu=0")
    if f"{name}:{gpu}" != device:
        raise BadInputError(f"arrays are on {device}, and device {asked!r} was asked for: bring them there, or leave device out")
    return asked


_PACKAGES: dict[str, Callable[[], ArrayKind]] = {"torch": _Torch, "cupy": _CuPy, "jax": _Jax, "jaxlib": _Jax}
_known: dict[str, ArrayKind] = {"numpy": _NumPy()}


def array_kind(array: Any) -> ArrayKind:
    """How an array is looked into; what is of no package known here is taken by NumPy."""
    for base in type(array).__mro__:
        package = base.__module__.partition(".")[0]
        if package in _PACKAGES and (package != "torch" or base.__name__ == "Tensor"):
            if package not in _known:
                _known[package] = _PACKAGES[package]()
            return _known[package]
    return _known["numpy"]


def whole_numbers(array: ArrayLike, name: str) -> NDArray[np.int32]:
    """An array of any package as one of NumPy's that the library takes for numbers of elements."""
    kind = array_kind(array)
    host = kind.to_numpy(array)
    if host.dtype.kind not in "iu" and host.size:
        raise BadInputError(f"{name} is an array of whole numbers, not of {host.dtype}")
    if host.ndim == 0:
        raise BadInputError(f"{name} is an array [n] or [n, k], not a number")
    least, most = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    if host.size and not least <= int(host.min()) <= int(host.max()) <= most:
        _raise_place(host, name, (host < least) | (host > most), f"whole numbers from {least} to {most} are taken")
    return np.ascontiguousarray(host, dtype=np.int32)


def check_range(array: NDArray[np.int32], name: str, n: int, of: str, least: int = 0) -> None:
    """That all are numbers of n things, or -1 where that may be."""
    if not 0 <= n <= np.iinfo(np.int32).max:
        raise BadInputError(f"{n} {of}: take a number from 0 to 2147483647")
    if array.size and (int(array.min()) < least or int(array.max()) >= n):
        _raise_place(array, name, (array < least) | (array >= n), f"there are {n} {of}, numbered from 0")


def _raise_place(array: NDArray[Any], name: str, wrong: NDArray[np.bool_], why: str) -> None:
    first = np.unravel_index(int(np.argmax(wrong)), array.shape)
    place = ", ".join(str(i) for i in first)
    n = int(wrong.sum())
    raise BadInputError(f"{name}[{place}] is {array[first]}: {why} ({n} such {'entry' if n == 1 else 'entries'})")
