"""The handler that XLA calls for a scatter in a compiled program: on its stream, with arrays where they lie.

The structs are those of XLA's C interface of handlers (xla/ffi/api/c_api.h in jaxlib), laid out so within a major version."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import jax

from .shared_library import NotInstalledError

TARGET = "tesselab_reduce"
MAJOR, METADATA, INTERNAL = 0, 1, 13  # of the interface; a kind of extension; a kind of error
ALIGNMENT = 16  # the most that XLA takes for memory of a device
FUNCTIONS = ("error", "message", "error_free", "register", "stream", "type", "context", "state_set", "state", "allocate", "free",
             "schedule", "threads", "future", "future_set", "future_fail", "run", "ordinal")  # fmt: skip


def _struct(name: str, **members: Any) -> Any:
    """One that begins, as all do that can grow, with its size and an extension."""
    head = {"size": ctypes.c_size_t, "extension": ctypes.c_void_p}
    return type(name, (ctypes.Structure,), {"_fields_": list((head | members).items())})


class _Extension(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_int), ("next", ctypes.c_void_p), ("metadata", ctypes.c_void_p)]


class _Number(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_int64))]


_Version = _struct("_Version", major=ctypes.c_int, minor=ctypes.c_int)
_Buffer = _struct("_Buffer", type=ctypes.c_int, data=ctypes.c_void_p)
_Buffers = _struct("_Buffers", n=ctypes.c_int64, types=ctypes.c_void_p, all=ctypes.POINTER(ctypes.POINTER(_Buffer)))
_Numbers = _struct("_Numbers", n=ctypes.c_int64, types=ctypes.c_void_p, names=ctypes.c_void_p,
                   all=ctypes.POINTER(ctypes.POINTER(_Number)))
_Api = _struct("_Api", version=_Version, own=ctypes.c_void_p, **dict.fromkeys(FUNCTIONS, ctypes.c_void_p))
_Frame = _struct("_Frame", api=ctypes.POINTER(_Api), context=ctypes.c_void_p, stage=ctypes.c_int, arguments=_Buffers,
                 results=_Buffers, numbers=_Numbers)
_Error = _struct("_Error", message=ctypes.c_char_p, kind=ctypes.c_int)
_Stream = _struct("_Stream", context=ctypes.c_void_p, stream=ctypes.c_void_p)
_Ordinal = _struct("_Ordinal", context=ctypes.c_void_p, ordinal=ctypes.c_int32)
_Memory = _struct("_Memory", context=ctypes.c_void_p, bytes=ctypes.c_size_t, alignment=ctypes.c_size_t, data=ctypes.c_void_p)
_Freed = _struct("_Freed", context=ctypes.c_void_p, bytes=ctypes.c_size_t, data=ctypes.c_void_p)


class _Metadata(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", _Version), ("traits", ctypes.c_uint32)]


class Call:
    """What a handler is called for, and with what."""

    def __init__(self, frame: Any) -> None:
        self._frame, self._api = frame, frame.api.contents
        self._held: list[Any] = []
        self.number = int(frame.numbers.all[0].contents.value[0])
        self.argument, self.result = (int(b.all[0].contents.data or 0) for b in (frame.arguments, frame.results))

    def _call(self, function: str, asked: Any) -> Any:
        address = getattr(self._api, function)
        return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address)(ctypes.addressof(asked))

    def ask(self, function: str, kind: Any, *members: Any) -> Any:
        """Calls a function of XLA's on a struct of its members behind the head, and gives the struct."""
        asked = kind(ctypes.sizeof(kind), None, *members)
        if self._call(function, asked):
            raise RuntimeError(f"XLA has no {function} for this call")
        return asked

    def stream(self) -> int | None:
        found = self.ask("stream", _Stream, self._frame.context).stream
        return None if found is None else int(found)

    def ordinal(self) -> int:
        return int(self.ask("ordinal", _Ordinal, self._frame.context).ordinal)

    def allocate(self, n_bytes: int) -> int:
        """Memory of the device, for what is put on the stream before free_all."""
        found = self.ask("allocate", _Memory, self._frame.context, n_bytes, ALIGNMENT)
        self._held.append(found)
        return int(found.data)

    def free_all(self) -> None:
        for memory in self._held:
            self.ask("free", _Freed, self._frame.context, memory.bytes, memory.data)

    def fail(self, message: str) -> int:
        return int(self._call("error", _Error(ctypes.sizeof(_Error), None, message.encode(), INTERNAL)))


def _say_metadata(frame: Any) -> bool:
    """Answers the question of which version a handler is, which is asked when it is registered."""
    if not frame.extension:
        return False
    extension = _Extension.from_address(frame.extension)
    if extension.kind == METADATA:
        metadata = _Metadata.from_address(extension.metadata)
        metadata.version.major, metadata.version.minor = MAJOR, frame.api.contents.version.minor
    return True


def _handler(work: Callable[[Call, bool], None], on_device: bool) -> Any:
    def answer(frame: Any) -> int | None:
        if _say_metadata(frame.contents):
            return None
        call = Call(frame.contents)
        try:
            work(call, on_device)
        except Exception as error:  # of whatever kind: it cannot pass through XLA
            return call.fail(str(error))
        finally:
            call.free_all()
        return None

    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Frame))(answer)


def register(work: Callable[[Call, bool], None]) -> list[Any]:
    """Has XLA call `work` for TARGET, on the CPU and on CUDA devices; what is given outlives every call."""
    if not hasattr(jax, "ffi"):
        raise NotInstalledError(f"JAX {jax.__version__} has no jax.ffi: inside jax.jit a Scatter needs JAX 0.5 or later")
    handlers = [_handler(work, on_device) for on_device in (False, True)]
    for platform, handler in zip(("cpu", "CUDA"), handlers):
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform=platform)
    return handlers
