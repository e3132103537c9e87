#!/usr/bin/env python3
"""Times common models through Atelier and all peers, and writes the section of this kind of processor in
Documentation/CommonModels.md.

usage: common.py [--only NAME,...] [--peers NAME,...] [--rounds 5] [--runs 5] [--isa NAME] [--threads N]
                 [--processor] [--add [--none]] [--print]
"""

import json
import os
import statistics
import subprocess
import sys

import contenders
import frame
import language
import models
import page

#: The columns of the page: the name of the worker's runtime, and the title.
OWN = {"atelier-float32": "Atelier, float32", "atelier-float16": "Atelier, float16"}
PEERS = {
    "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "pytorch": "PyTorch", "ncnn": "ncnn", "mnn": "MNN",
    "litert": "LiteRT",
}
#: The peers that can be limited to an instruction set.
LIMITED = ("openvino", "pytorch")
#: The peer whose results the others must have, and the largest difference relative to its largest value.
REFERENCE, TOLERANCE = "pytorch", 0.02
#: The side of the square matrices whose product measures the machine's rate, and the bytes that one read takes.
SIDE, READ = 2048, 2**30

HEAD = """# Common models

Times of models that many people run, in Atelier and its peers. To measure them on your machine:

    make bench-models

`make bench-models` writes this page ([Benchmarks/](../Benchmarks/README.md)), with one section per kind of processor.
Compare ratios rather than times, because machines are shared.

- `Benchmarks/models.py` defines the models with seeded weights, so nothing is downloaded. Atelier runs the ML Programs
  that coremltools makes of them, in float32 and in float16, coremltools' default. ONNX Runtime, OpenVINO and MNN run
  the ONNX file that PyTorch exports, ncnn what pnnx makes of the module, LiteRT what litert-torch makes of it, PyTorch
  the module itself, channels last. Peers compute in float32.
- Every contender runs in a process of its own, called from Python, with the same inputs. Its result is compared with
  PyTorch's. A contender whose result differs by more than 2 % of the largest value is left out (–).
- All contenders run alternately. A time is the median of all predictions in milliseconds. Processor time, in brackets,
  is that of all threads for one prediction: on a busy machine it varies less.
- The detector's results are all its boxes. Their suppression, a second model in a pipeline of coremltools, takes less
  than 1 ms more for 300 of 8,400 boxes.
- *Best peer* names the fastest peer. The ratios divide Atelier's medians by its median, and float16 by float32. Where a
  section says so, they are ratios of processor times.
- *First answer* is the time from the model's file to the first result: loading, and the first prediction. Atelier's
  kernels were chosen before, as on a machine that has run the model ([Tuning](Tuning.md)).
- *Peak memory* is that of the process, with Python and the runtime's library.
- The language model has random weights too. Atelier runs the ML Program that coremltools quantises in blocks of 32,
  with states for its cache, and llama.cpp a file with the same weights (F16, Q8_0, Q4_0), which multiplies quantised
  weights by activations that it quantises to int8.
- *Limits* compares the time with those of a plain matrix product with as many multiply-adds, and of reading the weights
  and caches once. Algorithms that save multiply-adds, such as Winograd's, can exceed 1; weights that stay in the caches
  are read faster than memory.
"""
NEXT = """## Next

- [Benchmarks](Benchmarks.md): style networks
- [Performance](Performance.md): what makes Atelier fast
"""


def write(runtime, script, *arguments):
    """Writes the file that a runtime needs, in a process of its own."""
    done = subprocess.run(
        [sys.executable, os.path.join(contenders.HERE, script), runtime, *arguments, "0"], capture_output=True, text=True)
    if done.returncode:
        words = done.stderr.strip().splitlines() or ["it ended without a word"]
        raise RuntimeError(f"{runtime}: {words[-1]}")


