"""Compression of weights from Python."""

import os

import numpy
import pytest

import atelier

coremltools = pytest.importorskip("coremltools")
from coremltools.models.neural_network import NeuralNetworkBuilder  # noqa: E402


def product(inputs=64, outputs=48):
    numbers = numpy.random.RandomState(0).randn(outputs, inputs).astype("float32")
    array = coremltools.models.datatypes.Array
    builder = NeuralNetworkBuilder([("x", array(inputs))], [("y", array(outputs))])
    builder.add_inner_product("p", numbers, None, inputs, outputs, False, "x", "y")
    return coremltools.models.MLModel(builder.spec), numbers


@pytest.mark.parametrize("mode", ["linear", "linear-symmetric", "kmeans"])
def test_8_bit_weights_are_accurate_and_small(mode, tmp_path):
    model, numbers = product()
    small = atelier.compress(model, 8, mode)
    x = numpy.random.RandomState(1).randn(64)
    known = numbers @ x
    found = small.predict({"x": x})["y"]
    assert 0 < numpy.abs(found - known).max() < 0.03 * numpy.abs(known).max()
    paths = [os.fspath(tmp_path / name) for name in ("large.mlmodel", "small.mlmodel")]
    model.save(paths[0])
    small.save(paths[1])
    assert os.path.getsize(paths[1]) < 0.4 * os.path.getsize(paths[0])


def test_compressing_with_a_given_table():
    model, _ = product()
    small = atelier.compress(model, 1, table=[-1, 1])
    assert set(small.predict({"x": numpy.eye(64)[3]})["y"]) == {-1, 1}


def test_impossible_options_are_errors():
    model, _ = product()
    with pytest.raises(atelier.Error, match="Only ML Programs"):
        atelier.compress(model, 4, group_size=8)
    with pytest.raises(atelier.Error, match="expected 16 or 1 to 8"):
        atelier.compress(model, 12)
