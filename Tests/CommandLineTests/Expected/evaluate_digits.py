"""Computes the expected results of `atelier evaluate` on 500 digits: the network in NumPy, without Atelier.

    python evaluate_digits.py ../../../../shared/models/digits > evaluate_digits.json

Needs coremltools (only for the message types), NumPy and Pillow.
"""

import json
import sys

import numpy
from coremltools.proto import Model_pb2
from PIL import Image

folder = sys.argv[1]
model = Model_pb2.Model()
with open(folder + "/mnistCNN.mlmodel", "rb") as file:
    model.ParseFromString(file.read())
network = model.neuralNetworkClassifier
labels = list(network.stringClassLabels.vector)
scale = network.preprocessing[0].scaler.channelScale if network.preprocessing else 1.0
bias = network.preprocessing[0].scaler.grayBias if network.preprocessing else 0.0


def convolve(x, layer):
    c = layer.convolution
    assert c.isDeconvolution is False and c.nGroups in (0, 1)
    kernel = numpy.array(c.weights.floatValue).reshape(
        c.outputChannels, c.kernelChannels, *c.kernelSize)
    assert c.WhichOneof("ConvolutionPaddingType") == "valid"
    height, width = c.kernelSize
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (height, width), axis=(1, 2))
    y = numpy.einsum("chwij,ocij->ohw", windows, kernel)
    return y + numpy.array(c.bias.floatValue)[:, None, None] if c.hasBias else y


def pool(x, layer):
    p = layer.pooling
    assert p.type == 0 and p.WhichOneof("PoolingPaddingType") == "valid"
    windows = numpy.lib.stride_tricks.sliding_window_view(x, tuple(p.kernelSize), axis=(1, 2))
    return windows[:, :: p.stride[0], :: p.stride[1]].max(axis=(3, 4))


def run(image):
    x = image[None].astype(numpy.float64) * scale + bias
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind == "convolution":
            x = convolve(x, layer)
        elif kind == "pooling":
            x = pool(x, layer)
        elif kind == "activation":
            assert layer.activation.WhichOneof("NonlinearityType") == "ReLU"
            x = numpy.maximum(x, 0)
        elif kind == "flatten":
            x = x.transpose(1, 2, 0) if layer.flatten.mode == 1 else x
            x = x.reshape(-1)
        elif kind == "innerProduct":
            p = layer.innerProduct
            weights = numpy.array(p.weights.floatValue).reshape(p.outputChannels, p.inputChannels)
            x = weights @ x + numpy.array(p.bias.floatValue)
        elif kind == "softmax":
            x = numpy.exp(x - x.max())
            x /= x.sum()
    return x


sheet = numpy.array(Image.open(folder + "/digits.png").convert("L"))
matrix = numpy.zeros((10, 10), int)
top5 = 0
for row in range(50):
    for column in range(row % 10, 100, 10):
        image = numpy.zeros((28, 28))
        image[4:24, 4:24] = sheet[row * 20 : row * 20 + 20, column * 20 : column * 20 + 20]
        probabilities = run(image)
        order = numpy.argsort(-probabilities, kind="stable")
        matrix[row // 5, int(labels[order[0]])] += 1
        top5 += str(row // 5) in [labels[i] for i in order[:5]]
print(json.dumps({
    "confusionMatrix": matrix.tolist(), "top1": int(matrix.trace()), "top5": int(top5)}))