class Contender(contenders.Worker):
    """A runtime with one of the models."""

    def __init__(self, runtime, model, folder, machine):
        self.runtime, self.processor, self.memory = runtime, [], 0
        write(runtime, "peers.py", model.key, folder)
        try:
            super().__init__({**OWN, **PEERS}[runtime], machine, runtime, model.key, folder, script="peers.py")
        except RuntimeError as error:
            raise RuntimeError(f"{runtime}: {error}") from None
        self.processor = []

    def predict(self, count):
        self.ask(count)
        answer = self.answer()
        self.processor += answer["processor"]
        self.memory = answer["memory"]
        return answer["times"]

    def agrees(self, other):
        """Returns whether the results of two contenders are equal up to rounding."""
        largest = max(map(abs, other.ready["values"]))
        return len(self.ready["values"]) == len(other.ready["values"]) and all(
            abs(a - b) <= TOLERANCE * largest for a, b in zip(self.ready["values"], other.ready["values"]))

    @property
    def numbers(self):
        """What the page says about the contender."""
        return {
            "time": self.median, "processor": statistics.median(self.processor),
            "first": self.ready["load"] + self.ready["first"], "memory": self.memory}


def ours(runtime, model, folder, machine):
    """Returns Atelier with one of the models, after a process that chose its kernels."""
    for _ in range(2):  # The first process may end before all kernels are chosen.
        first = Contender(runtime, model, folder, machine)
        first.close()
    made = Contender(runtime, model, folder, machine)
    made.predict(5)
    made.processor = []
    return made


class LanguageContender(contenders.Worker):
    """A runtime with the language model. Its processor times and times are by what it predicts."""

    def __init__(self, runtime, folder, machine):
        self.runtime, self.memory = runtime, 0
        self.spent = {name: [] for name in ("prefill", "token")}
        write(runtime, "language.py", folder)
        super().__init__(runtime, machine, runtime, folder, script="language.py")
        self.spent = {name: [] for name in self.spent}

    def predict(self, count):
        for name, times in self.spent.items():
            self.ask(f"{name} {1 if name == 'prefill' else 3 * count}")
            answer = self.answer()
            times += zip(answer["times"], answer["processor"])
            self.memory = answer["memory"]
        return [0]

    @property
    def numbers(self):
        """What the page says about the contender."""
        found = {
            name: dict(zip(("time", "processor"), map(statistics.median, zip(*times))))
            for name, times in self.spent.items()}
        return {
            **found, "first": self.ready["load"] + self.ready["first"], "memory": self.memory,
            "errors": self.ready["errors"]}


def speak(peers, machine, arguments, folder):
    """Times the language model. Returns what the contenders took, by runtime."""
    runtimes = [f"atelier-{width}" for width in language.WIDTHS]
    if not machine.is_limited:
        runtimes += [f"llama-{width}" for width in language.WIDTHS]
    made = contenders.alternate(
        [lambda name=name: LanguageContender(name, folder, machine)
         for name in [*runtimes, *(["pytorch"] if "pytorch" in peers else [])]],
        arguments.rounds, arguments.runs)
    for one in made:
        print(f"{one.runtime:20s} {one.numbers}", flush=True)
    return {one.runtime: one.numbers for one in made}


def spoken(machine, rates, found, cost):
    """Returns the lines of the page about the language model."""
    lines = ["", f"A language model with the sizes of Qwen2.5-0.5B: a prompt of {language.PROMPT} tokens, and one token with"
             f" {language.CACHE} in the cache.", "",
             "| | weights | Atelier | llama.cpp | PyTorch, bfloat16 | Atelier / llama.cpp | share of the product | share of"
             " memory | error | llama.cpp's error |", "|---" * 10 + "|"]
    for name, work in language.work().items():
        for width, bits in zip(language.WIDTHS, (16, 8.5, 4.5)):
            own, other, torch = (
                found.get(key) for key in (f"atelier-{width}", f"llama-{width}", "pytorch"))
            if not own:
                continue
            cells = [f"{one[name]['time']:.1f} ({one[name]['processor']:.0f})" if one else "–"
                     for one in (own, other, torch if width == "float16" else None)]
            ratio = f"**{own[name][cost] / other[name][cost]:.2f}**" if other else "–"
            seconds = own[name][cost] / 1e3
            read = work["weights"] * bits / 8 + 2 * work["cache"]
            shares = [f"{work['products'] / rates['all'] / seconds:.2f}", f"{read / rates['memory'] / seconds:.2f}"]
            errors = [f"{one['errors'][name]:.3f}" if one else "–" for one in (own, other)]
            lines.append(f"| {name} | {width} | {' | '.join([*cells, ratio, *shares, *errors])} |")
    lines += ["", "The errors are root mean squares, relative to PyTorch's results in float32. First answer (loading and the"
              " prompt) and peak memory:", "", "| weights | Atelier, ms | llama.cpp, ms | Atelier, MB | llama.cpp, MB |",
              "|---" * 5 + "|"]
    for width in language.WIDTHS:
        own, other = found.get(f"atelier-{width}"), found.get(f"llama-{width}")
        cells = [f"{one[key]:.0f}" if one else "–" for key in ("first", "memory") for one in (own, other)]
        lines.append(f"| {width} | {' | '.join(cells)} |")
    return lines


