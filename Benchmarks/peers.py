"""A process that loads one of the models of models.py for one runtime, and predicts when it is told to.

usage: peers.py RUNTIME KEY FOLDER THREADS

With 0 threads, only writes the file that the runtime needs. Otherwise, writes how long loading and the first prediction
took, and values of the result. Then reads numbers of predictions from standard input, one per line. Answers each number
with the times and the processor times of the predictions, and the peak memory of the process so far. Times are in
milliseconds, memory in megabytes; everything is JSON.
"""

import json
import os
import subprocess
import sys
import time

import numpy

import models

HERE = os.path.dirname(os.path.abspath(__file__))


def onnxruntime(model, folder, threads):
    import onnxruntime

    def load():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(
            os.path.join(folder, f"{model.key}.onnx"), options, providers=["CPUExecutionProvider"])
        values = models.examples(model)
        return lambda: session.run(None, values)[0]
    return load


def openvino(precision):
    def prepare(model, folder, threads):
        import openvino

        def load():
            core = openvino.Core()
            compiled = core.compile_model(core.read_model(os.path.join(folder, f"{model.key}.onnx")), "CPU", {
                "INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_NUM_THREADS": threads})
            request, values = compiled.create_infer_request(), models.examples(model)
            return lambda: request.infer(values, share_inputs=True)[0]
        return load
    return prepare


def pytorch(model, folder, threads):
    import torch

    torch.set_num_threads(threads)
    made = models.module(model)

    def load():
        module, values = made, [torch.from_numpy(value) for value in models.examples(model).values()]
        if values[0].dim() == 4:
            module = module.to(memory_format=torch.channels_last)
            values[0] = values[0].to(memory_format=torch.channels_last)

        def predict():
            with torch.inference_mode():
                found = module(*values)
                return (found[0] if isinstance(found, tuple) else found).numpy()
        return predict
    return load


def ncnn(model, folder, threads):
    import ncnn

    own = os.path.join(folder, f"{model.key}-ncnn")

    def load():
        net = ncnn.Net()
        net.opt.num_threads = threads
        for read, kind in ((net.load_param, "param"), (net.load_model, "bin")):
            if read(os.path.join(own, f"model.ncnn.{kind}")):
                raise RuntimeError("ncnn does not read the converted model")
        # ncnn's values have no batch. Without `clone`, they would refer to the memory of arrays that Python releases.
        values = [
            ncnn.Mat(value[0] if len(value) == 1 else value).clone() for value in models.examples(model).values()]

        def predict():
            extractor = net.create_extractor()
            for index, value in enumerate(values):
                extractor.input(f"in{index}", value)
            status, result = extractor.extract("out0")
            if status:
                raise RuntimeError(f"ncnn ends with {status}")
            return result
        return predict
    return load


def mnn(model, folder, threads):
    import MNN

    def load():
        import MNN.expr
        import MNN.nn

        names = [one.name for one in model.inputs]
        manager = MNN.nn.create_runtime_manager(({"backend": "CPU", "numThread": threads, "precision": "high"},))
        net = MNN.nn.load_module_from_file(
            os.path.join(folder, f"{model.key}.mnn"), names, model.outputs, runtime_manager=manager)
        values = [
            MNN.expr.const(value, list(value.shape), MNN.expr.NCHW, MNN.expr.int if one.vocabulary else MNN.expr.float)
            for one, value in zip(model.inputs, models.examples(model).values())]
        return lambda: net.forward(values)[0].read()
    return load


def litert(model, folder, threads):
    from ai_edge_litert.interpreter import Interpreter

    def load():
        interpreter = Interpreter(os.path.join(folder, f"{model.key}.tflite"), num_threads=threads)
        interpreter.allocate_tensors()
        places = sorted(interpreter.get_input_details(), key=lambda place: place["name"])
        for place, value in zip(places, models.examples(model).values()):
            interpreter.set_tensor(place["index"], value)
        output = sorted(interpreter.get_output_details(), key=lambda place: place["name"])[0]["index"]

        def predict():
            interpreter.invoke()
            return interpreter.get_tensor(output)
        return predict
    return load


