"""Predictions for batches of rows in columns, as Ray Data, Spark and pandas hand them over."""

import collections.abc
import os

import numpy as np

from . import _library as lib
from . import _pictures as pictures
from ._model import Model
from ._styles import model_path

_numbers = {"float16": np.float16, "float32": np.float32, "float64": np.float64, "int32": np.int32, "int8": np.int8}
_OPTIONS = ("compute_units", "function_name", "memory_limit")


class ColumnPredictor:
    """Predicts for every row of a batch, a dictionary of columns.

    `model` is the path of a model, or the name of a gallery style (`lite` chooses its small network). The object is
    pickled by path and options. Each process opens the model at its first batch, and maps its weights from the file, so
    that processes of one machine share the pages.

    Input columns are arrays with one row per element of the first axis. Rows are taken where they lie, also from
    read-only memory; other element types than the model's are converted row by row. `inputs` maps the model's inputs to
    columns (default: the column of the same name, or for a model with one input the columns `bytes` or `image`, or
    the only column). Pictures are files (bytes), or arrays of uint8. A model of any size gets the picture's own size,
    at most `size` on the longer side; any other model gets the size that it declares.

    The result has a column for each output, or for those that `outputs` maps to columns, and the columns of the batch
    that no input takes, or those that `keep` lists. `pictures` is the form of painted pictures: "jpeg", "png", "webp"
    or "array". Probabilities of classes become two columns: the `top` labels, and with the ending `_values` their
    probabilities (`top=None`: all).

    A row that fails raises an `Error` that names the row. With `errors="column"`, the column `error` has the sentence,
    or "" for rows that succeeded, and the outputs of failed rows are empty.
    """

    def __init__(
        self, model, *, inputs=None, outputs=None, keep=None, lite=False, size=None, pictures="jpeg", quality=90,
        top=5, errors="raise", threads=None, compute_units="ALL", function_name=None, memory_limit=None,
    ):  # fmt: skip
        model = os.fspath(model)
        if isinstance(model, str) and os.path.exists(model):
            # Another process may have another working directory.
            model = os.path.abspath(model)
        self._options = {
            "model": model, "inputs": dict(inputs or {}), "outputs": None if outputs is None else dict(outputs),
            "keep": None if keep is None else list(keep), "lite": lite, "size": _number(size, "size"),
            "pictures": _choice(pictures, "pictures", _forms), "quality": _number(quality, "quality", 100),
            "top": _number(top, "top"), "errors": _choice(errors, "errors", ("raise", "column")),
            "threads": _number(threads, "threads"), "compute_units": compute_units, "function_name": function_name,
            "memory_limit": memory_limit,
        }  # fmt: skip
        self._model = None
        self._isClosed = False

    def __getstate__(self):
        return self._options

    def __setstate__(self, options):
        self._options = options
        self._model = None
        self._isClosed = False

    def __repr__(self):
        return f"{type(self).__name__}({self._options['model']!r})"

    def close(self):
        """Release the model. Later batches raise `Error`."""
        self._isClosed = True
        if self._model is not None:
            self._model.close()
            self._model = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _threads(self):
        return self._options["threads"]

    def open(self):
        """Open the model, if it is not open yet. Without this call, the first batch opens it."""
        if self._isClosed:
            raise lib.Error(f"The predictor of '{self._options['model']}' is closed.", lib.PARAMETERS)
        if self._model is not None:
            return self._model
        options = self._options
        path = model_path(options["model"], options["lite"])
        model = Model(path, threads=self._threads(), **{name: options[name] for name in _OPTIONS})
        description = model.description
        self._inputs = description["inputs"]
        self._outputs = {one["name"]: one for one in description["outputs"]}
        for name in options["inputs"]:
            if all(name != one["name"] for one in self._inputs):
                raise lib.Error(
                    f"inputs names '{name}', and the model's inputs are {_listed(one['name'] for one in self._inputs)}.",
                    lib.PARAMETERS,
                )
        for name in options["outputs"] or ():
            if name not in self._outputs:
                raise lib.Error(
                    f"outputs names '{name}', and the model's outputs are {_listed(self._outputs)}.", lib.PARAMETERS
                )
        self._model = model
        return model

    def __call__(self, batch):
        """Predict for every row of a dictionary of columns, or of a pandas DataFrame, and return the same kind."""
        model = self.open()
        frame = None
        if not isinstance(batch, collections.abc.Mapping):
            if not (hasattr(batch, "columns") and hasattr(batch, "iloc")):
                raise lib.Error(
                    f"The batch is a {type(batch).__name__}, expected a dictionary of arrays or a pandas DataFrame; "
                    'for Ray Data, leave batch_format as it is or say "pandas".',
                    lib.PARAMETERS,
                )
            frame = type(batch)
            batch = {name: batch[name].to_numpy() for name in batch.columns}
        columns = self._columns(batch)
        counts = {name: len(column) for name, column in batch.items()}
        if len(set(counts.values())) > 1:
            raise lib.Error(
                "The columns of the batch have different lengths: "
                + ", ".join(f"{name} {count}" for name, count in counts.items()) + ".",
                lib.PARAMETERS,
            )  # fmt: skip
        isRaising = self._options["errors"] == "raise"
        rows, sentences = [], []
        for index in range(next(iter(counts.values()), 0)):
            try:
                outputs = model.predict(self._row(batch, columns, index))
                rows.append(self._finished(outputs))
                sentences.append("")
            except Exception as error:
                if "makeState()" in str(error):
                    raise self._refused_states() from error
                sentence = self._named(error, batch, index)
                if isRaising:
                    raise lib.Error(sentence, getattr(error, "code", lib.PARAMETERS)) from error
                rows.append(None)
                sentences.append(sentence)
        result = self._kept(batch, columns)
        for name, target in (self._options["outputs"] or {name: name for name in self._outputs}).items():
            result.update(self._column(name, target, [None if row is None else row[name] for row in rows]))
        if not isRaising:
            result["error"] = _objects(sentences)
        if frame is None:
            return result
        return frame({name: column if column.ndim == 1 else list(column) for name, column in result.items()})

    def _columns(self, batch):
        """Return the column of each of the model's inputs."""
        named, found = self._options["inputs"], {}
        required = [one for one in self._inputs if not one["isOptional"]]
        for feature in self._inputs:
            name = feature["name"]
            column = named.get(name, name)
            if column not in batch and name not in named and required == [feature]:
                names = list(batch)
                column = next((one for one in ("bytes", "image") if one in batch), names[0] if len(names) == 1 else None)
            if column in batch:
                found[name] = column
            elif name in named or not feature["isOptional"]:
                missing = f"there is no column '{named[name]}'" if name in named else "no column has its name"
                raise lib.Error(
                    f"The model needs the input '{name}', and {missing}: the batch has {_listed(batch)}. Name the column "
                    f"with inputs={{'{name}': 'COLUMN'}}.",
                    lib.FEATURE_TYPE,
                )
        return found

    def _row(self, batch, columns, index):
        values = {}
        for feature in self._inputs:
            column = columns.get(feature["name"])
            if column is None:
                continue
            value = batch[column][index]
            if value is None and feature["isOptional"]:
                continue
            values[feature["name"]] = self._input(value, feature)
        return values

    def _input(self, value, feature):
        kind = feature["kind"]
        if value is None:
            raise lib.Error(f"The input '{feature['name']}' is None.", lib.FEATURE_TYPE)
        if kind == "image":
            return pictures.as_input(value, feature, self._options["size"])
        if kind == "array":
            return as_array(value, feature)
        if kind in ("int64", "double"):
            if isinstance(value, np.ndarray) and value.size == 1:
                value = value.item()
            # NumPy's True is no integer for the library.
            return int(value) if kind == "int64" else float(value)
        if kind == "string":
            return value if isinstance(value, (str, bytes)) else str(value)
        if kind == "dictionary":
            return dict(value)
        if kind == "sequence":
            return value.tolist() if isinstance(value, np.ndarray) else list(value)
        return value

    def _finished(self, outputs):
        """Reduce the outputs of one row at once to what the result needs."""
        finished = {}
        for name in self._options["outputs"] or self._outputs:
            value = outputs[name]
            kind = self._outputs[name]["kind"]
            if kind == "image":
                value = pictures.as_output(value, self._options["pictures"], self._options["quality"])
            elif kind == "dictionary":
                value = sorted(value.items(), key=lambda entry: -entry[1])[: self._options["top"]]
            finished[name] = value
        return finished

    def _column(self, name, target, values):
        feature = self._outputs[name]
        kind = feature["kind"]
        if kind == "dictionary":
            # A batch whose rows all failed has the width of the others.
            count = max((len(value) for value in values if value is not None), default=self._options["top"] or 0)
            numbers = np.full((len(values), count), np.nan)
            for row, value in zip(numbers, values):
                row[: len(value or ())] = [number for _, number in value or ()]
            labels = _objects([[label for label, _ in value or ()] for value in values])
            return {target: labels, f"{target}_values": numbers}
        if kind in ("int64", "double"):
            empty = 0 if kind == "int64" else np.nan
            column = np.array([empty if value is None else value for value in values])
            return {target: column.astype(np.int64 if kind == "int64" else np.float64)}
        if kind == "array" or (kind == "image" and self._options["pictures"] == "array"):
            return {target: _stacked(values, feature)}
        empty = b"" if kind == "image" else [] if kind == "sequence" else ""
        return {target: _objects([empty if value is None else value for value in values])}

    def _kept(self, batch, columns):
        names = self._options["keep"]
        if names is None:
            taken = set(columns.values())
            names = [name for name in batch if name not in taken]
        for name in names:
            if name not in batch:
                raise lib.Error(f"keep names '{name}', and the batch has {_listed(batch)}.", lib.PARAMETERS)
        return {name: batch[name] for name in names}

    def _refused_states(self):
        return lib.Error(
            f"The model '{self._options['model']}' has states, and the rows of a batch have no order in which a state "
            "could pass from one to the next; predict with atelier.Model and make_state() instead.",
            lib.PARAMETERS,
        )

    def _named(self, error, batch, index):
        where = f"Row {index} of the batch"
        if "path" in batch:
            where += f" ('{batch['path'][index]}')"
        text = str(error).strip() or type(error).__name__
        return f"{where}: {text}" if isinstance(error, RuntimeError) else f"{where}: {type(error).__name__}: {text}"


