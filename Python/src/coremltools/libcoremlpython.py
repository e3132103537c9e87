"""The module with which coremltools predicts on Linux.

coremltools includes `coremltools.libcoremlpython` for macOS only, where the module calls Apple's framework.
This module has the same names and calls Atelier. It supports coremltools 7 to 9. Each version calls only
the names that it knows.

The module also makes coremltools' checks of the macOS version succeed. The checks would otherwise refuse
compiled models and optimisation hints. See `_open_version_checks`.
"""

import os
import shutil
import sys
import tempfile
import time
import weakref

import atelier

# The version of macOS whose Core ML interface this module has.
_MACOS_VERSION = (15, 5)

_HINTS = {
    "reshapeFrequency": ("Frequent", "Infrequent"),
    "specializationStrategy": ("Default", "FastPrediction"),
    "allowLowPrecisionAccumulationOnGPU": ("True", "False"),
}


class _State:
    """The state of a model between predictions."""

    def __init__(self, model):
        self._state = model.make_state()

    def read_state(self, name):
        try:
            return self._state.read(name)
        except atelier.Error as error:
            raise RuntimeError(str(error)) from None

    def write_state(self, name, value):
        try:
            self._state.write(name, value)
        except atelier.Error as error:
            raise RuntimeError(str(error)) from None


class _MLModelAssetProxy:
    """A model on disk or in memory, not loaded yet."""

    def __init__(self, source, blobs=None):
        self.source = source
        self.blobs = blobs


class _MLCPUComputeDeviceProxy:
    pass


class _MLGPUComputeDeviceProxy:
    pass


class _MLNeuralEngineComputeDeviceProxy:
    def get_total_core_count(self):
        return 0


class _PartProxy:
    """A layer or operation of a model, identified by its number in the model's structure."""

    def __init__(self, part):
        self.number = part["number"]


class _MLModelStructureProgramOperationProxy(_PartProxy):
    pass


class _MLModelStructureNeuralNetworkLayerProxy(_PartProxy):
    pass


class _MLComputePlanProxy:
    """The compute devices and costs of a model's parts. The processor computes every part except constants."""

    def __init__(self, plan=None):
        self._computed, self._weights = set(), {}
        self._model_structure = None
        if plan is not None:
            self._model_structure = _structure(plan, self._add)

    def _add(self, part):
        if part["isComputed"]:
            self._computed.add(part["number"])
        if "weight" in part:
            self._weights[part["number"]] = part["weight"]

    @property
    def model_structure(self):
        return self._model_structure

    def get_compute_device_usage_for_mlprogram_operation(self, operation):
        return self._usage(operation)

    def get_compute_device_usage_for_neuralnetwork_layer(self, layer):
        return self._usage(layer)

    def _usage(self, part):
        from coremltools.models.compute_plan import MLComputePlanDeviceUsage

        if part.__proxy__.number not in self._computed:
            return None
        (device,) = _devices()
        return MLComputePlanDeviceUsage(
            preferred_compute_device=device, supported_compute_devices=[device]
        )

    def get_estimated_cost_for_mlprogram_operation(self, operation):
        from coremltools.models.compute_plan import MLComputePlanCost

        weight = self._weights.get(operation.__proxy__.number)
        return None if weight is None else MLComputePlanCost(weight=weight)


