"""atelier.batch on one machine: order, memory, failing inputs; and the columns that Ray, Spark and pandas hand over."""

import io
import itertools
import os
import pathlib
import pickle
import threading

import coremltools
import numpy as np
import PIL.Image
import pytest
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

import atelier
from atelier import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]
STYLE = "starry-night"

os.environ.setdefault("ATELIER_GALLERY", str(ROOT / "Gallery"))


@pytest.fixture(scope="module")
def doubling(tmp_path_factory):
    """y = 2 · x for x of 4 numbers."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))])
    def program(x):
        return mb.mul(x=x, y=np.float32(2), name="y")

    path = tmp_path_factory.mktemp("batch") / "Doubling.mlpackage"
    coremltools.convert(program, convert_to="mlprogram", compute_precision=coremltools.precision.FLOAT32).save(str(path))
    return path


@pytest.fixture(scope="module")
def sums(tmp_path_factory):
    """sum = a + b · c, of three inputs of different types."""

    @mb.program(
        input_specs=[
            mb.TensorSpec(shape=(1, 3)),
            mb.TensorSpec(shape=(1, 3)),
            mb.TensorSpec(shape=(1,), dtype=types.int32),
        ]
    )
    def program(a, b, c):
        return mb.add(x=a, y=mb.mul(x=b, y=mb.cast(x=c, dtype="fp32")), name="sum")

    path = tmp_path_factory.mktemp("batch") / "Sums.mlpackage"
    coremltools.convert(program, convert_to="mlprogram", compute_precision=coremltools.precision.FLOAT32).save(str(path))
    return path


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """Classifies a picture of 4 × 4 pixels by the mean of its red, green and blue."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 4, 4))])
    def program(image):
        return mb.softmax(x=mb.reduce_mean(x=image, axes=[2, 3]), axis=1, name="probabilities")

    path = tmp_path_factory.mktemp("batch") / "Colours.mlpackage"
    coremltools.convert(
        program,
        convert_to="mlprogram",
        inputs=[coremltools.ImageType(name="image", shape=(1, 3, 4, 4), scale=1 / 255)],
        classifier_config=coremltools.ClassifierConfig(["red", "green", "blue"]),
        compute_precision=coremltools.precision.FLOAT32,
    ).save(str(path))
    return path


def numbers(count):
    return [{"x": np.full((1, 4), number, np.float32)} for number in range(count)]


def coloured(*colours, size=(4, 4)):
    return np.stack([np.full((size[1], size[0], 3), colour, np.uint8) for colour in colours])


def encoded(array, form="PNG"):
    file = io.BytesIO()
    PIL.Image.fromarray(array).save(file, form)
    return file.getvalue()


def objects(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_inputs(doubling, workers):
    results = list(batch.predict(doubling, numbers(50), workers=workers))
    assert [result.index for result in results] == list(range(50))
    assert [result.outputs["y"][0, 3] for result in results] == [2 * number for number in range(50)]


def test_a_failing_input_is_named_and_the_rest_is_predicted(doubling):
    inputs = numbers(20)
    inputs[7] = {"x": np.zeros((1, 5), np.float32)}
    inputs[11] = {"z": 1}
    results = list(batch.predict(doubling, inputs, workers=3))
    assert [result.index for result in results if result.error] == [7, 11]
    assert str(results[7].error).startswith("Input 7: ") and "\n" not in str(results[7].error)
    assert all(result.outputs["y"][0, 0] == 2 * result.index for result in results if not result.error)


def test_a_path_names_its_input(doubling, tmp_path):
    (tmp_path / "a").write_text("3")
    paths = [tmp_path / "a", tmp_path / "b"]

    def read(path):
        return {"x": np.full((1, 4), float(path.read_text()), np.float32)}

    first, second = batch.predict(doubling, paths, prepare=read, finish=lambda outputs: outputs["y"].sum())
    assert (first.name, first.outputs) == (str(tmp_path / "a"), 24)
    assert f"Input 1 ({tmp_path / 'b'}): FileNotFoundError" in str(second.error)


def test_inputs_are_taken_only_as_far_as_ahead(doubling):
    taken = itertools.count()
    seen = []

    def endless():
        for number in taken:
            seen.append(number)
            yield {"x": np.full((1, 4), number, np.float32)}

    results = batch.predict(doubling, endless(), workers=2, ahead=6)
    for _ in range(30):
        result = next(results)
        assert len(seen) - result.index <= 6
    results.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("atelier-batch")]


