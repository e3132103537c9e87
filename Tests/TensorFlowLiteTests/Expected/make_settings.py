"""Writes settings.json. One part has cases of STRIDED_SLICE whose ends are offsets from the begins, with LiteRT's
answers. The other has files with options that no reader uses, and the error messages. Needs numpy, flatbuffers and
ai-edge-litert."""

import base64
import json
import os
import sys
import tempfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../Scripts"))
from pairs_of_settings import LiteModel  # noqa: E402

X = np.arange(60, dtype="f4").reshape(3, 4, 5)


def text(array):
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def case(name, model, answered=True, want=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.tflite")
        model.save(path)
        if want is None:
            want = list(model.answers(path).values()) if answered else []
        with open(path, "rb") as file:
            data = file.read()
    feeds = list(model.feeds.values())
    return dict(name=name, model=base64.b64encode(data).decode(), inputs=[text(value) for value in feeds],
                shapes=[list(value.shape) for value in feeds], outputs=[text(value) for value in want],
                outputShapes=[list(value.shape) for value in want], tolerance=0, steps=0)


def sliced(begin, end, strides, masks=(0, 0, 0, 0, 0), computed=False, kind=32, offset=True):
    model = LiteModel()
    reads = [model.tensor("x", X)] + [
        model.tensor(name, np.array(value, "i4"), constant=not computed or name == "strides")
        for name, value in (("begin", begin), ("end", end), ("strides", strides))]
    return model.operator("STRIDED_SLICE", 45, reads, kind, [
        *((slot, "int", mask) for slot, mask in enumerate(masks)), (5, "bool", offset)])


def sum_with(*options):
    model = LiteModel()
    reads = [model.tensor("x", X), model.tensor("y2", X)]
    return model.operator("ADD", 0, reads, 11, options, list(X.shape))


cases = [
    case("STRIDED_SLICE offset", sliced([1, 1, 2], [2, 2, 3], [1, 1, 1])),
    case("STRIDED_SLICE offset from the end", sliced([-2, -3, -5], [2, 2, 4], [1, 1, 2])),
    case("STRIDED_SLICE with a removed axis of any begin", sliced(
        [1, 2, 0], [2, 4, 5], [1, 1, 2], (2, 0, 0, 0, 2), offset=False)),
    # LiteRT reads beyond the last element; NumPy stops.
    case("STRIDED_SLICE offset past the end", sliced([1, -1, -4], [9, 3, 4], [1, 1, 1]), want=[X[1:, -1:, -4:]]),
    case("STRIDED_SLICE offset, begins open", sliced([1, 1, 2], [2, 1, 3], [1, 1, 1], (6, 0, 0, 0, 0))),
    case("STRIDED_SLICE offset, one axis removed", sliced([1, 2, -3], [1, 1, 2], [1, 1, 1], (0, 0, 0, 0, 2))),
    # LiteRT crashes with a segmentation fault if the begins are computed.
    case("STRIDED_SLICE offset, computed", sliced([1, -3, 2], [2, 2, 3], [1, 1, 1], computed=True),
         want=[X[1:3, 1:3, 2:5]]),
]
refused = [
    case("ADD 'y': it has the option number 2, which is not supported; convert the model without it, or with an older"
         " converter.", sum_with((0, "byte", 0), (2, "int", 3)), answered=False),
    case("STRIDED_SLICE 'y': its options are those of another operator (type 1, expected 32). The file may"
         " be damaged.", sliced([0, 0, 0], [1, 1, 1], [1, 1, 1], kind=1), answered=False),
]
for name, entries in (("settings", cases), ("refused", refused)):
    with open(os.path.join(here, f"{name}.json"), "w") as file:
        json.dump(entries, file, indent=1)
        file.write("\n")
