"""Examples/Triton's model.py, with a stand-in for the module that Triton's Python back end provides."""

import importlib.util
import io
import json
import pathlib
import re
import sys
import types

import numpy as np
import PIL.Image
import pytest

import atelier

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Examples/Triton/painter"


class Tensor:
    def __init__(self, name, array):
        self._name, self._array = name, array

    def name(self):
        return self._name

    def as_numpy(self):
        return self._array


class Request:
    def __init__(self, outputs, **inputs):
        self.outputs = outputs
        self.inputs = [Tensor(name, array) for name, array in inputs.items()]

    def requested_output_names(self):
        return self.outputs


class Response:
    def __init__(self, output_tensors, error=None):
        self.outputs = {tensor.name(): tensor.as_numpy() for tensor in output_tensors}
        self.error = error


class TritonError(str):
    pass


class TritonModelException(Exception):
    pass


NUMPY = {"TYPE_FP32": np.float32, "TYPE_UINT8": np.uint8, "TYPE_INT64": np.int64}


@pytest.fixture
def back_end(monkeypatch):
    """Returns a function that makes the model of a configuration."""
    stand_in = types.ModuleType("triton_python_backend_utils")
    stand_in.Tensor, stand_in.InferenceResponse = Tensor, Response
    stand_in.TritonError, stand_in.TritonModelException = TritonError, TritonModelException
    stand_in.triton_string_to_numpy = NUMPY.__getitem__
    stand_in.get_input_tensor_by_name = lambda request, name: next(
        (tensor for tensor in request.inputs if tensor.name() == name), None
    )
    monkeypatch.setitem(sys.modules, "triton_python_backend_utils", stand_in)
    monkeypatch.setenv("ATELIER_GALLERY", str(ROOT / "Gallery"))
    spec = importlib.util.spec_from_file_location("triton_model", FOLDER / "1/model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = []

    def make(config):
        model = module.TritonPythonModel()
        model.initialize({"model_config": json.dumps(config)})
        made.append(model)
        return model

    yield make
    for model in made:
        model.finalize()


def painter(batch=8, kind="TYPE_STRING", **options):
    options = {"size": 64, "threads": 1, "lite": True, **options}
    return {
        "max_batch_size": batch,
        "input": [{"name": "image", "data_type": "TYPE_STRING", "dims": [1]}],
        "output": [{"name": "stylizedImage", "data_type": kind, "dims": [1]}],
        "parameters": {"model": {"string_value": "starry-night"}, "options": {"string_value": json.dumps(options)}},
    }


def photo(size):
    file = io.BytesIO()
    PIL.Image.open(ROOT / "Gallery/photos/astronaut.jpg").resize(size).save(file, "PNG")
    return file.getvalue()


def test_a_batch_of_files_is_painted(back_end):
    model = back_end(painter(pictures="png"))
    files = np.array([[photo((64, 48))], [photo((40, 64))]], object)
    (response,) = model.execute([Request(["stylizedImage"], image=files)])
    assert response.error is None and response.outputs["stylizedImage"].shape == (2, 1)
    paintings = [PIL.Image.open(io.BytesIO(one)) for one in response.outputs["stylizedImage"][:, 0]]
    assert [painting.size for painting in paintings] == [(64, 48), (40, 64)]
    source = PIL.Image.open(io.BytesIO(files[0, 0])).convert("RGB")
    exact = atelier.Model(atelier.style("starry-night", lite=True)).predict({"image": source})["stylizedImage"]
    # Another number of threads may choose other kernels.
    difference = np.abs(np.asarray(paintings[0], np.int16) - np.asarray(exact.convert("RGB"), np.int16))
    assert difference.max() <= 8 and difference.mean() < 0.5


def test_without_batches_pixels_have_no_axis_for_them(back_end):
    model = back_end(painter(batch=0, kind="TYPE_UINT8", pictures="array"))
    (response,) = model.execute([Request(["stylizedImage"], image=np.array([photo((64, 48))], object))])
    assert response.error is None and response.outputs["stylizedImage"].shape == (48, 64, 3)


def test_a_request_that_fails_gets_a_sentence_and_the_others_are_answered(back_end):
    model = back_end(painter())
    requests = [
        Request(["stylizedImage"], image=np.array([[b"no picture"]], object)),
        Request(["stylizedImage"]),
        Request(["stylizedImage"], image=np.array([[photo((64, 64))]], object)),
        Request([], image=np.array([[photo((64, 64))]], object)),
    ]
    damaged, empty, right, unread = model.execute(requests)
    assert damaged.error == "Row 0 of the batch: The bytes are not a picture in a format that Pillow reads."
    assert "needs the input 'image'" in empty.error
    assert right.error is None and right.outputs
    assert unread.error is None and not unread.outputs


def test_a_configuration_without_model_is_refused(back_end):
    with pytest.raises(TritonModelException, match="The parameter 'model' is missing in config.pbtxt"):
        back_end({**painter(), "parameters": {}})


def test_the_example_names_the_model_and_its_tensors():
    text = (FOLDER / "config.pbtxt").read_text()
    description = atelier.Model(atelier.style("starry-night")).description
    names = re.findall(r'name: "(\w+)", data_type', text)
    assert names == [description["inputs"][0]["name"], description["outputs"][0]["name"]]
    assert json.loads(re.search(r'"options".*string_value: "(.*)"', text)[1].replace('\\"', '"'))
