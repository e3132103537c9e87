"""Processes that are forked after a prediction, as by multiprocessing, DataLoader and gunicorn."""

import subprocess
import sys
import textwrap

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
    done = subprocess.run([sys.executable, "-c", script, str(package)], capture_output=True, text=True, timeout=300)
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
