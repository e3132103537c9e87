"""Shows that a network stores its packed weights once, although it predicts at ten input sizes. Prints the resident
memory after each size.

    usage: ATELIER_LIBRARY=…/libatelier.so PYTHONPATH=Python/src python Scripts/ten_sizes.py

Creates a model with 268 MB of float32 weights (16 convolutions of 1 × 1 with 2,048 channels each) from the messages
of Python/src/coremltools or the real coremltools, and predicts at ten sizes. Fails if the last nine sizes together
take more than a quarter of the weights' memory.

oneDNN has separate layouts for the weights of 1 × 1 convolutions below and above 64 pixels. A network that uses
both sizes stores both layouts, each once.
"""
import os
import sys
import tempfile

import coremltools as ct
import numpy as np
from coremltools.models.neural_network import NeuralNetworkBuilder, flexible_shape_utils

CHANNELS, LAYERS = 2048, 16


def anonymous():
    """Returns the anonymous resident memory of this process in MB."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["RssAnon"].split()[0]) // 1024


def make(path):
    """Writes the model to a file."""
    builder = NeuralNetworkBuilder(
        [("x", ct.models.datatypes.Array(CHANNELS, 4, 4))],
        [("y", ct.models.datatypes.Array(CHANNELS, 4, 4))])
    generator = np.random.default_rng(1)
    last = "x"
    for layer in range(LAYERS):
        name = "y" if layer == LAYERS - 1 else f"v{layer}"
        builder.add_convolution(
            name=f"c{layer}", kernel_channels=CHANNELS, output_channels=CHANNELS, height=1, width=1,
            stride_height=1, stride_width=1, border_mode="valid", groups=1,
            W=generator.standard_normal((1, 1, CHANNELS, CHANNELS), dtype=np.float32) / 45, b=None,
            has_bias=False, input_name=last, output_name=name)
        last = name
    sizes = flexible_shape_utils.NeuralNetworkMultiArrayShapeRange()
    sizes.add_channel_range((CHANNELS, CHANNELS))
    sizes.add_height_range((1, 64))
    sizes.add_width_range((1, 64))
    for name in ("x", "y"):
        flexible_shape_utils.update_multiarray_shape_range(builder.spec, name, sizes)
    ct.models.utils.save_spec(builder.spec, path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wide.mlmodel")
        if os.fork() == 0:
            make(path)
            os._exit(0)
        os.wait()
        import atelier

        model = atelier.Model(path, compute_units="CPU_ONLY")
        start = anonymous()
        taken = []
        for size in range(8, 18):
            model.predict({"x": np.ones((CHANNELS, size, size), np.float32)})
            taken.append(anonymous() - start)
            print(f"{size} × {size}: {taken[-1]} MB more than before the first prediction")
        weights = CHANNELS * CHANNELS * LAYERS * 4 >> 20
        print(f"weights: {weights} MB as float32")
        sys.exit(0 if taken[-1] - taken[0] < weights / 4 else "the weights were packed again")


if __name__ == "__main__":
    main()
