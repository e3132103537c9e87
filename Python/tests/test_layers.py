"""The layers that none of coremltools' own tests run, against ONNX Runtime, or NumPy where it has no such
operation. (Custom layers need a class in Swift: Tests/LayersTests/CustomLayerTests.swift.)
"""

import coremltools
import numpy as np
import pytest
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

RANDOM = np.random.RandomState(20261121)


def random(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def predict(inputs, outputs, add, rank5=False):
    """Build a network with the layers that `add` makes, and predict on the processor in float32."""
    builder = NeuralNetworkBuilder(
        [(name, datatypes.Array(*value.shape)) for name, value in inputs.items()],
        [(name, None) for name in outputs],
        disable_rank5_shape_mapping=not rank5,
    )
    add(builder)
    model = coremltools.models.MLModel(
        builder.spec, compute_units=coremltools.ComputeUnit.CPU_ONLY
    )
    result = model.predict(inputs)
    return [result[name] for name in outputs]


def onnx_run(operation, inputs, output_count=1, **attributes):
    """The result of ONNX Runtime for one operation. An input of None is left out."""
    names = ["" if value is None else f"i{place}" for place, value in enumerate(inputs)]
    outputs = [f"o{place}" for place in range(output_count)]
    types = {np.dtype(np.float32): 1, np.dtype(np.int64): 7}
    given = {name: value for name, value in zip(names, inputs) if name}
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(operation, names, outputs, **attributes)],
        "one",
        [
            onnx.helper.make_tensor_value_info(name, types[value.dtype], value.shape)
            for name, value in given.items()
        ],
        [onnx.helper.make_empty_tensor_value_info(name) for name in outputs],
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8
    )
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, given)