def test_progress_counts_failures(doubling, capfd):
    steps = []
    inputs = [*numbers(3), {}]
    list(batch.predict(doubling, inputs, workers=2, progress=lambda *step: steps.append(step)))
    assert steps == [(1, 4, 0), (2, 4, 0), (3, 4, 0), (4, 4, 1)]
    list(batch.predict(doubling, iter(inputs), progress=True))
    assert "4 predicted, 1 failed" in capfd.readouterr().err


def test_an_error_of_the_iterable_is_raised_and_an_open_model_stays_open(doubling):
    model = atelier.Model(doubling)

    def broken():
        yield from numbers(3)
        raise KeyError("no more")

    with pytest.raises(KeyError):
        list(batch.predict(model, broken()))
    assert model.predict(numbers(2)[1])["y"][0, 0] == 2


@pytest.mark.parametrize(
    "options, message",
    [
        ({"workers": 0}, "workers is 0"),
        ({"workers": True}, "workers is True"),
        ({"workers": 4, "ahead": 3}, "ahead is 3, expected at least the 4 workers"),
        ({"threads": 0}, "threads is 0"),
        ({"threads": 2.5}, "threads is 2.5"),
        ({"memory_limit": -1}, "memory_limit is -1"),
    ],
)
def test_wrong_options_are_refused_in_words(doubling, options, message):
    with pytest.raises(atelier.Error, match=message):
        batch.predict(doubling, numbers(1), **options)


def test_options_for_an_open_model_are_refused(doubling):
    with pytest.raises(atelier.Error, match="is open already; give threads to atelier.Model"):
        batch.predict(atelier.Model(doubling), [], threads=1)


def test_a_closed_model_refuses_in_words(doubling):
    with atelier.Model(doubling) as model:
        assert model.predict(numbers(2)[1])["y"][0, 0] == 2
    with pytest.raises(atelier.Error, match="The model is closed"):
        model.predict(numbers(1)[0])
    model.close()


