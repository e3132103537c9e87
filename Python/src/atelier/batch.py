"""Many predictions on one machine, in order, in bounded memory, past inputs that fail.

    from atelier import batch
    for result in batch.predict("Classifier.mlpackage", inputs, workers=2, progress=True):
        print(result.name, result.error or result.outputs)
"""

import collections
import concurrent.futures
import os
import sys
import time

from . import _library as lib
from ._columns import ColumnPredictor
from ._model import Model
from ._styles import model_path

__all__ = ["ColumnPredictor", "Result", "predict"]


class Result(collections.namedtuple("Result", "index name outputs error")):
    """The outputs of one input by name, or the `Error` that names the input. The other one of both is None."""

    __slots__ = ()


def predict(model, inputs, workers=None, *, prepare=None, finish=None, progress=None, ahead=None, **options):
    """Predict for every input, and yield a `Result` for each, in the order of the inputs.

    `model` is a `Model`, or the path of one or the name of a gallery style, which is opened with `options` (those of
    `Model`) and closed at the end. `inputs` is any iterable of dictionaries, or of whatever `prepare` makes
    dictionaries of. `prepare(input)` and `finish(outputs)` run in the workers: decode a picture in the first, encode
    or reduce the outputs in the second. An input's name is its text if it is a text or a path, otherwise its number.

    `workers` predictions run at once (default: one per processor). A model that is opened here gets the processors
    divided by `workers` as its threads. At most `ahead` inputs (default: twice the workers) have been taken and not
    yet been yielded: that bounds the memory, however long the iterable is.

    If an input fails, its result has the error, and the others are predicted. An error of the iterable itself is
    raised. `progress` is called with (done, total, failed), where total is None if the length of `inputs` is unknown;
    True writes a line on standard error.
    """
    processors = len(os.sched_getaffinity(0))
    workers = _count(processors if workers is None else workers, "workers")
    ahead = _count(2 * workers if ahead is None else ahead, "ahead")
    if ahead < workers:
        raise lib.Error(f"ahead is {ahead}, expected at least the {workers} workers.", lib.PARAMETERS)
    if isinstance(model, Model):
        if options:
            raise lib.Error(
                f"The model is open already; give {', '.join(sorted(options))} to atelier.Model.", lib.PARAMETERS
            )
        opened = None
    else:
        options.setdefault("threads", max(1, processors // workers))
        model = opened = Model(model_path(model), **options)
    report = _Line() if progress is True else progress
    return _results(model, opened, inputs, workers, ahead, prepare, finish, report)


def _results(model, opened, inputs, workers, ahead, prepare, finish, report):
    def one(index, value):
        name = str(value) if isinstance(value, (str, os.PathLike)) else str(index)
        try:
            outputs = model.predict(value if prepare is None else prepare(value))
            return Result(index, name, outputs if finish is None else finish(outputs), None)
        except Exception as error:
            code = error.code if isinstance(error, lib.Error) else lib.PARAMETERS
            named = lib.Error(f"Input {index}{'' if name == str(index) else f' ({name})'}: {sentence(error)}", code)
            named.__cause__ = error
            return Result(index, name, None, named)

    total = len(inputs) if hasattr(inputs, "__len__") else None
    done = failed = 0
    waiting = collections.deque()
    pool = concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="atelier-batch")
    try:
        source = enumerate(inputs)
        isMore = True
        while isMore or waiting:
            while isMore and len(waiting) < ahead:
                try:
                    waiting.append(pool.submit(one, *next(source)))
                except StopIteration:
                    isMore = False
            if not waiting:
                break
            result = waiting.popleft().result()
            done += 1
            failed += result.error is not None
            if report is not None:
                report(done, total, failed)
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        if opened is not None:
            opened.close()
        if isinstance(report, _Line):
            report.end()


def sentence(error):
    """Return an error's text, with the name of its type if it is not ours."""
    text = str(error).strip()
    if isinstance(error, lib.Error):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _count(value, name):
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise lib.Error(f"{name} is {value!r}, expected an integer from 1.", lib.PARAMETERS)
    return value


class _Line:
    """Writes the progress on standard error: on a terminal ten times per second, elsewhere once per minute."""

    def __init__(self):
        self.begin = time.monotonic()
        self.last = 0.0
        self.text = ""
        self.isTerminal = sys.stderr.isatty()

    def __call__(self, done, total, failed):
        now = time.monotonic()
        self.text = f"{done}{'' if total is None else f' of {total}'} predicted"
        if failed:
            self.text += f", {failed} failed"
        self.text += f", {done / max(now - self.begin, 1e-9):.1f} per second"
        if now - self.last >= (0.1 if self.isTerminal else 60):
            self.last = now
            self._write("\r" if self.isTerminal else "\n")

    def _write(self, end):
        print(self.text, end="\x1b[K" + end if self.isTerminal else end, file=sys.stderr, flush=True)

    def end(self):
        if self.text:
            self._write("\n")
