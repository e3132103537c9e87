"""Tests operators with every pair of their settings against ONNX Runtime and LiteRT.

usage: ATELIER=.build/release/atelier python Scripts/pairs_of_settings.py [--seed N] [--count N] [--convert] [FAMILY
…]

A family draws its settings at random from a seed, so that a few dozen models cover all pairs. Models that the other
runtime refuses are skipped. A model that the other runtime runs and we refuse counts as a fault, like a different
result, unless the family lists the error message. --convert also converts each ONNX model to layers and to a
program, and runs those.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ATELIER = os.environ.get("ATELIER", ".build/release/atelier")
FAMILIES = {}


def family(refusals=None, tolerance=1e-4):
    def register(make):
        FAMILIES[make.__name__] = (make, refusals, tolerance)
        return make

    return register


class Draw:
    """Draws settings from a random generator with a seed."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def of(self, *values):
        return values[self.random.integers(len(values))]

    def int(self, low, high):
        return int(self.random.integers(low, high + 1))

    def ints(self, low, high, count):
        return [self.int(low, high) for _ in range(count)]

    def floats(self, *shape):
        return self.random.normal(size=shape).astype("f4")

    def maybe(self, chance=0.5):
        return self.random.random() < chance


class ONNXModel:
    """An ONNX model with one node, its constants and its inputs."""

    def __init__(self, opset=18):
        self.opset, self.inputs, self.constants, self.feeds, self.outputs = opset, [], [], {}, ["y"]
        self.hidden = False

    def input(self, name, value, free=False):
        self.feeds[name] = value
        self.inputs.append((name, value.dtype, [f"{name}{i}" if free else n for i, n in enumerate(value.shape)]))
        return name

    def constant(self, name, value):
        self.constants.append((name, np.asarray(value)))
        return name

    def node(self, kind, inputs, **attributes):
        self.kind, self.reads = kind, inputs
        self.attributes = {key: value for key, value in attributes.items() if value is not None}
        return self

    def __str__(self):
        shapes = {name: value.shape for name, value in self.feeds.items()}
        small = {name: value.tolist() if value.size <= 8 else value.shape for name, value in self.constants}
        return f"{self.kind}-{self.opset} {self.attributes} {shapes} {small} reads {self.reads}"

    def save(self, path):
        import onnx
        from onnx import helper, numpy_helper

        node = helper.make_node(self.kind, self.reads, self.outputs, **self.attributes)
        kinds = {name: helper.np_dtype_to_tensor_dtype(np.dtype(kind)) for name, kind, _ in self.inputs}
        graph = helper.make_graph(
            [node], "pair", [helper.make_tensor_value_info(name, kinds[name], shape) for name, _, shape in self.inputs],
            [helper.make_empty_tensor_value_info(name) for name in self.outputs],
            [numpy_helper.from_array(value, name) for name, value in self.constants])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        try:
            model = onnx.shape_inference.infer_shapes(model)
        except Exception:  # noqa: BLE001
            pass
        # Outputs must have a type in the file. Our reader ignores it and infers the type.
        for value in model.graph.output:
            if not value.type.tensor_type.elem_type:
                value.type.tensor_type.elem_type = next(iter(kinds.values()))
        onnx.save(model, path)

    def answers(self, path):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return dict(zip(self.outputs, session.run(None, self.feeds)))


# MARK: ONNX