def test_closing_waits_for_no_prediction_and_breaks_none(doubling):
    failures = []

    def work(model):
        try:
            while True:
                assert model.predict(numbers(2)[1])["y"][0, 0] == 2
        except atelier.Error as error:
            failures.append(str(error))

    for _ in range(20):
        model = atelier.Model(doubling)
        threads = [threading.Thread(target=work, args=(model,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        model.close()
        for thread in threads:
            thread.join()
    assert failures == ["The model is closed; load it again."] * 60


def test_a_style_has_a_path():
    assert atelier.style("Starry Night").endswith("/starry-night.mlmodel")
    assert atelier.style(STYLE, lite=True).endswith("/starry-night.mlmodel")
    with pytest.raises(atelier.Error, match="There is no style 'sunflowers' in the gallery '.*'; it has .*great-wave"):
        atelier.style("sunflowers")


# MARK: Columns


def test_rows_are_read_where_they_lie(doubling, monkeypatch):
    column = np.arange(40, dtype=np.float32).reshape(10, 1, 4)
    column.flags.writeable = False
    addresses = seen_addresses(monkeypatch)
    result = batch.ColumnPredictor(doubling)({"x": column})
    assert addresses == [column[index].__array_interface__["data"][0] for index in range(10)]
    assert list(result) == ["y"] and np.array_equal(result["y"], 2 * column)


def test_pixels_are_read_where_they_lie(classifier, monkeypatch):
    column = coloured((255, 0, 0), (0, 0, 255))
    column.flags.writeable = False
    addresses = seen_addresses(monkeypatch)
    result = batch.ColumnPredictor(classifier)({"image": column})
    assert addresses == [one.__array_interface__["data"][0] for one in column]
    assert list(result["classLabel"]) == ["red", "blue"]


def seen_addresses(monkeypatch):
    """Return a list to which every prediction appends the address of its first input."""
    from atelier import _model

    addresses, make = [], _model.Features

    def features(values):
        made = make(values)
        addresses.append(made.array[0].data)
        return made

    monkeypatch.setattr(_model, "Features", features)
    return addresses


def test_three_inputs_of_other_types_and_columns(sums):
    predictor = batch.ColumnPredictor(sums, inputs={"a": "first", "c": "factor"}, outputs={"sum": "total"})
    a = np.random.default_rng(0).normal(size=(6, 3))
    b = np.arange(18, dtype=np.uint8).reshape(6, 3)
    result = predictor({"first": a, "b": b, "factor": np.arange(6), "note": objects(list("abcdef"))})
    assert list(result) == ["note", "total"]
    assert result["total"].shape == (6, 1, 3)
    assert np.allclose(result["total"][:, 0], a + b * np.arange(6)[:, None], atol=1e-5)


def test_integers_that_do_not_fit_are_refused(sums):
    columns = {"a": np.zeros((1, 3)), "b": np.zeros((1, 3)), "c": np.array([2**40])}
    with pytest.raises(atelier.Error, match="Row 0 of the batch: The input 'c' has numbers from 1099511627776"):
        batch.ColumnPredictor(sums)(columns)


def test_pictures_as_files_and_as_arrays_of_any_size_are_classified(classifier):
    predictor = batch.ColumnPredictor(classifier, top=2)
    large = coloured((250, 10, 10), (10, 250, 10), (10, 10, 250), size=(40, 30))
    files = objects([encoded(one, form) for one, form in zip(large, ("PNG", "JPEG", "WEBP"))])
    for columns in ({"bytes": files}, {"image": large}, {"photo": objects(list(large))}):
        result = predictor(columns)
        assert list(result["classLabel"]) == ["red", "green", "blue"]
        assert [labels[0] for labels in result["classLabel_probs"]] == ["red", "green", "blue"]
        assert result["classLabel_probs_values"].shape == (3, 2)


def test_a_style_by_name_paints_files_and_arrays():
    photo = np.asarray(PIL.Image.open(ROOT / "Gallery/photos/astronaut.jpg").convert("RGB").resize((96, 64)))
    path = objects(["a.png"])
    painted = batch.ColumnPredictor(STYLE, lite=True, pictures="array")({"bytes": objects([encoded(photo)]), "path": path})
    assert painted["stylizedImage"].shape == (1, 64, 96, 3) and list(painted["path"]) == ["a.png"]
    exact = atelier.Model(atelier.style(STYLE, lite=True)).predict({"image": PIL.Image.fromarray(photo)})["stylizedImage"]
    assert np.array_equal(painted["stylizedImage"][0], np.asarray(exact.convert("RGB")))
    small = batch.ColumnPredictor(STYLE, lite=True, size=48, pictures="png")({"image": photo[None]})
    assert PIL.Image.open(io.BytesIO(small["stylizedImage"][0])).size == (48, 32)


def test_a_turned_photo_is_painted_upright():
    file = io.BytesIO()
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    PIL.Image.new("RGB", (96, 48)).save(file, "JPEG", exif=exif)
    painted = batch.ColumnPredictor(STYLE, lite=True, pictures="array")({"bytes": objects([file.getvalue()])})
    assert painted["stylizedImage"].shape == (1, 96, 48, 3)


@pytest.mark.parametrize("damage", [b"", b"no picture", None])
def test_a_failing_row_is_named_or_told_in_a_column(classifier, damage):
    whole = encoded(coloured((255, 0, 0))[0])
    columns = {"bytes": objects([whole, damage or whole[:40], whole]), "path": objects(["a", "b", "c"])}
    with pytest.raises(atelier.Error, match=r"Row 1 of the batch \('b'\): "):
        batch.ColumnPredictor(classifier)(columns)
    result = batch.ColumnPredictor(classifier, errors="column")(columns)
    assert list(result["classLabel"]) == ["red", "", "red"]
    assert [bool(sentence) for sentence in result["error"]] == [False, True, False]
    assert np.isnan(result["classLabel_probs_values"][1]).all()


def test_a_batch_without_rows_has_all_columns(doubling):
    result = batch.ColumnPredictor(doubling, errors="column")({"x": np.zeros((0, 1, 4), np.float32)})
    assert result["y"].shape[0] == 0 and len(result["error"]) == 0


def test_probabilities_of_a_batch_that_failed_have_the_width_of_the_others(classifier):
    predictor = batch.ColumnPredictor(classifier, errors="column", top=2)
    whole = encoded(coloured((255, 0, 0))[0])
    for files in ([whole, b"bad"], [b"bad", b"bad"]):
        assert predictor({"bytes": objects(files)})["classLabel_probs_values"].shape == (2, 2)


@pytest.mark.parametrize(
    "options, columns, message",
    [
        ({}, {"z": np.zeros(1), "w": np.zeros(1)}, "needs the input 'x', and no column has its name: the batch has z, w"),
        ({"inputs": {"x": "q"}}, {"z": np.zeros(1)}, "there is no column 'q'"),
        ({"inputs": {"q": "z"}}, {"z": np.zeros(1)}, "inputs names 'q', and the model's inputs are x"),
        ({"outputs": {"q": "z"}}, {"z": np.zeros(1)}, "outputs names 'q', and the model's outputs are y"),
        ({"keep": ["q"]}, {"x": np.zeros((1, 4))}, "keep names 'q'"),
        ({}, {"x": np.zeros((2, 4)), "n": np.zeros(1)}, "different lengths: x 2, n 1"),
        ({}, {"x": np.array(["a"])}, "Row 0 of the batch: The input 'x' is an array of <U1, expected numbers"),
        ({}, 7, "The batch is a int, expected a dictionary of arrays or a pandas DataFrame"),
    ],
)
def test_wrong_columns_are_refused_in_words(doubling, options, columns, message):
    with pytest.raises(atelier.Error, match=message):
        batch.ColumnPredictor(doubling, **options)(columns)


@pytest.mark.parametrize(
    "options", [{"pictures": "gif"}, {"errors": "skip"}, {"top": 0}, {"size": "512"}, {"quality": 101}, {"threads": -1}]
)
def test_wrong_options_of_columns_are_refused(options):
    (name,) = options
    with pytest.raises(atelier.Error, match=f"{name} is "):
        batch.ColumnPredictor(STYLE, **options)


def test_a_missing_model_is_named():
    with pytest.raises(atelier.Error, match="There is no model at 'missing.mlpackage' on this machine"):
        batch.ColumnPredictor("missing.mlpackage").open()
    with pytest.raises(atelier.Error, match="There is no style 'missing'"):
        batch.ColumnPredictor("missing").open()


def test_a_model_with_states_is_refused(tmp_path):
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1,), dtype=types.fp16), mb.StateTensorSpec(shape=(1,), dtype=types.fp16)],
        opset_version=coremltools.target.iOS18,
    )
    def program(x, total):
        value = mb.add(x=mb.read_state(input=total), y=x)
        return mb.coreml_update_state(state=total, value=value)

    path = tmp_path / "Total.mlpackage"
    coremltools.convert(program, convert_to="mlprogram", minimum_deployment_target=coremltools.target.iOS18).save(str(path))
    for errors in ("raise", "column"):
        with pytest.raises(atelier.Error, match="^The model '.*Total.mlpackage' has states, and the rows of a batch have no"):
            batch.ColumnPredictor(path, errors=errors)({"x": np.zeros((2, 1), np.float16)})


