"""A process that loads one of the models of models.py for one runtime, and predicts when it is told to.

usage: peers.py RUNTIME KEY FOLDER THREADS

Writes how long loading and the first prediction took, and the first values of the result. Then reads numbers of
predictions from standard input, one per line. Answers each number with the times and the processor times of the
predictions. Times are in milliseconds; everything is JSON.
"""

import json
import os
import subprocess
import sys
import time

import numpy

import models


def onnxruntime(model, folder, threads):
    import onnxruntime

    def load():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(
            os.path.join(folder, f"{model.key}.onnx"), options, providers=["CPUExecutionProvider"])
        x = models.example(model)
        return lambda: session.run(None, {"x": x})[0]
    return load


def openvino(precision):
    def prepare(model, folder, threads):
        import openvino

        def load():
            core = openvino.Core()
            compiled = core.compile_model(core.read_model(os.path.join(folder, f"{model.key}.onnx")), "CPU", {
                "INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_NUM_THREADS": threads})
            request, x = compiled.create_infer_request(), models.example(model)
            return lambda: request.infer({"x": x})[0]
        return load
    return prepare


def pytorch(model, folder, threads):
    import torch

    torch.set_num_threads(threads)
    made = models.module(model)

    def load():
        module, x = made, torch.from_numpy(models.example(model))
        if x.dim() == 4:
            module, x = module.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)

        def predict():
            with torch.inference_mode():
                return module(x).numpy()
        return predict
    return load


def ncnn(model, folder, threads):
    import ncnn

    own = os.path.join(folder, f"{model.key}-ncnn")
    if not os.path.exists(os.path.join(own, "model.ncnn.bin")):
        import torch

        os.makedirs(own, exist_ok=True)
        x = torch.from_numpy(models.example(model))
        with torch.no_grad():
            torch.jit.trace(models.module(model), x).save(os.path.join(own, "model.pt"))
        shape = ",".join(str(extent) for extent in model.shape)
        words = "i32" if model.vocabulary else "f32"
        subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "pnnx"), "model.pt", f"inputshape=[{shape}]{words}", "fp16=0"],
            cwd=own, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def load():
        net = ncnn.Net()
        net.opt.num_threads = threads
        for read, kind in ((net.load_param, "param"), (net.load_model, "bin")):
            if read(os.path.join(own, f"model.ncnn.{kind}")):
                raise RuntimeError("ncnn does not read the converted model")
        x = ncnn.Mat(models.example(model)[0])

        def predict():
            extractor = net.create_extractor()
            extractor.input("in0", x)
            status, result = extractor.extract("out0")
            if status:
                raise RuntimeError(f"ncnn ends with {status}")
            return result
        return predict
    return load


def mnn(model, folder, threads):
    import MNN

    path = os.path.join(folder, f"{model.key}.mnn")
    if not os.path.exists(path):
        subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "mnnconvert"), "-f", "ONNX", "--modelFile",
             os.path.join(folder, f"{model.key}.onnx"), "--MNNModel", path, "--bizCode", "bench"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def load():
        import MNN.expr
        import MNN.nn

        manager = MNN.nn.create_runtime_manager(({"backend": "CPU", "numThread": threads, "precision": "high"},))
        net = MNN.nn.load_module_from_file(path, ["x"], ["y"], runtime_manager=manager)
        value = models.example(model)
        kind = MNN.expr.int if model.vocabulary else MNN.expr.float
        x = MNN.expr.const(value, list(value.shape), MNN.expr.NCHW, kind)
        return lambda: net.forward([x])[0].read()
    return load


def litert(model, folder, threads):
    from ai_edge_litert.interpreter import Interpreter

    path = os.path.join(folder, f"{model.key}.tflite")
    if not os.path.exists(path):
        raise RuntimeError(f"{path} is missing; litert_torch, which writes it, is not installed")

    def load():
        interpreter = Interpreter(path, num_threads=threads)
        interpreter.allocate_tensors()
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], models.example(model))
        place = interpreter.get_output_details()[0]["index"]

        def predict():
            interpreter.invoke()
            return interpreter.get_tensor(place)
        return predict
    return load


RUNTIMES = {
    "onnxruntime": onnxruntime, "openvino": openvino("f32"), "pytorch": pytorch, "ncnn": ncnn, "mnn": mnn,
    "litert": litert,
}


def timed(call):
    """Calls a function. Returns its result, its time and its processor time in milliseconds."""
    start, spent = time.perf_counter(), time.process_time()
    result = call()
    return result, (time.perf_counter() - start) * 1e3, (time.process_time() - spent) * 1e3


if __name__ == "__main__":
    runtime, key, folder, threads = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    # Some runtimes print to standard output.
    answers_file = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    load = RUNTIMES[runtime](models.known()[key], folder, threads)
    predict, loading, _ = timed(load)
    result, first, _ = timed(predict)
    values = numpy.array(result).ravel()[:64].tolist()
    print(json.dumps({"load": loading, "first": first, "values": values}), file=answers_file, flush=True)
    for line in sys.stdin:
        answers = [timed(predict)[1:] for _ in range(int(line))]
        print(json.dumps({"times": [one[0] for one in answers], "processor": [one[1] for one in answers]}),
              file=answers_file, flush=True)
