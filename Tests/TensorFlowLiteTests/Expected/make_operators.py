"""Writes operators.json: LiteRT's answers for small models of one operator each.

    python make_operators.py

Operators that accept tensors in any layout have two cases: the plain operator, and the operator after a 1 x 1
pooling, after which Atelier stores the tensor channels-first.
"""
import numpy

from lite import Model, answers, case, write

random = numpy.random.default_rng(7)
cases = []


def real(shape, low=-2.0, high=2.0):
    return random.uniform(low, high, shape).astype("float32")


def done(name, model, inputs, tolerance=1e-6, steps=0):
    try:
        # LiteRT's reference kernel of this norm omits the last neighbour; its fast kernel is
        # correct.
        reference = not name.startswith("LOCAL_RESPONSE")
        cases.append(case(name, model.bytes(), inputs, tolerance, reference, steps))
    except Exception as error:  # LiteRT refuses, so the case is invalid
        print("REFUSED", name, str(error)[:300])


def pooled(model, tensor, shape, kind="float32", **others):
    """Returns the same values, after a pooling that does not change them."""
    made = model.tensor(shape, kind, **others)
    return model.add(
        "MAX_POOL_2D", [tensor], [made], "Pool2DOptions", padding=1, strideW=1, strideH=1,
        filterWidth=1, filterHeight=1)


def simple(name, shape, make, values=None, output=None, kind="float32", out_kind=None, orders=True,
           options=None, title=None, tolerance=1e-6, **settings):
    """Adds two cases, one per layout: an operator with one input, constants after it, and one output."""
    values = real(shape) if values is None else values
    for is_picture in ([False, True] if orders and len(shape) == 4 and kind == "float32" else [False]):
        model = Model()
        source = model.input(shape, kind)
        read = pooled(model, source, shape, kind) if is_picture else source
        made = model.tensor(output if output is not None else shape, out_kind or kind)
        model.add(name, make(model, read), [made], options, **settings)
        model.output(made)
        done((title or name) + (" of a picture" if is_picture else ""), model, [values], tolerance)


S = (1, 4, 5, 3)
alone = lambda m, x: [x]

# Elementwise, one input.
for name in ["ABS", "NEG", "EXP", "SIN", "COS", "FLOOR", "CEIL", "ROUND", "SIGN", "SQUARE",
             "LOGISTIC", "TANH", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ELU", "HARD_SWISH",
             "ZEROS_LIKE"]:
    simple(name, S if name in ("ABS", "RELU6", "HARD_SWISH") else (2, 3), alone,
           values=real(S if name in ("ABS", "RELU6", "HARD_SWISH") else (2, 3), -4, 8))
for name in ["LOG", "SQRT", "RSQRT"]:
    simple(name, (2, 7), alone, values=real((2, 7), 0.1, 9))
simple("LEAKY_RELU", (2, 7), alone, options="LeakyReluOptions", alpha=0.3)
simple("GELU", (2, 7), alone, options="GeluOptions", approximate=False, tolerance=2e-6)
simple("GELU", (2, 7), alone, options="GeluOptions", approximate=True, title="GELU approximate",
       tolerance=2e-6)
simple("PRELU", S, lambda m, x: [x, m.constant(real((1, 1, 3)))])
simple("PRELU", S, lambda m, x: [x, m.constant(real((4, 5, 3)))], title="PRELU with a slope per pixel")
for kind in ["int32", "int64", "uint8", "bool"]:
    simple("CAST", (2, 7), alone, values=real((2, 7), 0, 9), out_kind=kind, options="CastOptions",
           title=f"CAST to {kind}")
simple("CAST", (6,), alone, values=numpy.arange(-3, 3, dtype="int32"), kind="int32",
       out_kind="float32", options="CastOptions", title="CAST from int32")
simple("ABS", (6,), alone, values=numpy.arange(-3, 3, dtype="int32"), kind="int32",
       title="ABS of int32")
simple("LOGICAL_NOT", (6,), alone, values=random.random(6) > 0.5, kind="bool")
simple("FAKE_QUANT", (3, 9), alone, options="FakeQuantOptions", min=-1.0, max=1.5, numBits=8)

# Elementwise, two inputs: of equal shape, a vector, a per-channel tensor, two images.
for name, options in [("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions"),
                      ("DIV", "DivOptions"), ("MAXIMUM", None), ("MINIMUM", None),
                      ("SQUARED_DIFFERENCE", None)]:
    for other in [(3,), (1, 4, 5, 3), (5, 3), (4, 1, 1)]:
        if other != (3,) and name not in ("ADD", "SUB", "MAXIMUM"):
            continue
        simple(name, S, lambda m, x: [x, m.constant(real(other, 0.5, 2))], options=options,
               title=f"{name} of {other}", tolerance=1e-6)
