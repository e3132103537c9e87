"""Times a recurrent network with `while_loop` and lists, compared with the same network unrolled.

    python loops.py [HIDDEN] [STEPS] [BLOCKS]

The input is BLOCKS blocks of STEPS samples each. Each block starts with the hidden state after the previous one.
There are three programs: the unrolled one, a loop with a list of dynamic length, and a loop with a list of fixed
length. For each, prints the median time of a block, and the largest difference from the unrolled program. The
programs alternate, so that other work of the machine slows all of them equally.
"""

import logging
import statistics
import sys
import time

import numpy as np

logging.disable(logging.WARNING)
import coremltools as ct
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

FEATURES = 64


def cell(weights, sample, hidden):
    """One step of a gated recurrent unit: samples [1, FEATURES], hidden [1, HIDDEN]."""
    taken = mb.linear(x=sample, weight=weights["w"], bias=weights["b"])
    kept = mb.linear(x=hidden, weight=weights["r"], bias=weights["c"])
    update_x, reset_x, new_x = mb.split(x=taken, num_splits=3, axis=1)
    update_h, reset_h, new_h = mb.split(x=kept, num_splits=3, axis=1)
    update = mb.sigmoid(x=mb.add(x=update_x, y=update_h))
    reset = mb.sigmoid(x=mb.add(x=reset_x, y=reset_h))
    new = mb.tanh(x=mb.add(x=new_x, y=mb.mul(x=reset, y=new_h)))
    difference = mb.sub(x=hidden, y=new)
    return mb.add(x=new, y=mb.mul(x=update, y=difference))


def inputs(hidden, steps):
    return [mb.TensorSpec((steps, FEATURES)), mb.TensorSpec((1, hidden))]


def loop(weights, hidden, steps, grows):
    @mb.program(input_specs=inputs(hidden, steps), opset_version=ct.target.iOS17)
    def program(x, h):
        made = mb.make_list(
            init_length=1 if grows else steps, dynamic_length=grows, elem_shape=(1, hidden)
        )

        def goes_on(i, state, items):
            return mb.less(x=i, y=steps)

        def body(i, state, items):
            sample = mb.expand_dims(x=mb.gather(x=x, indices=i, axis=0), axes=[0])
            after = cell(weights, sample, state)
            return mb.add(x=i, y=1), after, mb.list_write(ls=items, index=i, value=after)

        _, last, items = mb.while_loop(_cond=goes_on, _body=body, loop_vars=(0, h, made))
        gathered = mb.list_gather(ls=items, indices=np.arange(steps, dtype=np.int32))
        return mb.identity(x=last, name="last"), mb.squeeze(x=gathered, axes=[1], name="all")

    return program


def unrolled(weights, hidden, steps):
    @mb.program(input_specs=inputs(hidden, steps), opset_version=ct.target.iOS17)
    def program(x, h):
        items = []
        for step in range(steps):
            sample = mb.slice_by_index(x=x, begin=[step, 0], end=[step + 1, FEATURES])
            h = cell(weights, sample, h)
            items.append(h)
        return mb.identity(x=h, name="last"), mb.concat(values=items, axis=0, name="all")

    return program


def converted(program):
    return ct.convert(
        program, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32,
        minimum_deployment_target=ct.target.iOS17)


def main(hidden=256, steps=64, blocks=20):
    random = np.random.default_rng(0)

    def draw(*shape):
        return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    weights = {
        "w": draw(3 * hidden, FEATURES), "b": draw(3 * hidden),
        "r": draw(3 * hidden, hidden), "c": draw(3 * hidden)}
    signal = draw(blocks * steps, FEATURES) * 8
    models = {
        "straight": converted(unrolled(weights, hidden, steps)),
        "growing": converted(loop(weights, hidden, steps, True)),
        "fixed": converted(loop(weights, hidden, steps, False))}
    states = {name: np.zeros((1, hidden), np.float32) for name in models}
    times = {name: [] for name in models}
    largest = dict.fromkeys(models, 0.0)
    names = {}
    for block in range(blocks):
        x = signal[block * steps:(block + 1) * steps]
        answers = {}
        for name, model in models.items():
            start = time.perf_counter()
            answer = model.predict({"x": x, "h": states[name]})
            times[name].append(time.perf_counter() - start)
            answers[name] = next(v for v in answer.values() if v.shape == (steps, hidden))
            states[name] = answers[name][-1:]
        for name in models:
            difference = np.abs(answers[name] - answers["straight"]).max()
            largest[name] = max(largest[name], float(difference))
    base = statistics.median(times["straight"])
    for name in models:
        first, median = times[name][0], statistics.median(times[name])
        print(
            f"{name:9} first {first * 1e3:8.2f} ms  median {median * 1e3:7.3f} ms"
            f"  {median / base:5.2f} x straight  largest difference {largest[name]:.1e}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
