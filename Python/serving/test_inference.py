"""`atelier serve` with the client of the Open Inference Protocol that others use: tritonclient."""

import collections
import http.client
import io
import json
import random
import signal
import struct
import threading
import time

import atelier
import numpy as np
import PIL.Image
import pytest
import tritonclient.http as triton
from conftest import ROOT, ROWS, Server
from tritonclient.utils import InferenceServerException


def photo(size):
    return PIL.Image.open(ROOT / "Gallery/photos/astronaut.jpg").convert("RGB").resize(size)


def png(picture):
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def infer(server, model, inputs, binary=True, outputs=None, **options):
    client = triton.InferenceServerClient(server.address, network_timeout=120, connection_timeout=120)
    sent = []
    for name, (kind, array) in inputs.items():
        one = triton.InferInput(name, array.shape, kind)
        one.set_data_from_numpy(array, binary_data=binary)
        sent.append(one)
    wanted = outputs and [triton.InferRequestedOutput(name, binary_data=binary) for name in outputs]
    if not wanted and not binary:
        names = [one["name"] for one in client.get_model_metadata(model)["outputs"]]
        wanted = [triton.InferRequestedOutput(name, binary_data=False) for name in names]
    try:
        return client.infer(model, sent, outputs=wanted, **options)
    finally:
        client.close()


