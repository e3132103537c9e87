"""A process that loads one model for one runtime, and predicts when it is told to.

usage: worker.py RUNTIME MODEL SIDE THREADS

Reads numbers of predictions from standard input, one per line. Answers each number with the times in
milliseconds, as JSON. If RUNTIME begins with "processor:", the times are those of the processor.
"""

import json
import sys
import time

import numpy as np


def picture(path, side):
    """Returns the name of the model's input, and noise of its shape."""
    import onnx

    value = onnx.load(path).graph.input[0]
    shape = [dim.dim_value or 1 for dim in value.type.tensor_type.shape.dim]
    shape[-1] = shape[-2] = side
    return value.name, (np.random.default_rng(0).random(shape) * 255).astype(np.float32)


def onnxruntime(path, side, threads):
    import onnxruntime

    name, x = picture(path, side)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {name: x})


def openvino(precision):
    def load(path, side, threads):
        import openvino

        name, x = picture(path, side)
        core = openvino.Core()
        model = core.read_model(path)
        model.reshape({name: list(x.shape)})
        compiled = core.compile_model(model, "CPU", {
            "INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads})
        request = compiled.create_infer_request()
        return lambda: request.infer({name: x})
    return load


def peak(precision):
    def load(path, side, threads):
        import torch

        torch.set_num_threads(threads)
        kind = torch.bfloat16 if precision == "bf16" else torch.float32
        a, b = torch.ones(side, side, dtype=kind), torch.ones(side, side, dtype=kind)
        return lambda: torch.mm(a, b)
    return load


def read(path, count, threads):
    """Reads `count` bytes of memory."""
    import torch

    torch.set_num_threads(threads)
    numbers = torch.ones(count // 4)
    return lambda: numbers.sum()


LOADERS = {
    "onnxruntime-f32": onnxruntime, "openvino-f32": openvino("f32"),
    "openvino-bf16": openvino("bf16"), "product-f32": peak("f32"), "product-bf16": peak("bf16"),
    "read": read,
}

if __name__ == "__main__":
    runtime, path, side, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    clock = time.process_time if runtime.startswith("processor:") else time.perf_counter
    predict = LOADERS[runtime.removeprefix("processor:")](path, side, threads)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = clock()
            predict()
            times.append((clock() - start) * 1e3)
        print(json.dumps(times), flush=True)
