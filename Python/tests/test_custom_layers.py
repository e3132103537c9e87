"""Custom layers in Python: their memory, arrays that they keep, and predictions with their own model."""

import threading

import atelier
import numpy as np
import pytest
from coremltools.proto import Model_pb2

FLOAT32 = 65568


def network(count):
    """A model from `x` to `y`, both one-dimensional, and its network."""
    model = Model_pb2.Model(specificationVersion=4)
    for feature in (model.description.input.add(name="x"), model.description.output.add(name="y")):
        feature.type.multiArrayType.shape.append(count)
        feature.type.multiArrayType.dataType = FLOAT32
    model.neuralNetwork.arrayInputShapeMapping = 1
    return model, model.neuralNetwork


def add(layers, source, target, class_name=None):
    layer = layers.add(name=f"{source} to {target}", input=[source], output=[target])
    if class_name is None:
        layer.copy.SetInParent()
    else:
        layer.custom.className = class_name


def looped(class_name, count=4):
    """A custom layer that is applied three times."""
    model, made = network(count)
    add(made.layers, "x", "v")
    loop = made.layers.add(name="loop").loop
    loop.maxLoopIterations = 3
    add(loop.bodyNetwork.layers, "v", "t", class_name)
    add(loop.bodyNetwork.layers, "t", "v")
    add(made.layers, "v", "y")
    return atelier.Model(model.SerializeToString(), compute_units="CPU_ONLY")


class PlusOne:
    kept = []

    def __init__(self, parameters, weights):
        pass

    def output_shape(self, shape):
        return shape

    def evaluate(self, x):
        PlusOne.kept.append(x)
        return x + 1


def test_a_layer_in_a_loop_may_keep_its_inputs():
    atelier.register_custom_layer("PlusOne", PlusOne)
    model = looped("PlusOne")
    PlusOne.kept.clear()
    for start in (0, 10, 20):
        y = model.predict({"x": np.full(4, start, np.float32)})["y"]
        np.testing.assert_array_equal(y, np.full(4, start + 3, np.float32))
    seen = [array[0] for array in PlusOne.kept]
    assert seen == [start + step for start in (0, 10, 20) for step in range(3)]


@pytest.mark.parametrize("own_thread", [False, True])
def test_a_layer_may_predict_with_its_own_model(own_thread):
    class Counts(PlusOne):
        """f(x) = x < 1 ? 0 : f(x - 1) + 1"""

        model = None

        def ask(self, x):
            return Counts.model.predict({"x": x - 1})["y"] + 1

        def evaluate(self, x):
            if x[0] < 1:
                return np.zeros_like(x)
            if not own_thread:
                return self.ask(x)
            answers = []
            thread = threading.Thread(target=lambda: answers.append(self.ask(x)))
            thread.start()
            thread.join(30)
            return answers[0]

    name = f"Counts {own_thread}"
    atelier.register_custom_layer(name, Counts)
    model, made = network(1)
    add(made.layers, "x", "y", name)
    Counts.model = atelier.Model(model.SerializeToString(), compute_units="CPU_ONLY")
    assert Counts.model.predict({"x": np.array([3.5], np.float32)})["y"][0] == 3
