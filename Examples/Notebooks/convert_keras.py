#!/usr/bin/env python3
"""The book's first notebook (“Machine Learning with Core ML”, chapter 6) on Linux: converts a Keras network with Lambda
layers to a Core ML model with custom layers.

    convert_keras.py ARCHITECTURE.json WEIGHTS.h5 OUT.mlmodel [PHOTO PAINTING]

The architecture may be Tests/KerasFormatTests/Expected/starry-night.json. With PHOTO and PAINTING the script also paints
the photo. Both custom layers are written in Python.
"""
import sys

import atelier
from coremltools.proto import NeuralNetwork_pb2


def convert_lambda(layer):
    """Returns the class of the custom layer that replaces a Lambda layer."""
    params = NeuralNetwork_pb2.CustomLayerParams()
    if layer.function.__name__ == "rescale_output":
        params.className = "RescaleOutputLambda"
        params.description = "Rescale output using ((x+1)*127.5)"
        return params
    if layer.function.__name__ == "res_crop":
        params.className = "ResCropBlockLambda"
        params.description = "return x[:, 2:-2, 2:-2]"
        return params
    raise ValueError(f"There is no class for the function {layer.function.__name__}.")


class ResCropBlock:
    """Crops two pixels from each side of the pictures in [sequence, batch, channels, height, width]."""

    def __init__(self, parameters, weights):
        pass

    def output_shape(self, shape):
        return (*shape[:3], shape[3] - 4, shape[4] - 4)

    def evaluate(self, x):
        return x[..., 2:-2, 2:-2]


class RescaleOutput:
    """Scales values of -1…1 to 0…255."""

    def __init__(self, parameters, weights):
        pass

    def output_shape(self, shape):
        return shape

    def evaluate(self, x):
        return (x + 1) * 127.5


def register_layers():
    """Registers the book's custom layers, so that models run and the converter knows their output shapes."""
    atelier.register_custom_layer("ResCropBlockLambda", ResCropBlock)
    atelier.register_custom_layer("RescaleOutputLambda", RescaleOutput)


def main(architecture, weights, target, photo=None, painting=None):
    register_layers()
    model = atelier.convert(
        [architecture, weights],
        input_names=["image"],
        image_input_names=["image"],
        output_names="output",
        image_output_names=["output"],
        add_custom_layers=True,
        custom_conversion_functions={"Lambda": convert_lambda},
    )
    model.author = "Joshua Newnham"
    model.license = "BSD"
    model.short_description = "Fast Style Transfer based on the style of Van Gogh Starry Night"
    model.input_description["image"] = "Preprocessed content image"
    model.output_description["output"] = "Stylized content image"
    model.save(target)
    print(f"wrote {target}")
    if photo:
        from PIL import Image

        size = model.get_spec().description.input[0].type.imageType
        picture = Image.open(photo).convert("RGB").resize((size.width, size.height))
        model.predict({"image": picture})["output"].convert("RGB").save(painting)
        print(f"painted {painting}")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])