def test_a_predictor_is_pickled_by_path_and_options(doubling, monkeypatch):
    monkeypatch.chdir(doubling.parent)
    predictor = batch.ColumnPredictor(doubling.name, keep=[])
    predictor.open()
    data = pickle.dumps(predictor)
    monkeypatch.chdir("/")
    assert len(data) < 1000 and str(doubling).encode() in data
    copy = pickle.loads(data)
    assert copy({"x": np.ones((1, 1, 4), np.float32), "n": np.ones(1)})["y"].tolist() == [[[2, 2, 2, 2]]]
    copy.close()
    with pytest.raises(atelier.Error, match="is closed"):
        copy({"x": np.ones((1, 1, 4), np.float32)})


def test_errors_are_pickled_and_models_refuse_in_words(doubling):
    with pytest.raises(atelier.Error) as failure:
        atelier.Model("missing.mlmodel")
    copied = pickle.loads(pickle.dumps(failure.value))
    assert (type(copied), str(copied), copied.code) == (atelier.Error, str(failure.value), failure.value.code)
    with pytest.raises(atelier.Error, match="A loaded model cannot be pickled; give the other process its path"):
        pickle.dumps(atelier.Model(doubling))


def test_memory_stays_flat_over_many_batches(doubling):
    columns = {"x": np.zeros((10, 1, 4), np.float32)}
    with batch.ColumnPredictor(doubling, threads=1) as predictor:
        for _ in range(300):
            predictor(columns)
        before = resident()
        for _ in range(1000):
            predictor(columns)
    # A leak of one page for each batch would be 4 MB.
    assert resident() - before < 2_000_000


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