simple("ADD", S, lambda m, x: [x, m.constant(real((3,)))], options="AddOptions",
       fusedActivationFunction=3, title="ADD and RELU6")
simple("POW", (2, 7), lambda m, x: [x, m.constant(real((2, 7), 0, 2))], values=real((2, 7), 0.2, 3))
simple("FLOOR_DIV", (2, 7), lambda m, x: [x, m.constant(real((7,), 0.2, 3))])
simple("FLOOR_MOD", (2, 7), lambda m, x: [x, m.constant(real((7,), 0.2, 3))], tolerance=3e-6)
numbers = numpy.arange(-7, 7, dtype="int32")
for name, options in [("ADD", "AddOptions"), ("MUL", "MulOptions"), ("DIV", "DivOptions"),
                      ("FLOOR_DIV", None), ("FLOOR_MOD", None), ("MAXIMUM", None)]:
    simple(name, (14,), lambda m, x: [x, m.constant([3] * 14, "int32")], values=numbers,
           kind="int32", options=options, title=f"{name} of int32")
for name in ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"]:
    simple(name, (14,), lambda m, x: [x, m.constant([2] * 14, "int32")], values=numbers,
           kind="int32", out_kind="bool")
    simple(name, S, lambda m, x: [x, m.constant(real((3,)))], out_kind="bool",
           title=f"{name} of reals")
for name in ["LOGICAL_AND", "LOGICAL_OR"]:
    simple(name, (9,), lambda m, x: [x, m.constant(random.random(9) > 0.5, "bool")],
           values=random.random(9) > 0.5, kind="bool")

model = Model()
a, b, c = model.input((3, 4)), model.input((3, 4)), model.input((3, 4))
made = model.tensor((3, 4))
model.add("ADD_N", [a, b, c], [made])
model.output(made)
done("ADD_N", model, [real((3, 4)) for _ in range(3)])

for name, shape in [("SELECT", (3,)), ("SELECT_V2", (1, 4))]:
    model = Model()
    condition = model.input(shape, "bool")
    x, y = model.input((3, 4)), model.input((3, 4))
    made = model.tensor((3, 4))
    model.add(name, [condition, x, y], [made])
    model.output(made)
    done(name, model, [random.random(shape) > 0.4, real((3, 4)), real((3, 4))])

# Convolutions and poolings.
def convolution(title, name, shape, weights, output, options, bias=True, **settings):
    model = Model()
    source = model.input(shape)
    inputs = [source, model.constant(real(weights))]
    if bias:
        channels = weights[3] if name == "DEPTHWISE_CONV_2D" else weights[0]
        inputs.append(model.constant(real((channels,))))
    made = model.tensor(output)
    model.add(name, inputs, [made], options, **settings)
    model.output(made)
    done(title, model, [real(shape)], 2e-6)


both = dict(strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1)
convolution("CONV_2D same", "CONV_2D", (1, 7, 6, 3), (4, 3, 2, 3), (1, 7, 6, 4), "Conv2DOptions",
            padding=0, **both)
convolution("CONV_2D valid, step 2, RELU", "CONV_2D", (2, 7, 8, 3), (4, 3, 3, 3), (2, 3, 3, 4),
            "Conv2DOptions", padding=1, strideW=2, strideH=2, dilationWFactor=1, dilationHFactor=1,
            fusedActivationFunction=1)
convolution("CONV_2D same, step 2", "CONV_2D", (1, 8, 8, 2), (3, 3, 3, 2), (1, 4, 4, 3),
            "Conv2DOptions", padding=0, strideW=2, strideH=2, dilationWFactor=1, dilationHFactor=1)
convolution("CONV_2D dilated", "CONV_2D", (1, 9, 9, 2), (3, 3, 3, 2), (1, 9, 9, 3),
            "Conv2DOptions", padding=0, strideW=1, strideH=1, dilationWFactor=2, dilationHFactor=3)
convolution("CONV_2D in groups", "CONV_2D", (1, 5, 5, 4), (6, 3, 3, 2), (1, 5, 5, 6),
            "Conv2DOptions", padding=0, **both)
convolution("DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D", (1, 6, 7, 3), (1, 3, 3, 3), (1, 6, 7, 3),
            "DepthwiseConv2DOptions", padding=0, depthMultiplier=1, **both)
convolution("DEPTHWISE_CONV_2D twice the channels", "DEPTHWISE_CONV_2D", (1, 7, 7, 3), (1, 3, 3, 6),
            (1, 3, 3, 6), "DepthwiseConv2DOptions", padding=1, depthMultiplier=2, strideW=2,
            strideH=2, dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=3)

