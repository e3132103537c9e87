"""Conversion of feature values between Python and the library."""

import ctypes
import math
from ctypes import c_char_p, c_double, c_int64

import numpy as np

from . import _library as lib

try:
    import PIL.Image as _pil
except ImportError:
    _pil = None

_code_of_type = {
    np.dtype(np.float32): lib.FLOAT32,
    np.dtype(np.float64): lib.FLOAT64,
    np.dtype(np.float16): lib.FLOAT16,
    np.dtype(np.int32): lib.INT32,
    np.dtype(np.int8): lib.INT8,
}
_type_of_code = {code: dtype for dtype, code in _code_of_type.items()}

_pixels_of_mode = {"RGB": (lib.RGB, 3), "RGBA": (lib.RGBA, 4), "L": (lib.GRAY, 1)}
_pixels_of_channels = {1: lib.GRAY, 3: lib.RGB, 4: lib.RGBA}

# The ctypes types of C integer arrays, by length. They are made once, because making a type is slower than using it.
_integers = [c_int64 * count for count in range(17)]


# Arrays of at least this many elements are not copied. For smaller arrays, a copy takes less time than sharing.
_MANY = 1 << 14

_INTEGER, _TEXT = (int, np.integer), (str, bytes)


def _int64(value):
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"value type not convertible: {number} does not fit into 64 bits.")
    return number


def _bytes(text):
    return text.encode() if isinstance(text, str) else text


class Pixels:
    """An array of uint8 as an image: height × width, or × 3 (RGB) or 4 (RGBA) channels. The library reads its memory."""

    __slots__ = ("array",)

    def __init__(self, array):
        columns = array.shape[1]
        channels = 1 if array.ndim == 2 else array.shape[2]
        isDense = array.strides[1:] == ((1,) if array.ndim == 2 else (channels, 1))
        if not isDense or array.strides[0] < columns * channels:
            array = np.ascontiguousarray(array)
        self.array = array


class Features:
    """Named values as C structures, with references to all memory that they point to."""

    __slots__ = ("array", "count", "_references")

    def __init__(self, values):
        self.count = len(values)
        self.array = (lib.Feature * self.count)()
        self._references = []
        for target, (name, value) in zip(self.array, values.items()):
            target.name = lib.encoded(name, "The name of an input")
            self._write(value, target)

    def _write(self, value, target):
        if isinstance(value, np.ndarray):
            self._write_array(value, target)
        elif isinstance(value, Pixels):
            self._write_pixels(value.array, target)
        elif isinstance(value, (int, np.integer)):
            target.kind = lib.INT64
            target.integer = _int64(value)
        elif isinstance(value, (float, np.floating)):
            target.kind = lib.DOUBLE
            target.number = float(value)
        elif isinstance(value, (str, bytes)):
            target.kind = lib.STRING
            text = _bytes(value)
            target.text, target.count = text, len(text)
        elif isinstance(value, dict):
            self._write_dictionary(value, target)
        elif isinstance(value, (list, tuple)):
            target.kind = lib.SEQUENCE
            self._write_keys(value, target)
        elif _pil is not None and isinstance(value, _pil.Image):
            self._write_image(value, target)
        else:
            try:
                array = np.asarray(memoryview(value))
            except TypeError:
                raise RuntimeError(
                    f"value type not convertible: a {type(value).__name__} is not a number, a string, "
                    "a dictionary, a list, an array or a PIL image."
                ) from None
            self._write_array(array, target)

    def _write_array(self, value, target):
        code = _code_of_type.get(value.dtype)
        if code is None:
            raise RuntimeError(
                f"Unsupported array type: {value.dtype.kind} with itemsize = "
                f"{value.dtype.itemsize}. Use float32, float64, float16, int32 or int8."
            )
        rank = value.ndim
        if rank == 0:
            raise RuntimeError("value type not convertible: an array needs at least one axis.")
        lengths = _integers[rank](*value.shape) if rank < 17 else (c_int64 * rank)(*value.shape)
        target.kind = lib.ARRAY
        target.type = code
        target.data = value.__array_interface__["data"][0]
        target.count = rank
        target.shape = ctypes.addressof(lengths)
        self._references.append(value)
        self._references.append(lengths)
        if not value.flags.c_contiguous:
            strides = (c_int64 * rank)(*value.strides)
            target.strides = ctypes.addressof(strides)
            self._references.append(strides)

    def _write_pixels(self, array, target):
        target.kind = lib.IMAGE
        target.height, target.width = array.shape[:2]
        target.type = _pixels_of_channels[1 if array.ndim == 2 else array.shape[2]]
        target.data = array.__array_interface__["data"][0]
        target.bytes_per_row = array.strides[0]
        self._references.append(array)

    def _write_image(self, image, target):
        target.kind = lib.IMAGE
        target.width, target.height = image.size
        if image.mode == "F":
            pixels = np.asarray(image, dtype=np.float16)
            target.type, target.data = lib.GRAY_FLOAT16, pixels.ctypes.data
        elif image.mode in _pixels_of_mode:
            pixels = image.tobytes()
            target.type = _pixels_of_mode[image.mode][0]
            target.data = ctypes.cast(c_char_p(pixels), ctypes.c_void_p).value
        else:
            raise RuntimeError(
                f"value type not convertible: a PIL image of mode '{image.mode}', expected RGB, "
                "RGBA, L or F."
            )
        self._references.append(pixels)

    def _write_dictionary(self, dictionary, target):
        try:
            numbers = (c_double * len(dictionary))(*dictionary.values())
        except TypeError:
            raise TypeError("value type not convertible: a value of a dictionary is not a number.") from None
        target.kind = lib.DICTIONARY
        target.data = ctypes.addressof(numbers)
        self._references.append(numbers)
        self._write_keys(dictionary, target)

    def _write_keys(self, keys, target):
        count = len(keys)
        first = next(iter(keys), "")
        kinds = next((kinds for kinds in (_INTEGER, _TEXT) if isinstance(first, kinds)), None)
        if kinds is None:
            raise RuntimeError(
                f"value type not convertible: keys and elements must be integers or strings, not "
                f"{type(first).__name__}."
            )
        for key in keys:
            if not isinstance(key, kinds):
                raise TypeError(
                    f"value type not convertible: keys and elements must be all integers or all strings, "
                    f"but {first!r} and {key!r} are mixed."
                )
        if kinds is _INTEGER:
            target.type = lib.INT64
            block = (c_int64 * count)(*(_int64(key) for key in keys))
        else:
            texts = [_bytes(key) for key in keys]
            lengths = (c_int64 * count)(*(len(text) for text in texts))
            target.type = lib.STRING
            target.shape = ctypes.addressof(lengths)
            self._references.append(lengths)
            block = (c_char_p * count)(*texts)
        target.keys = ctypes.addressof(block)
        target.count = count
        self._references.append(block)


