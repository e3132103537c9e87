#!/usr/bin/env python3
"""Writes the node tests of the `onnx` package as folders that any runtime can read.

    python Scripts/write_onnx_tests.py FOLDER

Each test has a folder with model.onnx, test_data_set_N/input_M.pb and output_M.pb, and tolerances.txt with the
allowed relative and absolute difference. The package builds the tests in memory and contains no such files.
"""

import sys
import warnings
from pathlib import Path

import numpy
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import load_node_model_tests

WRITERS = {
    "tensor_type": numpy_helper.from_array,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
    "map_type": numpy_helper.from_dict,
}


def write_value(value, info, path):
    """Writes an input or output value in the format of its declared type."""
    kind = info.type.WhichOneof("value")
    if not isinstance(value, TensorProto) and kind in WRITERS:
        if kind == "tensor_type":
            value = numpy.asarray(value)
        value = WRITERS[kind](value, info.name)
    path.write_bytes(value.SerializeToString())


def main():
    target = Path(sys.argv[1])
    numpy.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = load_node_model_tests()
    for test in tests:
        folder = target / test.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(test.model.SerializeToString())
        (folder / "tolerances.txt").write_text(f"{test.rtol} {test.atol}\n")
        for number, (inputs, outputs) in enumerate(test.data_sets):
            data = folder / f"test_data_set_{number}"
            data.mkdir(exist_ok=True)
            for kind, values, infos in (
                ("input", inputs, test.model.graph.input),
                ("output", outputs, test.model.graph.output),
            ):
                for place, (value, info) in enumerate(zip(values, infos)):
                    try:
                        write_value(value, info, data / f"{kind}_{place}.pb")
                    except Exception as error:  # The type has no file format.
                        (data / f"{kind}_{place}.txt").write_text(f"{error}\n")
    print(f"{len(tests)} tests in {target}")


if __name__ == "__main__":
    main()
