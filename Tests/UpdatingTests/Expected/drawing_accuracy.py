"""Computes the accuracy of scikit-learn's k-NN on the drawings that DrawingClassifierTests draws.

    python drawing_accuracy.py ../../../../shared

Needs coremltools (to read the weights), NumPy (to compute the embeddings) and scikit-learn. For each of ten draws,
three drawings of each class are the examples, and the next hundred of each class are classified. The draws come
from SplitMix64, as in the Swift test.
"""

import sys

import coremltools
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.neighbors import KNeighborsClassifier

CLASSES = ["cats", "rainbows", "trains"]
MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def order(count, generator):
    """Fisher-Yates shuffle. It uses remainders, whose slight bias is the same in both programs."""
    places = list(range(count))
    for last in range(count - 1, 0, -1):
        other = generator.next() % (last + 1)
        places[last], places[other] = places[other], places[last]
    return places


def embeddings(network, pictures):
    x = pictures.astype(np.float64)[:, None]
    for layer in network.layers:
        kind = layer.WhichOneof("layer")
        if kind == "convolution":
            p = layer.convolution
            w = np.array(p.weights.floatValue).reshape(p.outputChannels, p.kernelChannels, 3, 3)
            windows = sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))
            x = np.einsum("nchwij,ocij->nohw", windows, w, optimize=True)
            x += np.array(p.bias.floatValue)[None, :, None, None]
        elif kind == "activation":
            x = np.maximum(x, 0)
        elif kind == "pooling":
            h, w = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
            x = x[:, :, :h, :w].reshape(*x.shape[:2], h // 2, 2, w // 2, 2).max((3, 5))
        elif kind == "flatten":
            x = x.transpose(0, 2, 3, 1).reshape(len(x), -1)
        elif kind == "innerProduct":
            p = layer.innerProduct
            w = np.array(p.weights.floatValue).reshape(p.outputChannels, p.inputChannels)
            x = x @ w.T + np.array(p.bias.floatValue)
        else:
            raise ValueError(kind)
    return x


def main(shared):
    folder = shared + "/models/updatable-drawing/"
    spec = coremltools.utils.load_spec(folder + "UpdatableDrawingClassifier.mlmodel")
    network = spec.pipelineClassifier.pipeline.models[0].neuralNetwork
    points = []
    for name in CLASSES:
        data = np.fromfile(folder + name + "1000.bin", np.uint8).reshape(1000, 28, 28)
        points.append(embeddings(network, data))
    results = {"distance": [], "squared": []}
    for draw in range(10):
        generator = SplitMix64(draw)
        orders = [order(1000, generator) for _ in CLASSES]
        examples = np.concatenate([p[o[:3]] for p, o in zip(points, orders)])
        asked = np.concatenate([p[o[3:103]] for p, o in zip(points, orders)])
        labels, truth = np.repeat([0, 1, 2], 3), np.repeat([0, 1, 2], 100)
        for name, weights in [("distance", "distance"), ("squared", lambda d: 1 / d**2)]:
            classifier = KNeighborsClassifier(n_neighbors=5, weights=weights).fit(examples, labels)
            results[name].append(int((classifier.predict(asked) == truth).sum()))
    for name, right in results.items():
        print(name, right, "mean accuracy", np.mean(right) / 300)


main(sys.argv[1])
