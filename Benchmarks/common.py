#!/usr/bin/env python3
"""Times common models through Atelier and all peers, and writes the section of this kind of processor in
Documentation/CommonModels.md.

usage: common.py [--only NAME,...] [--peers NAME,...] [--rounds 5] [--runs 5] [--isa NAME] [--threads N]
                 [--processor] [--print]
"""

import os
import statistics

import contenders
import frame
import models
import page

#: The peers in the order of the page's columns: the name of the worker's runtime, and the title.
PEERS = {
    "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "pytorch": "PyTorch", "ncnn": "ncnn", "mnn": "MNN",
    "litert": "LiteRT",
}
#: The peer whose results the others must have, and the largest difference relative to its largest value.
REFERENCE, TOLERANCE = "pytorch", 0.02

HEAD = """# Common models

Times of models that many people run, in Atelier and its peers. To measure them on your machine:

    make bench-models

`make bench-models` writes this page ([Benchmarks/](../Benchmarks/README.md)), with one section per kind of processor.
Compare ratios rather than times, because machines are shared.

- `Benchmarks/models.py` defines the models with seeded weights, so nothing is downloaded. Atelier runs the ML Programs
  that coremltools makes of them, in float32 and in float16, coremltools' default. ONNX Runtime, OpenVINO and MNN run
  the ONNX file that PyTorch exports, ncnn what pnnx makes of the module, PyTorch the module itself, channels last.
  Peers compute in float32.
- All contenders run alternately. A time is the median of all predictions in milliseconds. Processor time, in brackets,
  is that of all threads for one prediction: on a busy machine it varies less.
- *Best peer* names the fastest peer. The ratios divide Atelier's medians by its median, and float16 by float32. Where a
  section says so, they are ratios of processor times.
- *First answer* is the time from the model's file to the first result: loading, and the first prediction. Atelier's
  kernels were chosen before, as on a machine that has run the model ([Tuning](Tuning.md)).
"""
NEXT = """## Next

- [Benchmarks](Benchmarks.md): style networks
- [Performance](Performance.md): what makes Atelier fast
"""


class Atelier(contenders.Atelier):
    """Atelier with an ML Program. Remembers how long loading and the first prediction took in each round."""

    def __init__(self, program, path, name, machine):
        contenders.Contender.__init__(self, name)
        self.command = [
            program, "bench", path, "--threads", str(machine.threads), "--warm-up", "10", "--json"]
        self.environment, self.processor, self.firsts = machine.environment, [], []
        for _ in range(2):  # The first process may end before all kernels are chosen.
            self.predict(1)
        self.processor, self.firsts = [], []

    def predict(self, count):
        report = self.report(count)
        self.processor.append(report["processorMilliseconds"])
        self.firsts.append(report["loadMilliseconds"] + report["firstMilliseconds"])
        return report["milliseconds"]

    @property
    def first(self):
        return statistics.median(self.firsts)


class Peer(contenders.Worker):
    """A peer with one of the models."""

    def __init__(self, runtime, model, folder, machine):
        self.runtime, self.processor = runtime, []
        super().__init__(PEERS[runtime], machine, runtime, model.key, folder, script="peers.py")
        self.processor = []

    def predict(self, count):
        self.ask(count)
        answer = self.answer()
        self.processor += answer["processor"]
        return answer["times"]

    @property
    def first(self):
        return self.ready["load"] + self.ready["first"]

    def agrees(self, other):
        """Returns whether the results of two peers are equal up to rounding."""
        pairs = list(zip(self.ready["values"], other.ready["values"]))
        largest = max(abs(own) for _, own in pairs)
        return all(abs(a - b) <= TOLERANCE * largest for a, b in pairs)


def options():
    """Parses the command line."""
    parser = frame.parser(__doc__, "--atelier", "--only", "--isa", "--threads", "--print")
    parser.add_argument("--peers", default=",".join(PEERS), help="names of peers, with commas")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; in each, every contender runs once")
    parser.add_argument("--runs", type=int, default=5, help="predictions per round")
    parser.add_argument(
        "--processor", action="store_true",
        help="ratios divide processor times, for a busy machine; take one thread, because waiting threads count")
    return parser.parse_args()


