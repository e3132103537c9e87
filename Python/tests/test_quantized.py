"""Quantised ONNX networks, compared with onnxruntime."""

import os
import subprocess

import numpy
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from onnx import helper, numpy_helper  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("ATELIER_BIN", os.path.join(ROOT, ".build", "release", "atelier"))
STEP = 0.04


def network(signed):
    """A quantised network: two convolutions, a sum and a matrix product."""
    random = numpy.random.default_rng(3)
    dtype, least = (numpy.int8, -128) if signed else (numpy.uint8, 0)
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def quantized(value, scale, zero, name):
        pair = [constant(name + "_s", numpy.float32(scale)), constant(name + "_z", dtype(zero))]
        nodes.append(helper.make_node("QuantizeLinear", [value, *pair], [name + "_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [name + "_q", *pair], [name]))
        return name

    def weights(name, shape):
        values = random.integers(-127, 128, shape).astype(numpy.int8)
        scales = random.uniform(0.001, 0.004, shape[0]).astype(numpy.float32)
        names = [constant(name + "_q", values), constant(name + "_s", scales)]
        names.append(constant(name + "_z", numpy.zeros(shape[0], numpy.int8)))
        nodes.append(helper.make_node("DequantizeLinear", names, [name], axis=0))
        return name

    x = quantized("x", 0.021, least + 100, "input")
    nodes.append(helper.make_node("Conv", [x, weights("w1", (16, 3, 3, 3))], ["c1"], pads=[1] * 4))
    nodes.append(helper.make_node("Relu", ["c1"], ["r1"]))
    first = quantized("r1", 0.031, least, "first")
    nodes.append(helper.make_node("Conv", [first, weights("w2", (16, 16, 3, 3))], ["c2"], pads=[1] * 4))
    second = quantized("c2", 0.057, least + 120, "second")
    nodes.append(helper.make_node("Add", [first, second], ["sum"]))
    total = quantized("sum", 0.0613, least + 90, "total")
    nodes.append(helper.make_node("Flatten", [total], ["rows"]))
    nodes.append(helper.make_node("Gemm", ["rows", weights("w3", (10, 16 * 64))], ["g"], transB=1))
    quantized("g", STEP, least + 128, "y")
    graph = helper.make_graph(
        nodes, "quantized",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 10])], constants,
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("signed", [False, True])
def test_results_are_onnxruntimes_within_two_quantization_steps(signed, tmp_path):
    path = tmp_path / "quantized.onnx"
    onnx.save(network(signed), path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options)
    x = numpy.random.default_rng(5).standard_normal((1, 3, 8, 8)).astype(numpy.float32)
    (expected,) = session.run(None, {"x": x})
    assert len(set(expected.ravel())) > 4
    numpy.save(tmp_path / "x.npy", x)
    command = [PROGRAM, "predict", str(path), "-i", f"x={tmp_path / 'x.npy'}", "-o", str(tmp_path / "out")]
    subprocess.run([*command, "--compute-units", "cpuOnly"], check=True, capture_output=True)
    got = numpy.load(tmp_path / "out" / "y.npy").reshape(expected.shape)
    # A value of the sum halfway between two quantised values may be rounded to either; each changes the result by a
    # fraction of a step.
    assert numpy.abs(got - expected).max() <= 2 * STEP * 1.001
