"""The calls that work in every version of coremltools from 7 on. `make conformance GROUPS=versions` runs them with
the last releases of 7 and 8."""

import os
import shutil

import coremltools
import numpy as np
import pytest
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder


@pytest.fixture(scope="module")
def model():
    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(3))], [("y", None)], disable_rank5_shape_mapping=True
    )
    builder.add_activation("relu", "RELU", "x", "y")
    return coremltools.models.MLModel(
        builder.spec, compute_units=coremltools.ComputeUnit.CPU_ONLY
    )


def test_a_model_made_here_predicts(model):
    assert model.predict({"x": np.array([-1.0, 2.0, 3.0])})["y"].tolist() == [0, 2, 3]


def test_a_batch_predicts(model):
    batch = [{"x": np.array([-1.0, 2.0, 3.0])}, {"x": np.array([1.0, -2.0, 3.0])}]
    assert [result["y"].tolist() for result in model.predict(batch)] == [[0, 2, 3], [1, 0, 3]]


def test_a_saved_model_predicts(model, tmp_path):
    path = str(tmp_path / "relu.mlmodel")
    model.save(path)
    loaded = coremltools.models.MLModel(path)
    assert loaded.predict({"x": np.array([-4.0, 5.0, 0.0])})["y"].tolist() == [0, 5, 0]


def test_a_compiled_model_predicts(model, tmp_path):
    folder = str(tmp_path / "relu.mlmodelc")
    shutil.copytree(model.get_compiled_model_path(), folder)
    compiled = coremltools.models.CompiledMLModel(folder)
    assert compiled.predict({"x": np.array([-4.0, 5.0, 0.0])})["y"].tolist() == [0, 5, 0]


def test_a_wrong_shape_is_a_runtime_error(model):
    with pytest.raises(RuntimeError):
        model.predict({"x": np.zeros(4)})


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(Exception):
        coremltools.models.MLModel(os.fspath(tmp_path / "none.mlmodel"))
