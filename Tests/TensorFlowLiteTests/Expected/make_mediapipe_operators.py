"""Writes models with the operators of MediaPipe's networks, and records LiteRT's answers: mediapipe_operators.json.

Sparse weights run in LiteRT as they are. LiteRT's Python package does not know Convolution2DTransposeBias. Its answer
comes from a model with TRANSPOSE_CONV and ADD, which compute the same.

Needs `pip install ai-edge-litert`.
"""
import base64
import struct

import numpy
from ai_edge_litert import schema_py_generated as schema
from lite import Model, answers, case, encoded, write

random = numpy.random.default_rng(50)
cases = []


def real(shape):
    return random.uniform(-1, 1, shape).astype("float32")


def dimension(dense=None, segments=None, indices=None, kinds=(1, 1)):
    made = schema.DimensionMetadataT()
    if dense is not None:
        made.format, made.denseSize = 0, dense
        return made
    made.format = 1
    for field, values, kind in (("Segments", segments, kinds[0]), ("Indices", indices, kinds[1])):
        vector = (schema.Int32VectorT, schema.Uint16VectorT, schema.Uint8VectorT)[kind - 1]()
        vector.values = values.astype(("int32", "uint16", "uint8")[kind - 1])
        setattr(made, f"array{field}", vector)
        setattr(made, f"array{field}Type", kind)
    return made


def sparse(model, dense, kinds):
    """A constant with compressed channels, as the converter writes it."""
    rows = dense.reshape(-1, dense.shape[-1])
    indices = [numpy.flatnonzero(row) for row in rows]
    segments = numpy.concatenate([[0], numpy.cumsum([len(row) for row in indices])])
    stored = numpy.concatenate([row[picked] for row, picked in zip(rows, indices)])
    made = model.tensor(dense.shape, str(dense.dtype))
    tensor = model.graph.tensors[made]
    buffer = schema.BufferT()
    buffer.data = numpy.frombuffer(stored.tobytes(), dtype=numpy.uint8)
    tensor.buffer = len(model.buffers)
    model.buffers.append(buffer)
    sparsity = schema.SparsityParametersT()
    sparsity.traversalOrder = list(range(dense.ndim))
    sparsity.dimMetadata = [dimension(size) for size in dense.shape[:-1]] + [
        dimension(segments=segments, indices=numpy.concatenate(indices), kinds=kinds)]
    tensor.sparsity = sparsity
    return made


for kind, kinds, title in (("float32", (1, 1), "32 bits"), ("float16", (2, 3), "16 and 8 bits")):
    model = Model()
    source = model.input((1, 5, 6, 9))
    dense = (real((7, 1, 1, 9)) * (random.uniform(0, 1, (7, 1, 1, 9)) < 0.4)).astype(kind)
    dense[3] = 0
    weights = model.tensor(dense.shape, kind)
    model.add("DENSIFY", [sparse(model, dense, kinds)], [weights], "DensifyOptions")
    if kind == "float16":
        wide = model.tensor(dense.shape)
        model.add("DEQUANTIZE", [weights], [wide], "DequantizeOptions", version=3)
        weights = wide
    made = model.tensor((1, 5, 6, 7))
    model.add("CONV_2D", [source, weights, model.constant(real((7,)))], [made], "Conv2DOptions",
              padding=0, strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1)
    model.output(made)
    cases.append(case(f"DENSIFY with indices of {title}", model.bytes(), [real((1, 5, 6, 9))], 2e-6,
                      reference=False))

for padding, kernel, stride, size in ((1, (2, 2), (2, 2), (10, 12)), (1, (3, 4), (2, 3), (10, 18)),
                                      (2, (3, 4), (2, 3), (11, 19))):
    data = {"input": real((1, 5, 6, 3)), "weights": real((4, *kernel, 3)), "bias": real((4,))}

    def network(isCustom):
        model = Model()
        source = model.input((1, 5, 6, 3))
        weights, bias = model.constant(data["weights"]), model.constant(data["bias"])
        made = model.tensor((1, *size, 4))
        if isCustom:
            options = struct.pack("<3i", padding, stride[1], stride[0])
            model.add("Convolution2DTransposeBias", [source, weights, bias], [made], custom=options)
        else:
            shape = model.constant([1, *size, 4], "int32")
            plain = model.tensor((1, *size, 4))
            model.add("TRANSPOSE_CONV", [shape, weights, source], [plain], "TransposeConvOptions",
                      padding=padding - 1, strideH=stride[0], strideW=stride[1])
            model.add("ADD", [plain, bias], [made], "AddOptions")
        model.output(made)
        return model.bytes()

    results = answers(network(False), [data["input"]])
    cases.append({
        "name": f"Convolution2DTransposeBias {kernel} by {stride}, padding {padding}",
        "model": base64.b64encode(network(True)).decode(), "inputs": [encoded(data["input"])],
        "shapes": [[1, 5, 6, 3]], "outputs": [encoded(value) for value in results],
        "outputShapes": [list(value.shape) for value in results], "tolerance": 2e-6, "steps": 0,
    })

if __name__ == "__main__":
    write("mediapipe_operators.json", cases)
