"""Runs a Core ML model in Triton's Python back end. config.pbtxt beside this folder names the model and its tensors.

The parameter `model` is a path or the name of a gallery style; `options` are more arguments of
atelier.batch.ColumnPredictor as JSON, such as {"size": 512, "threads": 2}.
"""

import json

import numpy as np
import triton_python_backend_utils as pb_utils

from atelier.batch import ColumnPredictor


class TritonPythonModel:
    def initialize(self, arguments):
        config = json.loads(arguments["model_config"])
        parameters = {name: entry["string_value"] for name, entry in config.get("parameters", {}).items()}
        if "model" not in parameters:
            raise pb_utils.TritonModelException("The parameter 'model' is missing in config.pbtxt.")
        self.inputs = [entry["name"] for entry in config["input"]]
        self.types = {entry["name"]: entry["data_type"] for entry in config["output"]}
        self.isBatched = config.get("max_batch_size", 0) > 0
        options = json.loads(parameters.get("options", "{}"))
        self.predictor = ColumnPredictor(parameters["model"], keep=[], **options)
        self.predictor.open()

    def execute(self, requests):
        return [self.response(request) for request in requests]

    def response(self, request):
        wanted = set(request.requested_output_names())
        try:
            columns = {name: self.column(request, name) for name in self.inputs}
            result = self.predictor({name: column for name, column in columns.items() if column is not None})
            tensors = [self.tensor(name, result[name]) for name in self.types if name in wanted]
        except Exception as error:
            return pb_utils.InferenceResponse(output_tensors=[], error=pb_utils.TritonError(str(error)))
        return pb_utils.InferenceResponse(output_tensors=tensors)

    def column(self, request, name):
        """Return an input with one row for each entry of the batch, or None for an optional input that is missing."""
        tensor = pb_utils.get_input_tensor_by_name(request, name)
        if tensor is None:
            return None
        array = tensor.as_numpy() if self.isBatched else tensor.as_numpy()[np.newaxis]
        # Texts and files are one element for each row.
        return array.reshape(len(array)) if array.dtype == object else array

    def tensor(self, name, column):
        if self.types[name] == "TYPE_STRING":
            texts = [one if isinstance(one, bytes) else str(one).encode() for one in column]
            # `array([…], object)` makes one element of each text; Triton has an axis for it.
            array = np.array(texts, object).reshape(-1, 1)
        else:
            array = np.ascontiguousarray(column, pb_utils.triton_string_to_numpy(self.types[name]))
        return pb_utils.Tensor(name, array if self.isBatched else array[0])

    def finalize(self):
        self.predictor.close()
