"""Processes that are started after a prediction: forked, by multiprocessing in each of its ways, and by gunicorn."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
import urllib.request

import coremltools
import numpy as np
import pytest
from coremltools.converters.mil import Builder as mb


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 16, 96, 96))])
    def program(x):
        weights = np.random.default_rng(0).normal(size=(32, 16, 3, 3)).astype(np.float32)
        return mb.softmax(x=mb.conv(x=x, weight=weights, pad_type="same"), axis=1)

    path = tmp_path_factory.mktemp("fork") / "Convolution.mlpackage"
    coremltools.convert(program, convert_to="mlprogram").save(str(path))
    return path


# In a new process, because other libraries have started threads in pytest's process.
START = """
import os, signal, sys, threading
import numpy as np
import atelier

path = sys.argv[1]
model = atelier.Model(path)
name = model.description["inputs"][0]["name"]
inputs = {name: np.linspace(0, 1, 16 * 96 * 96, dtype=np.float32).reshape(1, 16, 96, 96)}
expected = model.predict(inputs)


def right(model):
    return all(np.array_equal(model.predict(inputs)[name], value) for name, value in expected.items())


def child(body):
    number = os.fork()
    if number == 0:
        signal.alarm(60)
        os._exit(0 if body() else 1)
    return os.waitpid(number, 0)[1]
"""


def run(package, body):
    script = START + textwrap.dedent(body)
    # The third prediction times the kernels, and another kernel may round differently. These tests compare all bits.
    fixed = {**os.environ, "ATELIER_TUNING": "off"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(package)], capture_output=True, text=True, timeout=300, env=fixed)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_child_predicts_with_its_parents_model_and_with_its_own(package):
    run(package, """
        assert child(lambda: right(model)) == 0
        assert child(lambda: right(atelier.Model(path))) == 0
        assert child(lambda: child(lambda: right(model)) == 0 and right(model)) == 0
        assert right(model)
    """)


def test_a_pool_of_processes_predicts(package):
    run(package, """
        import multiprocessing

        def one(_):
            return right(model)

        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert all(pool.map(one, range(4)))
    """)


def test_a_child_compresses_after_its_parent(package):
    run(package, """
        def shrink():
            return atelier.compress(path, bits=8) is not None
        assert shrink()
        assert child(shrink) == 0
    """)


def test_a_child_forked_during_another_threads_prediction_gets_an_error(package):
    run(package, """
        going = True
        def work():
            while going: model.predict(inputs)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads: thread.start()
        def told():
            try:
                return right(model)
            except Exception as error:
                return "was forked while another thread" in str(error)
        ends = [child(told) for _ in range(20)]
        going = False
        for thread in threads: thread.join()
        assert ends == [0] * 20, ends
        assert right(model)
    """)


# A module that multiprocessing's processes and gunicorn import. `model` has predicted before any process starts.
MODULE = """
import json, multiprocessing, os, sys
import numpy as np
import atelier

path = os.environ["FORK_TEST_MODEL"]
inputs = {"x": np.linspace(0, 1, 16 * 96 * 96, dtype=np.float32).reshape(1, 16, 96, 96)}


def total(model):
    return float(sum(np.abs(value).sum(dtype=np.float64) for value in model.predict(inputs).values()))


def own(_):
    return total(atelier.Model(path))


def given(predictor):
    return float(np.abs(next(iter(predictor({"x": inputs["x"]}).values()))).sum(dtype=np.float64))


def application(environment, start):
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"process": os.getpid(), "total": total(model)}).encode()]


if __name__ == "__main__" or "gunicorn" in sys.modules:
    model = atelier.Model(path)
    expected = total(model)

if __name__ == "__main__":
    from atelier.batch import ColumnPredictor

    predictor = ColumnPredictor(path)
    assert given(predictor) == expected
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(own, range(4)) == [expected] * 4
        # The object is pickled by path and options: each process opens the model for itself.
        assert pool.map(given, [predictor] * 4) == [expected] * 4
    assert total(model) == expected
    print(expected)
"""


@pytest.fixture
def module(package, tmp_path, monkeypatch):
    path = tmp_path / "served.py"
    path.write_text(MODULE)
    monkeypatch.setenv("FORK_TEST_MODEL", str(package))
    return path


@pytest.mark.parametrize("way", ["fork", "forkserver", "spawn"])
def test_multiprocessing_predicts(module, way):
    done = subprocess.run([sys.executable, str(module), way], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_gunicorn_predicts_with_a_model_that_it_loaded_before_it_forked(module):
    pytest.importorskip("gunicorn")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    expected = float(subprocess.run([sys.executable, str(module), "fork"], capture_output=True, timeout=300).stdout)
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--bind", address, "served:application"],
        cwd=module.parent,
    )
    try:
        answers, end = [], time.monotonic() + 240
        while len({one["process"] for one in answers}) < 2 or len(answers) < 20:
            assert time.monotonic() < end and server.poll() is None, answers
            try:
                with urllib.request.urlopen(f"http://{address}/", timeout=60) as answer:
                    answers.append(json.load(answer))
            except ConnectionError:
                time.sleep(0.05)
            except OSError as error:
                assert isinstance(getattr(error, "reason", None), ConnectionError), error
                time.sleep(0.05)
        assert {one["total"] for one in answers} == {expected}
        assert os.getpid() not in {one["process"] for one in answers}
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=120) == 0
