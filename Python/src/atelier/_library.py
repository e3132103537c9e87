"""The functions of libatelier.so, as its header atelier.h declares them."""

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_void_p

# The types of feature values.
UNDEFINED, INT64, DOUBLE, STRING, IMAGE, ARRAY, DICTIONARY, SEQUENCE = range(8)

# The element types of arrays.
FLOAT16, FLOAT32, FLOAT64, INT32, INT8 = 65552, 65568, 65600, 131104, 131080

# The pixel formats of images.
BGRA, RGBA, RGB, BGR, GRAY, GRAY_FLOAT16 = range(1, 7)

# The numbers of errors that callers distinguish.
FEATURE_TYPE, IO, PARAMETERS = 1, 3, 7

#: The version of the library's interface that these declarations describe: ATELIER_INTERFACE_VERSION of atelier.h.
INTERFACE_VERSION = 5

COMPUTE_UNITS = {"CPU_ONLY": 0, "CPU_AND_GPU": 1, "ALL": 2, "CPU_AND_NE": 3}


class Feature(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_int32),
        ("type", c_int32),
        ("integer", c_int64),
        ("number", c_double),
        ("text", c_char_p),
        ("data", c_void_p),
        ("keys", c_void_p),
        ("count", c_int64),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("width", c_int64),
        ("height", c_int64),
        ("bytes_per_row", c_int64),
    ]

    @property
    def text_address(self):
        """Return the address of the text. The attribute `text` would end at the first zero byte."""
        return c_void_p.from_buffer(self, Feature.text.offset).value


class Blob(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("bytes", c_char_p), ("count", c_int64)]

    @property
    def address(self):
        """Return the address of the bytes. The attribute `bytes` would end at the first zero byte."""
        return c_void_p.from_buffer(self, Blob.bytes.offset).value


class Options(ctypes.Structure):
    _fields_ = [
        ("compute_units", c_int32),
        ("thread_count", c_int32),
        ("memory_limit", c_int64),
        ("allows_any_size", c_int64),
        ("function_name", c_char_p),
        ("quantizes_inputs", c_int64),
        ("widens_outputs", c_int64),
    ]


class Error(RuntimeError):
    """An error of the library: a message of one sentence, and a code."""

    def __init__(self, sentence, code):
        super().__init__(sentence)
        self.code = code

    def __reduce__(self):
        # Pools of processes and clusters pickle the errors of their workers.
        return type(self), (str(self), self.code)


def _load():
    path = os.environ.get("ATELIER_LIBRARY") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "libatelier.so"
    )
    if "RAY_RAYLET_PID" in os.environ:
        # In a worker of Ray, the other processors belong to other workers, so a waiting thread must not spin. libgomp
        # reads this variable when it is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    library = ctypes.CDLL(path)
    # Another version reads other structures, so that options would have wrong values.
    version = library.atelier_interface_version()
    if version != INTERFACE_VERSION:
        raise ImportError(
            f"The library {path!r} has version {version} of Atelier's interface, and the Python package needs version"
            f" {INTERFACE_VERSION}: install both from the same release, or unset ATELIER_LIBRARY."
        )
    text_out = POINTER(c_void_p)
    signatures = {
        "atelier_interface_version": (c_int32, []),
        "atelier_newest_specification_version": (c_int32, []),
        "atelier_free": (None, [c_void_p]),
        "atelier_model_load": (c_int32, [c_char_p, c_void_p, text_out, text_out]),
        "atelier_model_load_memory": (
            c_int32,
            [c_char_p, c_int64, c_void_p, c_int64, c_void_p, text_out, text_out],
        ),
        "atelier_model_release": (None, [c_void_p]),
        "atelier_model_describe": (c_int32, [c_void_p, text_out, text_out]),
        "atelier_model_compile": (c_int32, [c_char_p, text_out, text_out]),
        "atelier_predict": (c_int32, [c_void_p, c_void_p, c_int64, text_out, text_out]),
        "atelier_predict_batch": (
            c_int32,
            [c_void_p, c_void_p, c_void_p, c_int64, c_void_p, text_out],
        ),
        "atelier_state_make": (c_int32, [c_void_p, text_out, text_out]),
        "atelier_state_release": (None, [c_void_p]),
        "atelier_predict_with_state": (
            c_int32,
            [c_void_p, c_void_p, c_void_p, c_int64, text_out, text_out],
        ),
        "atelier_state_read": (c_int32, [c_void_p, c_char_p, text_out, text_out]),
        "atelier_state_write": (c_int32, [c_void_p, c_void_p, text_out]),
        "atelier_model_structure": (c_int32, [c_char_p, text_out, text_out]),
        "atelier_model_plan": (c_int32, [c_char_p, c_void_p, text_out, text_out]),
        "atelier_convert": (
            c_int32,
            [c_char_p, c_char_p, c_char_p, c_void_p, c_void_p, text_out],
        ),
        "atelier_compress": (c_int32, [c_char_p, c_char_p, c_char_p, text_out]),
        "atelier_export_style": (c_int32, [c_char_p, c_char_p, c_double, c_char_p, text_out]),
        "atelier_layer_register": (c_int32, [c_char_p, c_void_p, text_out]),
        "atelier_plugin_load": (c_int32, [c_char_p, text_out]),
        "atelier_results_count": (c_int64, [c_void_p]),
        "atelier_results_features": (c_void_p, [c_void_p]),
        "atelier_results_release": (None, [c_void_p]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


library = _load()


def encoded(text, what):
    """Encode a text as a C string. Raises ValueError if it contains a zero character."""
    if "\0" in text:
        raise ValueError(f"{what} is {text!r}, which contains a zero character.")
    return text.encode()


def path_bytes(path):
    """Encode a path as a C string. Raises ValueError if it contains a zero character."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError(f"The path {path!r} contains a zero character.")
    return data


def take_text(pointer):
    """Return the text at a pointer and free it."""
    text = ctypes.string_at(pointer.value).decode("utf-8", "replace") if pointer.value else ""
    library.atelier_free(pointer)
    return text


def check(status, sentence):
    """Raise the library's message if the status is not 0."""
    if status:
        raise Error(take_text(sentence), status)


def newest_specification_version():
    """Return the newest supported version of Core ML's model specification."""
    return library.atelier_newest_specification_version()


def model_structure(path):
    """Return the structure of a model: its layers, operations or models. atelier.h documents the JSON."""
    text, sentence = c_void_p(), c_void_p()
    check(
        library.atelier_model_structure(path_bytes(path), byref(text), byref(sentence)), sentence
    )
    return json.loads(take_text(text))


def compute_plan(path, compute_units="ALL"):
    """Return the structure of a model with the estimated cost of each operation. atelier.h documents the JSON."""
    text, sentence = c_void_p(), c_void_p()
    options = Options(compute_units=COMPUTE_UNITS[compute_units])
    check(
        library.atelier_model_plan(
            path_bytes(path), byref(options), byref(text), byref(sentence)
        ),
        sentence,
    )
    return json.loads(take_text(text))


def compile_model(path):
    """Compile a .mlmodel or .mlpackage into a new .mlmodelc folder. The caller moves or removes the folder.

    Returns the path of the folder. Raises `Error` if the model cannot be read.
    """
    folder, sentence = c_void_p(), c_void_p()
    check(
        library.atelier_model_compile(path_bytes(path), byref(folder), byref(sentence)), sentence
    )
    return take_text(folder)
