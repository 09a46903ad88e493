"""What the tests share: the command, the demo's records, tensors that need no library."""

import ctypes
import json
import os
import pathlib
import subprocess

TREE = pathlib.Path(os.environ.get("TREE", pathlib.Path(__file__).resolve().parents[2]))
TMAP = os.environ.get("TMAP", str(TREE / "build" / "tmap"))


def tmap(*args, text=None):
    """The command's JSON lines; its exit code is not looked at."""
    run = subprocess.run([TMAP, *map(str, args)], input=text, text=True, capture_output=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def records(path):
    """One object, an array, or one object a line."""
    text, at, out = path.read_text(), 0, []
    decoder = json.JSONDecoder()
    while text[at:].strip():
        while text[at].isspace():
            at += 1
        value, at = decoder.raw_decode(text, at)
        out += value if isinstance(value, list) else [value]
    return out


def demo_files():
    """Each file of examples/descriptors, with the target its folder is for."""
    for path in sorted((TREE / "examples" / "descriptors").rglob("*.json")):
        said = path.parent / "options"
        words = said.read_text().split() if said.exists() else []
        yield path, words


def keywords(words):
    """--cuda 12.8 --arch sm_100a as check() takes it."""
    names = {"--cuda": "cuda", "--arch": "target", "--driver": "driver", "--ptx": "ptx",
             "--contract": "contract"}
    return {names[option]: value for option, value in zip(words[::2], words[1::2])}


class Interface:
    """An object that has nothing but one of the array interfaces."""

    def __init__(self, kind, shape, typestr, address, strides=None):
        self.shape = shape
        setattr(self, kind, {"shape": shape, "typestr": typestr, "data": (address, False),
                             "strides": strides, "version": 3})


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]  # DLManagedTensor's


class Dlpack:
    """A producer of DLPack capsules, written from dlpack.h."""

    def __init__(self, shape, strides, code, bits, address, device=2, offset=0, lanes=1):
        self.shape_ = (ctypes.c_int64 * len(shape))(*shape)
        self.strides_ = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        self.tensor = _Tensor(address, device, 0, len(shape), code, bits, lanes, self.shape_,
                              self.strides_, offset)

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return (self.tensor.device_type, 0)