class _ModelProxy:
    """A loaded model."""

    def __init__(
        self, path, compute_units="ALL", function_name="", optimization_hints=None, asset=None
    ):
        start = time.perf_counter_ns()
        _check_hints(optimization_hints or {})
        source = asset.source if asset is not None else path
        blobs = asset.blobs if asset is not None else None
        try:
            self._model = atelier.Model(source, compute_units, function_name, blobs)
        except atelier.Error as error:
            raise RuntimeError(f'Error compiling model: "{error}".') from None
        self._source = _Source(source)
        self._load_duration = time.perf_counter_ns() - start
        self._predict_duration = None

    def predict(self, data, state=None):
        start = time.perf_counter_ns()
        try:
            outputs = self._model.predict(data, getattr(state, "_state", None))
        except atelier.Error as error:
            raise _prediction_error(error) from None
        self._predict_duration = time.perf_counter_ns() - start
        return outputs

    def batchPredict(self, batch):
        start = time.perf_counter_ns()
        try:
            outputs = self._model.predict_batch(batch)
        except atelier.Error as error:
            raise _prediction_error(error) from None
        self._predict_duration = time.perf_counter_ns() - start
        return outputs

    def newState(self):
        return _State(self._model)

    def get_compiled_model_path(self):
        return self._source.compiled()

    def get_load_duration_in_nano_seconds(self):
        return self._load_duration

    def get_last_predict_duration_in_nano_seconds(self):
        return self._predict_duration

    @staticmethod
    def maximum_supported_specification_version():
        return atelier.newest_specification_version()

    @staticmethod
    def compileModel(path):
        return _compile(path)

    @staticmethod
    def create_model_asset_from_path(path):
        from coremltools.models.model import MLModelAsset

        if not os.path.exists(path):
            raise RuntimeError(f'Error compiling model: "There is no model at {path}.".')
        return MLModelAsset(_MLModelAssetProxy(path))

    @staticmethod
    def create_model_asset_from_memory(spec_data, blob_mapping):
        from coremltools.models.model import MLModelAsset

        return MLModelAsset(_MLModelAssetProxy(bytes(spec_data), dict(blob_mapping)))

    @staticmethod
    def get_model_structure(path):
        return _structure(_compiling(atelier.model_structure, path))

    @staticmethod
    def get_compute_plan(path, compute_units):
        from coremltools.models.compute_plan import MLComputePlan

        return MLComputePlan(
            _MLComputePlanProxy(_compiling(atelier.compute_plan, path, compute_units))
        )

    @staticmethod
    def get_available_compute_devices():
        return _devices()

    @staticmethod
    def get_all_compute_devices():
        return _devices()

    @staticmethod
    def auto_set_specification_version(specification):
        return specification


class _Source:
    """The source of a model. It is kept, because coremltools may ask for the compiled model later.

    coremltools removes a model file in the temporary directory as soon as the model is loaded. This class
    keeps such a file by making a second hard link to it.
    """

    def __init__(self, source):
        self._source = source
        self._compiled = None
        self._folders = []
        weakref.finalize(self, _remove, self._folders)
        if isinstance(source, str) and os.path.isfile(source):
            temporary = os.path.realpath(tempfile.gettempdir())
            if os.path.realpath(source).startswith(temporary + os.sep):
                link = os.path.join(self._new_folder(), os.path.basename(source))
                try:
                    os.link(source, link)
                except OSError:
                    shutil.copyfile(source, link)
                self._source = link

    def _new_folder(self):
        folder = tempfile.mkdtemp(prefix="atelier-")
        self._folders.append(folder)
        return folder

    def compiled(self):
        if self._compiled is None:
            if isinstance(self._source, bytes):
                path = os.path.join(self._new_folder(), "model.mlmodel")
                with open(path, "wb") as file:
                    file.write(self._source)
                self._source = path
            if self._source.rstrip("/").endswith(".mlmodelc"):
                self._compiled = self._source.rstrip("/")
            else:
                self._compiled = _compile(self._source)
                self._folders.append(os.path.dirname(self._compiled))
        return self._compiled


def _remove(folders):
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _compile(path):
    return _compiling(atelier.compile_model, path)


def _compiling(function, *arguments):
    """Call a function that opens a model, and convert its error to a RuntimeError."""
    try:
        return function(*arguments)
    except atelier.Error as error:
        raise RuntimeError(f'Error compiling model: "{error}".') from None


def _prediction_error(error):
    """Return the error of a failed prediction.

    A message about a wrong input stays unchanged. All other messages begin with the sentence with which they begin on a
    Mac.
    """
    sentence = str(error)
    if error.code != 1:
        sentence = f"Error computing NN outputs. {sentence}"
    return RuntimeError(sentence)