def same(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


BOTH = pytest.mark.parametrize("binary", [True, False])


@BOTH
def test_three_inputs(server, models, binary):
    generator = np.random.default_rng(1)
    a, b = generator.normal(size=(2, 3)).astype(np.float32), generator.normal(size=(3, 4)).astype(np.float32)
    c = np.arange(8, dtype=np.int32).reshape(2, 4)
    expected = atelier.Model(models["three"]).predict({"a": a, "b": b, "c": c})
    result = infer(server, "three", {"a": ("FP32", a), "b": ("FP32", b), "c": ("INT32", c)}, binary)
    assert same(result.as_numpy("sum"), expected["sum"])
    assert same(result.as_numpy("next"), expected["next"])
    only = infer(server, "three", {"a": ("FP32", a), "b": ("FP32", b), "c": ("INT32", c)}, binary, ["next"])
    assert [one["name"] for one in only.get_response()["outputs"]] == ["next"]


def test_half_precision(server, models):
    x = np.random.default_rng(2).normal(size=(4, 5)).astype(np.float16)
    # `predict` returns float32 for float16.
    expected = atelier.Model(models["halves"]).predict({"x": x})["y"].astype(np.float16)
    assert same(infer(server, "halves", {"x": ("FP16", x)}).as_numpy("y"), expected)
    # tritonclient sends FP16 only as binary data; as JSON, the numbers are the same.
    body = {"inputs": [{"name": "x", "datatype": "FP16", "shape": [4, 5], "data": x.astype(float).tolist()}]}
    status, _, answer = server.ask("POST", "/v2/models/halves/infer", json.dumps(body))
    assert status == 200
    assert same(np.array(json.loads(answer)["outputs"][0]["data"], np.float16).reshape(4, 5), expected)


@BOTH
def test_classifier(server, models, binary):
    picture = photo((16, 16))
    expected = atelier.Model(models["colours"]).predict({"image": picture})
    label = next(value for value in expected.values() if isinstance(value, str))
    numbers = next(value for value in expected.values() if isinstance(value, dict))
    name = next(name for name, value in expected.items() if isinstance(value, dict))
    pixels = np.asarray(picture)
    result = infer(server, "colours", {"image": ("UINT8", pixels)}, binary)
    text = lambda value: value.decode() if isinstance(value, bytes) else value
    assert text(result.as_numpy("classLabel")[0]) == label
    keys = [text(key) for key in result.as_numpy(name + ".keys")]
    assert keys == ["blue", "green", "red"]
    assert dict(zip(keys, result.as_numpy(name))) == numbers
    if binary:
        file = np.array([png(picture)], object)
        again = infer(server, "colours", {"image": ("BYTES", file)})
        assert same(again.as_numpy(name), result.as_numpy(name))


@BOTH
def test_picture(server, models, binary):
    picture = photo((96, 64))
    (name, expected), = atelier.Model(models["painter"]).predict({"image": picture}).items()
    expected = np.asarray(expected.convert("RGB"))
    pixels = {"image": ("UINT8", np.asarray(picture))}
    result = infer(server, "painter", pixels, binary, parameters={"pictures": "array"})
    assert same(result.as_numpy(name), expected)
    if binary:
        painted = infer(server, "painter", {"image": ("BYTES", np.array([png(picture)], object))}).as_numpy(name)
        assert same(np.asarray(PIL.Image.open(io.BytesIO(painted[0]))), expected)


def test_metadata_and_repository(server):
    client = triton.InferenceServerClient(server.address)
    assert client.is_server_live() and client.is_server_ready()
    assert "binary_tensor_data" in client.get_server_metadata()["extensions"]
    metadata = client.get_model_metadata("three")
    assert {(one["name"], one["datatype"], tuple(one["shape"])) for one in metadata["inputs"]} == {
        ("a", "FP32", (2, 3)), ("b", "FP32", (3, 4)), ("c", "INT32", (2, 4))
    }
    assert client.get_model_metadata("rows", "1")["inputs"][0]["shape"] == [-1, 3]
    names = {one["name"]: one["state"] for one in client.get_model_repository_index()}
    assert set(names) == {"painter", "colours", "three", "halves", "rows"} and set(names.values()) == {"READY"}
    client.unload_model("halves")
    x = np.zeros((4, 5), np.float16)
    assert not client.is_model_ready("halves") and client.is_model_ready("three")
    with pytest.raises(InferenceServerException, match="unloaded"):
        infer(server, "halves", {"x": ("FP16", x)})
    client.load_model("halves")
    assert client.is_model_ready("halves")
    assert (infer(server, "halves", {"x": ("FP16", x)}).as_numpy("y") == 1).all()
    with pytest.raises(InferenceServerException, match="There is no model 'none'"):
        client.load_model("none")
    client.close()


def test_metrics_count_inferences(server, models):
    infer(server, "rows", {"x": ("FP32", np.ones((5, 3), np.float32))})
    text = server.ask("GET", "/metrics")[2].decode()
    assert 'atelier_inferences_total{model="rows",outcome="answered"}' in text
    assert 'atelier_inference_seconds_bucket{model="rows",le="+Inf"}' in text


def test_batches_have_the_rows_of_each_request(models):
    server = Server(f"rows={models['rows']}", "--batch", "8")
    try:
        weights = ROWS[0] @ ROWS[1]
        right = collections.Counter()

        def ask(seed):
            generator = np.random.default_rng(seed)
            for _ in range(40):
                x = generator.integers(-9, 9, (int(generator.integers(1, 4)), 3)).astype(np.float32)
                y = infer(server, "rows", {"x": ("FP32", x)}).as_numpy("y")
                right[np.array_equal(y, x @ weights)] += 1

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(12)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert right == {True: 480}
        metrics = server.ask("GET", "/metrics")[2].decode()
        assert int(metrics.split("\natelier_batched_inferences_total ")[1].split()[0]) > 0
    finally:
        assert server.end() == 143


# MARK: Malformed requests


def valid():
    """The JSON and the binary data of a valid request for `three`."""
    a, b, c = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.ones((2, 4), np.int32)
    inputs = [
        {"name": name, "datatype": kind, "shape": list(array.shape), "parameters": {"binary_data_size": array.nbytes}}
        for name, kind, array in (("a", "FP32", a), ("b", "FP32", b), ("c", "INT32", c))
    ]
    return {"id": "1", "inputs": inputs, "outputs": [{"name": "sum"}]}, a.tobytes() + b.tobytes() + c.tobytes()


ODD = [None, True, -1, 0, 1, 1.5, 1e300, 2**63, 2**70, "", "x", "FP32", "\x00", "é" * 50, [], [[]], {}, {"x": 1}, [-1], [0, 3],
       [2**62, 4], [2, 3, 1], [1] * 40, [2.5], ["2"], {"binary_data_size": -1}, {"binary_data_size": 2**40}, {"binary_data_size": 23}]


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def damaged(generator):
    """A request that differs from a valid one: the path, the headers and the body."""
    document, binary = valid()
    path, headers = "/v2/models/three/infer", {}
    way = generator.randrange(8)
    if way < 3:
        where = generator.choice([place for place in places(document) if place])
        owner = document
        for key in where[:-1]:
            owner = owner[key]
        if generator.random() < 0.3:
            del owner[where[-1]]
        else:
            owner[where[-1]] = generator.choice(ODD)
    text = json.dumps(document).encode()
    length = len(text)
    if way == 3:
        text = bytearray(text)
        for _ in range(generator.randint(1, 6)):
            text[generator.randrange(len(text))] = generator.randrange(256)
        text = bytes(text)
    elif way == 4:
        binary = binary[: generator.randrange(len(binary))] if generator.random() < 0.5 else binary + bytes(generator.randint(1, 99))
    elif way == 5:
        length = generator.choice([-1, 0, 1, length - 1, length + 1, 10**9, "x", "", "1e3", " 7", 2**64])
    elif way == 6:
        text, length, binary = bytes(generator.randrange(256) for _ in range(generator.randrange(200))), None, b""
    elif way == 7:
        path = generator.choice([
            "/v2/models/none/infer", "/v2/models/three/versions/2/infer", "/v2/models//infer", "/v2/models/%00/infer",
            "/v2/models/three/infer/x", "/v2/repository/models/none/load", "/v2/models/../infer", "/v2/" + "x" * 3000,
        ])
    if length is not None:
        headers["Inference-Header-Content-Length"] = str(length)
    return path, headers, text + binary


def test_malformed_requests_are_refused_in_words(server):
    generator = random.Random(20261128)
    counts, refused = collections.Counter(), 0
    link = http.client.HTTPConnection(server.address, timeout=120)
    while refused < 5000:
        path, headers, body = damaged(generator)
        try:
            link.request("POST", path, body, headers)
            answer = link.getresponse()
            status, content = answer.status, answer.read()
        except (ConnectionError, http.client.BadStatusLine):
            # The server closes a connection after it has refused a request's head.
            link.close()
            counts["again"] += 1
            assert counts["again"] < 5000
            continue
        counts[status] += 1
        if status == 200:
            continue
        assert 400 <= status < 500, (status, path, headers, body, content)
        sentence = json.loads(content)["error"]
        assert len(sentence) > 15 and sentence.endswith((".", "?")), sentence
        refused += 1
        if answer.headers.get("Connection") == "close":
            link.close()
    print(dict(counts))
    document, binary = valid()
    text = json.dumps(document).encode()
    status, _, _ = server.ask(
        "POST", "/v2/models/three/infer", text + binary, {"Inference-Header-Content-Length": str(len(text))})
    assert status == 200


def test_other_hosts_and_missing_tokens_are_refused(models, tmp_path):
    (tmp_path / "token").write_text("a-token-of-a-secret\n")
    server = Server(f"rows={models['rows']}", "--token-file", tmp_path / "token", "--host", "*.models.svc")
    try:
        bearer = {"Authorization": "Bearer a-token-of-a-secret"}
        assert server.ask("GET", "/v2")[0] == 401
        assert json.loads(server.ask("GET", "/v2")[2])["error"].startswith("This server needs its token")
        assert server.ask("GET", "/v2", headers=bearer)[0] == 200
        assert server.ask("GET", "/v2/health/ready")[0] == 200
        assert server.ask("GET", "/v2", headers={**bearer, "Host": "painter.models.svc"})[0] == 200
        assert server.ask("GET", "/v2", headers={**bearer, "Host": "painter.other.svc"})[0] == 421
    finally:
        server.end()


# MARK: Ending


@pytest.mark.parametrize("round", range(3))
def test_sigterm_loses_no_accepted_request(models, round):
    server = Server(f"painter={models['painter']}")
    document = {"inputs": [{"name": "image", "datatype": "UINT8", "shape": [128, 128, 3], "parameters": {"binary_data_size": 49152}}]}
    text = json.dumps(document).encode()
    body = text + np.asarray(photo((128, 128))).tobytes()
    headers = {"Inference-Header-Content-Length": str(len(text))}
    ends, ended, answered_after = collections.Counter(), threading.Event(), collections.Counter()

    def ask():
        while True:
            link = http.client.HTTPConnection(server.address, timeout=120)
            try:
                link.connect()
            except ConnectionRefusedError:
                return
            try:
                link.request("POST", "/v2/models/painter/infer", body, headers)
                answer = link.getresponse()
                content = answer.read()
                ends[answer.status] += 1
                answered_after[ended.is_set()] += 1
                if answer.status != 200 or len(content) < 1000:
                    ends["wrong"] += 1
            except Exception as error:
                ends[repr(error)] += 1
            finally:
                link.close()

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads: thread.start()
    time.sleep(2)
    ended.set()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(120) == 143
    for thread in threads: thread.join()
    print(ends, answered_after)
    assert set(ends) == {200} and answered_after[True] > 0