for title, stride, padding, output in [("same", 2, 0, (1, 8, 10, 2)), ("valid", 2, 1, (1, 9, 11, 2)),
                                       ("step 1", 1, 0, (1, 4, 5, 2)), ("step 3", 3, 0, (1, 12, 15, 2))]:
    model = Model()
    source = model.input((1, 4, 5, 3))
    shape = model.constant(output, "int32")
    made = model.tensor(output)
    model.add("TRANSPOSE_CONV", [shape, model.constant(real((2, 3, 3, 3))), source,
                                 model.constant(real((2,)))], [made],
              "TransposeConvOptions", version=3, padding=padding, strideW=stride, strideH=stride)
    model.output(made)
    done(f"TRANSPOSE_CONV {title}", model, [real((1, 4, 5, 3))], 2e-6)

model = Model()
source = model.input((1, 4, 5, 6, 2))
made = model.tensor((1, 2, 3, 3, 3))
model.add("CONV_3D", [source, model.constant(real((2, 3, 3, 2, 3))), model.constant(real((3,)))],
          [made], "Conv3DOptions", padding=0, strideD=2, strideW=2, strideH=2, dilationDFactor=1,
          dilationWFactor=1, dilationHFactor=1)
model.output(made)
done("CONV_3D", model, [real((1, 4, 5, 6, 2))], 2e-6)

for name in ["AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"]:
    for padding, output in [(0, (1, 4, 3, 3)), (1, (1, 3, 2, 3))]:
        simple(name, (1, 7, 6, 3), alone, output=output, options="Pool2DOptions", padding=padding,
               strideW=2, strideH=2, filterWidth=3, filterHeight=3, orders=False,
               title=f"{name} {'valid' if padding else 'same'}")

# Products.
for shape, output in [((2, 6), (2, 4)), ((2, 3, 6), (6, 4)), ((1, 2, 3, 2), (2, 4))]:
    simple("FULLY_CONNECTED", shape,
           lambda m, x: [x, m.constant(real((4, 6))), m.constant(real((4,)))], output=output,
           options="FullyConnectedOptions", title=f"FULLY_CONNECTED of {shape}",
           fusedActivationFunction=1)
simple("FULLY_CONNECTED", (2, 3, 6), lambda m, x: [x, m.constant(real((4, 6))), -1],
       output=(2, 3, 4), options="FullyConnectedOptions", title="FULLY_CONNECTED that keeps axes",
       keepNumDims=True)
for left, right in [(False, False), (True, False), (False, True)]:
    model = Model()
    a = model.input((2, 5, 3) if left else (2, 3, 5))
    b = model.input((2, 4, 5) if right else (2, 5, 4))
    made = model.tensor((2, 3, 4))
    model.add("BATCH_MATMUL", [a, b], [made], "BatchMatMulOptions", adjX=left, adjY=right)
    model.output(made)
    done(f"BATCH_MATMUL {left} {right}", model,
         [real((2, 5, 3) if left else (2, 3, 5)), real((2, 4, 5) if right else (2, 5, 4))])

# Norms.
simple("SOFTMAX", S, alone, options="SoftmaxOptions", beta=1.0)
simple("SOFTMAX", (3, 6), alone, options="SoftmaxOptions", beta=0.5, title="SOFTMAX with a factor")
simple("LOG_SOFTMAX", (3, 6), alone, options="LogSoftmaxOptions")
simple("L2_NORMALIZATION", S, alone, options="L2NormOptions")
simple("LOCAL_RESPONSE_NORMALIZATION", (1, 3, 4, 7), alone,
       options="LocalResponseNormalizationOptions", radius=2, bias=1.5, alpha=0.3, beta=0.7)

# Reductions.
for name in ["MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"]:
    for axes, keeps, output in [([1, 2], True, (1, 1, 1, 3)), ([1, 2], False, (1, 3)),
                                ([-1], False, (1, 4, 5)), ([1], False, (1, 5, 3))]:
        if name not in ("MEAN", "SUM") and (keeps or axes != [1, 2]):
            continue
        simple(name, S, lambda m, x: [x, m.constant(axes, "int32")], output=output,
               options="ReducerOptions", keepDims=keeps, title=f"{name} over {axes} {keeps}")
for name in ["REDUCE_ANY", "REDUCE_ALL"]:
    simple(name, (3, 4), lambda m, x: [x, m.constant([1], "int32")], output=(3,), kind="bool",
           values=random.random((3, 4)) > 0.4, options="ReducerOptions", keepDims=False)
for name in ["ARG_MAX", "ARG_MIN"]:
    simple(name, S, lambda m, x: [x, m.constant([-1], "int32")], output=(1, 4, 5), out_kind="int32",
           options="ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions", outputType=2)
    simple(name, S, lambda m, x: [x, m.constant([1], "int32")], output=(1, 5, 3), out_kind="int64",
           options="ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions", outputType=4,
           title=f"{name} over rows")
