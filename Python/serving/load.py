"""Puts `atelier serve` under load, and then ONNX Runtime in a minimal FastAPI application, with the same networks.

    python Python/serving/load.py [--minutes 10] [--clients 32]

Both servers get the same requests of raw float32 tensors for four networks, alternately for 30 s each. Fails if a request fails,
if an answer differs from the first one to the same request, or if the memory of `atelier serve` grows by more than 2 %
after the first tenth. Prints the times of the requests, the servers' processor time per request, and their memory. Needs
fastapi, uvicorn and onnxruntime besides requirements.txt.
"""

import argparse
import http.client
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import coremltools
import numpy as np
from conftest import ROOT, Server, save
from coremltools.converters.mil import Builder as mb

SIDES = {"tiny": 32, "small": 64, "medium": 96, "large": 128}

FASTAPI = """
import sys, asyncio
import fastapi, numpy, onnxruntime, uvicorn
from starlette.concurrency import run_in_threadpool

models = {name: onnxruntime.InferenceSession(path) for name, path in (word.split("=") for word in sys.argv[2:])}
shapes = {name: model.get_inputs()[0].shape for name, model in models.items()}
app = fastapi.FastAPI()


@app.post("/infer/{name}")
async def infer(name: str, request: fastapi.Request):
    x = numpy.frombuffer(await request.body(), numpy.float32).reshape(shapes[name])
    model = models[name]
    y = (await run_in_threadpool(model.run, None, {model.get_inputs()[0].name: x}))[0]
    return fastapi.Response(y.tobytes(), media_type="application/octet-stream")


uvicorn.run(app, port=int(sys.argv[1]), log_level="warning")
"""


def network(side):
    generator = np.random.default_rng(side)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, side, side))])
    def program(x):
        for depth, channels in enumerate((16, 32, 64)):
            weight = generator.normal(0, 0.1, (channels, x.shape[1], 3, 3)).astype(np.float32)
            x = mb.relu(x=mb.conv(x=x, weight=weight, strides=[2, 2] if depth else [1, 1], pad_type="same"))
        x = mb.reduce_mean(x=x, axes=[2, 3])
        return mb.softmax(x=mb.matmul(x=x, y=generator.normal(0, 1, (64, 100)).astype(np.float32)), axis=1, name="y")

    return program


def memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def processor(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    program = os.environ.get("ATELIER_BIN", str(ROOT / ".build/release/atelier"))
    ours, theirs = [], []
    for name, side in SIDES.items():
        path = save(folder, name, network(side))
        subprocess.run([program, "convert", path, "-o", folder / f"{name}.onnx"], check=True, stdout=subprocess.DEVNULL)
        ours.append(f"{name}={path}")
        theirs.append(f"{name}={folder / name}.onnx")
    server = Server(*ours)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "fastapi_server.py").write_text(FASTAPI)
    other = subprocess.Popen([sys.executable, folder / "fastapi_server.py", str(port), *theirs])
    bodies = {name: np.random.default_rng(side).random((1, 3, side, side), np.float32) for name, side in SIDES.items()}

    def request(kind, name):
        raw = bodies[name].tobytes()
        if kind == "onnxruntime":
            return f"/infer/{name}", raw, {}
        text = json.dumps({
            "parameters": {"binary_data_output": True},
            "inputs": [{"name": "x", "datatype": "FP32", "shape": bodies[name].shape, "parameters": {"binary_data_size": len(raw)}}],
        }).encode()
        return f"/v2/models/{name}/infer", text + raw, {"Inference-Header-Content-Length": str(len(text))}

    addresses = {"atelier": server.address, "onnxruntime": f"127.0.0.1:{port}"}
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            assert other.poll() is None
            time.sleep(0.1)
    processes = {"atelier": server.process, "onnxruntime": other}
    times = {kind: {name: [] for name in SIDES} for kind in addresses}
    expected, failures, sizes = {}, [], []
    spent, counts = dict.fromkeys(addresses, 0.0), dict.fromkeys(addresses, 0)

    def client(kind, number, end):
        link = http.client.HTTPConnection(addresses[kind], timeout=120)
        names = list(SIDES)
        next_name = number
        while time.monotonic() < end:
            name = names[next_name % len(names)]
            next_name += 1
            start = time.perf_counter()
            try:
                link.request("POST", *request_of[kind, name])
                answer = link.getresponse()
                content = answer.read()
            except Exception as error:
                failures.append((kind, name, repr(error)))
                link.close()
                continue
            times[kind][name].append(time.perf_counter() - start)
            result = content[-400:]
            if answer.status != 200 or expected.setdefault((kind, name), result) != result:
                failures.append((kind, name, answer.status, content[:200]))
        link.close()

    request_of = {(kind, name): request(kind, name) for kind in addresses for name in SIDES}
    finish = time.monotonic() + options.minutes * 60
    try:
        while time.monotonic() < finish:
            for kind in addresses:
                before = processor(processes[kind]), sum(map(len, times[kind].values()))
                end = time.monotonic() + options.seconds
                threads = [threading.Thread(target=client, args=(kind, number, end)) for number in range(options.clients)]
                for thread in threads: thread.start()
                while any(thread.is_alive() for thread in threads):
                    time.sleep(1)
                    if kind == "atelier":
                        sizes.append(memory(server.process))
                spent[kind] += processor(processes[kind]) - before[0]
                counts[kind] += sum(map(len, times[kind].values())) - before[1]
        for name in SIDES:
            left, right = (np.frombuffer(expected[kind, name], np.float32) for kind in addresses)
            assert np.allclose(left, right, atol=1e-4), name
        for kind in addresses:
            print(f"{kind}: {counts[kind]} requests, {1000 * spent[kind] / counts[kind]:.2f} ms of processor time each, "
                  f"{memory(processes[kind]) / 1024:.0f} MB")
            for name, all in times[kind].items():
                cuts = statistics.quantiles(all, n=100)
                print(f"  {name:7} {len(all):7} requests  p50 {1000 * cuts[49]:6.1f} ms  p99 {1000 * cuts[98]:6.1f} ms")
        tenth = max(1, len(sizes) // 10)
        first, last = statistics.mean(sizes[tenth : 2 * tenth]), statistics.mean(sizes[-tenth:])
        print(f"atelier's memory after the first tenth {first / 1024:.1f} MB, at the end {last / 1024:.1f} MB; "
              f"{len(failures)} failures {failures[:3]}")
        return 0 if not failures and last < 1.02 * first else 1
    finally:
        other.terminate()
        server.end()


if __name__ == "__main__":
    sys.exit(main())