def options():
    """Parses the command line."""
    parser = frame.parser(__doc__, "--atelier", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--peers", default=",".join(PEERS), help="names of peers, with commas")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; in each, every contender runs once")
    parser.add_argument("--runs", type=int, default=5, help="predictions per round")
    parser.add_argument(
        "--processor", action="store_true",
        help="ratios divide processor times, for a busy machine; take one thread, because waiting threads count")
    parser.add_argument("--add", action="store_true", help="keeps the other models of the last runs in the section")
    parser.add_argument("--none", action="store_true", help="with --add, times no model, but writes the section")
    return parser.parse_args()


def chosen(names, known, what):
    """Returns the entries of `known` that `names` lists, with commas; all of them if it lists none."""
    keys = [name for name in names.split(",") if name] or list(known)
    for key in keys:
        if key not in known:
            raise SystemExit(f"There is no {what} '{key}'. Take some of {', '.join(known)}.")
    return {key: known[key] for key in keys}


def measure(model, peers, machine, arguments, folder):
    """Times all contenders with a model. Leaves out those whose results differ. Returns a row of the page."""
    with open(models.files(model, folder)["work"]) as file:
        row = {"title": model.title, "work": json.load(file), "found": {}}
    makers = [lambda name=name: ours(name, model, folder, machine) for name in OWN]
    makers += [
        lambda name=name: Contender(name, model, folder, machine)
        for name in peers if not machine.is_limited or name in LIMITED]
    made = contenders.alternate(makers, arguments.rounds, arguments.runs)
    reference = next((one for one in made if one.runtime == REFERENCE), None)
    for contender in made:
        if reference and not contender.agrees(reference):
            print(f"  left out: {contender.name} computes something else")
            continue
        row["found"][contender.name] = numbers = contender.numbers
        print(f"{model.title:45s} {contender.name:20s}" + "".join(
            f" {name} {number:8.2f}" for name, number in numbers.items()), flush=True)
    return row


def limits(machine, takes_processor):
    """Returns the rates of a plain matrix product in multiply-adds per second, with one thread and with all, and of
    reading memory in bytes per second, with as many threads as the models. With `takes_processor`, these are rates per
    second of processor time."""
    rates, clock = {}, "processor:" if takes_processor else ""
    for name, runtime, size, amount, threads in [
            ("one", "product-f32", SIDE, SIDE**3, 1), ("all", "product-f32", SIDE, SIDE**3, machine.threads),
            ("memory", "read", READ, READ, machine.threads)]:
        runtime = clock + runtime
        own = contenders.Worker(name, machine, runtime, "-", size, threads=threads)
        own.run(10)
        own.close()
        rates[name] = amount / min(own.times) * 1e3
    return rates


def table(rows, titles, number, decimals, best=True):
    """Returns lines of a table with a column per contender, and the ratios of Atelier's to the best peer's."""
    more = ["best peer", "float32 / best", "float16 / best"] if best else []
    lines = [f"| model | {' | '.join(titles + more)} |", "|---" * (len(titles) + len(more) + 1) + "|"]
    for row in rows:
        found = {name: own[number] for name, own in row["found"].items()}
        cells = [f"{found[name]:.{decimals}f}" if name in found else "–" for name in titles]
        others = {name: value for name, value in found.items() if name not in OWN.values()}
        name = min(others, key=others.get, default="–")
        cells += [name] + [
            f"**{found[own] / others[name]:.2f}**" if own in found and others else "–" for own in OWN.values()]
        lines.append(f"| {row['title']} | {' | '.join(cells)} |")
    return lines