simple("CUMSUM", (3, 5), lambda m, x: [x, m.constant([1], "int32")], options="CumsumOptions",
       exclusive=True, reverse=True)
model = Model()
source = model.input((2, 7))
values, places = model.tensor((2, 3)), model.tensor((2, 3), "int32")
model.add("TOPK_V2", [source, model.constant([3], "int32")], [values, places], "TopKV2Options")
model.output(values, places)
done("TOPK_V2", model, [real((2, 7))])

# Sizes.
for name, options in [("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                      ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")]:
    for corners, centres in [(False, False), (True, False), (False, True)]:
        for size in [(8, 10), (7, 3), (4, 5)]:
            if size == (4, 5) and (corners or centres):
                continue
            simple(name, S, lambda m, x: [x, m.constant(size, "int32")], output=(1, *size, 3),
                   options=options, alignCorners=corners, halfPixelCenters=centres, version=3,
                   orders=False, title=f"{name} to {size} {corners} {centres}", tolerance=3e-6)

# Edges and blocks.
edges = [[0, 0], [1, 2], [2, 0], [0, 0]]
every = [[1, 0], [1, 2], [2, 0], [0, 1]]
simple("PAD", S, lambda m, x: [x, m.constant(edges, "int32")], output=(1, 7, 7, 3),
       options="PadOptions")
simple("PAD", S, lambda m, x: [x, m.constant(every, "int32")], output=(2, 7, 7, 4),
       options="PadOptions", title="PAD of every axis")
simple("PADV2", S, lambda m, x: [x, m.constant(edges, "int32"), m.constant([1.5])],
       output=(1, 7, 7, 3), options="PadV2Options")
for mode in [0, 1]:
    simple("MIRROR_PAD", S, lambda m, x: [x, m.constant(edges, "int32")], output=(1, 7, 7, 3),
           options="MirrorPadOptions", mode=mode, title=f"MIRROR_PAD {mode}")
simple("MIRROR_PAD", (3, 4), lambda m, x: [x, m.constant([[1, 1], [2, 1]], "int32")], output=(5, 7),
       options="MirrorPadOptions", mode=0, title="MIRROR_PAD of a matrix")
simple("SPACE_TO_DEPTH", (1, 4, 6, 3), alone, output=(1, 2, 3, 12), options="SpaceToDepthOptions",
       blockSize=2)
simple("DEPTH_TO_SPACE", (1, 2, 3, 12), alone, output=(1, 4, 6, 3), options="DepthToSpaceOptions",
       blockSize=2)
simple("SPACE_TO_BATCH_ND", (2, 3, 6, 2),
       lambda m, x: [x, m.constant([2, 3], "int32"), m.constant([[1, 0], [0, 0]], "int32")],
       output=(12, 2, 2, 2))
simple("BATCH_TO_SPACE_ND", (12, 2, 2, 2),
       lambda m, x: [x, m.constant([2, 3], "int32"), m.constant([[1, 0], [0, 2]], "int32")],
       output=(2, 3, 4, 2))
simple("REVERSE_V2", S, lambda m, x: [x, m.constant([3], "int32")])
simple("REVERSE_SEQUENCE", (3, 4, 2), lambda m, x: [x, m.constant([2, 4, 1], "int32")],
       options="ReverseSequenceOptions", seqDim=1, batchDim=0)
simple("TILE", (1, 2, 3, 2), lambda m, x: [x, m.constant([1, 2, 1, 3], "int32")],
       output=(1, 4, 3, 6))
for axes, output in [([0, 3, 1, 2], (1, 3, 4, 5)), ([0, 2, 3, 1], (1, 5, 3, 4)),
                     ([3, 2, 1, 0], (3, 5, 4, 1))]:
    simple("TRANSPOSE", S, lambda m, x: [x, m.constant(axes, "int32")], output=output,
           options="TransposeOptions", title=f"TRANSPOSE {axes}")

# Shapes.
simple("RESHAPE", S, lambda m, x: [x, m.constant([-1, 15], "int32")], output=(4, 15),
       options="ReshapeOptions", newShape=[-1, 15])
simple("RESHAPE", S, alone, output=(6, 10), options="ReshapeOptions", newShape=[6, 10],
       title="RESHAPE by its settings")
simple("SQUEEZE", (1, 1, 1, 5), alone, output=(1, 5), options="SqueezeOptions", squeezeDims=[1, 2])
simple("EXPAND_DIMS", (4, 3), lambda m, x: [x, m.constant(1, "int32")], output=(4, 1, 3))
simple("SHAPE", S, alone, output=(4,), out_kind="int32", options="ShapeOptions", outType=2)
simple("RANK", S, alone, output=(), out_kind="int32")
simple("FILL", (), lambda m, x: [m.constant([2, 3], "int32"), x], values=numpy.float32(2.5),
       output=(2, 3))