_forms = pictures.FORMATS


def as_array(value, feature):
    """Return a value as an array with the axes that the model's input declares: the same memory, where its type allows."""
    array = np.asarray(value)
    if array.dtype == object:
        try:
            array = np.stack([np.asarray(one) for one in array]) if array.ndim else array
        except ValueError:
            pass
    if array.dtype.kind not in "biuf":
        raise lib.Error(
            f"The input '{feature['name']}' is an array of {array.dtype}, expected numbers.", lib.FEATURE_TYPE
        )
    if array.dtype.name not in _numbers:
        wanted = _numbers[feature.get("elementType", "float32")]
        if np.issubdtype(wanted, np.integer) and array.size:
            bounds = np.iinfo(wanted)
            if array.min() < bounds.min or array.max() > bounds.max:
                raise lib.Error(
                    f"The input '{feature['name']}' has numbers from {array.min()} to {array.max()}, and the model's "
                    f"are {np.dtype(wanted)}.",
                    lib.FEATURE_TYPE,
                )
        array = array.astype(wanted)
    shape = feature.get("shape") or []
    if "allowedShapes" in feature or "allowedLengths" in feature:
        return array[None] if array.ndim == len(shape) - 1 else np.atleast_1d(array)
    if shape and array.shape != tuple(shape) and array.size == np.prod(shape):
        # Axes of length 1 may be missing or be there in excess.
        if [one for one in array.shape if one != 1] == [one for one in shape if one != 1]:
            return array.reshape(shape)
    return np.atleast_1d(array)


