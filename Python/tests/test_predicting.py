"""The module through coremltools, and the package alone. Needs the models in ../shared."""

import concurrent.futures
import os
import pathlib
import re
import time

import coremltools
import numpy as np
import PIL.Image
import pytest

import atelier

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("ATELIER_SHARED", ROOT.parent / "shared"))
HEIGHT_WEIGHT = SHARED / "models/classical/HeightWeight_model.mlmodel"
DIGITS = SHARED / "models/digits"
CANDY = SHARED / "models/fns-style/FNSCandy.mlmodel"
PHOTO = SHARED / "pictures/photos/skimage-astronaut.png"

pytestmark = pytest.mark.skipif(not HEIGHT_WEIGHT.exists(), reason=f"no models in {SHARED}")

# The model is weight = 7.64754963 · height − 348.578766, in float32.
WEIGHT_OF_70 = 186.749708


@pytest.fixture(scope="module")
def linear():
    return coremltools.models.MLModel(str(HEIGHT_WEIGHT))


def weight(model, height):
    return model.predict({"height": height})["weight"]


def test_a_model_predicts_unpatched(linear):
    result = weight(linear, np.array([70.0]))
    assert result.dtype == np.float64 and result.shape == (1,)
    assert result[0] == pytest.approx(WEIGHT_OF_70, rel=1e-6)


def test_a_batch_is_a_list(linear):
    results = linear.predict([{"height": np.array([h])} for h in (60.0, 70.0, 80.0)])
    weights = [result["weight"][0] for result in results]
    assert weights[1] == pytest.approx(WEIGHT_OF_70, rel=1e-6)
    assert weights[2] - weights[1] == pytest.approx(weights[1] - weights[0], rel=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int8])
def test_numbers_of_every_type_are_accepted(dtype):
    model = atelier.Model(HEIGHT_WEIGHT)
    assert weight(model, np.array([70], dtype))[0] == pytest.approx(WEIGHT_OF_70, rel=1e-6)


def test_other_numbers_are_refused_as_on_a_mac(linear):
    with pytest.raises(RuntimeError, match="Unsupported array type: u with itemsize = 1"):
        weight(linear, np.array([70], np.uint8))


@pytest.mark.parametrize("take", ["[::-1]", "[::2, ::-1]", ".T", "[1:, 1:]"])
def test_arrays_with_any_strides_are_read_correctly(take):
    model = atelier.Model(sum_model())
    numbers = np.arange(24, dtype=np.float64).reshape(4, 6)
    part = eval(f"numbers{take}")
    expected = model.predict({"x": np.ascontiguousarray(part)})["y"]
    np.testing.assert_array_equal(model.predict({"x": part})["y"], expected)
    np.testing.assert_array_equal(expected, part.astype(np.float32) + 1)


def sum_model():
    """y = x + 1 for a matrix of any size, as the bytes of a model."""
    builder = coremltools.models.neural_network.NeuralNetworkBuilder(
        [("x", coremltools.models.datatypes.Array(4, 6))],
        [("y", None)],
        disable_rank5_shape_mapping=True,
    )
    builder.add_activation("plus", "LINEAR", "x", "y", [1, 1])
    flexible = coremltools.models.neural_network.flexible_shape_utils
    flexible.set_multiarray_ndshape_range(builder.spec, "x", [1, 1], [-1, -1])
    return builder.spec.SerializeToString()


def test_a_wrong_shape_names_the_input(linear):
    with pytest.raises(RuntimeError, match="^[^{]*height.*3 × 3"):
        weight(linear, np.zeros((3, 3)))


def test_linear_layers_quantise_their_inputs_on_request(tmp_path):
    features = [(name, coremltools.models.datatypes.Array(64)) for name in "xy"]
    builder = coremltools.models.neural_network.NeuralNetworkBuilder(features[:1], features[1:])
    weights = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    builder.add_inner_product("layer", weights, None, 64, 64, False, "x", "y")
    path = str(tmp_path / "model.mlmodel")
    coremltools.models.utils.save_spec(builder.spec, path)
    x = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    exact = np.ravel(atelier.Model(path).predict({"x": x})["y"])
    made = np.ravel(atelier.Model(path, quantize="dynamic").predict({"x": x})["y"])
    assert 0 < np.linalg.norm(made - exact) < 0.02 * np.linalg.norm(exact)
    with pytest.raises(atelier.Error, match='quantize is \'static\', expected "dynamic" or None.'):
        atelier.Model(path, quantize="static")