simple("BROADCAST_TO", (3, 1), lambda m, x: [x, m.constant([2, 3, 4], "int32")], output=(2, 3, 4),
       version=2)
model = Model()
start = model.input((), "int32")
made = model.tensor((4,), "int32")
model.add("RANGE", [start, model.constant(9, "int32"), model.constant(2, "int32")], [made])
model.output(made)
done("RANGE", model, [numpy.int32(1)])

# Parts.
for axis, output in [(3, (1, 4, 5, 5)), (1, (1, 8, 5, 3))]:
    model = Model()
    a = model.input(S)
    b = model.input((1, 4, 5, 2) if axis == 3 else S)
    made = model.tensor(output)
    model.add("CONCATENATION", [pooled(model, a, S), b], [made], "ConcatenationOptions", axis=axis)
    model.output(made)
    done(f"CONCATENATION along {axis}", model, [real(S), real((1, 4, 5, 2) if axis == 3 else S)])
model = Model()
a, b = model.input((2, 3)), model.input((2, 3))
made = model.tensor((2, 2, 3))
model.add("PACK", [a, b], [made], "PackOptions", axis=1, valuesCount=2)
model.output(made)
done("PACK", model, [real((2, 3)), real((2, 3))])
model = Model()
a = model.input((2, 3))
made = [model.tensor((2,)) for _ in range(3)]
model.add("UNPACK", [a], made, "UnpackOptions", axis=1, num=3)
model.output(*made)
done("UNPACK", model, [real((2, 3))])
for is_picture in [False, True]:
    model = Model()
    a = model.input((1, 2, 3, 6))
    read = pooled(model, a, (1, 2, 3, 6)) if is_picture else a
    made = [model.tensor((1, 2, 3, 2)) for _ in range(3)]
    model.add("SPLIT", [model.constant(3, "int32"), read], made, "SplitOptions", numSplits=3)
    model.output(*made)
    done(f"SPLIT {is_picture}", model, [real((1, 2, 3, 6))])
    model = Model()
    a = model.input((1, 2, 3, 6))
    read = pooled(model, a, (1, 2, 3, 6)) if is_picture else a
    made = [model.tensor((1, 2, 3, 1)), model.tensor((1, 2, 3, 5))]
    model.add("SPLIT_V", [read, model.constant([1, 5], "int32"), model.constant(3, "int32")], made,
              "SplitVOptions", numSplits=2)
    model.output(*made)
    done(f"SPLIT_V {is_picture}", model, [real((1, 2, 3, 6))])
simple("SLICE", S, lambda m, x: [x, m.constant([0, 1, 2, 0], "int32"),
                                 m.constant([1, 2, -1, 2], "int32")], output=(1, 2, 3, 2))
for title, begin, end, step, masks, output in [
        ("", [0, 1, 0, 0], [1, 4, 5, 2], [1, 2, 1, 1], {}, (1, 2, 5, 2)),
        ("backwards", [0, 3, 0, 0], [1, 0, 5, 3], [1, -1, 2, 1], {}, (1, 3, 3, 3)),
        ("open", [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], dict(beginMask=9, endMask=15), (1, 3, 5, 3)),
        ("squeezed", [0, 1, 0, 2], [1, 2, 5, 3], [1, 1, 1, 1], dict(shrinkAxisMask=10), (1, 5)),
        ("with an ellipsis", [0, 1], [0, 3], [1, 1], dict(ellipsisMask=1), (1, 4, 5, 2)),
        ("with a new axis", [0, 0, 1], [0, 1, 3], [1, 1, 1],
         dict(newAxisMask=1), (1, 1, 2, 5, 3))]:
    simple("STRIDED_SLICE", S, lambda m, x: [x, m.constant(begin, "int32"), m.constant(end, "int32"),
                                             m.constant(step, "int32")],
           output=output, options="StridedSliceOptions", title=f"STRIDED_SLICE {title}", **masks)
simple("DYNAMIC_UPDATE_SLICE", (4, 5), lambda m, x: [x, m.constant(real((2, 2))),
                                                     m.constant([1, 4], "int32")],
       options="DynamicUpdateSliceOptions")

# Indices.
simple("GATHER", (4, 3, 2), lambda m, x: [x, m.constant([2, 0, 3, 3], "int32")], output=(4, 3, 2),
       options="GatherOptions", axis=0)
simple("GATHER", (2, 4, 3), lambda m, x: [x, m.constant([[2, 0], [1, 1]], "int32")],
       output=(2, 2, 3), options="GatherOptions", axis=1, batchDims=1, title="GATHER in batches")
