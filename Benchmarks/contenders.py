"""The runtimes that are compared: Atelier and its peers."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
#: The seconds between two contenders.
PAUSE = 0.05


class Contender:
    """A runtime that has loaded a network, and the times of its predictions in milliseconds."""

    def __init__(self, name):
        self.name, self.times = name, []

    def run(self, count):
        self.times += self.predict(count)

    def close(self):
        pass

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def spread(self):
        """The lower and the upper quartile of the times, in milliseconds."""
        if len(self.times) < 4:
            return min(self.times), max(self.times)
        quarters = statistics.quantiles(self.times, n=4)
        return quarters[0], quarters[2]


class Atelier(Contender):
    """Atelier, timed by `atelier bench` in a new process per round. Loading is not timed."""

    def __init__(self, program, network, units, machine):
        # On a processor without bfloat16 arithmetic, `.all` multiplies in float32, but may store feature maps as
        # bfloat16. So it is compared with its peers' float32, and is named `.all` instead of a precision.
        names = {"cpuOnly": "float32", "all": "bfloat16" if machine.has_bfloat16 else "`.all`"}
        super().__init__(f"Atelier, {names[units]}")
        self.command = [
            program, "bench", network.file, "--size", str(network.side), "--compute-units", units,
            "--threads", str(machine.threads), "--warm-up", str(network.warm_up), "--json"]
        self.environment = machine.environment
        self.predict(1)

    def predict(self, count):
        return self.report(count)["milliseconds"]

    def report(self, count):
        """Runs `atelier bench` and returns what it reports."""
        done = subprocess.run(
            self.command + ["--runs", str(count)], env=self.environment, capture_output=True,
            text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return json.loads(done.stdout)


class Worker(Contender):
    """A peer in a separate process, which sleeps while other contenders run.

    `arguments` are the runtime, what it loads, and the size; `script` is the program that reads them.
    """

    def __init__(self, name, machine, *arguments, script="worker.py", threads=None):
        super().__init__(name)
        # A pipe that nobody reads would stop a runtime that writes many lines.
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, script), *map(str, arguments), str(threads or machine.threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=machine.environment)
        try:
            self.ready = self.answer()
            self.predict(3)
        except RuntimeError:
            self.close()
            raise

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            words = self.errors.read().strip().splitlines()
            raise RuntimeError(words[-1] if words else "it ended without a word")
        return json.loads(line)

    def predict(self, count):
        self.ask(count)
        return self.answer()

    def ask(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def alternate(makers, rounds, count):
    """Makes contenders, and runs all of them alternately.

    :returns: the contenders that could be made, with their times.
    """
    contenders = []
    try:
        for make in makers:
            try:
                contenders.append(make())
            except (RuntimeError, OSError) as error:
                print(f"  left out: {error}")
        for _ in range(rounds):
            for contender in contenders:
                # Threads of the contender before may still spin.
                time.sleep(PAUSE)
                contender.run(count)
    finally:
        for contender in contenders:
            contender.close()
    return contenders
