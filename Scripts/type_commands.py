#!/usr/bin/env python3
"""Types the commands of README.md and Documentation/*.md, as a reader does after `make demo`: in a new folder with the
files that the page names, and with a new home folder, so that everything is fetched again.

    python3 Scripts/type_commands.py [--make] [PAGE …]

`PAGE` is the name of a page, such as Film. Commands of code blocks are typed in their order, and README.md's commands
within sentences, too. `make` targets are only looked up, with `make --dry-run`, because most take long; --make types
those that README.md names. Servers are started, asked and ended. Prints each command with its time, and at the end those
that were not typed, with the reason. Exits with 1 if a command failed.
"""

import argparse
import re
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import page_files

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".build/typed"
PROGRAMS = ("atelier", "cat", "curl", "docker", "make", "pip", "python", "python3", "Scripts/")
# Commands that are not typed: a regular expression, and the reason.
EXCEPTIONS = [
    (r"…$", "the page abbreviates it"),
    (r"^docker ", "needs an image made by docker from `make deb`"),
    (r"s3://|--address auto|make test-ray", "needs a cluster and its storage; `make test-ray` starts one"),
    (r"^pip install \"\./atelier_coreml", "needs the wheel; `make test-packages` installs it"),
    (r"^Scripts/train_style", "needs PyTorch and, for 40,000 steps, a GPU"),
    (r"http\.server", "needs the pages that `make docs-reference` writes"),
    (r"--excite", "takes some minutes for each feature"),
    (r"^atelier inspect architecture\.json", "the stand-in has Lambda layers; the page converts it below, with its classes"),
    (r"style_predict\.tflite", "the repository has no TensorFlow Lite file; Tests/TensorFlowLiteTests makes some"),
    (r"Houses\.mlmodel", "the repository has no updatable model of numbers; Tests/CommandLineTests/UpdateTests makes one"),
    (r"^make install", "installs into the home folder; `make test-packages` tests it"),
]
# The options of commands that take minutes or hours, with values that let them end in seconds.
SHORTER = {
    "atelier train": "--iterations 2 --picture-side 64 --density 64",
    "atelier paint": "--size 128 --iterations 2",
}
SERVERS = ("atelier studio", "atelier serve")
SECONDS = 900


def commands(page):
    """Yields the line number and the text of each command of a page."""
    fence, pending, first = None, "", 0
    for index, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        bare = line.strip()
        if bare.startswith("```"):
            fence = bare[3:] if fence is None else None
            continue
        if pending:
            pending += " " + bare
        elif fence == "sh" or (fence is None and line.startswith("    ")):
            if not re.match(r"(?:[A-Z_]+=\S+ )*(\S+)", bare) or not starts(bare):
                continue
            pending, first = bare, index
        elif fence is None and page == "README.md":
            for span in re.findall(r"`([^`]+)`", line):
                span = span.replace("\\|", "|")
                # A command of two words is only mentioned there, because its arguments are missing.
                isWhole = len(span.split()) > 2 or span == "atelier studio"
                if span.startswith(("atelier ", "cat ")) and isWhole:
                    yield index, span
            continue
        if pending.endswith("\\"):
            pending = pending[:-1].rstrip()
        elif pending:
            yield first, re.sub(r"\s+#\s.*$", "", pending)
            pending = ""


def starts(text):
    """Whether a line begins with a program that the pages' commands run."""
    word = re.sub(r"^(?:[A-Z_]+=\S+ )+|^[a-z]+=\$\(", "", text).split(" ")[0]
    return word in PROGRAMS or word.startswith("Scripts/")