def _check_hints(hints):
    for name, value in hints.items():
        if value not in _HINTS.get(name, ()):
            raise RuntimeError(
                f"The optimization hint {name} = {value} is unknown; the hints are "
                f"{', '.join(_HINTS)}."
            )


def _devices():
    from coremltools.models.compute_device import MLCPUComputeDevice

    return [MLCPUComputeDevice(_MLCPUComputeDeviceProxy())]


def _structure(fields, visit=lambda part: None):
    """Convert the library's JSON of a structure to coremltools' classes. Calls `visit` with the JSON of every layer
    and operation."""
    from coremltools.models import compute_plan as plan

    def layer(part):
        visit(part)
        return plan.MLModelStructureNeuralNetworkLayer(
            name=part["name"],
            type=part["type"],
            input_names=part["inputs"],
            output_names=part["outputs"],
            __proxy__=_MLModelStructureNeuralNetworkLayerProxy(part),
        )

    def named(names):
        return [
            plan.MLModelStructureProgramNamedValueType(
                name=name, type=plan.MLModelStructureProgramValueType()
            )
            for name in names
        ]

    def argument(names):
        bindings = [
            plan.MLModelStructureProgramBinding(
                name=name,
                value=plan.MLModelStructureProgramValue() if name is None else None,
            )
            for name in names
        ]
        return plan.MLModelStructureProgramArgument(bindings=bindings)

    def operation(part):
        visit(part)
        return plan.MLModelStructureProgramOperation(
            inputs={name: argument(names) for name, names in part["inputs"].items()},
            operator_name=part["operator"],
            outputs=named(part["outputs"]),
            blocks=[block(inner) for inner in part["blocks"]],
            __proxy__=_MLModelStructureProgramOperationProxy(part),
        )

    def block(part):
        return plan.MLModelStructureProgramBlock(
            inputs=named(part["inputs"]),
            operations=[operation(inner) for inner in part["operations"]],
            output_names=part["outputs"],
        )

    network = program = pipeline = None
    if "layers" in fields:
        layers = [layer(part) for part in fields["layers"]]
        network = plan.MLModelStructureNeuralNetwork(layers=layers)
    elif "functions" in fields:
        functions = {
            name: plan.MLModelStructureProgramFunction(
                inputs=named(function["inputs"]), block=block(function["block"])
            )
            for name, function in fields["functions"].items()
        }
        program = plan.MLModelStructureProgram(functions=functions)
    elif "models" in fields:
        models = [_structure(model, visit) for model in fields["models"]]
        pipeline = plan.MLModelStructurePipeline(sub_models=tuple(zip(fields["names"], models)))
    return plan.MLModelStructure(neuralnetwork=network, program=program, pipeline=pipeline)


def _open_version_checks():
    """Make `coremltools.models.utils._macos_version()` return the version of this module's interface, and
    `_is_macos()` return True.

    On other systems than macOS, coremltools' version is (), which is less than every version. coremltools then
    refuses calls that work here, such as `MLModel.make_state()`. This function replaces the code of both
    functions in place, because other modules have imported them by name.
    """
    utils = sys.modules.get("coremltools.models.utils")
    function = getattr(utils, "_macos_version", None)
    inner = getattr(function, "__wrapped__", function)
    if inner is None or sys.platform == "darwin":
        return

    def version():
        return _ATELIER_MACOS_VERSION  # noqa: F821

    inner.__globals__["_ATELIER_MACOS_VERSION"] = _MACOS_VERSION
    inner.__code__ = version.__code__
    if hasattr(utils, "_is_macos"):
        utils._is_macos.__code__ = (lambda: True).__code__
    if hasattr(function, "cache_clear"):
        function.cache_clear()


def __getattr__(name):
    # coremltools imports this module before its own utils are complete, and reads this name later. The checks
    # are therefore replaced when it reads the name.
    if name == "_MLModelProxy":
        _open_version_checks()
        return _ModelProxy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