class Results(ctypes.c_void_p):
    """The library's results of a prediction. They are released when nothing refers to this object anymore."""

    __slots__ = ()

    def __del__(self, release=lib.library.atelier_results_release):
        release(self)

    def read(self):
        """Return the output values by name. Large arrays are not copied; they keep the results alive."""
        count = lib.library.atelier_results_count(self)
        if count == 0:
            return {}
        features = (lib.Feature * count).from_address(lib.library.atelier_results_features(self))
        return {feature.name.decode(): _read(feature, self) for feature in features}


class _Memory:
    """The memory of an array in results, as NumPy's array interface describes it."""

    __slots__ = ("__array_interface__", "_results")

    def __init__(self, feature, shape, dtype, results):
        self.__array_interface__ = {
            "version": 3, "shape": shape, "typestr": dtype.str, "data": (feature.data, False),
        }  # fmt: skip
        self._results = results


def _read(feature, results):
    kind = feature.kind
    if kind == lib.ARRAY:
        return _read_array(feature, results)
    if kind == lib.DOUBLE:
        return feature.number
    if kind == lib.INT64:
        return feature.integer
    if kind == lib.STRING:
        return ctypes.string_at(feature.text_address, feature.count).decode()
    if kind == lib.DICTIONARY:
        numbers = (c_double * feature.count).from_address(feature.data)
        return dict(zip(_read_keys(feature), numbers))
    if kind == lib.SEQUENCE:
        return _read_keys(feature)
    if kind == lib.IMAGE:
        return _read_image(feature)
    return None


def _read_array(feature, results):
    dtype = _type_of_code[feature.type]
    rank = feature.count
    shape = tuple((_integers[rank] if rank < 17 else c_int64 * rank).from_address(feature.shape)) if rank else ()
    # The library's arrays are contiguous.
    if math.prod(shape) >= _MANY:
        array = np.asarray(_Memory(feature, shape, dtype, results))
    else:
        array = np.empty(shape, dtype)
        if array.nbytes:
            ctypes.memmove(array.__array_interface__["data"][0], feature.data, array.nbytes)
    return array.astype(np.float32) if feature.type == lib.FLOAT16 else array


def _read_keys(feature):
    if feature.type == lib.INT64:
        return list((c_int64 * feature.count).from_address(feature.keys))
    texts = (ctypes.c_void_p * feature.count).from_address(feature.keys)
    lengths = (c_int64 * feature.count).from_address(feature.shape)
    return [ctypes.string_at(text, length).decode() for text, length in zip(texts, lengths)]


def _read_image(feature):
    if _pil is None:
        raise RuntimeError("An output of the prediction is an image; install pillow to read it.")
    size = (feature.width, feature.height)
    rows = ctypes.string_at(feature.data, feature.bytes_per_row * feature.height)
    if feature.type == lib.BGRA:
        return _pil.frombytes("RGBA", size, rows, "raw", "BGRA", feature.bytes_per_row)
    if feature.type == lib.GRAY:
        return _pil.frombytes("L", size, rows, "raw", "L", feature.bytes_per_row)
    halves = np.frombuffer(rows, np.float16).reshape(feature.height, -1)[:, : feature.width]
    return _pil.fromarray(halves.astype(np.float32))
