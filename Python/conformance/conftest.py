"""Runs the tests that are part of coremltools here, and counts their results.

This file is loaded as a pytest plugin (`-p conftest`), because it must be imported before coremltools' own files.
The tests must believe that they run on a Mac: coremltools checks `_is_macos()` and constants derived from it. No
file of coremltools is changed on disk.

CONFORMANCE_REPORT names the JSON file for the counts. FLOAT16_STEPS=2 sets the tolerance of tests in float32 mode
with float16 types to two steps of float16, instead of float32's 1e-4. Some of these tests round their expected
numbers to float16. Others compute them from inputs that are not yet rounded to float16.
"""

import builtins
import collections
import csv
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import platform
import sys
import types

import pytest

import coremltools
import coremltools._deps
import coremltools.models.utils
from coremltools import libcoremlpython
from coremltools.proto import Model_pb2

MACOS = (15, 5)
NO_TORCH = "needs PyTorch"
# Tests that make no prediction, and use names that coremltools defines only if PyTorch is installed.
ASK_FOR_TORCH = (
    "test_programs.py::TestMILBasic::test_get_dialect_namespaces",
    "test_programs.py::TestMILBasic::test_invalid_dialect_namespaces_error_out",
    "test_api_visibilities.py::TestApiVisibilities::test_optimize",
)


def pretend_to_be_a_mac():
    coremltools.models.utils._is_macos.__code__ = (lambda: True).__code__
    deps = coremltools._deps
    deps._IS_MACOS = True
    deps._MACOS_VERSION = deps.MACOS_VERSION = MACOS
    for name, module in list(sys.modules.items()):
        if name.startswith("coremltools") and getattr(module, "_IS_MACOS", None) is False:
            module._IS_MACOS = True


def pretend_to_have_its_processor():
    # Tests see an ARM processor, because some of them are skipped on Intel Macs. Other code sees the true machine.
    true_machine = platform.machine

    def machine():
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return "arm64" if caller.rpartition(".")[2].startswith("test_") else true_machine()

    platform.machine = machine


class Imitation(types.ModuleType):
    """A stub of `torch` that can be imported and used as a decorator, so that the other tests can run.

    Any other use inside a test skips the test.
    """

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name[0].isupper():
            value = type(name, (), {"__init__": lambda self, *_, **__: use()})
        else:
            value = sys.modules.get(f"{self.__name__}.{name}", Imitation(f"{self.__name__}.{name}"))
        setattr(self, name, value)
        return value

    def __call__(self, *arguments, **options):
        use()
        is_decorator = len(arguments) == 1 and not options and callable(arguments[0])
        return arguments[0] if is_decorator else Imitation("value")

    def __mro_entries__(self, bases):
        return (object,)

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(())

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


def use():
    if "PYTEST_CURRENT_TEST" in os.environ:
        pytest.skip(NO_TORCH)


class ImitationFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, *packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Imitation(spec.name)

    def exec_module(self, module):
        pass


def imitate_torch():
    # Imported after coremltools, which therefore assumes that there is no PyTorch.
    if importlib.util.find_spec("torch") is not None:
        # A file with tests for PyTorch imports names of torchvision.
        if importlib.util.find_spec("torchvision") is None:
            sys.meta_path.append(ImitationFinder("torchvision"))
        return
    sys.meta_path.append(ImitationFinder("torch", "torchvision"))
    import torch

    torch.__version__ = "0.0.0"
    builtins.torch = torch


def write_boston_housing():
    # coremltools.test.utils downloads this file if it is missing; scikit-learn contains the same
    # numbers.
    path = "/tmp/bostonHousingData.txt"
    if os.path.exists(path) or importlib.util.find_spec("sklearn") is None:
        return
    import sklearn

    folder = os.path.join(os.path.dirname(sklearn.__file__), "datasets", "data")
    with open(os.path.join(folder, "boston_house_prices.csv")) as file:
        rows = list(csv.reader(file))[2:]
    with open(path, "w") as file:
        file.write("-\n" * 22)
        for row in rows:
            file.write(" ".join(row[:11]) + "\n" + " ".join(row[11:]) + "\n")


def name_libsvm_as_before():
    # The tests use the names of older versions of the package.
    try:
        import libsvm
        from libsvm import svm, svmutil
    except ImportError:
        return
    sys.modules.setdefault("svm", svm)
    sys.modules.setdefault("svmutil", svmutil)
    names = dict(vars(svm))
    for enumeration in ("svm_forms", "kernel_names"):
        names.update({member.name: member for member in getattr(svm, enumeration, ())})
    for name, value in names.items():
        for module in (svm, svmutil):
            if not name.startswith("__") and not hasattr(module, name):
                setattr(module, name, value)
    if not hasattr(libsvm, "__version__"):
        libsvm.__version__ = "3"


def allow_float16_steps(steps):
    import numpy

    strict = numpy.testing.assert_allclose

    def lenient(actual, desired, rtol=1e-7, atol=0, **options):
        case = os.environ.get("PYTEST_CURRENT_TEST", "").partition("precision='fp32'")[2]
        if "float16" in case or "fp16" in case:
            largest = float(numpy.max(numpy.abs(desired))) if numpy.size(desired) else 0
            share = steps * 2.0**-10
            rtol, atol = max(rtol, share), max(atol, share * largest)
        return strict(actual, desired, rtol=rtol, atol=atol, **options)

    numpy.testing.assert_allclose = lenient