def chosen(names, known, what):
    """Returns the entries of `known` that `names` lists, with commas; all of them if it lists none."""
    keys = [name for name in names.split(",") if name] or list(known)
    for key in keys:
        if key not in known:
            raise SystemExit(f"There is no {what} '{key}'. Take some of {', '.join(known)}.")
    return {key: known[key] for key in keys}


def measure(model, peers, machine, arguments, folder):
    """Times all contenders with a model. Leaves out peers whose results differ."""
    paths = models.files(model, folder)
    makers = [
        lambda kind=kind: Atelier(arguments.atelier, paths[kind], f"Atelier, {kind}", machine)
        for kind in ("float32", "float16")]
    # ONNX Runtime, ncnn and MNN cannot be limited to an instruction set.
    able = [name for name in peers if not machine.is_limited or name in ("openvino", "pytorch")]
    makers += [lambda name=name: Peer(name, model, folder, machine) for name in able]
    made = contenders.alternate(makers, arguments.rounds, arguments.runs)
    reference = next((one for one in made if getattr(one, "runtime", "") == REFERENCE), None)
    kept = []
    for contender in made:
        if reference and isinstance(contender, Peer) and not contender.agrees(reference):
            print(f"  left out: {contender.name} computes something else")
            continue
        kept.append(contender)
        print(f"{model.title:45s} {contender.name:20s} {contender.median:8.2f} ms,"
              f" processor {statistics.median(contender.processor):8.2f} ms, first {contender.first:8.1f} ms",
              flush=True)
    return kept


def section(machine, peers, results, takes_processor):
    """Returns the section of Documentation/CommonModels.md as text. With `takes_processor`, compares processor times."""
    def cost(contender):
        return statistics.median(contender.processor) if takes_processor else contender.median

    names = ["Atelier, float32", "Atelier, float16", *(PEERS[peer] for peer in peers)]
    columns = " | ".join(names)
    note = "Other programs shared the machine, so ratios are those of processor times."
    lines = page.heading(machine, machine.sets) + (["", note] if takes_processor else []) + [
        "", f"| model | {columns} | best peer | float32 / best | float16 / best | float16 / float32 |",
        "|---" * (len(names) + 5) + "|"]
    firsts = ["", "First answer:", "", f"| model | {columns} |", "|---" * (len(names) + 1) + "|"]
    for model, made in results:
        found = {contender.name: contender for contender in made}
        others = [one for name, one in found.items() if "Atelier" not in name]
        best = min(others, key=cost, default=None)
        own = [cost(found[name]) for name in names[:2]]
        times = [
            f"{found[name].median:.2f} ({statistics.median(found[name].processor):.1f})" if name in found else "–"
            for name in names]
        ratios = [f"**{time / cost(best):.2f}**" if best else "–" for time in own]
        lines.append(
            f"| {model.title} | {' | '.join(times)} | {best.name if best else '–'} | {' | '.join(ratios)} |"
            f" {own[1] / own[0]:.2f} |")
        first = [f"{found[name].first:.0f}" if name in found else "–" for name in names]
        firsts.append(f"| {model.title} | {' | '.join(first)} |")
    return "\n".join(lines + firsts) + "\n"


def main():
    """Measures, and writes the section of this kind of processor."""
    arguments = options()
    machine = frame.start(arguments)
    folder = os.path.join(frame.ROOT, ".build", "bench")
    os.makedirs(folder, exist_ok=True)
    known = chosen(arguments.only, models.known(), "model")
    peers = chosen(arguments.peers, PEERS, "peer")
    print(f"{machine.name}, {machine.kind}, {machine.threads} threads, load {machine.load:.1f}")
    results = [(model, measure(model, peers, machine, arguments, folder)) for model in known.values()]
    frame.publish(arguments, machine, "CommonModels.md", section(machine, peers, results, arguments.processor), HEAD, NEXT)


if __name__ == "__main__":
    main()
