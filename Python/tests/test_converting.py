"""Conversion of Keras and Caffe networks, and custom layers from Python."""

import json
import os
import subprocess

import numpy
import pytest

import atelier

coremltools = pytest.importorskip("coremltools")
from coremltools.proto import NeuralNetwork_pb2  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STARRY = os.path.join(ROOT, "..", "shared", "models", "starry-night")
ARCHITECTURE = os.path.join(ROOT, "Tests", "KerasFormatTests", "Expected", "starry-night.json")


def caffe(folder):
    """A Caffe network y = 2 x + 1 for one pixel with two channels."""
    text = folder / "net.prototxt"
    text.write_text(
        'input: "data"\ninput_dim: 1\ninput_dim: 2\ninput_dim: 3\ninput_dim: 3\n'
        'layer { name: "p" type: "Power" bottom: "data" top: "p" power_param { scale: 2 shift: 1 } }'
    )
    return text


def test_caffe_is_converted_and_predicts(tmp_path):
    model = atelier.convert(caffe(tmp_path), input_names="x", output_names="y")
    x = numpy.arange(18, dtype=numpy.float32).reshape(1, 2, 3, 3)
    y = model.predict({"x": x})["y"]
    assert numpy.allclose(numpy.asarray(y).ravel(), (2 * x + 1).ravel())


class Halving:
    def __init__(self, parameters, weights):
        self.by = parameters["by"]

    def output_shape(self, shape):
        return shape

    def evaluate(self, x):
        return x / self.by


def architecture(tmp_path):
    layers = [
        {"class_name": "InputLayer", "name": "in", "inbound_nodes": [],
         "config": {"name": "in", "batch_input_shape": [None, 4]}},
        {"class_name": "Lambda", "name": "half", "inbound_nodes": [[["in", 0, 0, {}]]],
         "config": {"name": "half", "function": "halve", "function_type": "function"}},
    ]  # fmt: skip
    path = tmp_path / "m.json"
    path.write_text(json.dumps(dict(
        class_name="Model", keras_version="2.2.4",
        config=dict(name="m", layers=layers, input_layers=[["in", 0, 0]], output_layers=[["half", 0, 0]]))))
    return path


def answer(layer):
    params = NeuralNetwork_pb2.CustomLayerParams()
    assert layer.function.__name__ == "halve"
    params.className, params.description = "HalvingLayer", "x / by"
    params.parameters["by"].doubleValue = 4
    return params


def test_lambda_layers_become_custom_layers_that_python_computes(tmp_path):
    atelier.register_custom_layer("HalvingLayer", Halving)
    model = atelier.convert(architecture(tmp_path), custom_conversion_functions={"Lambda": answer})
    custom = [l.custom for l in model.get_spec().neuralNetwork.layers if l.WhichOneof("layer") == "custom"]
    assert [(c.className, c.description) for c in custom] == [("HalvingLayer", "x / by")]
    x = numpy.array([[4, 8, 12, 16]], numpy.float32)
    (made,) = model.predict({"in": x}).values()
    assert numpy.allclose(numpy.asarray(made).ravel(), [1, 2, 3, 4])


def test_without_a_converter_function_the_error_names_the_layer(tmp_path):
    with pytest.raises(atelier.Error, match="Lambda 'half': the layer calls the function 'halve'") as error:
        atelier.convert(architecture(tmp_path))
    assert "custom_conversion_functions={'halve': function}, or add_custom_layers=True" in str(error.value)
    assert "--custom" not in str(error.value)


def test_an_error_of_the_converter_function_is_raised(tmp_path):
    def fail(layer):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        atelier.convert(architecture(tmp_path), custom_conversion_functions={"Lambda": fail})


def test_wrong_names_are_refused(tmp_path):
    with pytest.raises(ValueError, match="input_names has 2 names"):
        atelier.convert(caffe(tmp_path), input_names=["a", "b"])
    with pytest.raises(ValueError, match="names 'z'"):
        atelier.convert(caffe(tmp_path), image_input_names="z")


def test_a_plug_in_in_c(tmp_path):
    source = tmp_path / "layers.c"
    source.write_text(
        """
#include <atelier.h>
static int token;
static void *make(const char *n, const char *p, const atelier_blob *w, int64_t c, void *x) { return &token; }
static int32_t shapes(void *o, const atelier_tensor *in, int64_t n, int64_t *s, int64_t *r, int64_t c, void *x) {
  r[0] = in[0].rank;
  for (int64_t a = 0; a < in[0].rank; a++) s[a] = in[0].shape[a];
  return 0;
}
static int32_t evaluate(void *o, const atelier_tensor *in, int64_t n, const atelier_tensor *out, int64_t c, void *x) {
  int64_t count = 1;
  for (int64_t a = 0; a < in[0].rank; a++) count *= in[0].shape[a];
  for (int64_t i = 0; i < count; i++) out[0].data[i] = -in[0].data[i];
  return 0;
}
void atelier_plugin(atelier_status (*add)(const char *, const atelier_layer_class *, char **)) {
  const atelier_layer_class layer = {make, shapes, evaluate, 0, 0};
  add("NegatingLayer", &layer, 0);
}
"""
    )
    library = tmp_path / "layers.so"
    header = os.path.join(ROOT, "C", "CAtelierHeader", "include")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-I", header, str(source), "-o", str(library)], check=True
    )
    atelier.load_plugin(library)

    def negate(layer):
        params = NeuralNetwork_pb2.CustomLayerParams()
        params.className = "NegatingLayer"
        return params

    model = atelier.convert(architecture(tmp_path), custom_conversion_functions={"half": negate})
    (made,) = model.predict({"in": numpy.array([[1, 2, 3, 4]], numpy.float32)}).values()
    assert numpy.allclose(numpy.asarray(made).ravel(), [-1, -2, -3, -4])


def test_a_file_that_is_no_plug_in_is_refused(tmp_path):
    file = tmp_path / "x.so"
    file.write_text("text")
    with pytest.raises(atelier.Error, match="cannot be loaded"):
        atelier.load_plugin(file)


@pytest.mark.skipif(not os.path.exists(STARRY), reason="needs ../shared/models/starry-night")
def test_the_notebooks_model_gives_the_image_of_apples_model(tmp_path):
    import sys

    from PIL import Image

    script = os.path.join(ROOT, "Examples", "Notebooks", "convert_keras.py")
    photo, painting = tmp_path / "photo.png", tmp_path / "painting.png"
    x = (numpy.arange(320 * 320 * 3) * 7919 % 256).astype(numpy.uint8).reshape(320, 320, 3)
    Image.fromarray(x).save(photo)
    weights = os.path.join(STARRY, "van-gogh-starry-night_style.h5")
    target = tmp_path / "Starry.mlmodel"
    subprocess.run(
        [sys.executable, script, ARCHITECTURE, weights, target, photo, painting], check=True
    )
    sys.path.insert(0, os.path.dirname(script))
    import convert_keras

    atelier.register_custom_layer("ResCropBlockLambda", convert_keras.ResCropBlock)
    atelier.register_custom_layer("RescaleOutputLambda", convert_keras.RescaleOutput)
    apples = coremltools.models.MLModel(
        os.path.join(STARRY, "FastStyleTransferVanGoghStarryNight.mlmodel"),
        compute_units=coremltools.ComputeUnit.CPU_ONLY,
    )
    expected = apples.predict({"image": Image.open(photo)})["output"].convert("RGB")
    difference = numpy.abs(
        numpy.asarray(expected, float) - numpy.asarray(Image.open(painting).convert("RGB"), float)
    )
    # The script predicts in the fastest type of the machine.
    assert difference.mean() < 2