class Reader:
    """Types the commands of one page."""

    def __init__(self, page, home, python):
        self.page, self.home = page, home
        self.folder = WORK / page.replace("/", "-").removesuffix(".md") / "atelier"
        self.environment = os.environ | {
            "HOME": str(home), "PATH": f"{ROOT}/.build/release:{WORK}/venv/bin:/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": "", "ATELIER_LIBRARY": str(ROOT / ".build/release/libatelier-c.so")}
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "PYENV_VERSION"):
            self.environment.pop(name, None)
        self.server, self.served, self.python = None, None, python

    def shell(self, command, check=True):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=SECONDS)
        if check and done.returncode:
            raise RuntimeError(f"{command}: {done.stderr.strip() or done.returncode}")
        return done

    def prepare(self):
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        self.folder.mkdir(parents=True)
        page_files.write(self.page, self.folder, self.home, self.shell, self.python)

    def type(self, command):
        """Types one command. Returns None if it succeeded, or else what is wrong."""
        if command.startswith(SERVERS):
            return self.serve(command)
        result = re.match(r"([a-z]+)=\$\(", command)
        if command.startswith("curl ") or result and "curl " in command:
            if self.served != "atelier studio" and (wrong := self.serve("atelier studio")):
                return wrong
            command = command.replace("curl ", "curl --fail-with-body --silent --show-error ", 1)
            command = command.replace(" --fail ", " ").replace("--retry-delay 5", "--retry-delay 1")
        model = "squeezenet" if self.page.endswith("LookingInside.md") else "Style.mlmodel"
        command = re.sub(r"\bMODEL\b", model, command)
        for start, shorter in SHORTER.items():
            if command.startswith(start):
                for option, value in re.findall(r"(--\S+) (\S+)", shorter):
                    command = re.sub(rf" {option} \S+", "", command) + f" {option} {value}"
        done = self.shell(command + (f' && printf %s "${result[1]}"' if result else ""), check=False)
        if result and done.returncode == 0:
            self.environment[result[1]] = done.stdout
        return None if done.returncode == 0 else (done.stderr or done.stdout).strip()[-600:] or f"exit {done.returncode}"

    def serve(self, command):
        """Starts a server, and waits until it listens. It runs until the next server starts, or the page ends."""
        self.end()
        log = open(self.folder / "server.log", "w+b")
        process = subprocess.Popen(
            shlex.split(os.path.expandvars(command).replace("~", str(self.home))), cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        until = time.monotonic() + 120
        while time.monotonic() < until:
            said = Path(log.name).read_text(errors="replace")
            if "is open: http" in said:
                self.server, self.served = process, command
                return None
            if process.poll() is not None:
                return said.strip()[-600:] or f"exit {process.returncode}"
            time.sleep(0.1)
        process.kill()
        return "it does not listen after 120 s"

    def end(self):
        """Ends the page's server. Returns what is wrong with its end, or None."""
        if self.server is None:
            return None
        process, self.server, self.served = self.server, None, None
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            return "the server did not end within 60 s of SIGTERM"
        return None if code in (0, 143) else f"the server ended with {code}"


def environment():
    """Makes a new home folder, and a Python environment for pip. Returns both; the Python is None without a network."""
    shutil.rmtree(WORK, ignore_errors=True)
    home = WORK / "home"
    home.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", WORK / "venv"], check=True)
    python = WORK / "venv/bin/python"
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "h5py"], capture_output=True)
    return home, python if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    pages = ["README.md"] + sorted(str(page.relative_to(ROOT)) for page in (ROOT / "Documentation").glob("*.md"))
    if options.pages:
        pages = [page for page in pages if Path(page).stem in options.pages]
    if not (ROOT / ".build/release/atelier").exists():
        sys.exit("type_commands: .build/release/atelier is missing. Run `make demo` first.")
    home, python = environment()
    typed, failed, omitted = 0, [], []
    for page in pages:
        found = list(commands(page))
        if not found:
            continue
        reader = Reader(page, home, python)
        try:
            reader.prepare()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            failed.append(f"{page}: its files cannot be made: {error}")
            continue
        for line, command in found:
            place = f"{page}:{line}: {command}"
            reason = next((reason for pattern, reason in EXCEPTIONS if re.search(pattern, command)), None)
            isMake = re.match(r"(?:[A-Z_]+=\S+ )*make ", command)
            if reason:
                omitted.append(f"{place}\n    {reason}")
                continue
            start = time.monotonic()
            try:
                if isMake and not (options.make and page == "README.md"):
                    subprocess.run(["bash", "-c", command.replace("make ", "make --dry-run ", 1)], cwd=ROOT, check=True,
                                   capture_output=True)
                    omitted.append(f"{place}\n    takes long; `make --dry-run` knows it")
                    continue
                wrong = reader.type(command)
            except subprocess.SubprocessError as error:
                wrong = str(error)
            typed += 1
            print(f"{'FAILED' if wrong else 'ok':6} {time.monotonic() - start:6.1f} s  {place}", flush=True)
            if wrong:
                print("    " + wrong.replace("\n", "\n    "), flush=True)
                failed.append(place)
        wrong = reader.end()
        if wrong:
            failed.append(f"{page}: {wrong}")
    print(f"\nNot typed ({len(omitted)}):", *omitted, sep="\n")
    print(f"\n{typed} commands typed, {len(failed)} failed.", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
