"""Loaded models and their states."""

import json
import operator
from ctypes import addressof, byref, c_int64, c_void_p

from . import _library as lib
from ._features import Features, Results

_library = lib.library


class _Handle(c_void_p):
    """The library's pointer to a model. Calls hold a reference, so that `close()` cannot release the model under them."""

    def __del__(self):
        if self:
            _library.atelier_model_release(self)


def _positive(value, name, largest):
    """Return an option for the library, where 0 means its default. Raises `Error` unless it is None or from 1."""
    if value is None:
        return 0
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or not 0 < number <= largest:
        raise lib.Error(f"{name} is {value!r}, expected an integer from 1 to {largest}.", lib.PARAMETERS)
    return number


class Model:
    """A loaded model. Any thread can predict with it.

    `source` is the path of a .mlmodel, .mlpackage or .mlmodelc, or the bytes of a .mlmodel, with its
    weight files by name in `blobs`. `compute_units` is "ALL", "CPU_ONLY", "CPU_AND_GPU" or
    "CPU_AND_NE". `function_name` selects a function of a model with several functions. `threads` is the
    number of threads of a prediction (default: one per core), `memory_limit` the maximum number of bytes
    that a prediction may hold. `any_size` allows input sizes that the description does not declare.
    With `quantize="dynamic"`, linear layers quantise their inputs to int8 while the model runs: faster,
    less precise.

    `close()` releases the model, and so does the end of a `with` block.

    Raises `Error` if the model cannot be loaded.
    """

    def __init__(
        self, source, compute_units="ALL", function_name=None, blobs=None, *,
        threads=None, memory_limit=None, any_size=False, quantize=None,
    ):  # fmt: skip
        self._handle = _Handle()
        if compute_units not in lib.COMPUTE_UNITS:
            raise lib.Error(
                f"compute_units is {compute_units!r}, expected one of "
                f"{', '.join(lib.COMPUTE_UNITS)}.",
                lib.PARAMETERS,
            )
        if quantize not in (None, "dynamic"):
            raise lib.Error(f'quantize is {quantize!r}, expected "dynamic" or None.', lib.PARAMETERS)
        options = lib.Options(
            compute_units=lib.COMPUTE_UNITS[compute_units],
            thread_count=_positive(threads, "threads", 1024),
            memory_limit=_positive(memory_limit, "memory_limit", 2**63 - 1),
            allows_any_size=bool(any_size),
            quantizes_inputs=quantize == "dynamic",
            # NumPy would widen float16 on one thread.
            widens_outputs=True,
        )
        if function_name:
            options.function_name = lib.encoded(function_name, "The name of a function")
        sentence = c_void_p()
        if isinstance(source, (bytes, bytearray)):
            entries = [
                (lib.encoded(name, "The name of a weight file"), bytes(data), len(data))
                for name, data in (blobs or {}).items()
            ]
            table = (lib.Blob * len(entries))(*entries)
            status = _library.atelier_model_load_memory(
                bytes(source), len(source), addressof(table), len(entries),
                byref(options), byref(self._handle), byref(sentence),
            )  # fmt: skip
        else:
            status = _library.atelier_model_load(
                lib.path_bytes(source), byref(options), byref(self._handle), byref(sentence)
            )
        lib.check(status, sentence)

    def close(self):
        """Release the model. Predictions that have begun end as usual; later ones raise `Error`."""
        self._handle = None

    def __reduce__(self):
        raise lib.Error(
            "A loaded model cannot be pickled; give the other process its path, or an atelier.batch.ColumnPredictor.",
            lib.PARAMETERS,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _opened(self):
        """Return the handle, which lives at least as long as the caller's reference."""
        handle = self._handle
        if handle is None:
            raise lib.Error("The model is closed; load it again.", lib.PARAMETERS)
        return handle

    @property
    def description(self):
        """The inputs, outputs and metadata of the model. atelier.h documents the JSON."""
        handle, text, sentence = self._opened(), c_void_p(), c_void_p()
        lib.check(_library.atelier_model_describe(handle, byref(text), byref(sentence)), sentence)
        return json.loads(lib.take_text(text))

    def make_state(self):
        """Make the state of the model, filled with zeros."""
        return State(self)

    def predict(self, values, state=None):
        """Predict. `values` are the inputs by name. Returns the outputs by name, and updates the state if there is one.

        Raises `Error` if the inputs do not match the model's description.
        """
        handle = self._opened()
        inputs = Features(values)
        results, sentence = Results(), c_void_p()
        if state is None:
            status = _library.atelier_predict(
                handle, addressof(inputs.array), inputs.count, byref(results), byref(sentence)
            )
        else:
            status = _library.atelier_predict_with_state(
                handle, state._handle, addressof(inputs.array), inputs.count,
                byref(results), byref(sentence),
            )  # fmt: skip
        if status:
            lib.check(status, sentence)
        return results.read()

    def predict_batch(self, batch):
        """Predict for each entry of a list of inputs. Returns the list of outputs, in the same order."""
        handle = self._opened()
        count = len(batch)
        inputs = [Features(values) for values in batch]
        lists = (c_void_p * count)(*(addressof(one.array) for one in inputs))
        counts = (c_int64 * count)(*(one.count for one in inputs))
        results, sentence = (c_void_p * count)(), c_void_p()
        status = _library.atelier_predict_batch(
            handle, addressof(lists), addressof(counts), count, addressof(results),
            byref(sentence),
        )  # fmt: skip
        lib.check(status, sentence)
        # All are owned before the first is read.
        owned = [Results(one) for one in results]
        return [one.read() for one in owned]


class State:
    """The state of a model between predictions. `Model.make_state()` makes it."""

    def __init__(self, model):
        self._handle = c_void_p()
        opened, sentence = model._opened(), c_void_p()
        lib.check(
            _library.atelier_state_make(opened, byref(self._handle), byref(sentence)),
            sentence,
        )

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle:
            _library.atelier_state_release(handle)

    def read(self, name):
        """Return a copy of the state's array with the given name."""
        results, sentence = Results(), c_void_p()
        text = lib.encoded(name, "The name of a state")
        lib.check(
            _library.atelier_state_read(self._handle, text, byref(results), byref(sentence)),
            sentence,
        )
        return results.read()[name]

    def write(self, name, value):
        """Set the state's array with the given name to the elements of an array of the same shape."""
        value = Features({name: value})
        sentence = c_void_p()
        lib.check(
            _library.atelier_state_write(self._handle, addressof(value.array), byref(sentence)),
            sentence,
        )