def _stacked(values, feature):
    shapes = {value.shape for value in values if value is not None}
    if len(shapes) > 1:
        return _objects([np.zeros(0, np.uint8) if value is None else value for value in values])
    if shapes:
        sample = next(value for value in values if value is not None)
        shape, dtype = sample.shape, sample.dtype
    elif feature["kind"] == "image":
        shape, dtype = (feature["height"], feature["width"], 3), np.dtype(np.uint8)
    else:
        shape, dtype = tuple(feature.get("shape") or (0,)), np.dtype(_numbers[feature.get("elementType", "float32")])
    empty = np.nan if dtype.kind == "f" else 0
    column = np.empty((len(values), *shape), dtype)
    for row, value in zip(column, values):
        row[...] = empty if value is None else value
    return column


def _objects(values):
    """Return a one-dimensional array of objects, also if the values are lists or arrays of one shape."""
    column = np.empty(len(values), object)
    for index, value in enumerate(values):
        column[index] = value
    return column


def _listed(names):
    return ", ".join(map(str, names)) or "none"


def _number(value, name, most=2**31 - 1):
    if value is None and name not in ("quality",):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        raise lib.Error(f"{name} is {value!r}, expected an integer from 1 to {most}.", lib.PARAMETERS)
    return int(value)


def _choice(value, name, choices):
    if value not in choices:
        raise lib.Error(f"{name} is {value!r}, expected one of {', '.join(choices)}.", lib.PARAMETERS)
    return value