simple("GATHER_ND", (4, 3, 2), lambda m, x: [x, m.constant([[2, 0], [3, 2]], "int32")],
       output=(2, 2))
simple("EMBEDDING_LOOKUP", (5,), lambda m, x: [x, m.constant(real((9, 4)))], kind="int32",
       values=numpy.array([1, 8, 0, 3, 3], dtype="int32"), output=(5, 4), out_kind="float32")
simple("SCATTER_ND", (3, 2), lambda m, x: [m.constant([[1], [3], [1]], "int32"), x,
                                           m.constant([5, 2], "int32")], output=(5, 2))
simple("ONE_HOT", (4,), lambda m, x: [x, m.constant(5, "int32"), m.constant(2.0), m.constant(-1.0)],
       kind="int32", values=numpy.array([1, 4, 0, 7], dtype="int32"), output=(4, 5),
       out_kind="float32", options="OneHotOptions", axis=-1)
simple("WHERE", (2, 4), alone, kind="bool", values=random.random((2, 4)) > 0.5, output=(4, 2),
       out_kind="int64")

# Control.
for taken in [True, False]:
    model = Model()
    condition, x = model.input((), "bool"), model.input((3,))
    made = model.tensor((3,))
    model.add("IF", [condition, x], [made], "IfOptions", thenSubgraphIndex=1, elseSubgraphIndex=2)
    model.output(made)
    for name in ["EXP", "NEG"]:
        side = Model(model)
        read, given = side.input((3,)), side.tensor((3,))
        side.add(name, [read], [given])
        side.output(given)
    done(f"IF {taken}", model, [numpy.array(taken), real((3,))])
model = Model()
count, x = model.input((), "int32"), model.input((3,))
made = [model.tensor((), "int32"), model.tensor((3,))]
model.add("WHILE", [count, x], made, "WhileOptions", condSubgraphIndex=1, bodySubgraphIndex=2)
model.output(*made)
test = Model(model)
turn, other, holds = test.input((), "int32"), test.input((3,)), test.tensor((), "bool")
test.add("LESS", [turn, test.constant(4, "int32")], [holds])
test.output(holds)
body = Model(model)
turn, value = body.input((), "int32"), body.input((3,))
later, bigger = body.tensor((), "int32"), body.tensor((3,))
body.add("ADD", [turn, body.constant(1, "int32")], [later], "AddOptions")
body.add("MUL", [value, body.constant(numpy.float32(1.5))], [bigger], "MulOptions")
body.output(later, bigger)
done("WHILE", model, [numpy.int32(0), real((3,))])

# Detection.
from flatbuffers import flexbuffers
builder = flexbuffers.Builder()
with builder.Map():
    for key, value in [("max_detections", 5), ("max_classes_per_detection", 1),
                       ("detections_per_class", 100), ("use_regular_nms", False), ("num_classes", 3)]:
        builder.Bool(key, value) if isinstance(value, bool) else builder.Int(key, value)
    for key, value in [("nms_score_threshold", 0.3), ("nms_iou_threshold", 0.5), ("y_scale", 10.0),
                       ("x_scale", 10.0), ("h_scale", 5.0), ("w_scale", 5.0)]:
        builder.Float(key, value)
settings = bytes(builder.Finish())
model = Model()
encodings, scores = model.input((1, 12, 4)), model.input((1, 12, 4))
anchors = real((12, 4), 0.2, 0.8)
anchors[:, 2:] *= 0.5
made = [model.tensor((1, 5, 4)), model.tensor((1, 5)), model.tensor((1, 5)), model.tensor((1,))]
model.add("TFLite_Detection_PostProcess", [encodings, scores, model.constant(anchors)], made,
          custom=settings)
model.output(*made)
done("TFLite_Detection_PostProcess", model, [real((1, 12, 4)), real((1, 12, 4), 0, 0.9)], 1e-5)
model = Model()
boxes, scores = model.input((8, 4)), model.input((8,))
made = [model.tensor((4,), "int32"), model.tensor((), "int32")]
model.add("NON_MAX_SUPPRESSION_V4",
          [boxes, scores, model.constant(4, "int32"), model.constant(numpy.float32(0.4)),
           model.constant(numpy.float32(0.2))], made)
model.output(*made)
corners = real((8, 4), 0, 0.4)
corners[:, 2:] += 0.5
done("NON_MAX_SUPPRESSION_V4", model, [corners, real((8,), 0, 1)])

