"""Custom layers for predictions from Python: classes in Python, and plug-ins in other languages."""

import ctypes
import itertools
import json
import traceback
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_void_p

from . import _library as lib

_MAXIMUM_RANK = 8


class _Tensor(ctypes.Structure):
    _fields_ = [("data", POINTER(c_float)), ("shape", POINTER(c_int64)), ("rank", c_int64)]


_Make = ctypes.CFUNCTYPE(c_void_p, c_char_p, c_char_p, POINTER(lib.Blob), c_int64, c_void_p)
_Shapes = ctypes.CFUNCTYPE(
    c_int32, c_void_p, POINTER(_Tensor), c_int64, POINTER(c_int64), POINTER(c_int64), c_int64, c_void_p
)
_Evaluate = ctypes.CFUNCTYPE(
    c_int32, c_void_p, POINTER(_Tensor), c_int64, POINTER(_Tensor), c_int64, c_void_p
)
_Release = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


class _Class(ctypes.Structure):
    _fields_ = [
        ("make", _Make), ("shapes", _Shapes), ("evaluate", _Evaluate), ("release", _Release),
        ("context", c_void_p),
    ]  # fmt: skip


# `_registered` keeps the C functions of registered classes alive. `_objects` holds the layer objects of loaded models.
# Every call of a class gets a new key in `_objects`, even if the class returns the same object twice.
_registered = {}
_objects = {}
_keys = itertools.count(1)


def _array(tensor):
    """Return an array over the memory of a tensor. It is valid only during the call."""
    import numpy

    shape = tuple(tensor.shape[axis] for axis in range(tensor.rank))
    if 0 in shape:
        return numpy.zeros(shape, numpy.float32)
    return numpy.ctypeslib.as_array(tensor.data, shape=shape)


def register_custom_layer(class_name, layer):
    """Register a Python class for the custom layers of a class name.

    `layer(parameters, weights)` makes an object with two methods. `output_shape(*shapes)` returns the shape of the
    output, and `evaluate(*inputs)` returns the output as an array. Inputs are copies, as float32 arrays; in neural
    networks, images have the shape [sequence, batch, channels, height, width]. Loading a model makes one object, and
    concurrent predictions make more. `evaluate` may call `predict` of the model that contains the layer.
    """

    def make(_, parameters, weights, count, __):
        try:
            import numpy

            data = [
                numpy.frombuffer(ctypes.string_at(weights[i].address, weights[i].count), numpy.uint8)
                for i in range(count)
            ]
            made = layer(json.loads(parameters), [d.view("<f4") if d.size % 4 == 0 else d for d in data])
            key = next(_keys)
            _objects[key] = made
            return key
        except Exception:
            traceback.print_exc()
            return None

    def shapes(key, inputs, count, extents, ranks, _, __):
        try:
            given = [tuple(inputs[i].shape[a] for a in range(inputs[i].rank)) for i in range(count)]
            made = tuple(_objects[key].output_shape(*given))
            if len(made) > _MAXIMUM_RANK:
                raise ValueError(f"output_shape returned {len(made)} axes, expected at most {_MAXIMUM_RANK}.")
            ranks[0] = len(made)
            for axis, extent in enumerate(made):
                extents[axis] = int(extent)
            return 0
        except Exception:
            traceback.print_exc()
            return 1

    def evaluate(key, inputs, count, outputs, _, __):
        try:
            target = _array(outputs[0])
            # Copies, because a layer may keep its inputs longer than the memory of the prediction is valid.
            target[...] = _objects[key].evaluate(*(_array(inputs[i]).copy() for i in range(count)))
            return 0
        except Exception:
            traceback.print_exc()
            return 1

    def release(key, _):
        _objects.pop(key, None)

    functions = _Class(_Make(make), _Shapes(shapes), _Evaluate(evaluate), _Release(release), None)
    sentence = c_void_p()
    name = lib.encoded(class_name, "The name of a class")
    lib.check(lib.library.atelier_layer_register(name, byref(functions), byref(sentence)), sentence)
    # Models that were loaded before still call the functions of a replaced class.
    _registered.setdefault(class_name, []).append(functions)


def load_plugin(path):
    """Load a shared library of custom layers. Its function `atelier_plugin` registers them (see atelier.h)."""
    sentence = c_void_p()
    lib.check(lib.library.atelier_plugin_load(lib.path_bytes(path), byref(sentence)), sentence)
