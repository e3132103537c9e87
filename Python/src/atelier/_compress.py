"""Compression of weights."""

import json
import os
import tempfile
from ctypes import byref, c_void_p

from . import _library as lib


def compress(model, bits=8, mode="linear", group_size=None, sparsity=None, layers=None, table=None):
    """Compress the weights of a model to 16 bits, or to 1 to 8 bits. Returns a coremltools model.

    `model` is a coremltools model or the path of its file. `mode` is `linear` (a scale and an offset per channel),
    `linear-symmetric` or `kmeans` (a lookup table of cluster centres). `table` is your own lookup table of `2 ** bits`
    numbers. `group_size` is the number of input channels per scale, or of output channels per lookup table.
    `sparsity` is the fraction of weights that become 0. `group_size` and `sparsity` are for ML Programs only. `layers`
    lists the names of the layers to compress. None means all layers.

    Raises `Error` if the model cannot be read or compressed.
    """
    import coremltools

    options = {"bits": int(bits), "mode": mode, "group_size": group_size, "sparsity": sparsity}
    options["layers"] = None if layers is None else list(layers)
    options["table"] = None if table is None else [float(number) for number in table]
    options = {key: value for key, value in options.items() if value is not None}
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(model, (str, os.PathLike)):
            source = os.fspath(model)
        else:
            is_program = model.get_spec().WhichOneof("Type") == "mlProgram"
            source = os.path.join(folder, "model.mlpackage" if is_program else "model.mlmodel")
            model.save(source)
        is_package = os.path.isdir(source)
        target = os.path.join(folder, "compressed.mlpackage" if is_package else "compressed.mlmodel")
        sentence = c_void_p()
        status = lib.library.atelier_compress(
            lib.path_bytes(source), lib.path_bytes(target), json.dumps(options).encode(), byref(sentence)
        )
        lib.check(status, sentence)
        return coremltools.models.MLModel(target)