def same(got, expected, tolerance=2e-5):
    np.testing.assert_allclose(got.reshape(expected.shape), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("mode", ["STRICT_ALIGN_ENDPOINTS_MODE", "ALIGN_ENDPOINTS_MODE"])
@pytest.mark.parametrize("size", [(7, 9), (2, 3), (5, 4)])
def test_resizing_between_endpoints(mode, size):
    x = random(1, 3, 5, 4)
    sizes = np.array([1, 3, *size], np.int64)
    (expected,) = onnx_run(
        "Resize",
        [x, None, None, sizes],
        mode="linear",
        coordinate_transformation_mode="align_corners",
    )
    (got,) = predict(
        {"x": x}, ["y"], lambda b: b.add_resize_bilinear("r", "x", "y", *size, mode=mode)
    )
    same(got, expected)


@pytest.mark.parametrize("size", [(10, 8), (7, 9), (2, 3)])
def test_resizing_as_upsampling(size):
    x = random(1, 3, 5, 4)
    sizes = np.array([1, 3, *size], np.int64)
    (expected,) = onnx_run(
        "Resize",
        [x, None, None, sizes],
        mode="linear",
        coordinate_transformation_mode="asymmetric",
    )
    (got,) = predict(
        {"x": x},
        ["y"],
        lambda b: b.add_resize_bilinear("r", "x", "y", *size, mode="UPSAMPLE_MODE"),
    )
    same(got, expected)


def test_resizing_with_aligned_regions():
    # Sampling points are at spacing · (i + ½), with a spacing of max(1, extent − 1) / count.
    x, size = random(1, 2, 6, 5), (4, 7)

    def weights(extent, count):
        points = (np.arange(count) + 0.5) * max(1, extent - 1) / count
        low = np.minimum(points.astype(int), extent - 2)
        matrix = np.zeros((count, extent))
        matrix[np.arange(count), low] = 1 - (points - low)
        matrix[np.arange(count), low + 1] = points - low
        return matrix

    expected = np.einsum("yh,nchw,xw->ncyx", weights(6, 4), x, weights(5, 7))
    (got,) = predict(
        {"x": x},
        ["y"],
        lambda b: b.add_resize_bilinear("r", "x", "y", *size, mode="ROI_ALIGN_MODE"),
    )
    same(got, expected)


@pytest.mark.parametrize("count", [2, 3])
def test_average(count):
    inputs = {f"x{place}": random(3, 4, 5) for place in range(count)}
    (expected,) = onnx_run("Mean", list(inputs.values()))
    (got,) = predict(
        inputs, ["y"], lambda b: b.add_elementwise("a", list(inputs), "y", mode="AVE")
    )
    same(got, expected, 1e-6)


@pytest.mark.parametrize("mode", ["DOT", "COS"])
def test_dot_products(mode):
    a, b = random(4, 37, 1, 1), random(4, 37, 1, 1)
    expected = np.einsum("nchw,nchw->n", a.astype(float), b)
    if mode == "COS":
        expected /= np.linalg.norm(a, axis=1).ravel() * np.linalg.norm(b, axis=1).ravel()
    (got,) = predict(
        {"a": a, "b": b}, ["y"], lambda k: k.add_elementwise("d", ["a", "b"], "y", mode=mode)
    )
    same(got, expected)


def test_repeating_a_sequence():
    x = random(3, 2, 4, 1, 1)
    (expected,) = onnx_run("Tile", [x, np.array([3, 1, 1, 1, 1], np.int64)])
    (got,) = predict({"x": x}, ["y"], lambda b: b.add_sequence_repeat("s", 3, "x", "y"))
    same(got, expected, 0)


@pytest.mark.parametrize(
    "operation, kind", [("GlobalAveragePool", "AVERAGE"), ("GlobalMaxPool", "MAX")]
)
def test_global_pooling_of_volumes(operation, kind):
    x = random(2, 5, 3, 6, 4)
    (expected,) = onnx_run(operation, [x])
    (got,) = predict({"x": x}, ["y"], lambda b: b.add_global_pooling3d("p", "x", "y", kind))
    same(got, expected, 1e-6)


STEPS, BATCH, INPUTS, UNITS = 6, 3, 5, 18


# Core ML clips sums of gates to ±50, which is ONNX's attribute `clip`.


def sequence():
    return random(STEPS, BATCH, INPUTS, 1, 1)


def state():
    return random(1, BATCH, UNITS, 1, 1)


@pytest.mark.parametrize(
    "activation, named", [("TANH", "Tanh"), ("RELU", "Relu"), ("SIGMOID", "Sigmoid")]
)
@pytest.mark.parametrize("reverse", [False, True])
def test_simple_recurrence(activation, named, reverse):
    x, h = sequence(), state()
    w, r, b = random(UNITS, INPUTS), random(UNITS, UNITS), random(UNITS)
    expected, last = onnx_run(
        "RNN",
        [x[..., 0, 0], w[None], r[None], np.concatenate([b, 0 * b])[None], None, h[..., 0, 0]],
        2,
        hidden_size=UNITS,
        clip=50.0,
        activations=[named],
        direction="reverse" if reverse else "forward",
    )
    # Core ML's outputs are in the order of the input sequence.
    expected = expected[:, 0][::-1] if reverse else expected[:, 0]
    got, got_last = predict(
        {"x": x, "h": h},
        ["y", "last"],
        lambda k: k.add_simple_rnn(
            "rnn",
            r,
            w,
            b,
            UNITS,
            INPUTS,
            activation,
            ["x", "h"],
            ["y", "last"],
            output_all=True,
            reverse_input=reverse,
        ),
    )
    same(got, expected)
    same(got_last, last)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "inner, named, numbers",
    [
        ("SIGMOID", "Sigmoid", {}),
        ("SIGMOID_HARD", "HardSigmoid", {"activation_alpha": [0.2], "activation_beta": [0.5]}),
    ],
)
def test_gated_recurrent_units(inner, named, numbers, reverse):
    x, h = sequence(), state()
    w = [random(UNITS, INPUTS) for _ in range(3)]
    r = [random(UNITS, UNITS) for _ in range(3)]
    b = [random(UNITS) for _ in range(3)]
    expected, last = onnx_run(
        "GRU",
        [
            x[..., 0, 0],
            np.concatenate(w)[None],
            np.concatenate(r)[None],
            np.concatenate(b + [0 * bias for bias in b])[None],
            None,
            h[..., 0, 0],
        ],
        2,
        hidden_size=UNITS,
        clip=50.0,
        activations=[named, "Tanh"],
        linear_before_reset=0,
        direction="reverse" if reverse else "forward",
        **numbers,
    )
    expected = expected[:, 0][::-1] if reverse else expected[:, 0]
    got, got_last = predict(
        {"x": x, "h": h},
        ["y", "last"],
        lambda k: k.add_gru(
            "gru",
            r,
            w,
            b,
            UNITS,
            INPUTS,
            ["x", "h"],
            ["y", "last"],
            inner_activation=inner,
            output_all=True,
            reverse_input=reverse,
        ),
    )
    same(got, expected)
    same(got_last, last)


