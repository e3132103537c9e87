"""Conversion of Keras and Caffe networks to Core ML models, with the keywords of coremltools' former converters."""

import ctypes
import json
import os
import re
import tempfile
from ctypes import byref, c_char_p, c_void_p

from . import _library as lib


def _in_python(sentence):
    """Replace the command line's options in an error message by this module's keywords."""
    options = {
        r"--custom '([^=]+)=ClassName\[:description\]'":
            r"custom_conversion_functions={'\1': function}, or add_custom_layers=True",
        r"--with FILE\S*": "a pair of paths (network, weights)",
    }
    for option, keyword in options.items():
        sentence = re.sub(option, keyword, sentence)
    return sentence if sentence.endswith(".") else sentence + "."


class Layer:
    """A layer of a model file, which conversion functions get if there is no live model. It has the attributes `name`,
    `function` (with `__name__`) and `config`."""

    def __init__(self, fields):
        self.name = fields["name"]
        self.config = fields["configuration"]
        self.function = type("Function", (), {"__name__": fields["function"] or "<lambda>"})()

    def get_config(self):
        return self.config


def convert(
    model,
    input_names=None,
    output_names=None,
    image_input_names=None,
    input_name_shape_dict=None,
    is_bgr=False,
    red_bias=0.0,
    green_bias=0.0,
    blue_bias=0.0,
    gray_bias=0.0,
    image_scale=1.0,
    class_labels=None,
    predicted_feature_name=None,
    model_precision="float32",
    predicted_probabilities_output="",
    add_custom_layers=False,
    custom_conversion_functions=None,
    image_output_names=None,
):
    """Convert a network. Returns a coremltools model.

    `model` is a Keras model, the path of its file (.h5, .keras, .json), a pair of paths (architecture, weights), or
    the pair of paths of a Caffe network (.caffemodel, .prototxt). The keywords are those of
    `coremltools.converters.keras.convert`. `image_output_names` lists the outputs that are images.

    `custom_conversion_functions` maps the type or name of a layer to a function that gets the layer and returns
    `NeuralNetwork_pb2.CustomLayerParams`. These functions convert unknown layers to custom layers. With
    `add_custom_layers`, all other unknown layers become custom layers. The name of their class is the layer's type.

    Raises `Error` for a network that cannot be converted, and `ValueError` for keywords that do not match the network.
    """
    import coremltools

    live = {}
    with tempfile.TemporaryDirectory() as folder:
        if hasattr(model, "save") and hasattr(model, "layers"):
            live = {layer.name: layer for layer in _layers(model)}
            paths = _saved(model, folder)
        else:
            paths = [os.fspath(p) for p in (model if isinstance(model, (list, tuple)) else [model])]
        target = os.path.join(folder, "converted.mlmodel")
        options = {
            "companions": paths[1:],
            "adds_custom_layers": bool(add_custom_layers),
            "extents": {k: [d or 0 for d in v] for k, v in (input_name_shape_dict or {}).items()},
        }
        try:
            _convert(paths[0], target, options, _Resolver(custom_conversion_functions or {}, live))
        except lib.Error as error:
            raise lib.Error(_in_python(str(error)), error.code) from None
        spec = coremltools.utils.load_spec(target)

    _rename(coremltools, spec, spec.description.input, input_names, "input_names")
    _rename(coremltools, spec, spec.description.output, output_names, "output_names")
    biases = dict(red=red_bias, green=green_bias, blue=blue_bias, gray=gray_bias)
    for name in _names(image_input_names):
        _make_image_input(spec, name, is_bgr, biases, image_scale)
    for name in _names(image_output_names):
        _make_image(_feature(spec.description.output, name, "image_output_names"), is_bgr)
    if class_labels is not None:
        _classify(spec, class_labels, predicted_feature_name or "classLabel", predicted_probabilities_output)
    if model_precision == "float16":
        from coremltools.models.neural_network.quantization_utils import _quantize_spec_weights

        _quantize_spec_weights(spec, 16, "linear")
    return coremltools.models.MLModel(spec)


def _layers(model):
    for layer in model.layers:
        yield layer
        if hasattr(layer, "layers"):
            yield from _layers(layer)


def _saved(model, folder):
    """Save the architecture and the weights of a live model. Returns the paths of both files.

    Keras cannot save every function of a Lambda layer.
    """
    architecture = os.path.join(folder, "model.json")
    with open(architecture, "w") as file:
        file.write(model.to_json())
    weights = os.path.join(folder, "model.weights.h5")
    model.save_weights(weights)
    return [architecture, weights]


class _Resolver:
    """The callback that resolves unknown layers."""

    def __init__(self, functions, live):
        self.functions, self.live, self.error, self.result = functions, live, None, None

    def __call__(self, text, _):
        try:
            fields = json.loads(text)
            function = self.functions.get(fields["name"]) or self.functions.get(fields["type"])
            layer = self.live.get(fields["name"]) or Layer(fields)
            recipe = function(layer) if function else None
            if recipe is None:
                return None
            # The library reads the buffer until its next call.
            self.result = ctypes.create_string_buffer(json.dumps(_json_fields(recipe, layer)).encode())
            return ctypes.addressof(self.result)
        except Exception as error:  # C cannot propagate it; `_convert` raises it.
            self.error = error
            return None


