"""Trains s4tf_house_simplified_trainable_model on housing.csv, in NumPy and float64.

    python housing_losses.py ../../../../shared > housing_losses.json

Needs coremltools (to read the weights) and NumPy. Forward pass, gradients and optimisers are implemented here and
share no code with Atelier. The order of the examples comes from SplitMix64 and the Fisher-Yates shuffle, separately
for each epoch. The loss of an epoch is the mean over its examples, each measured before the step that uses it.

With the file's learning rate of 0.001 the training is chaotic: in float32, this program diverges from its float64
results by more than 1 % from epoch 341 on, and by up to 23 %. Therefore "sgd" is compared only until epoch 250, and
"slow" (0.0003; float32 diverges by 0.06 %) over all 500 epochs.
"""

import json
import sys

import coremltools
import numpy as np

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

    def order(self, count):
        places = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.next() % (last + 1)
            places[last], places[other] = places[other], places[last]
        return places


class Network:
    """The model's network: two embeddings concatenated with eleven numbers, three dense layers."""

    def __init__(self, layers):
        by_name = {layer.name: layer for layer in layers}

        def matrix(weights, rows):
            return np.array(weights.floatValue, np.float64).reshape(rows, -1)

        # Embeddings are stored as the weights of an inner product: one row for each output.
        self.embeddings = [
            matrix(by_name[name].embedding.weights, by_name[name].embedding.outputChannels).T
            for name in ("embedding1", "embedding2")
        ]
        self.dense = []
        for name in ("dense1", "dense2", "dense3"):
            product = by_name[name].innerProduct
            self.dense.append(matrix(product.weights, product.outputChannels))
            self.dense.append(np.array(product.bias.floatValue, np.float64))

    def step(self, numbers, first, second, truth):
        """The losses of the examples, and the gradients of their mean."""
        x = np.concatenate([numbers, self.embeddings[0][first], self.embeddings[1][second]], 1)
        w1, b1, w2, b2, w3, b3 = self.dense
        z1 = x @ w1.T + b1
        h1 = np.maximum(z1, 0)
        z2 = h1 @ w2.T + b2
        h2 = np.maximum(z2, 0)
        y = (h2 @ w3.T + b3)[:, 0]
        losses = (y - truth) ** 2
        dy = (2 * (y - truth) / len(truth))[:, None]
        dz2 = (dy @ w3) * (z2 > 0)
        dz1 = (dz2 @ w2) * (z1 > 0)
        return losses, [dz1.T @ x, dz1.sum(0), dz2.T @ h1, dz2.sum(0), dy.T @ h2, dy.sum(0)]


def sgd(momentum):
    velocity = {}

    def update(index, value, gradient, rate, step):
        velocity[index] = momentum * velocity.get(index, 0) + gradient
        value -= rate * velocity[index]

    return update


def adam(beta1, beta2, epsilon):
    moments = {}

    def update(index, value, gradient, rate, step):
        m, v = moments.get(index, (0, 0))
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
        moments[index] = (m, v)
        value -= rate * (m / (1 - beta1**step)) / (np.sqrt(v / (1 - beta2**step)) + epsilon)

    return update


def train(layers, data, update, rate, epochs, batch, shuffles):
    network = Network(layers)
    generator = SplitMix64(0)
    count, step, result = len(data[3]), 0, []
    for _ in range(epochs):
        order = generator.order(count) if shuffles else list(range(count))
        total = 0.0
        for start in range(0, count, batch):
            part = order[start : start + batch]
            losses, gradients = network.step(*(column[part] for column in data))
            total += losses.sum()
            step += 1
            for index, gradient in enumerate(gradients):
                update(index, network.dense[index], gradient, rate, step)
        result.append(total / count)
    return result


def main(shared):
    folder = shared + "/models/updatable-housing/"
    spec = coremltools.utils.load_spec(folder + "s4tf_house_simplified_trainable_model.mlmodel")
    table = np.loadtxt(folder + "housing.csv")
    categories = [np.unique(table[:, column], return_inverse=True)[1] for column in (3, 8)]
    numbers = np.delete(table[:, :13], [3, 8], axis=1)
    numbers = (numbers - numbers.mean(0)) / numbers.std(0)
    data = (numbers.astype(np.float32).astype(np.float64), *categories, table[:, 13])
    layers = spec.neuralNetwork.layers
    runs = {
        "sgd": train(layers, data, sgd(0.0), 0.001, 500, 32, False),
        "slow": train(layers, data, sgd(0.0), 0.0003, 500, 32, True),
        "momentum": train(layers, data, sgd(0.9), 0.0005, 60, 32, True),
        "adam": train(layers, data, adam(0.9, 0.999, 1e-8), 0.01, 60, 50, True),
    }
    print(json.dumps({name: [round(x, 6) for x in run] for name, run in runs.items()}))


main(sys.argv[1])