@pytest.mark.parametrize("has_peepholes", [False, True])
@pytest.mark.parametrize("couples", [False, True])
def test_two_lstms(has_peepholes, couples):
    x, states = sequence(), [state() for _ in range(4)]

    def direction():
        gates = {
            gate: (random(UNITS, INPUTS), random(UNITS, UNITS), random(UNITS)) for gate in "ifoz"
        }
        peepholes = {gate: random(UNITS) for gate in "ifo"}
        return gates, peepholes

    def onnx_matrix(gates, part):
        return np.concatenate([gates[gate][part] for gate in "iofz"])

    directions = [direction(), direction()]
    biases = [onnx_matrix(gates, 2) for gates, _ in directions]
    h, c = [np.concatenate([states[p], states[p + 2]])[..., 0, 0] for p in (0, 1)]
    peep = np.stack([np.concatenate([p[gate] for gate in "iof"]) for _, p in directions])
    expected, last, last_cell = onnx_run(
        "LSTM",
        [
            x[..., 0, 0],
            np.stack([onnx_matrix(gates, 0) for gates, _ in directions]),
            np.stack([onnx_matrix(gates, 1) for gates, _ in directions]),
            np.stack([np.concatenate([bias, 0 * bias]) for bias in biases]),
            None,
            h,
            c,
            peep if has_peepholes else None,
        ],
        3,
        hidden_size=UNITS,
        clip=50.0,
        direction="bidirectional",
        input_forget=int(couples),
    )
    expected = np.concatenate([expected[:, 0], expected[:, 1]], axis=-1)

    def lists(place):
        gates, peepholes = directions[place]
        w, r, b = [[gates[gate][part] for gate in "ifoz"] for part in range(3)]
        return w, r, b, [peepholes[gate] for gate in "ifo"] if has_peepholes else None

    def add(builder):
        (w, r, b, peepholes), (w2, r2, b2, peepholes2) = lists(0), lists(1)
        builder.add_bidirlstm(
            "lstm",
            r,
            w,
            b,
            r2,
            w2,
            b2,
            UNITS,
            INPUTS,
            ["x", "h", "c", "h2", "c2"],
            ["y", "lh", "lc", "lh2", "lc2"],
            peep=peepholes,
            peep_back=peepholes2,
            output_all=True,
            coupled_input_forget_gate=couples,
        )

    got = predict(
        {"x": x, **dict(zip(["h", "c", "h2", "c2"], states))}, ["y", "lh", "lc", "lh2", "lc2"], add
    )
    same(got[0], expected)
    for place in (0, 1):
        same(got[1 + 2 * place], last[place])
        same(got[2 + 2 * place], last_cell[place])


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("overlap, score", [(0.3, 0.2), (0.6, 0.5), (0.05, 0.05)])
def test_non_maximum_suppression(per_class, overlap, score):
    batch, count, classes, most = 2, 40, 3, 12
    boxes = np.concatenate(
        [RANDOM.uniform(0, 1, (batch, count, 2)), RANDOM.uniform(0.1, 0.5, (batch, count, 2))], -1
    ).astype(np.float32)
    scores = RANDOM.uniform(0, 1, (batch, count, classes)).astype(np.float32)
    best, kind = scores.max(-1), scores.argmax(-1)
    # One column for ONNX, or one column per class. The column of a class has the scores of the boxes with this best
    # class.
    columns = (
        np.stack([np.where(kind == k, best, -1) for k in range(classes)], 1)
        if per_class
        else best[:, None]
    ).astype(np.float32)
    (selected,) = onnx_run(
        "NonMaxSuppression",
        [
            boxes,
            columns,
            np.array([count], np.int64),
            np.array([overlap], np.float32),
            np.array([score], np.float32),
        ],
        center_point_box=1,
    )
    names = ["boxes", "scores", "indices", "number"]
    got = predict(
        {"b": boxes, "s": scores},
        names,
        lambda k: k.add_nms(
            "n",
            ["b", "s"],
            names,
            iou_threshold=overlap,
            score_threshold=score,
            max_boxes=most,
            per_class_suppression=per_class,
        ),
    )
    for entry in range(batch):
        chosen = [index for b, _, index in selected if b == entry]
        chosen = sorted(chosen, key=lambda index: -best[entry, index])[:most]
        assert got[3][entry] == len(chosen) > 0
        assert got[2][entry].tolist() == chosen + [-1] * (most - len(chosen))
        same(got[0][entry, : len(chosen)], boxes[entry, chosen], 0)
        same(got[1][entry, : len(chosen)], scores[entry, chosen], 0)


@pytest.mark.parametrize("limit", [0.0, 3.0, 20.0])
def test_loops_with_continue(limit):
    # sum += n for each n in 1 … 6 that is at least a limit.
    def add(builder):
        builder.add_copy("c0", "start", "n")
        builder.add_copy("c1", "start", "sum")
        loop = builder.add_loop("loop", max_iterations=6)
        body = NeuralNetworkBuilder(
            nn_spec=loop.loop.bodyNetwork, disable_rank5_shape_mapping=True
        )
        body.add_activation("next", "LINEAR", "n", "next_n", [1, 1])
        body.add_copy("keep", "next_n", "n")
        body.add_less_than("small", ["n", "limit"], "is_small")
        branch = body.add_branch("skip", "is_small")
        inner = NeuralNetworkBuilder(
            nn_spec=branch.branch.ifBranch, disable_rank5_shape_mapping=True
        )
        inner.add_loop_continue("continue")
        body.add_elementwise("add", ["sum", "n"], "new_sum", mode="ADD")
        body.add_copy("keep_sum", "new_sum", "sum")

    inputs = {"start": np.zeros(1, np.float32), "limit": np.array([limit], np.float32)}
    (got,) = predict(inputs, ["sum"], add)
    assert got.tolist() == [sum(n for n in range(1, 7) if not n < limit)]