def _json_fields(recipe, layer):
    """Return CustomLayerParams as the JSON that atelier.h documents."""
    parameters = {}
    for key, value in recipe.parameters.items():
        kind = value.WhichOneof("value")
        parameters[key] = getattr(value, kind) if kind else None
    fields = {"class": recipe.className, "description": recipe.description, "parameters": parameters}
    if recipe.weights:
        fields["weights"] = [list(w.floatValue) for w in recipe.weights]
    shape = list(getattr(getattr(layer, "output", None), "shape", ()))[1:]
    if shape and all(isinstance(extent, int) for extent in shape):
        fields["shape"] = shape if len(shape) != 3 else [shape[2], shape[0], shape[1]]
    return fields


def _convert(source, target, options, resolver):
    kind = ctypes.CFUNCTYPE(c_void_p, c_char_p, c_void_p)
    callback, sentence = kind(resolver), c_void_p()
    status = lib.library.atelier_convert(
        lib.path_bytes(source), lib.path_bytes(target), json.dumps(options).encode(), callback, None,
        byref(sentence),
    )  # fmt: skip
    if resolver.error:
        if status:
            lib.take_text(sentence)
        raise resolver.error
    lib.check(status, sentence)


# The following functions change the specification. The converter of the command line does not make these changes.


def _names(names):
    return [names] if isinstance(names, str) else list(names or [])


def _feature(features, name, keyword):
    for feature in features:
        if feature.name == name:
            return feature
    known = ", ".join(feature.name for feature in features)
    raise ValueError(f"{keyword} names {name!r}; the model has {known}.")


def _rename(coremltools, spec, features, names, keyword):
    names = _names(names)
    if not names:
        return
    if len(names) != len(features):
        raise ValueError(f"{keyword} has {len(names)} names, but the model has {len(features)}.")
    for old, new in zip([feature.name for feature in features], names):
        if old != new:
            coremltools.utils.rename_feature(spec, old, new)


def _make_image(feature, is_bgr):
    """Change a feature of a specification from an array to an image. Returns the number of channels."""
    from coremltools.proto import FeatureTypes_pb2

    shape = list(feature.type.multiArrayType.shape)
    if len(shape) == 4 and shape[0] == 1:
        shape = shape[1:]
    if len(shape) != 3 or shape[0] not in (1, 3):
        unknown = "" if shape else (
            " If a custom layer computes it, register its class first: atelier.register_custom_layer."
        )
        raise ValueError(f"{feature.name!r} has the shape {shape}, expected channels × height × width.{unknown}")
    spaces = FeatureTypes_pb2.ImageFeatureType.ColorSpace
    feature.type.imageType.colorSpace = spaces.Value(
        "GRAYSCALE" if shape[0] == 1 else "BGR" if is_bgr else "RGB"
    )
    feature.type.imageType.height, feature.type.imageType.width = shape[1], shape[2]
    return shape[0]


def _make_image_input(spec, name, is_bgr, biases, scale):
    channels = _make_image(_feature(spec.description.input, name, "image_input_names"), is_bgr)
    if scale == 1.0 and not any(biases.values()):
        return
    kind = spec.WhichOneof("Type")
    preprocessing = getattr(spec, kind).preprocessing.add()
    preprocessing.featureName = name
    scaler = preprocessing.scaler
    scaler.channelScale = scale
    if channels == 1:
        scaler.grayBias = biases["gray"]
    else:
        scaler.redBias, scaler.greenBias, scaler.blueBias = (
            biases["red"], biases["green"], biases["blue"],
        )  # fmt: skip


def _classify(spec, labels, predicted, probabilities):
    if isinstance(labels, (str, os.PathLike)):
        with open(labels) as file:
            labels = [line.strip() for line in file if line.strip()]
    network = spec.neuralNetwork
    classifier = spec.neuralNetworkClassifier
    classifier.layers.extend(network.layers)
    classifier.preprocessing.extend(network.preprocessing)
    classifier.arrayInputShapeMapping = network.arrayInputShapeMapping
    classifier.imageInputShapeMapping = network.imageInputShapeMapping
    if all(isinstance(label, int) for label in labels):
        classifier.int64ClassLabels.vector.extend(labels)
    else:
        classifier.stringClassLabels.vector.extend(str(label) for label in labels)
    output = spec.description.output[-1] if not probabilities else _feature(
        spec.description.output, probabilities, "predicted_probabilities_output"
    )
    classifier.labelProbabilityLayerName = output.name
    spec.description.predictedFeatureName = predicted
    spec.description.predictedProbabilitiesName = output.name
    is_number = classifier.HasField("int64ClassLabels")
    output.type.Clear()
    if is_number:
        output.type.dictionaryType.int64KeyType.SetInParent()
    else:
        output.type.dictionaryType.stringKeyType.SetInParent()
    label = spec.description.output.add()
    label.name = predicted
    (label.type.int64Type if is_number else label.type.stringType).SetInParent()