@family()
def conv_transpose(draw):
    model, axes = ONNXModel(draw.of(11, 18)), draw.of(1, 2, 2, 2, 3)
    group = draw.of(1, 1, 2)
    kernel, strides = draw.ints(1, 4, axes), draw.ints(1, 3, axes)
    extra = [draw.int(0, max(0, stride - 1)) for stride in strides] if draw.maybe() else None
    pad = draw.of("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    dilations = draw.ints(1, 2, axes) if draw.maybe(0.4) else None
    size = draw.ints(2, 5, axes)
    shape = [n * s + draw.int(-1, 2) for n, s in zip(size, strides)] if draw.maybe(0.3) else None
    free = draw.maybe(0.3)
    if shape and free:
        # A stated output shape is not combined with output padding if axes are free.
        extra = None
    x = model.input("x", draw.floats(draw.int(1, 2), 4, *size), free=free)
    reads = [x, model.constant("w", draw.floats(4, 6 // group, *kernel))]
    if draw.maybe():
        reads.append(model.constant("b", draw.floats(6)))
    pads = draw.ints(0, 1, 2 * axes) if pad == "NOTSET" and shape is None and draw.maybe() else None
    return model.node("ConvTranspose", reads, kernel_shape=kernel, strides=strides, dilations=dilations, group=group,
                      output_padding=extra, output_shape=shape, pads=pads,
                      auto_pad=None if pads else pad)


@family()
def conv(draw):
    model, axes = ONNXModel(draw.of(11, 18)), draw.of(1, 2, 2, 3)
    group = draw.of(1, 2)
    kernel, pad = draw.ints(1, 4, axes), draw.of("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    x = model.input("x", draw.floats(draw.int(1, 2), 4, *draw.ints(7, 9, axes)), free=draw.maybe(0.3))
    reads = [x, model.constant("w", draw.floats(6, 4 // group, *kernel))]
    if draw.maybe():
        reads.append(model.constant("b", draw.floats(6)))
    pads = draw.ints(0, 2, 2 * axes) if pad == "NOTSET" and draw.maybe() else None
    return model.node("Conv", reads, strides=draw.ints(1, 3, axes), group=group, pads=pads,
                      dilations=draw.ints(1, 2, axes), auto_pad=None if pads else pad)


@family()
def pooling(draw):
    kind, axes = draw.of("MaxPool", "AveragePool", "LpPool"), draw.of(1, 2, 2, 3)
    model, kernel = ONNXModel(draw.of(12, 19) if kind != "LpPool" else 18), draw.ints(1, 3, axes)
    pad = draw.of("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    pads = [min(draw.int(0, 1), kernel[i % axes] - 1) for i in range(2 * axes)] if pad == "NOTSET" else None
    dilated = kind == "MaxPool" or (kind == "AveragePool" and model.opset >= 19)
    x = model.input("x", draw.floats(draw.int(1, 2), 3, *draw.ints(6, 9, axes)), free=draw.maybe(0.3))
    # A stride is at most the window, because ONNX Runtime would use negative padding otherwise.
    strides = [min(s, k) if pad.startswith("SAME") else s for s, k in zip(draw.ints(1, 3, axes), kernel)]
    return model.node(kind, [x], kernel_shape=kernel, strides=strides, pads=pads,
                      auto_pad=None if pads else pad, ceil_mode=draw.of(0, 1) if kind != "LpPool" else None,
                      count_include_pad=draw.of(0, 1) if kind == "AveragePool" else None,
                      dilations=draw.ints(1, 2, axes) if dilated and draw.maybe(0.3) and pads else None)


def _resize(draw, free):
    model, mode = ONNXModel(draw.of(11, 13, 18, 19)), draw.of("nearest", "linear", "cubic")
    coordinates = draw.of("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
    if free and coordinates == "tf_crop_and_resize":
        coordinates = "half_pixel"
    if model.opset == 19 and draw.maybe(0.2):
        coordinates = "half_pixel_symmetric"
    size = [draw.int(1, 2), draw.int(1, 3), draw.int(2, 6), draw.int(2, 6)]
    x = model.input("x", draw.floats(*size), free=free)
    roi = model.constant("roi", np.array([0, 0, 0.1, 0.2, 1, 1, 0.8, 1.1], "f4")) \
        if coordinates == "tf_crop_and_resize" else ""
    if draw.maybe():
        factors = [draw.of(0.5, 0.75, 1.5, 2, 2.5, 3, *([] if roi else [1])) for _ in range(2)]
        reads = [x, roi, model.constant("scales", np.array([1, 1, *factors], "f4"))]
    else:
        wanted = [draw.int(1, 9), draw.int(1, 9)]
        # Contrary to the definition, ONNX Runtime ignores the crop of an axis whose size does not change. So the size
        # always changes if there is a crop.
        wanted = [n + 1 if roi and n == old else n for n, old in zip(wanted, size[2:])]
        reads = [x, roi, "", model.constant("sizes", np.array([*size[:2], *wanted]))]
    modern = model.opset >= 18
    return model.node("Resize", reads, mode=mode, coordinate_transformation_mode=coordinates,
                      nearest_mode=draw.of("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")
                      if mode == "nearest" else None,
                      cubic_coeff_a=draw.of(None, -0.5) if mode == "cubic" else None,
                      exclude_outside=draw.of(None, 1) if mode == "cubic" else None,
                      extrapolation_value=draw.of(None, 2.0) if roi else None,
                      antialias=1 if modern and mode != "nearest" and not roi and not free and draw.maybe(0.3) else None)


@family(tolerance=1e-3)
def resize(draw):
    return _resize(draw, False)


@family(tolerance=1e-3)
def resize_free(draw):
    return _resize(draw, True)


@family()
def upsample(draw):
    model = ONNXModel(9)
    x = model.input("x", draw.floats(1, 2, draw.int(2, 5), draw.int(2, 5)), free=draw.maybe())
    scales = np.array([1, 1, draw.of(1, 1.5, 2, 3), draw.of(1, 1.5, 2, 3)], "f4")
    return model.node("Upsample", [x, model.constant("scales", scales)], mode=draw.of("nearest", "linear"))


@family()
def slice_bounds(draw):
    model, rank = ONNXModel(draw.of(11, 13)), draw.int(1, 3)
    far = [-2**63, -2**62, -2**40, -2**31, -2**31 + 1, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1]
    shape = draw.ints(1, 5, rank)
    x = model.input("x", draw.floats(*shape), free=draw.maybe(0.3))
    axes = sorted(draw.random.permutation(rank)[:draw.int(1, rank)].tolist())

    steps = np.array([draw.of(1, 1, 2, -1, -2, 2**62, -2**62) for _ in axes], "i8")
    # For negative steps, ONNX Runtime treats the two largest integers as open ends, unlike NumPy and the definition.
    odd = (2**31 - 1, 2**63 - 1)

    def bounds():
        values = [draw.of(*far) if draw.maybe(0.4) else draw.int(-7, 7) for _ in axes]
        return np.array([v - 1 if v in odd and s < 0 else v for v, s in zip(values, steps)], "i8")

    given = [axis - rank if draw.maybe(0.3) else axis for axis in axes]
    return model.node("Slice", [x, model.constant("starts", bounds()), model.constant("ends", bounds()),
                                model.constant("axes", np.array(given, "i8")), model.constant("steps", steps)])


@family()
def gather_elements(draw):
    model, rank = ONNXModel(13), draw.int(1, 3)
    shape, axis = draw.ints(2, 5, rank), draw.int(0, rank - 1)
    indices = [draw.int(1, 6) if i == axis else draw.int(1, n) for i, n in enumerate(shape)]
    places = draw.random.integers(-shape[axis], shape[axis], indices)
    x = model.input("x", draw.floats(*shape))
    return model.node("GatherElements", [x, model.constant("at", places)], axis=draw.of(axis, axis - rank))


@family()
def scatter_elements(draw):
    model, rank = ONNXModel(18), draw.int(1, 3)
    shape, axis = draw.ints(2, 5, rank), draw.int(0, rank - 1)
    reduction = draw.of("none", "add", "mul", "max", "min")
    indices = [draw.int(1, n) for n in shape]
    # Without a reduction the indices must be unique, because the order of duplicate updates is
    # undefined.
    rows = np.argsort(draw.random.random([*indices[:axis], shape[axis], *indices[axis + 1:]]), axis)
    places = np.take(rows, range(indices[axis]), axis)
    x = model.input("x", draw.floats(*shape))
    return model.node("ScatterElements", [x, model.constant("at", places), model.input("u", draw.floats(*indices))],
                      axis=axis, reduction=reduction)


def _recurrent(draw, kind, gates, states):
    model = ONNXModel(14)
    direction = draw.of("forward", "reverse", "bidirectional")
    count, layout = 2 if direction == "bidirectional" else 1, 0
    length, batch, size, units = draw.int(1, 5), draw.int(1, 3), draw.int(1, 4), draw.int(1, 4)
    x = model.input("x", draw.floats(length, batch, size))
    reads = [x, model.constant("w", draw.floats(count, gates * units, size)),
             model.constant("r", draw.floats(count, gates * units, units))]
    bias, first, peephole = draw.maybe(0.7), draw.maybe(), kind == "LSTM" and draw.maybe(0.3)
    reads.append(model.constant("b", draw.floats(count, 2 * gates * units)) if bias else "")
    reads.append("")
    for state in range(states):
        reads.append(model.input(f"h{state}", draw.floats(count, batch, units)) if first else "")
    if peephole:
        reads.append(model.constant("p", draw.floats(count, 3 * units)))
    while reads[-1] == "":
        reads.pop()
    model.outputs = ["y", "last", "cell"][:1 + states]
    functions = {"RNN": ["Relu", "Tanh", "Sigmoid"], "GRU": ["Tanh", "Sigmoid"], "LSTM": ["Tanh", "Sigmoid"]}[kind]
    names = None
    if draw.maybe(0.4):
        per = {"RNN": 1, "GRU": 2, "LSTM": 3}[kind]
        names = [draw.of(*functions) for _ in range(per)] * count
    return model.node(kind, reads, hidden_size=units, direction=direction, activations=names,
                      clip=draw.of(None, None, 0.7), layout=layout or None,
                      linear_before_reset=draw.of(None, 1) if kind == "GRU" else None,
                      input_forget=draw.of(None, None, 1) if kind == "LSTM" else None)


@family()
def rnn(draw):
    return _recurrent(draw, "RNN", 1, 1)


@family()
def gru(draw):
    return _recurrent(draw, "GRU", 3, 1)


@family()
def lstm(draw):
    return _recurrent(draw, "LSTM", 4, 2)


@family()
def pad(draw):
    model, rank = ONNXModel(draw.of(13, 18, 19)), draw.int(1, 4)
    shape = draw.ints(3, 5, rank)
    mode = draw.of("constant", "reflect", "edge")
    x = model.input("x", draw.floats(*shape), free=draw.maybe(0.3))
    low = 0 if mode == "reflect" else -1
    reads = [x, model.constant("pads", np.array(draw.ints(low, 2, 2 * rank)))]
    if mode == "constant" and draw.maybe():
        reads.append(model.constant("value", np.array(1.5, "f4")))
    return model.node("Pad", reads, mode=mode)


@family(tolerance=1e-3)
def grid_sample(draw):
    model = ONNXModel(16)
    x = model.input("x", draw.floats(2, 3, draw.int(2, 6), draw.int(2, 6)))
    grid = model.input("grid", (draw.random.random((2, 4, 5, 2)) * 2.6 - 1.3).astype("f4"))
    return model.node("GridSample", [x, grid], align_corners=draw.of(0, 1), mode=draw.of("bilinear", "nearest"),
                      padding_mode=draw.of("zeros", "border", "reflection"))


# MARK: TensorFlow Lite


class LiteModel:
    """A TensorFlow Lite model with one operator, written as a flatbuffer with the fields of schema.fbs."""

    TYPES = {"float32": 0, "int32": 2}

    def __init__(self):
        self.tensors, self.feeds, self.buffers = [], {}, [b""]

    def tensor(self, name, value=None, shape=None, kind="float32", constant=False, free=False):
        shape = list(value.shape) if value is not None else shape
        buffer = 0
        if constant:
            self.buffers.append(np.ascontiguousarray(value).tobytes())
            buffer = len(self.buffers) - 1
        elif value is not None:
            self.feeds[name] = value
        kind = str(value.dtype) if value is not None else kind
        self.tensors.append((name, shape, self.TYPES[kind], buffer))
        return len(self.tensors) - 1

    def operator(self, kind, code, reads, options_kind, options, shape=None):
        self.kind, self.code, self.reads = kind, code, reads
        self.options_kind, self.options = options_kind, options
        self.output = self.tensor("y", shape=shape or [1])
        return self

    def __str__(self):
        shapes = {name: value.shape for name, value in self.feeds.items()}
        return f"{self.kind} {[(slot, value) for slot, _, value in self.options]} {shapes} {self.tensors}"

    def save(self, path):
        import flatbuffers

        b = flatbuffers.Builder(1024)

        def numbers(values, kind="i4"):
            return b.CreateNumpyVector(np.asarray(values, kind))

        def offsets(values):
            b.StartVector(4, len(values), 4)
            for value in reversed(values):
                b.PrependUOffsetTRelative(value)
            return b.EndVector()

        def table(slots):
            add = {"offset": lambda s, v: b.PrependUOffsetTRelativeSlot(s, v, 0),
                   "byte": lambda s, v: b.PrependUint8Slot(s, v, 255),
                   "bool": lambda s, v: b.PrependBoolSlot(s, v, not v),
                   "int": lambda s, v: b.PrependInt32Slot(s, v, -(1 << 31)),
                   "float": lambda s, v: b.PrependFloat32Slot(s, v, -1e30)}
            b.StartObject(max(slots, default=-1) + 1)
            for slot, (kind, value) in slots.items():
                add[kind](slot, value)
            return b.EndObject()

        buffers = [table({0: ("offset", numbers(np.frombuffer(data, "u1"), "u1"))} if data else {})
                   for data in self.buffers]
        tensors = [table({0: ("offset", numbers(shape)), 1: ("byte", kind), 2: ("int", buffer),
                          3: ("offset", b.CreateString(name))}) for name, shape, kind, buffer in self.tensors]
        slots = {0: ("int", 0), 1: ("offset", numbers(self.reads)), 2: ("offset", numbers([self.output]))}
        if self.options_kind:
            slots[3] = ("byte", self.options_kind)
            slots[4] = ("offset", table({slot: (kind, value) for slot, kind, value in self.options}))
        operators = [table(slots)]
        inputs = [i for i, tensor in enumerate(self.tensors) if tensor[0] in self.feeds]
        graph = table({0: ("offset", offsets(tensors)), 1: ("offset", numbers(inputs)),
                       2: ("offset", numbers([self.output])), 3: ("offset", offsets(operators)),
                       4: ("offset", b.CreateString("main"))})
        opcodes = [table({0: ("byte", min(self.code, 127)), 2: ("int", 1), 3: ("int", self.code)})]
        b.Finish(table({0: ("int", 3), 1: ("offset", offsets(opcodes)), 2: ("offset", offsets([graph])),
                        3: ("offset", b.CreateString("pairs")), 4: ("offset", offsets(buffers))}),
                 file_identifier=b"TFL3")
        with open(path, "wb") as file:
            file.write(bytes(b.Output()))

    def answers(self, path):
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        interpreter = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        for detail in interpreter.get_input_details():
            interpreter.set_tensor(detail["index"], self.feeds[detail["name"]])
        interpreter.invoke()
        return {"y": interpreter.get_tensor(interpreter.get_output_details()[0]["index"])}


def _out(size, kernel, stride, same):
    return -(-size // stride) if same else (size - kernel) // stride + 1


@family()
def lite_transpose_conv(draw):
    model = LiteModel()
    kernel, stride, same = draw.ints(1, 4, 2), draw.ints(1, 3, 2), draw.maybe()
    height, width, outputs = draw.int(2, 5), draw.int(2, 5), draw.int(1, 3)
    # Output sizes from which a convolution with these settings would compute the size of the input.
    wanted = [n * s - draw.int(0, s - 1) if same else (n - 1) * s + k + draw.int(0, s - 1)
              for n, s, k in zip((height, width), stride, kernel)]
    shape = [1, *wanted, outputs]
    reads = [model.tensor("shape", np.array(shape, "i4"), constant=True),
             model.tensor("w", draw.floats(outputs, *kernel, 2), constant=True),
             model.tensor("x", draw.floats(1, height, width, 2))]
    if draw.maybe():
        reads.append(model.tensor("b", draw.floats(outputs), constant=True))
    return model.operator("TRANSPOSE_CONV", 67, reads, 49, [
        (0, "byte", 0 if same else 1), (1, "int", stride[1]), (2, "int", stride[0]),
        (3, "byte", draw.of(0, 0, 1, 3))], shape)


def _lite_resize(draw, kind, code, options_kind, corners, centres):
    model, align, half = LiteModel(), draw.maybe(), draw.maybe()
    size, wanted = draw.ints(1, 6, 2), draw.ints(1, 9, 2)
    reads = [model.tensor("x", draw.floats(1, *size, 3)),
             model.tensor("size", np.array(wanted, "i4"), constant=True)]
    return model.operator(kind, code, reads, options_kind,
                          [(corners, "bool", align), (centres, "bool", half and not align)], [1, *wanted, 3])


@family()
def lite_resize_bilinear(draw):
    return _lite_resize(draw, "RESIZE_BILINEAR", 23, 15, 2, 3)


@family()
def lite_resize_nearest(draw):
    return _lite_resize(draw, "RESIZE_NEAREST_NEIGHBOR", 97, 74, 0, 1)


@family()
def lite_conv(draw):
    model = LiteModel()
    kernel, stride, same = draw.ints(1, 3, 2), draw.ints(1, 3, 2), draw.maybe()
    dilation = draw.ints(1, 2, 2) if stride == [1, 1] or draw.maybe(0.3) else [1, 1]
    size = draw.ints(6, 9, 2)
    shape = [1, *(_out(n, (k - 1) * d + 1, s, same) for n, k, s, d in zip(size, kernel, stride, dilation)), 4]
    reads = [model.tensor("x", draw.floats(1, *size, 2)), model.tensor("w", draw.floats(4, *kernel, 2), constant=True),
             model.tensor("b", draw.floats(4), constant=True)]
    return model.operator("CONV_2D", 3, reads, 1, [
        (0, "byte", 0 if same else 1), (1, "int", stride[1]), (2, "int", stride[0]), (3, "byte", draw.of(0, 1, 2, 3)),
        (4, "int", dilation[1]), (5, "int", dilation[0])], shape)


@family()
def lite_pool(draw):
    model, (kind, code) = LiteModel(), draw.of(("AVERAGE_POOL_2D", 1), ("MAX_POOL_2D", 17), ("L2_POOL_2D", 12))
    kernel, stride, same, size = draw.ints(1, 3, 2), draw.ints(1, 3, 2), draw.maybe(), draw.ints(4, 7, 2)
    shape = [1, *(_out(n, k, s, same) for n, k, s in zip(size, kernel, stride)), 3]
    return model.operator(kind, code, [model.tensor("x", draw.floats(1, *size, 3))], 5, [
        (0, "byte", 0 if same else 1), (1, "int", stride[1]), (2, "int", stride[0]), (3, "int", kernel[1]),
        (4, "int", kernel[0]), (5, "byte", draw.of(0, 1, 3))], shape)


@family(refusals="no elements|empty|has no")
def lite_strided_slice(draw):
    model, shape = LiteModel(), draw.ints(2, 5, 3)
    x = draw.floats(*shape)
    offset = draw.maybe(0.4)
    begin = [draw.int(-n, n - 1) for n in shape]
    strides = [draw.of(1, 1, 2) if offset else draw.of(1, 1, 2, -1) for _ in shape]
    # Slices stay within their axes, because LiteRT would read out of bounds otherwise.
    end = [draw.int(1, n - b % n) if offset else draw.int(-n, n) for n, b in zip(shape, begin)]
    shrink = draw.of(0, 0, 1, 2, 4)
    for axis in range(3):
        if shrink >> axis & 1:
            strides[axis] = 1
    masks = [draw.int(0, 7), draw.int(0, 7), 0, 0, shrink]
    if offset:
        masks[:2] = 0, 0
    reads = [model.tensor("x", x)] + [
        model.tensor(name, np.array(value, "i4"), constant=True)
        for name, value in (("begin", begin), ("end", end), ("strides", strides))]
    return model.operator("STRIDED_SLICE", 45, reads, 32, [
        *((slot, "int", mask) for slot, mask in enumerate(masks)), (5, "bool", offset)])


@family()
def lite_mirror_pad(draw):
    model, shape, mode = LiteModel(), draw.ints(3, 5, 4), draw.of(0, 1)
    amounts = np.array([[draw.int(0, 2), draw.int(0, 2)] for _ in shape], "i4")
    reads = [model.tensor("x", draw.floats(*shape)), model.tensor("amounts", amounts, constant=True)]
    return model.operator("MIRROR_PAD", 100, reads, 77, [(0, "byte", mode)],
                          [n + int(a.sum()) for n, a in zip(shape, amounts)])


# MARK: Running


def run(*arguments):
    environment = dict(os.environ, ATELIER_TUNING="off")
    return subprocess.run([ATELIER, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=120)


def predict(path, feeds, folder):
    out, arguments = os.path.join(folder, "out"), ["predict", path, "--compute-units", "cpuOnly"]
    for name, value in feeds.items():
        file = os.path.join(folder, f"{name}.npy")
        np.save(file, np.ascontiguousarray(value))
        arguments += ["-i", f"{name}={file}"]
    done = run(*arguments, "-o", out)
    if done.returncode:
        return None, f"status {done.returncode}: {' '.join(done.stderr.split())[-300:]}"
    result = {}
    for name, value in json.loads(done.stdout).items():
        if isinstance(value, dict) and "file" in value:
            file = value["file"]
            result[name] = np.load(file if os.path.exists(file) else os.path.join(out, os.path.basename(file)))
        elif isinstance(value, dict):
            result[name] = np.array(value["values"]).reshape(value["shape"])
        else:
            result[name] = np.array(value)
    return result, ""


def difference(got, want, tolerance):
    """Compares outputs. Returns a description of the error, or an empty text if there is none."""
    for name, expected in want.items():
        found = got.get(name)
        if found is None or (found.shape != expected.shape and not (expected.ndim == 0 and found.size == 1)):
            return f"{name} has the shape {None if found is None else found.shape}, expected {expected.shape}"
        bound = tolerance * max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0)))
        if expected.size and not np.allclose(found.reshape(expected.shape), expected, rtol=0, atol=bound, equal_nan=True):
            return f"{name} differs by {np.nanmax(np.abs(found.reshape(expected.shape) - expected)):.3g}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", type=int, help="one model of a family, by its number")
    parser.add_argument("--convert", action="store_true")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    options = parser.parse_args()
    tried = skipped = faults = 0
    for name in options.families or FAMILIES:
        make, refusals, tolerance = FAMILIES[name]
        for number in [options.only] if options.only is not None else range(options.count):
            model = make(Draw([options.seed, number, *name.encode()]))
            lite = isinstance(model, LiteModel)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.tflite" if lite else "model.onnx")
                try:
                    model.save(path)
                    want = model.answers(path)
                except Exception:  # noqa: BLE001
                    skipped += 1
                    continue
                # An empty result cannot be compared.
                if any(value.size == 0 for value in want.values()):
                    skipped += 1
                    continue
                tried += 1

                def fault(words):
                    nonlocal faults
                    faults += 1
                    print(f"{name} {number}: {words}\n    {model}", flush=True)

                got, sentence = predict(path, model.feeds, folder)
                if got is None:
                    if not (refusals and re.search(refusals, sentence) and "status 1:" in sentence):
                        fault(sentence)
                elif words := difference(got, want, tolerance):
                    fault(words)
                for ending in ("mlpackage", "mlmodel") if options.convert and not lite else ():
                    target = os.path.join(folder, f"model.{ending}")
                    done = run("convert", path, "-o", target, "--precision", "float32")
                    if done.returncode > 1 or done.returncode < 0:
                        fault(f"to {ending}: status {done.returncode}")
                    if done.returncode:
                        if os.path.exists(target):
                            fault(f"to {ending}: refused, but the file was written")
                        continue
                    got, sentence = predict(target, model.feeds, folder)
                    words = sentence if got is None else difference(got, want, tolerance)
                    if words:
                        fault(f"as {ending}: {words}")
    print(f"{tried} models with seed {options.seed}, {skipped} skipped, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
