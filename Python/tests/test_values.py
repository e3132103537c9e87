"""Values that must arrive unchanged, or must be refused. Needs no other models."""

import resource

import coremltools
import numpy as np
import pytest
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

import atelier

MODEL = coremltools.proto.Model_pb2.Model


def identity(kind, key=None):
    """A model that returns its input."""
    model = MODEL(specificationVersion=1)
    model.identity.SetInParent()
    for name, features in (("x", model.description.input), ("y", model.description.output)):
        feature = features.add(name=name)
        target = getattr(feature.type, kind)
        target.SetInParent()
        if key:
            getattr(target, key).SetInParent()
    return atelier.Model(model.SerializeToString())


def texts():
    return identity("dictionaryType", "stringKeyType")


def classifier(labels):
    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(3))], [("p", datatypes.Array(3))], mode="classifier"
    )
    builder.add_softmax("softmax", "x", "p")
    builder.set_class_labels(labels, prediction_blob="p")
    return coremltools.models.MLModel(builder.spec)


@pytest.mark.parametrize("text", ["", "a", "a\0b", "\0", "ü\0ß\0"])
def test_strings_keep_their_zero_characters(text):
    assert identity("stringType").predict({"x": text})["y"] == text
    assert texts().predict({"x": {text: 1.0, "c": 2.0}})["y"] == {text: 1.0, "c": 2.0}


def test_lists_keep_their_zero_characters():
    model = identity("sequenceType", "stringType")
    assert model.predict({"x": ["a\0b", "", "c"]})["y"] == ["a\0b", "", "c"]


def test_labels_keep_their_zero_characters():
    result = classifier(["a\0a", "a\0b", "c"]).predict({"x": np.array([1.0, 3.0, 2.0])})
    assert result["classLabel"] == "a\0b"
    assert set(result["p"]) == {"a\0a", "a\0b", "c"}


def test_names_and_paths_with_zero_characters_are_refused(tmp_path):
    with pytest.raises(ValueError, match="zero character"):
        texts().predict({"x\0y": {"a": 1.0}})
    with pytest.raises(ValueError, match="zero character"):
        atelier.Model(f"{tmp_path}/a.mlmodel\0b")


@pytest.mark.parametrize("mixed", [{"a": 1.0, 2: 1.0}, {2: 1.0, "a": 1.0}, {"a": 1.0, None: 1.0}])
def test_keys_of_several_types_are_a_type_error(mixed):
    with pytest.raises(TypeError, match="are mixed"):
        texts().predict({"x": mixed})


@pytest.mark.parametrize("mixed", [["a", 2], [2, "a"]])
def test_elements_of_several_types_are_a_type_error(mixed):
    with pytest.raises(TypeError, match="are mixed"):
        identity("sequenceType", "stringType").predict({"x": mixed})


def test_a_value_that_is_not_a_number_is_a_type_error():
    with pytest.raises(TypeError, match="is not a number"):
        texts().predict({"x": {"a": "b"}})


def test_numbers_beyond_64_bits_are_refused():
    with pytest.raises(OverflowError, match="does not fit into 64 bits"):
        identity("int64Type").predict({"x": 2**63})
    assert identity("int64Type").predict({"x": -(2**63)})["y"] == -(2**63)


def test_keys_of_one_type_come_back():
    whole = identity("dictionaryType", "int64KeyType")
    assert whole.predict({"x": {1: 2.0, np.int32(3): 4}})["y"] == {1: 2.0, 3: 4.0}
    assert texts().predict({"x": {}})["y"] == {}


def test_a_network_with_integer_labels():
    result = classifier([10, 20, 30]).predict({"x": np.array([1.0, 3.0, 2.0])})
    assert result["classLabel"] == 20
    assert set(result["p"]) == {10, 20, 30}


def test_nan_probabilities_are_an_error():
    with pytest.raises(RuntimeError, match="cannot name a class"):
        classifier(["a", "b", "c"]).predict({"x": np.array([1.0, np.nan, 2.0])})


def test_values_for_integer_inputs_are_truncated():
    builder = NeuralNetworkBuilder([("x", datatypes.Array(3))], [("y", datatypes.Array(3))])
    builder.add_activation("double", "LINEAR", "x", "y", [2, 1])
    model = builder.spec
    model.description.input[0].type.multiArrayType.dataType = (
        coremltools.proto.FeatureTypes_pb2.ArrayFeatureType.INT32
    )
    for dtype in (np.float64, np.float32):
        given = np.array([2.7, -2.7, 3], dtype)
        result = coremltools.models.MLModel(model).predict({"x": given})["y"]
        np.testing.assert_array_equal(result, [5, -3, 7])