# Integers that represent real numbers.
def quantized(title, name, shape, output, make, kind="int8", scale=0.05, zero=3, out_scale=0.07,
              out_zero=-2, options=None, steps=1, orders=True, **settings):
    low, high = {"int8": (-128, 128), "uint8": (0, 256), "int16": (-32768, 32768)}[kind]
    if kind == "int16":
        zero = out_zero = 0
        scale, out_scale = scale / 200, out_scale / 200
    if kind == "uint8":
        zero, out_zero = zero + 120, out_zero + 125
    values = random.integers(low, high, shape).astype(kind)
    for is_picture in ([False, True] if orders and len(shape) == 4 else [False]):
        model = Model()
        source = model.input(shape, kind, scale=scale, zero=zero)
        read = source
        if is_picture:
            read = pooled(model, source, shape, kind, scale=scale, zero=zero)
        made = model.tensor(output, kind, scale=out_scale, zero=out_zero)
        model.add(name, make(model, read), [made], options, **settings)
        model.output(made)
        done(f"{title} {kind}{' of a picture' if is_picture else ''}", model, [values], 0, steps)


def weights(model, shape, axis, in_scale, kind="int8", per_channel=True):
    channels = shape[axis] if per_channel else 1
    scales = random.uniform(0.002, 0.02, channels).astype("float32")
    low, high = (1, 256) if kind == "uint8" else (-127, 128)
    data = random.integers(low, high, shape).astype(kind)
    made = model.constant(data, kind, scale=scales, zero=128 if kind == "uint8" else 0, axis=axis)
    return made, scales * numpy.float32(in_scale)


def convolved(shape, axis, kind, scale, per_channel=True):
    def make(model, source):
        tensor, scales = weights(model, shape, axis, scale, "uint8" if kind == "uint8" else "int8",
                                 per_channel)
        wide = "int64" if kind == "int16" else "int32"
        bias = model.constant(random.integers(-500, 500, (shape[axis],)), wide, scale=scales,
                              zero=0)
        return [source, tensor, bias]
    return make


for kind in ["int8", "uint8", "int16"]:
    scale = 0.05 / (200 if kind == "int16" else 1)
    by_channel = kind != "uint8"
    quantized("CONV_2D", "CONV_2D", (1, 6, 7, 4), (1, 6, 7, 5),
              convolved((5, 3, 3, 4), 0, kind, scale, by_channel), kind, out_scale=0.3,
              options="Conv2DOptions", padding=0, orders=False, fusedActivationFunction=1, **both)
    quantized("DEPTHWISE_CONV_2D", "DEPTHWISE_CONV_2D", (1, 6, 7, 4), (1, 6, 7, 4),
              convolved((1, 3, 3, 4), 3, kind, scale, by_channel), kind, out_scale=0.2,
              options="DepthwiseConv2DOptions", padding=0, depthMultiplier=1, orders=False, **both)
    quantized("FULLY_CONNECTED", "FULLY_CONNECTED", (3, 8), (3, 5),
              convolved((5, 8), 0, kind, scale, False), kind, out_scale=0.3,
              options="FullyConnectedOptions")
    low, high = {"int8": (-90, 90), "uint8": (9, 250), "int16": (-9000, 9000)}[kind]
    other = dict(scale=0.04 / (200 if kind == "int16" else 1), zero={"int8": 5, "uint8": 99, "int16": 0}[kind])
    quantized("ADD", "ADD", S, S,
              lambda m, x: [x, m.constant(random.integers(low, high, (1, 1, 1, 3)).astype(kind), kind, **other)],
              kind, options="AddOptions")
    quantized("MUL", "MUL", S, S,
              lambda m, x: [x, m.constant(random.integers(low, high, (3,)).astype(kind), kind, **other)],
              kind, options="MulOptions", fusedActivationFunction=3)
    quantized("SUB", "SUB", S, S,
              lambda m, x: [x, m.constant(random.integers(low, high, S).astype(kind), kind, **other)],
              kind, options="SubOptions")
    quantized("MEAN", "MEAN", S, (1, 1, 1, 3), lambda m, x: [x, m.constant([1, 2], "int32")], kind,
              options="ReducerOptions", keepDims=True)
    same = dict(out_scale=0.05, out_zero=3)
    if kind == "uint8":
        same = dict(out_scale=0.05, out_zero=-2)
    quantized("RESHAPE", "RESHAPE", S, (4, 15), lambda m, x: [x, m.constant([4, 15], "int32")], kind,
              options="ReshapeOptions", steps=0, **same)
    if kind != "int16":
        quantized("LOGISTIC", "LOGISTIC", S, S, alone, kind, out_scale=1 / 256,
                  out_zero=-128 if kind == "int8" else -125)
        quantized("TANH", "TANH", S, S, alone, kind, out_scale=1 / 128,
                  out_zero=0 if kind == "int8" else 3)
        quantized("SOFTMAX", "SOFTMAX", (3, 7), (3, 7), alone, kind, out_scale=1 / 256,
                  out_zero=-128 if kind == "int8" else -125, options="SoftmaxOptions", beta=1.0)
        quantized("AVERAGE_POOL_2D", "AVERAGE_POOL_2D", (1, 6, 6, 3), (1, 3, 3, 3), alone, kind,
                  options="Pool2DOptions", padding=0, strideW=2, strideH=2, filterWidth=3,
                  filterHeight=3, orders=False, **same)
        quantized("RESIZE_BILINEAR", "RESIZE_BILINEAR", S, (1, 8, 9, 3),
                  lambda m, x: [x, m.constant([8, 9], "int32")], kind, orders=False,
                  options="ResizeBilinearOptions", halfPixelCenters=True, version=3, **same)
        quantized("PAD", "PAD", S, (1, 7, 7, 3), lambda m, x: [x, m.constant(edges, "int32")], kind,
                  options="PadOptions", steps=0, **same)
        quantized("CONCATENATION", "CONCATENATION", S, (1, 4, 5, 6), lambda m, x: [x, x], kind,
                  options="ConcatenationOptions", axis=3, steps=0, **same)
        quantized("LEAKY_RELU", "LEAKY_RELU", S, S, alone, kind, options="LeakyReluOptions", alpha=0.2)
        quantized("HARD_SWISH", "HARD_SWISH", S, S, alone, kind, steps=1)