def collect_seldom(every=25):
    # coremltools collects garbage at every conversion. This scans all imported modules and the
    # reports of all earlier cases, which takes most of the time of thousands of small cases.
    collect = gc.collect
    calls = 0

    def seldom(generation=2):
        nonlocal calls
        calls += 1
        if calls % every:
            return 0
        found = collect(generation)
        gc.freeze()
        return found

    gc.collect = seldom


class Watch:
    """The progress of the running test."""

    predicted = False
    layers = set()


def operations_of(program):
    """The operation types of an ML Program, each with the prefix “program/”."""
    found = set()

    def add(block):
        for operation in block.operations:
            found.add(f"program/{operation.type}")
            for inner in operation.blocks:
                add(inner)

    for function in program.functions.values():
        for block in function.block_specializations.values():
            add(block)
    return found


def layers_of(path):
    """The layer or operation types of a model; empty for models of other types."""
    if os.path.isdir(path):
        path = os.path.join(path, "Data", "com.apple.CoreML", "model.mlmodel")
    if not os.path.isfile(path):
        return set()
    model = Model_pb2.Model()
    with open(path, "rb") as file:
        model.ParseFromString(file.read())
    found = set()

    def add(network):
        for layer in network.layers:
            kind = layer.WhichOneof("layer")
            found.add(kind)
            if kind == "branch":
                add(layer.branch.ifBranch)
                add(layer.branch.elseBranch)
            elif kind == "loop":
                add(layer.loop.conditionNetwork)
                add(layer.loop.bodyNetwork)

    def walk(model):
        kind = model.WhichOneof("Type")
        part = getattr(model, kind) if kind else None
        if kind in ("pipeline", "pipelineClassifier", "pipelineRegressor"):
            for inner in (part if kind == "pipeline" else part.pipeline).models:
                walk(inner)
        elif kind == "mlProgram":
            found.update(operations_of(part))
        elif hasattr(part, "layers"):
            add(part)

    walk(model)
    return found


def watch_models():
    model = libcoremlpython._MLModelProxy
    load, predict, predict_batch = model.__init__, model.predict, model.batchPredict

    def watched_load(self, path, *arguments, **options):
        load(self, path, *arguments, **options)
        self.layers_of_test = layers_of(path)

    def note(proxy):
        Watch.predicted = True
        Watch.layers |= getattr(proxy, "layers_of_test", set())

    def watched_predict(self, *arguments):
        note(self)
        return predict(self, *arguments)

    def watched_batch(self, *arguments):
        note(self)
        return predict_batch(self, *arguments)

    model.__init__ = watched_load
    model.predict = watched_predict
    model.batchPredict = watched_batch


pretend_to_be_a_mac()
pretend_to_have_its_processor()
imitate_torch()
write_boston_housing()
name_libsvm_as_before()
if "FLOAT16_STEPS" in os.environ:
    allow_float16_steps(float(os.environ["FLOAT16_STEPS"]))
watch_models()
collect_seldom()

counts = collections.Counter()
exercised = collections.defaultdict(collections.Counter)
reasons = collections.Counter()
failures = []


def pytest_pycollect_makeitem(collector, name, obj):
    # One test class checks the platform itself, and skips its tests on Linux. This undoes the skip.
    if "MacOS" in getattr(obj, "__unittest_skip_why__", ""):
        obj.__unittest_skip__ = False


def pytest_runtest_setup(item):
    Watch.predicted = False
    Watch.layers = set()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if call.when == "call" and report.failed and item.nodeid.endswith(ASK_FOR_TORCH):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {NO_TORCH}")


def pytest_collectreport(report):
    if report.skipped:
        reasons[f"a whole file: {reason_of(report)}"] += 1


def pytest_runtest_logreport(report):
    if report.when == "call" and Watch.predicted:
        counts["reached predict"] += 1
    if hasattr(report, "wasxfail"):
        if report.skipped or report.when == "call":
            counts["expected to fail"] += 1
    elif report.skipped:
        counts["skipped"] += 1
        reasons[reason_of(report)] += 1
    elif report.failed:
        counts["failed"] += 1
        failures.append({"test": report.nodeid, "error": error_of(report)})
    elif report.when == "call":
        counts["passed"] += 1
        for layer in Watch.layers:
            exercised[layer][file_of(report)] += 1


def pytest_collection_finish(session):
    counts["collected"] = len(session.items)


def pytest_sessionfinish(session):
    path = os.environ.get("CONFORMANCE_REPORT")
    if path:
        with open(path, "w") as file:
            json.dump(
                {
                    "counts": counts,
                    "reasons": reasons,
                    "failures": failures,
                    "exercised": exercised,
                },
                file,
                indent=1,
            )


def file_of(report):
    """The test's file, with its folder if several have the same name."""
    folders, name = os.path.split(report.nodeid.split("::")[0])
    folder = os.path.basename(folders)
    return f"{folder}/{name}" if folder.startswith("iOS") or name == "test_passes.py" else name


def reason_of(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").strip() or "no reason given"


def error_of(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    return (crash.message if crash else str(report.longrepr))[:400]