def section(machine, rates, peers, rows, speech, takes_processor):
    """Returns the section of Documentation/CommonModels.md as text. With `takes_processor`, compares processor times."""
    cost = "processor" if takes_processor else "time"
    able = [peer for peer in peers if not machine.is_limited or peer in LIMITED]
    names = [*OWN.values(), *(PEERS[peer] for peer in able)]
    lines = page.heading(machine, machine.sets)
    if takes_processor:
        lines += ["", "Other programs shared the machine, so ratios are those of processor times."]
    if machine.is_limited:
        lines += ["", f"Only {' and '.join(PEERS[peer] for peer in able)} have a switch for the instruction set"
                      " (ONEDNN_MAX_CPU_ISA, ATEN_CPU_CAPABILITY, MKL_ENABLE_INSTRUCTIONS). The other peers are left out."]
    lines += ["", f"| model | {' | '.join(names)} | best peer | float32 / best | float16 / best | float16 / float32 |",
              "|---" * (len(names) + 5) + "|"]
    bounds = ["", "Limits:", "",
              f"A plain float32 matrix product computes {2 * rates['one'] / 1e9:.0f} GFLOP/s with one thread"
              + (f" and {2 * rates['all'] / 1e9:.0f} GFLOP/s with {machine.threads}" if machine.threads > 1 else "")
              + f" (PyTorch, {SIDE}²). Memory is read with {rates['memory'] / 1e9:.0f} GB/s.", "",
              "| model | multiply-adds | weights and caches | share of the product, float32 | float16 | best peer |"
              " share of memory, float32 | float16 | best peer |", "|---" * 9 + "|"]
    for row in rows:
        found = row["found"]
        others = {name: own[cost] for name, own in found.items() if name not in OWN.values()}
        best = min(others, key=others.get, default=None)
        own = [found[name][cost] if name in found else None for name in OWN.values()]
        cells = [f"{found[name]['time']:.2f} ({found[name]['processor']:.1f})" if name in found else "–"
                 for name in names]
        cells += [best or "–"] + [f"**{time / others[best]:.2f}**" if time and best else "–" for time in own]
        lines.append(f"| {row['title']} | {' | '.join(cells)} | {own[1] / own[0]:.2f} |" if all(own) else
                     f"| {row['title']} | {' | '.join(cells)} | – |")
        work, shares = row["work"], []
        times = own + [others.get(best)]
        for amount, per_second in [([work["products"]] * 3, rates["all"]),
                                   ([work["bytes"], work["bytes"] / 2, work["bytes"]], rates["memory"])]:
            shares += [f"{part / per_second / time * 1e3:.2f}" if time else "–" for part, time in zip(amount, times)]
        bounds.append(f"| {row['title']} | {work['products'] / 1e9:.2f} · 10⁹ | {work['bytes'] / 1e6:.0f} MB |"
                      f" {' | '.join(shares)} |")
    lines += ["", "First answer, in milliseconds:", "", *table(rows, names, "first", 0)]
    lines += ["", "Peak memory, in megabytes:", "", *table(rows, names, "memory", 0)]
    return "\n".join(lines + bounds + (spoken(machine, rates, speech, cost) if speech else [])) + "\n"


def main():
    """Measures, and writes the section of this kind of processor."""
    arguments = options()
    machine = frame.start(arguments)
    machine.environment.setdefault(
        "ATELIER_LIBRARY", os.path.join(os.path.dirname(os.path.abspath(arguments.atelier)), "libatelier-c.so"))
    machine.environment["PYTHONPATH"] = os.path.join(frame.ROOT, "Python", "src")
    folder = os.path.join(frame.ROOT, ".build", "bench")
    os.makedirs(folder, exist_ok=True)
    known = chosen(arguments.only, {**models.known(), "language": None}, "model")
    peers = chosen(arguments.peers, PEERS, "peer")
    print(f"{machine.name}, {machine.kind}, {machine.threads} threads, load {machine.load:.1f}")
    store, rows = os.path.join(folder, f"times-{machine.kind}-{machine.threads}.json"), {}
    if arguments.add and os.path.exists(store):
        with open(store) as file:
            rows = json.load(file)
    rates = limits(machine, arguments.processor)
    for key, model in known.items() if not arguments.none else []:
        rows[key] = measure(model, peers, machine, arguments, folder) if model \
            else speak(peers, machine, arguments, folder)
        with open(store, "w") as file:
            json.dump(rows, file)
    ordered = [rows[key] for key in models.known() if key in rows]
    text = section(machine, rates, peers, ordered, rows.get("language"), arguments.processor)
    frame.publish(arguments, machine, "CommonModels.md", text, HEAD, NEXT)


if __name__ == "__main__":
    main()
