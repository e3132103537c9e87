"""coremltools' tools that predict: quantising activations, inspecting, comparing, timing."""

import asyncio

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb

compression = pytest.importorskip("coremltools.optimize.coreml")
debugging = pytest.importorskip("coremltools.models.ml_program.experimental.debugging_utils")
timing = pytest.importorskip("coremltools.models.ml_program.experimental.perf_utils")


def make(precision=coremltools.precision.FLOAT32, shift=1.0):
    draw = np.random.default_rng(0).standard_normal
    weights = (draw((32, 16)) / 4).astype(np.float32), np.abs(draw((8, 32)) / 4).astype(np.float32)

    @mb.program(
        input_specs=[mb.TensorSpec(shape=(4, 16))], opset_version=coremltools.target.iOS17)
    def network(x):
        bias = np.full(32, shift, np.float32)
        hidden = mb.relu(x=mb.linear(x=x, weight=weights[0], bias=bias, name="shifted"))
        grown = mb.mul(x=hidden, y=hidden, name="grown")
        return mb.linear(x=grown, weight=weights[1], bias=np.zeros(8, np.float32), name="y")

    return coremltools.convert(
        network, convert_to="mlprogram", compute_precision=precision,
        minimum_deployment_target=coremltools.target.iOS17)


def samples(count):
    draw = np.random.default_rng(1).standard_normal
    return [{"x": draw((4, 16)).astype(np.float32)} for _ in range(count)]


def answer(model, inputs):
    return next(iter(model.predict(inputs).values()))


def test_activations_are_quantized_with_sample_data():
    experimental = pytest.importorskip("coremltools.optimize.coreml.experimental")
    config = compression.OptimizationConfig(
        global_config=experimental.OpActivationLinearQuantizerConfig(mode="linear_symmetric"))
    model = make(coremltools.precision.FLOAT16)
    quantised = experimental.linear_quantize_activations(model, config, samples(8))
    kinds = [operation.op_type for operation in quantised._mil_program.functions["main"].operations]
    assert "quantize" in kinds and "dequantize" in kinds
    for inputs in samples(4):
        # coremltools averages the ranges of its samples, so the largest values are clipped.
        exact = answer(model, inputs)
        difference = np.abs(answer(quantised, inputs) - exact)
        assert 0 < np.median(difference) < 0.02 * np.abs(exact).max()


def test_values_inside_a_model_are_inspected():
    inspector = debugging.MLModelInspector(make())

    async def run():
        return {
            name: value async for name, value in inspector.inspect(inputs=samples(1)[0])}

    values = asyncio.run(run())
    assert values["grown"].shape == (4, 32)
    assert (values["grown"] >= 0).all()


def test_an_operation_that_overflows_float16_is_found():
    validator = debugging.MLModelValidator(make(coremltools.precision.FLOAT16, shift=300.0))
    found = asyncio.run(validator.find_failing_ops_with_infinite_output(samples(1)[0]))
    assert any("grown" in output.name for operation in found for output in operation.outputs)


def test_two_models_are_compared_operation_by_operation():
    comparator = debugging.MLModelComparator(make(), make(shift=2.0))

    def agree(operation, expected, found):
        return np.allclose(expected, found, atol=1e-4)

    found = asyncio.run(comparator.find_failing_ops(samples(1)[0], agree))
    assert any("shifted" in output.name for operation in found for output in operation.outputs)


def test_loading_and_predicting_are_timed():
    benchmarker = timing.MLModelBenchmarker(make())
    load = asyncio.run(benchmarker.benchmark_load(iterations=2))
    assert len(load.samples) == 2 and min(load.samples) > 0
    predict = asyncio.run(benchmarker.benchmark_predict(iterations=3))
    assert len(predict.samples) == 3 and min(predict.samples) > 0
