"""Operations of ML Programs that coremltools' own tests do not cover, compared with NumPy."""

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb

FLOAT32 = coremltools.precision.FLOAT32


def convert(program, target=coremltools.target.iOS17, **options):
    return coremltools.convert(
        program, convert_to="mlprogram", compute_precision=FLOAT32,
        minimum_deployment_target=target, **options)


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logical_operations(name):
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(2, 3)), mb.TensorSpec(shape=(3,))],
        opset_version=coremltools.target.iOS17)
    def network(x, y):
        truths = (mb.greater(x=value, y=np.float32(0)) for value in (x, y))
        return mb.cast(x=getattr(mb, name)(x=next(truths), y=next(truths)), dtype="fp32")

    x, y = np.array([[1, -1, 1], [-1, -1, 1]], np.float32), np.array([1, 1, -1], np.float32)
    expected = getattr(np, name)(x > 0, y > 0)
    (found,) = convert(network).predict({"x": x, "y": y}).values()
    np.testing.assert_array_equal(found, expected)


def test_logical_not_and_ceil():
    @mb.program(input_specs=[mb.TensorSpec(shape=(5,))], opset_version=coremltools.target.iOS17)
    def network(x):
        opposite = mb.logical_not(x=mb.greater(x=x, y=np.float32(0)))
        return mb.cast(x=opposite, dtype="fp32", name="opposite"), mb.ceil(x=x, name="up")

    x = np.array([-1.5, -0.25, 0, 0.25, 2], np.float32)
    found = convert(network).predict({"x": x})
    np.testing.assert_array_equal(found["opposite"], x <= 0)
    np.testing.assert_array_equal(found["up"], np.ceil(x))


def test_boxes_that_overlap_are_suppressed():
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 4, 4)), mb.TensorSpec(shape=(1, 4, 1))],
        opset_version=coremltools.target.iOS15)
    def network(boxes, scores):
        kept = mb.non_maximum_suppression(
            boxes=boxes, scores=scores, iou_threshold=0.5, score_threshold=0.2, max_boxes=3)
        return mb.identity(x=kept[0], name="kept"), mb.identity(x=kept[3], name="count")

    # Centre and size. The second box overlaps the first, and the last one has a too low confidence.
    boxes = np.array([[[1, 1, 2, 2], [1.1, 1, 2, 2], [5, 5, 2, 2], [9, 9, 2, 2]]], np.float32)
    scores = np.array([[[0.9], [0.8], [0.7], [0.1]]], np.float32)
    model = convert(network, coremltools.target.iOS15)
    found = model.predict({"boxes": boxes, "scores": scores})
    assert found["count"].ravel().tolist() == [2]
    np.testing.assert_allclose(found["kept"][0, :2], boxes[0, [0, 2]])


def test_a_program_classifies():
    @mb.program(input_specs=[mb.TensorSpec(shape=(3,))], opset_version=coremltools.target.iOS17)
    def network(x):
        return mb.softmax(x=x, axis=0, name="probabilities")

    model = convert(
        network, classifier_config=coremltools.ClassifierConfig(["low", "middle", "high"]))
    found = model.predict({"x": np.array([0, 2, 1], np.float32)})
    assert found["classLabel"] == "middle"
    (table,) = (value for value in found.values() if isinstance(value, dict))
    assert sum(table.values()) == pytest.approx(1, abs=1e-6)
    assert max(table, key=table.get) == "middle"


@pytest.mark.parametrize("scale, bias", [([0.5, 0.25], [-1, 2]), ([0.125], [-1])])
def test_a_convolution_with_8_bit_weights(scale, bias):
    quantized = np.arange(24, dtype=np.uint8).reshape(2, 3, 2, 2) * 10
    scale, bias = np.float32(scale), np.float32(bias)

    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 3, 4, 5))], opset_version=coremltools.target.iOS15)
    def network(x):
        return mb.conv_quantized(
            x=x, weight=quantized, quantization_type="linear", nbits=8, quant_scale=scale,
            quant_bias=bias, strides=[1, 2], pad_type="valid", name="y")

    x = np.random.default_rng(3).standard_normal((1, 3, 4, 5)).astype(np.float32)
    found = convert(network, coremltools.target.iOS15).predict({"x": x})["y"]
    weights = quantized * scale.reshape(-1, 1, 1, 1) + bias.reshape(-1, 1, 1, 1)
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(2, 3))[..., ::2, :, :]
    np.testing.assert_allclose(
        found, np.einsum("ncyxhw,ochw->noyx", windows, weights), rtol=1e-4, atol=1e-4)


def test_a_single_number_is_an_array_of_one_element():
    @mb.program(input_specs=[mb.TensorSpec(shape=(2, 3))], opset_version=coremltools.target.iOS17)
    def network(x):
        return mb.reduce_sum(x=x, axes=[0, 1], keep_dims=False, name="y")

    found = convert(network).predict({"x": np.ones((2, 3), np.float32)})["y"]
    assert found.shape == (1,) and found[0] == 6
