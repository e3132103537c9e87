"""Writes TensorFlow Lite files operator by operator, and records LiteRT's answers.

Needs `pip install ai-edge-litert`. Used by make_operators.py and make_networks.py.
"""
import base64
import json

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {
    "float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7,
    "int8": 9, "float64": 10, "uint32": 15,
}


class Model:
    """Builds a model."""

    def __init__(self, parent=None):
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.graph.name = b"main"
        self.graphs = parent.graphs if parent else []
        self.graphs.append(self.graph)
        self.opcodes = parent.opcodes if parent else []
        self.buffers = parent.buffers if parent else [schema.BufferT()]
        self.codebook = parent.codebook if parent else {}

    def tensor(self, shape, kind="float32", data=None, scale=None, zero=0, axis=0, name=None):
        made = schema.TensorT()
        made.shape = list(shape)
        made.type = TYPES[kind]
        made.name = (name or f"t{len(self.graph.tensors)}").encode()
        made.buffer = 0
        if data is not None:
            array = numpy.array(data, dtype=kind, order="C")
            assert list(array.shape) == list(shape), (array.shape, shape)
            buffer = schema.BufferT()
            buffer.data = numpy.frombuffer(array.tobytes(), dtype=numpy.uint8)
            made.buffer = len(self.buffers)
            self.buffers.append(buffer)
        if scale is not None:
            quantization = schema.QuantizationParametersT()
            scales = numpy.atleast_1d(scale)
            quantization.scale = [float(value) for value in scales]
            zeros = numpy.broadcast_to(numpy.atleast_1d(zero), scales.shape)
            quantization.zeroPoint = [int(value) for value in zeros]
            quantization.quantizedDimension = axis
            made.quantization = quantization
        self.graph.tensors.append(made)
        return len(self.graph.tensors) - 1

    def constant(self, data, kind="float32", **others):
        array = numpy.asarray(data, dtype=kind)
        return self.tensor(array.shape, kind, array, **others)

    def input(self, shape, kind="float32", **others):
        made = self.tensor(shape, kind, **others)
        self.graph.inputs.append(made)
        return made

    def output(self, *tensors):
        self.graph.outputs.extend(tensors)

    def add(self, name, inputs, outputs, options=None, version=1, custom=None, **settings):
        operation = schema.OperatorT()
        code = 32 if custom is not None else getattr(schema.BuiltinOperator, name)
        key = (code, version, name if custom is not None else "")
        if key not in self.codebook:
            entry = schema.OperatorCodeT()
            entry.builtinCode, entry.deprecatedBuiltinCode = code, min(code, 127)
            entry.version = version
            if custom is not None:
                entry.customCode = name.encode()
            self.codebook[key] = len(self.opcodes)
            self.opcodes.append(entry)
        operation.opcodeIndex = self.codebook[key]
        operation.inputs, operation.outputs = list(inputs), list(outputs)
        if custom is not None:
            operation.customOptions = list(custom)
        if options:
            operation.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            table = getattr(schema, options + "T")()
            for field, value in settings.items():
                assert hasattr(table, field), (options, field, vars(table))
                setattr(table, field, value)
            operation.builtinOptions = table
        self.graph.operators.append(operation)
        return outputs[0] if outputs else None

    def bytes(self):
        model = schema.ModelT()
        model.version = 3
        model.operatorCodes, model.subgraphs, model.buffers = self.opcodes, self.graphs, self.buffers
        model.description = b"written for Atelier's tests"
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def answers(content, inputs, reference=True):
    """Returns LiteRT's outputs. Uses LiteRT's reference kernels, or its other kernels for operators without one."""
    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    kind = OpResolverType.BUILTIN_REF if reference else OpResolverType.AUTO
    try:
        interpreter = Interpreter(
            model_content=content, experimental_op_resolver_type=kind, num_threads=1)
    except ValueError:
        interpreter = Interpreter(
            model_content=content, experimental_op_resolver_type=plain, num_threads=1)
    for detail, value in zip(interpreter.get_input_details(), inputs):
        if list(detail["shape"]) != list(value.shape):
            interpreter.resize_tensor_input(detail["index"], value.shape)
    interpreter.allocate_tensors()
    for detail, value in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], value)
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def encoded(array):
    return base64.b64encode(numpy.ascontiguousarray(array).tobytes()).decode()


def case(name, content, inputs, tolerance, reference=True, steps=0):
    """Returns a test case. `tolerance` is relative to the largest value; `steps` is a number of quantisation steps."""
    results = answers(content, inputs, reference)
    return {
        "name": name, "model": base64.b64encode(content).decode(),
        "inputs": [encoded(value) for value in inputs],
        "shapes": [list(value.shape) for value in inputs],
        "outputs": [encoded(value) for value in results],
        "outputShapes": [list(value.shape) for value in results],
        "tolerance": tolerance, "steps": steps,
    }


def write(path, cases):
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry) for entry in cases) + "\n]\n")
    print(len(cases), "cases in", path)