def test_a_damaged_model_cannot_be_loaded(tmp_path):
    path = tmp_path / "damaged.mlmodel"
    path.write_bytes(HEIGHT_WEIGHT.read_bytes()[:-9])
    with pytest.raises(atelier.Error):
        atelier.Model(path)


def test_a_classifier_gives_a_label_and_probabilities():
    model = coremltools.models.MLModel(str(DIGITS / "mnistCNN.mlmodel"))
    picture = PIL.Image.open(DIGITS / "digits.png").convert("L").resize((28, 28))
    result = model.predict({"image": picture})
    assert set(result["output"]) == set("0123456789")
    assert sum(result["output"].values()) == pytest.approx(1, abs=1e-4)
    assert result["classLabel"] == max(result["output"], key=result["output"].get)


def test_rgb_and_rgba_images_give_the_same_output():
    model = atelier.Model(CANDY, compute_units="CPU_ONLY")
    photo = PIL.Image.open(PHOTO).convert("RGB").resize((720, 720))
    from_rgb = model.predict({"inputImage": photo})["outputImage"]
    from_rgba = model.predict({"inputImage": photo.convert("RGBA")})["outputImage"]
    assert from_rgb.mode == "RGBA" and from_rgb.size == (720, 720)
    assert from_rgb.tobytes() == from_rgba.tobytes()


def test_compiled_models_and_assets_predict(linear, tmp_path):
    compiled = coremltools.models.utils.compile_model(
        str(HEIGHT_WEIGHT), str(tmp_path / "compiled.mlmodelc")
    )
    asset = coremltools.models.model.MLModelAsset.from_memory(HEIGHT_WEIGHT.read_bytes())
    for model in (
        coremltools.models.CompiledMLModel(compiled),
        coremltools.models.CompiledMLModel(linear.get_compiled_model_path()),
        coremltools.models.CompiledMLModel.from_asset(asset),
    ):
        assert weight(model, np.array([70.0]))[0] == pytest.approx(WEIGHT_OF_70, rel=1e-6)


def test_many_threads_get_their_own_answers(linear):
    heights = [50 + i / 10 for i in range(400)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        weights = list(pool.map(lambda h: weight(linear, np.array([h]))[0], heights))
    expected = [weight(linear, np.array([h]))[0] for h in heights]
    assert weights == expected


def test_the_description_lists_the_inputs():
    description = atelier.Model(HEIGHT_WEIGHT).description
    assert description["inputs"] == [
        {"name": "height", "kind": "array", "isOptional": False, "elementType": "float64", "shape": [1]}
    ]


def test_a_call_costs_less_than_100_microseconds(linear):
    """Takes the best batch of calls within ten seconds: other programs on the machine slow whole batches down."""
    inputs = {"height": np.array([70.0])}
    best = float("inf")
    end = time.monotonic() + 10
    while best >= 100 and time.monotonic() < end:
        times = []
        for _ in range(200):
            start = time.perf_counter_ns()
            linear.predict(inputs)
            times.append(time.perf_counter_ns() - start)
        best = min(best, sorted(times)[len(times) // 2] / 1000)
    print(f"{best:.1f} µs")
    assert best < 100


@pytest.mark.parametrize("page", ["README.md", "Python/README.md"])
def test_the_program_in_the_readme_runs(page, tmp_path, monkeypatch):
    program = re.search(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)[1]
    assert len(program.strip().splitlines()) == 5
    (tmp_path / "Gallery").symlink_to(ROOT / "Gallery")
    monkeypatch.chdir(tmp_path)
    exec(program)
    painting = PIL.Image.open(tmp_path / "painting.png")
    assert painting.size == (512, 512)
    assert len(set(np.asarray(painting).reshape(-1, 3)[::97].sum(axis=1).tolist())) > 50
