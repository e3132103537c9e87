"""Pictures as models take and return them: files in memory, arrays of pixels and PIL images."""

import io

import numpy as np
import PIL.Image
import PIL.ImageOps

from . import _library as lib
from ._features import Pixels

FORMATS = ("jpeg", "png", "webp", "array")

_modes = {"gray": "L", "grayFloat16": "F"}


def as_input(value, feature, longest_side=None):
    """Return a picture in the size and with the channels that the model's input declares.

    `value` is the bytes of a picture file, an array of uint8 (height × width, or × 1, 3 or 4 channels) or a PIL image.
    An array that already fits is returned as `Pixels`, without a copy.
    """
    mode = _modes.get(feature.get("format"), "RGB")
    if isinstance(value, np.ndarray) and value.dtype != object and value.ndim > 0:
        pixels = _pixels(value, feature["name"])
        size = fitting_size((pixels.shape[1], pixels.shape[0]), feature, longest_side)
        channels = 1 if pixels.ndim == 2 else pixels.shape[2]
        if size == (pixels.shape[1], pixels.shape[0]) and channels in ((1,) if mode == "L" else (3, 4)):
            if mode != "F":
                return Pixels(pixels)
        image = PIL.Image.fromarray(pixels)
    elif isinstance(value, PIL.Image.Image):
        image = value
    elif isinstance(value, (bytes, bytearray, memoryview)):
        image = _decoded(value, longest_side)
    else:
        raise lib.Error(
            f"The picture for the input '{feature['name']}' is a {type(value).__name__}, expected the bytes of a "
            "picture file, an array of uint8 or a PIL image.",
            lib.FEATURE_TYPE,
        )
    if image.mode != mode:
        image = image.convert(mode)
    size = fitting_size(image.size, feature, longest_side)
    return image if image.size == size else image.resize(size, PIL.Image.Resampling.LANCZOS)


def _decoded(data, longest_side):
    if len(data) == 0:
        raise lib.Error("The picture has no bytes.", lib.IO)
    try:
        image = PIL.Image.open(io.BytesIO(data))
        if longest_side:
            # libjpeg decodes a JPEG at 1/2, 1/4 or 1/8 of its size in less time.
            image.draft("RGB", (longest_side, longest_side))
        return PIL.ImageOps.exif_transpose(image)
    except PIL.UnidentifiedImageError:
        raise lib.Error("The bytes are not a picture in a format that Pillow reads.", lib.IO) from None
    except PIL.Image.DecompressionBombError as error:
        raise lib.Error(f"The picture is too large: {error}", lib.IO) from None
    except (OSError, SyntaxError) as error:
        raise lib.Error(f"The picture cannot be decoded: {error}.", lib.IO) from None


def _pixels(array, name):
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        shape = " × ".join(map(str, array.shape))
        raise lib.Error(
            f"The picture for the input '{name}' is an array of {array.dtype}, {shape}; expected uint8, height × "
            "width or height × width × 1, 3 or 4 channels.",
            lib.FEATURE_TYPE,
        )
    return array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array


def fitting_size(size, feature, longest_side=None):
    """Return the (width, height) in which a picture is given to the model.

    A model with one size gets that size, one with several sizes the one nearest in area, any other the picture's own
    size, at most `longest_side` on the longer side, and within the lengths that the model allows.
    """
    if "allowedSizes" in feature:
        area = size[0] * size[1]
        return min(map(tuple, feature["allowedSizes"]), key=lambda one: abs(one[0] * one[1] - area))
    if "allowedWidths" not in feature:
        return feature["width"], feature["height"]
    scale = min(1, longest_side / max(size)) if longest_side else 1
    return tuple(
        _clamped(round(length * scale), feature[key])
        for length, key in zip(size, ("allowedWidths", "allowedHeights"))
    )


def _clamped(length, bounds):
    least, most = bounds
    length = max(length, least, 1)
    return length if most < 0 else min(length, most)


def as_output(image, form, quality):
    """Return a painted PIL image as the bytes of a file, or as an array of uint8."""
    if image.mode == "RGBA":
        image = image.convert("RGB")
    elif image.mode == "F" and form != "array":
        image = image.convert("L")
    if form == "array":
        return np.asarray(image)
    file = io.BytesIO()
    image.save(file, form.upper(), **({} if form == "png" else {"quality": quality}))
    return file.getvalue()
