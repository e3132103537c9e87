"""The structure of models, the costs of their parts, and the contents of states, through coremltools."""

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

plans = pytest.importorskip("coremltools.models.compute_plan")


@pytest.fixture(scope="module")
def program():
    weights = np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 32, 32))])
    def network(x):
        return mb.relu(x=mb.conv(x=x, weight=weights, pad_type="same"), name="y")

    return coremltools.convert(
        network,
        convert_to="mlprogram",
        compute_precision=coremltools.precision.FLOAT32,
        compute_units=coremltools.ComputeUnit.CPU_ONLY,
    )


@pytest.fixture(scope="module")
def plan(program):
    return plans.MLComputePlan.load_from_path(program.get_compiled_model_path())


def operations(plan):
    return plan.model_structure.program.functions["main"].block.operations


def test_the_structure_names_operations_and_what_they_read(program):
    structure = plans.MLModelStructure.load_from_path(program.get_compiled_model_path())
    assert structure.neuralnetwork is None and structure.pipeline is None
    function = structure.program.functions["main"]
    assert [value.name for value in function.inputs] == ["x"]
    last = function.block.operations[-1]
    assert last.operator_name == "relu"
    assert [value.name for value in last.outputs] == function.block.output_names == ["y"]
    conv = next(op for op in function.block.operations if op.operator_name == "conv")
    assert last.inputs["x"].bindings[0].name == conv.outputs[0].name


def test_shares_add_up_and_the_convolution_is_the_largest(plan):
    costs = {
        op.operator_name: plan.get_estimated_cost_for_mlprogram_operation(op)
        for op in operations(plan)
    }
    assert costs.pop("const") is None
    assert sum(cost.weight for cost in costs.values()) == pytest.approx(1)
    assert costs["conv"].weight > costs["relu"].weight > 0


def test_everything_runs_on_the_processor(plan):
    for operation in operations(plan):
        usage = plan.get_compute_device_usage_for_mlprogram_operation(operation)
        if operation.operator_name == "const":
            assert usage is None
        else:
            device = usage.preferred_compute_device
            assert isinstance(device, coremltools.models.compute_device.MLCPUComputeDevice)


def test_a_state_can_be_updated_read_and_written():
    @mb.program(
        input_specs=[
            mb.TensorSpec(shape=(2,), dtype=types.fp16),
            mb.StateTensorSpec((2,), dtype=types.fp16),
        ],
        opset_version=coremltools.target.iOS18,
    )
    def sums(x, total):
        new = mb.add(x=mb.read_state(input=total), y=x)
        mb.coreml_update_state(state=total, value=new)
        return mb.identity(x=new, name="y")

    model = coremltools.convert(
        sums, convert_to="mlprogram", minimum_deployment_target=coremltools.target.iOS18
    )
    first, second = model.make_state(), model.make_state()
    for _ in range(3):
        result = model.predict({"x": np.array([1.0, 2.0])}, first)
    assert result["y"].tolist() == [3, 6]
    assert first.read_state("total").tolist() == [3, 6]
    assert second.read_state("total").tolist() == [0, 0]
    second.write_state("total", np.array([10.0, 20.0]))
    assert model.predict({"x": np.array([1.0, 2.0])}, second)["y"].tolist() == [11, 22]
    with pytest.raises(RuntimeError):
        first.read_state("none")