def atelier(precision):
    def prepare(model, folder, threads):
        import atelier

        def load():
            loaded = atelier.Model(os.path.join(folder, f"{model.key}-{precision}.mlpackage"), threads=threads)
            values = models.examples(model)
            for one in model.inputs:
                if one.is_cache and precision == "float16":
                    values[one.name] = values[one.name].astype(numpy.float16)
            return lambda: loaded.predict(values)[model.outputs[0]]
        return load
    return prepare


RUNTIMES = {
    "atelier-float32": atelier("float32"), "atelier-float16": atelier("float16"), "onnxruntime": onnxruntime,
    "openvino": openvino("f32"), "pytorch": pytorch, "ncnn": ncnn, "mnn": mnn, "litert": litert,
}


# MARK: Files of peers


def write_ncnn(model, folder, draft):
    import torch

    os.makedirs(draft, exist_ok=True)
    values = tuple(torch.from_numpy(value) for value in models.examples(model).values())
    with torch.no_grad():
        torch.jit.trace(models.module(model), values).save(os.path.join(draft, "model.pt"))
    shapes = ",".join(
        f"[{','.join(map(str, one.shape))}]{'i32' if one.vocabulary else 'f32'}" for one in model.inputs)
    run([beside("pnnx"), "model.pt", f"inputshape={shapes}", "fp16=0"], cwd=draft)


def write_mnn(model, folder, draft):
    run([beside("mnnconvert"), "-f", "ONNX", "--modelFile", os.path.join(folder, f"{model.key}.onnx"), "--MNNModel",
         draft, "--bizCode", "bench"])


def write_litert(model, folder, draft):
    # The converter needs other versions of packages than the peers.
    run([os.environ.get("BENCH_LITERT_PYTHON", sys.executable), os.path.join(HERE, "tflite.py"), model.key, draft])


#: The name of a peer's file after the model's key, and the function that writes it.
WRITERS = {"ncnn": ("-ncnn", write_ncnn), "mnn": (".mnn", write_mnn), "litert": (".tflite", write_litert)}


def write(runtime, model, folder):
    """Writes the file of a peer, if it needs one of its own and has none."""
    ending, make = WRITERS.get(runtime, (None, None))
    if not ending or os.path.exists(os.path.join(folder, model.key + ending)):
        return
    draft = os.path.join(folder, f"{model.key}-draft{ending}")
    make(model, folder, draft)
    os.replace(draft, os.path.join(folder, model.key + ending))


def beside(name):
    """Returns the path of a program that pip installed with this Python."""
    return os.path.join(os.path.dirname(sys.executable), name)


def run(command, **settings):
    """Runs a command. If it fails, raises an error with the last line that it wrote."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()] or ["it wrote nothing"]
        raise RuntimeError(f"{os.path.basename(command[0])} ends with {done.returncode}: {lines[-1][:300]}")


# MARK: The process


def timed(call):
    """Calls a function. Returns its result, its time and its processor time in milliseconds."""
    start, spent = time.perf_counter(), time.process_time()
    result = call()
    return result, (time.perf_counter() - start) * 1e3, (time.process_time() - spent) * 1e3


def peak():
    """Returns the peak memory of this process in megabytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    runtime, key, folder, threads = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    # Some runtimes print to standard output.
    answers_file = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    model = models.known()[key]
    if threads == 0:
        write(runtime, model, folder)
        sys.exit()
    load = RUNTIMES[runtime](model, folder, threads)
    predict, loading, _ = timed(load)
    result, first, _ = timed(predict)
    # Values from all parts of the result.
    values = numpy.array(result, dtype=numpy.float64).ravel()
    values = values[::max(1, len(values) // 1000)].tolist()
    print(json.dumps({"load": loading, "first": first, "values": values}), file=answers_file, flush=True)
    del result, values
    for line in sys.stdin:
        answers = [timed(predict)[1:] for _ in range(int(line))]
        print(json.dumps({
            "times": [one[0] for one in answers], "processor": [one[1] for one in answers], "memory": peak()}),
            file=answers_file, flush=True)
