#!/usr/bin/env python3
"""Checks that ONNX files that atelier wrote are valid and run.

    python Scripts/check_written_onnx.py ATELIER MODEL...

`atelier` converts each model to ONNX. onnx.checker checks the file, and onnxruntime runs it on random inputs. The
script prints the shapes of the outputs, not their values. Without onnx and onnxruntime it prints a message and
succeeds.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as error:
    print(f"not run: {error}")
    sys.exit(0)


def main():
    atelier, models = sys.argv[1], sys.argv[2:]
    failed = False
    for path in map(Path, models):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "model.onnx"
            done = subprocess.run(
                [atelier, "convert", str(path), "-o", str(target)], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{path.name}: {done.stderr.strip()}")
                failed = True
                continue
            model = onnx.load(target)
            onnx.checker.check_model(model, full_check=True)
            session = onnxruntime.InferenceSession(
                str(target), providers=["CPUExecutionProvider"])
            random = numpy.random.default_rng(0)
            inputs = {}
            for value in session.get_inputs():
                shape = [extent if isinstance(extent, int) else 64 for extent in value.shape]
                inputs[value.name] = (random.random(shape) * 255).astype(numpy.float32)
            outputs = session.run(None, inputs)
            sizes = ", ".join(str(output.shape) for output in outputs)
            print(f"{path.name}: {len(model.graph.node)} nodes, valid, gives {sizes}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
