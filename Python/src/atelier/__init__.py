"""Core ML models on Linux.

    import atelier
    model = atelier.Model("HeightWeight_model.mlmodel")
    model.predict({"height": numpy.array([70.0])})

After this package is installed, coremltools predicts on Linux, too. See coremltools.libcoremlpython.
"""

from ._compress import compress
from ._convert import convert
from ._features import Features
from ._layers import load_plugin, register_custom_layer
from ._library import (
    Error,
    compile_model,
    compute_plan,
    model_structure,
    newest_specification_version,
)
from ._model import Model, State
from ._styles import style

__version__ = "0.1.0"

__all__ = [
    "Error",
    "Features",
    "Model",
    "State",
    "compile_model",
    "compress",
    "compute_plan",
    "convert",
    "load_plugin",
    "model_structure",
    "newest_specification_version",
    "register_custom_layer",
    "style",
]