model = Model()
source = model.input((2, 9))
code = model.tensor((2, 9), "int8", scale=0.03, zero=7)
back = model.tensor((2, 9))
model.add("QUANTIZE", [source], [code], "QuantizeOptions")
model.add("DEQUANTIZE", [code], [back], "DequantizeOptions", version=2)
model.output(code, back)
done("QUANTIZE and DEQUANTIZE", model, [real((2, 9), -5, 5)], 1e-6)
model = Model()
source = model.input((2, 9), "uint8", scale=0.03, zero=7)
code = model.tensor((2, 9), "int8", scale=0.05, zero=-7)
model.add("QUANTIZE", [source], [code], "QuantizeOptions")
model.output(code)
done("QUANTIZE from uint8 to int8", model, [random.integers(0, 256, (2, 9)).astype("uint8")], 0, 1)

# float16 and int8 weights with floating-point activations.
model = Model()
source = model.input((1, 5, 5, 3))
half = model.constant(real((4, 3, 3, 3)), "float16")
wide = model.tensor((4, 3, 3, 3))
model.add("DEQUANTIZE", [half], [wide], "DequantizeOptions", version=3)
made = model.tensor((1, 5, 5, 4))
model.add("CONV_2D", [source, wide, model.constant(real((4,)))], [made], "Conv2DOptions", padding=0, **both)
model.output(made)
done("CONV_2D with weights of float16", model, [real((1, 5, 5, 3))], 2e-6)

# Integers that float32 cannot represent.
large = numpy.array([16777217, -16777217, 2147483647, -2147483647, 33554435, 7, -7], "int32")
for name, options, other in [("DIV", "DivOptions", [1, 1, 3, 2, -1, 2, 2]),
                             ("FLOOR_DIV", None, [1, 2, 3, 2, -2, 2, 2]),
                             ("FLOOR_MOD", None, [16777216, 5, 3, 2, -2, 2, 2]),
                             ("SQUARED_DIFFERENCE", None, [16777216, -16777215, 2147483645, -2147483646,
                                                           33554434, 0, 0])]:
    simple(name, (7,), lambda m, x: [x, m.constant(other, "int32")], values=large, kind="int32",
           options=options, title=f"{name} of large integers")
simple("ADD", (2,), lambda m, x: [x, m.constant([1, -1], "int64")],
       values=numpy.array([2147483646, 5], "int64"), kind="int64", options="AddOptions",
       title="ADD of int64")
simple("POW", (7,), lambda m, x: [x, m.constant([2, 19, 9, 2, 30, 15, 0], "int32")],
       values=numpy.array([1024, 3, -3, 46340, 2, -4, 7], "int32"), kind="int32",
       title="POW of integers")
simple("MEAN", (2, 3), lambda m, x: [x, m.constant([1], "int32")], output=(2,),
       values=numpy.array([[16777217, 16777219, 16777222], [-1, -2, -5]], "int32"), kind="int32",
       options="ReducerOptions", title="MEAN of integers")
simple("PADV2", (2, 2), lambda m, x: [x, m.constant([[1, 0], [0, 1]], "int32"),
                                     m.constant([16777217], "int32")],
       values=numpy.array([[16777219, 2], [-3, 4]], "int32"), output=(3, 3), kind="int32",
       title="PADV2 of large integers")

if __name__ == "__main__":
    write("operators.json", cases)
