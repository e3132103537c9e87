"""Makes an object detector with coremltools, and the boxes that NumPy selects: detector.mlmodel, detector.png,
detector.json.

The network's confidence of “bright” is the mean of each window of 16 × 16 pixels in an image of 64 × 64. The
confidence of “dark” is 1 minus that mean. Non-maximum suppression follows in a pipeline. Needs `pip install
coremltools pillow scikit-image`; the photo is NASA's, in the public domain.
"""
import json

import coremltools
import numpy
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from PIL import Image
from skimage import data

SIDE, WINDOW, STEP = 64, 16, 4
OVERLAP, CONFIDENCE = 0.3, 0.55
COUNT = (SIDE - WINDOW) // STEP + 1
BOXES = COUNT * COUNT
FLOAT = coremltools.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32

rows, columns = numpy.mgrid[0:COUNT, 0:COUNT]
places = numpy.stack([(columns.ravel() * STEP + WINDOW / 2) / SIDE, (rows.ravel() * STEP + WINDOW / 2) / SIDE,
                      numpy.full(BOXES, WINDOW / SIDE), numpy.full(BOXES, WINDOW / SIDE)], 1)


def network():
    builder = NeuralNetworkBuilder(
        [("image", datatypes.Array(3, SIDE, SIDE))],
        [("raw_confidence", datatypes.Array(BOXES, 2)), ("raw_coordinates", datatypes.Array(BOXES, 4))],
        disable_rank5_shape_mapping=True)
    builder.add_pooling("windows", WINDOW, WINDOW, STEP, STEP, "AVERAGE", "VALID", "image", "windows")
    builder.add_reduce_mean("mean", "windows", "mean", axes=[1], keepdims=False)
    builder.add_reshape_static("bright", "mean", "bright", [BOXES, 1])
    builder.add_activation("dark", "LINEAR", "bright", "dark", params=[-1.0, 1.0])
    builder.add_concat_nd("confidence", ["bright", "dark"], "raw_confidence", axis=1)
    builder.add_load_constant_nd("places", "raw_coordinates", places.astype("f4"), places.shape)
    builder.set_pre_processing_parameters(image_input_names=["image"], image_scale=1 / 255)
    builder.spec.specificationVersion = 4
    return builder.spec


def suppression(before):
    model = coremltools.proto.Model_pb2.Model()
    model.specificationVersion = 4
    for output in before.description.output:
        model.description.input.add().CopyFrom(output)
    for name in ("iouThreshold", "confidenceThreshold"):
        made = model.description.input.add()
        made.name = name
        made.type.doubleType.SetInParent()
        made.type.isOptional = True
    for name, width in (("confidence", 2), ("coordinates", 4)):
        made = model.description.output.add()
        made.name = name
        made.type.multiArrayType.dataType = FLOAT
        for lower, upper in ((0, -1), (width, width)):
            size = made.type.multiArrayType.shapeRange.sizeRanges.add()
            size.lowerBound, size.upperBound = lower, upper
    part = model.nonMaximumSuppression
    part.confidenceInputFeatureName, part.coordinatesInputFeatureName = "raw_confidence", "raw_coordinates"
    part.confidenceOutputFeatureName, part.coordinatesOutputFeatureName = "confidence", "coordinates"
    part.iouThresholdInputFeatureName = "iouThreshold"
    part.confidenceThresholdInputFeatureName = "confidenceThreshold"
    part.iouThreshold, part.confidenceThreshold = OVERLAP, CONFIDENCE
    part.pickTop.perClass = True
    part.stringClassLabels.vector.extend(["bright", "dark"])
    return model


def pipeline():
    first = network()
    last = suppression(first)
    made = coremltools.models.pipeline.Pipeline(
        [("image", datatypes.Array(3, SIDE, SIDE)), ("iouThreshold", datatypes.Double()),
         ("confidenceThreshold", datatypes.Double())],
        [("confidence", datatypes.Array(1)), ("coordinates", datatypes.Array(1))])
    for model in (first, last):
        made.add_model(coremltools.models.MLModel(model, skip_model_load=True))
    spec = made.spec
    spec.specificationVersion = 4
    spec.description.input[0].CopyFrom(first.description.input[0])
    for index in (1, 2):
        spec.description.input[index].type.isOptional = True
    for index in range(2):
        spec.description.output[index].CopyFrom(last.description.output[index])
    return spec


def shared(a, b):
    sides = [max(0, min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2) - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2))
             for i in (0, 1)]
    both = sides[0] * sides[1]
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def selected(scores, overlap, least):
    best, kept = scores.argmax(1), []
    for index in numpy.argsort(-scores.max(1), kind="stable"):
        if scores[index].max() >= least and all(
                best[other] != best[index] or shared(places[index], places[other]) <= overlap for other in kept):
            kept.append(index)
    return [{"label": ("bright", "dark")[best[i]], "confidence": round(float(scores[i].max()), 6),
             "box": [float((places[i][0] - places[i][2] / 2) * SIDE), float((places[i][1] - places[i][3] / 2) * SIDE),
                     float(WINDOW), float(WINDOW)]} for i in kept]


if __name__ == "__main__":
    coremltools.utils.save_spec(pipeline(), "detector.mlmodel")
    photo = numpy.array(Image.fromarray(data.astronaut()).resize((SIDE, SIDE))).astype(int)
    # Adds a little noise, so that no two windows have the same mean.
    photo = (photo + numpy.random.default_rng(3).integers(-9, 10, photo.shape)).clip(0, 255).astype("uint8")
    Image.fromarray(photo).save("detector.png")
    bright = numpy.array([photo[y * STEP:y * STEP + WINDOW, x * STEP:x * STEP + WINDOW].mean() / 255
                          for y in range(COUNT) for x in range(COUNT)])
    scores = numpy.stack([bright, 1 - bright], 1)
    with open("detector.json", "w") as file:
        json.dump({"usual": selected(scores, OVERLAP, CONFIDENCE), "other": selected(scores, 0.1, 0.4)}, file,
                  separators=(",", ":"))
        file.write("\n")