def test_a_vectorizer_ignores_unknown_keys():
    model = MODEL(specificationVersion=1)
    feature = model.description.input.add(name="x")
    feature.type.dictionaryType.stringKeyType.SetInParent()
    array = model.description.output.add(name="y").type.multiArrayType
    array.shape.append(2)
    array.dataType = coremltools.proto.FeatureTypes_pb2.ArrayFeatureType.DOUBLE
    model.dictVectorizer.int64ToIndex.vector.extend([3, 5])
    result = coremltools.models.MLModel(model).predict({"x": {5: 2.0, 9: 1.0}})["y"]
    np.testing.assert_array_equal(result, [0, 2])


@pytest.mark.parametrize("count", [100, 100_000])
def test_an_output_stays_when_its_model_and_input_are_gone(count):
    builder = NeuralNetworkBuilder([("x", datatypes.Array(count))], [("y", datatypes.Array(count))])
    builder.add_activation("linear", "LINEAR", "x", "y", params=[2.0, 0.0])
    model = atelier.Model(builder.spec.SerializeToString())
    x = np.arange(count, dtype=np.float32)
    y = model.predict({"x": x})["y"]
    x[:] = 0
    model.close()
    del model
    np.testing.assert_array_equal(y, 2 * np.arange(count))


@pytest.mark.parametrize("count", [100, 100_000])
def test_predictions_do_not_share_outputs(count):
    builder = NeuralNetworkBuilder([("x", datatypes.Array(count))], [("y", datatypes.Array(count))])
    builder.add_activation("linear", "LINEAR", "x", "y", params=[2.0, 0.0])
    model = atelier.Model(builder.spec.SerializeToString())
    first = model.predict({"x": np.ones(count, np.float32)})["y"]
    second = model.predict({"x": np.zeros(count, np.float32)})["y"]
    assert first.flags.writeable and second.flags.writeable
    second += 1
    np.testing.assert_array_equal(first, np.full(count, 2.0))
    np.testing.assert_array_equal(second, np.ones(count))


def test_an_output_that_is_the_input_is_copied():
    spec = MODEL(specificationVersion=1)
    spec.identity.SetInParent()
    for name, features in (("x", spec.description.input), ("y", spec.description.output)):
        array = features.add(name=name).type.multiArrayType
        array.shape.append(100_000)
        array.dataType = coremltools.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
    x = np.ones(100_000, np.float32)
    y = atelier.Model(spec.SerializeToString()).predict({"x": x})["y"]
    x[:] = 0
    np.testing.assert_array_equal(y, np.ones(100_000))


def resident():
    """The process's resident memory in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_outputs_that_are_kept_do_not_keep_the_weights():
    builder = NeuralNetworkBuilder([("x", datatypes.Array(1024))], [("y", datatypes.Array(16384))])
    weights = np.ones((16384, 1024), np.float32)
    builder.add_inner_product("dense", weights, None, 1024, 16384, False, "x", "y")
    contents = builder.spec.SerializeToString()
    del builder
    model = atelier.Model(contents)
    y = model.predict({"x": np.ones(1024, np.float32)})["y"]
    loaded = resident()
    model.close()
    del model
    assert loaded - resident() > weights.nbytes / 2
    np.testing.assert_array_equal(y, np.full(16384, 1024))


@pytest.mark.parametrize("count", [3, 100_000])
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_float16_outputs_of_networks_become_float32(count, is_pipeline):
    builder = NeuralNetworkBuilder([("x", datatypes.Array(count))], [("y", datatypes.Array(count))])
    builder.add_activation("scaled", "LINEAR", "x", "y", [1 / 3, 0])
    spec = builder.spec
    spec.specificationVersion = 7
    feature_type = coremltools.proto.FeatureTypes_pb2.ArrayFeatureType
    spec.description.output[0].type.multiArrayType.dataType = feature_type.FLOAT16
    if is_pipeline:
        network, spec = spec, MODEL(specificationVersion=7)
        spec.pipeline.models.append(network)
        spec.description.CopyFrom(network.description)
    x = np.arange(1, count + 1, dtype=np.float32)
    y = atelier.Model(spec.SerializeToString()).predict({"x": x})["y"]
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, (x * np.float32(1 / 3)).astype(np.float16))


@pytest.mark.parametrize("count", [3, 100_000])
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_float16_outputs_of_programs_become_float32(count, is_pipeline):
    mb = coremltools.converters.mil.Builder
    types = coremltools.converters.mil.mil.types

    @mb.program(input_specs=[mb.TensorSpec((count,), types.fp16)], opset_version=coremltools.target.iOS16)
    def program(x):
        return mb.mul(x=x, y=np.float16(1 / 3), name="y")

    spec = coremltools.convert(program, minimum_deployment_target=coremltools.target.iOS16).get_spec()
    if is_pipeline:
        part, spec = spec, MODEL(specificationVersion=spec.specificationVersion)
        spec.pipeline.models.append(part)
        spec.description.CopyFrom(part.description)
    x = np.random.default_rng(3).uniform(-4, 4, count).astype(np.float16)
    y = atelier.Model(spec.SerializeToString()).predict({"x": x})["y"]
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, x * np.float16(1 / 3))
