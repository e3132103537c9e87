"""Films in parts that `atelier film` paints one by one, on one machine or many. `atelier.ray.paint_film` uses it."""

import json
import os
import shutil
import subprocess
import tempfile
import uuid

import numpy as np

from . import _library as lib

SUFFIXES = (".mp4", ".m4v", ".mov", ".mkv", ".webm")
REFUSED = ("-o", "--output", "--from", "--to", "--still", "--transition", "--report", "--raw", "--segment", "--json")

# What a frame must differ in from the last one to begin a part, on average over its pixels and as a share of its
# histogram. `atelier film` begins a new shot at 20 and 0.25. Frames in between begin a shot but no part.
_DIFFERENCE, _HISTOGRAM = 26, 0.32
_WIDTH, _HEIGHT = 160, 120

_FFMPEG = ("ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y")


class PartedFilm:
    """A film, its painting, and the folder of the painting's parts beside it.

    A part begins at a cut, where `atelier film` forgets the shot before. So the parts have the frames that one run with
    one segment (`--segment 100000`) has. The folder
    holds the plan of the parts, and each finished part, without sound.
    """

    def __init__(self, film, painting, options=(), shortest=10.0):
        self.film, self.painting = os.path.abspath(film), os.path.abspath(painting)
        # Another process may have another working directory.
        self.options = [os.path.abspath(one) if _is_path(one) else one for one in map(str, options)]
        self.suffix = os.path.splitext(self.painting)[1].lower()
        if not os.path.isfile(self.film):
            raise lib.Error(f"There is no film '{film}'.", lib.IO)
        if self.suffix not in SUFFIXES:
            raise lib.Error(
                f"The painting '{painting}' must end with {', '.join(SUFFIXES)}; atelier film writes other kinds.",
                lib.PARAMETERS,
            )
        for option in self.options:
            if option.split("=")[0] in REFUSED:
                raise lib.Error(f"{option.split('=')[0]} is not for a film in parts; use atelier film.", lib.PARAMETERS)
        if not shortest > 0:
            raise lib.Error(f"shortest is {shortest!r}, expected seconds above 0.", lib.PARAMETERS)
        folder, name = os.path.split(self.painting)
        self.folder = os.path.join(folder, f".{name}.parts")
        self.shortest = shortest

    def plan(self):
        """Find the parts, or read them if they were found before. Other settings remove the parts of before."""
        path, state = os.path.join(self.folder, "plan.json"), os.stat(self.film)
        settings = [self.film, state.st_size, state.st_mtime_ns, self.options, self.shortest]
        try:
            with open(path) as file:
                plan = json.load(file)
        except (OSError, ValueError):
            plan = {}
        if plan.get("settings") != settings:
            self.remove()
            os.makedirs(self.folder)
            plan = {"settings": settings, "parts": _parts(self.film, self._rate(), self.shortest)}
            with open(f"{path}.draft", "w") as file:
                json.dump(plan, file)
            os.replace(f"{path}.draft", path)
        # For each part, the time between the last frame before and its first frame, and the time of its first frame.
        self.parts = plan["parts"]
        self.count = len(self.parts)

    def _rate(self):
        for index, option in enumerate(self.options):
            if option == "--fps":
                return self.options[index + 1] if index + 1 < len(self.options) else None
            if option.startswith("--fps="):
                return option.split("=", 1)[1]
        return None

    def part(self, index):
        return os.path.join(self.folder, f"part-{index:05}{self.suffix}")

    def missing(self):
        return [index for index in range(self.count) if not os.path.exists(self.part(index))]

    def paint(self, index, threads):
        """Paint one part: write it beside and rename it. Returns whether it was painted now."""
        if os.path.exists(self.part(index)):
            return False
        # Another machine may paint the same part, because this one seemed lost. So the draft has a name of its own.
        draft = os.path.join(self.folder, f"draft-{uuid.uuid4().hex}{self.suffix}")
        whole = os.path.join(self.folder, f"draft-{uuid.uuid4().hex}{self.suffix}")
        ends = ["--from", f"{self.parts[index][0]:.6f}"] if index > 0 else []
        if index + 1 < self.count:
            ends += ["--to", f"{self.parts[index + 1][0]:.6f}"]
        # If this process is killed, the kernel kills the program, too.
        _run(
            ["setpriv", "--pdeathsig", "KILL", "atelier", "film", self.film, *self.options, *ends,
             "--segment", "100000", "--threads", str(threads), "-o", whole]
        )  # fmt: skip
        # Sound has no cuts between frames, so parts have none.
        _run([*_FFMPEG, "-i", whole, "-map", "0:v:0", "-c", "copy", draft])
        os.remove(whole)
        os.replace(draft, self.part(index))
        return True

    def join(self):
        """Join the parts, with all other tracks of the film, and remove the folder."""
        draft = os.path.join(self.folder, f"draft-{uuid.uuid4().hex}{self.suffix}")
        with open(os.path.join(self.folder, "parts.txt"), "w") as file:
            file.write("ffconcat version 1.0\n")
            for index, (_, time) in enumerate(self.parts):
                file.write(f"file '{os.path.basename(self.part(index))}'\n")
                if index + 1 < self.count:
                    file.write(f"duration {self.parts[index + 1][1] - time:.6f}\n")
        words = [
            *_FFMPEG, "-itsoffset", f"{self.parts[0][1]:.6f}", "-f", "concat", "-safe", "0", "-i", file.name,
            "-i", self.film, "-map", "0:v:0", "-map", "1:a?", "-map", "1:s?",
            "-map_metadata", "1", "-map_chapters", "1", "-c", "copy",
        ]  # fmt: skip
        if self.suffix in (".mp4", ".m4v", ".mov"):
            words += ["-video_track_timescale", str(_timescale(self.film)), "-movflags", "+faststart"]
        text = {".mkv": "srt", ".webm": "webvtt"}.get(self.suffix, "mov_text")
        sound = "libopus" if self.suffix == ".webm" else "aac"
        # If the file cannot hold a track as it is, its subtitles and then its sound are encoded anew.
        for codecs in ([], ["-c:s", text], ["-c:s", text, "-c:a", sound]):
            try:
                _run([*words, *codecs, draft])
                break
            except lib.Error as error:
                failure = error
        else:
            raise failure
        os.replace(draft, self.painting)
        self.remove()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_path(option):
    """Return whether an option is the path of a picture, a mask or a model, and not the name of a style."""
    return bool(os.path.splitext(option)[1]) and os.path.exists(option)


def _run(words):
    """Run a program and return its standard output. Raises `Error` with its last line on standard error."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise lib.Error(f"The program {error.filename} is not on the PATH of this machine.", lib.IO) from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise lib.Error(f"{words[0] if words[0] != 'setpriv' else 'atelier film'}: {lines[-1]}", lib.IO)
    return done.stdout


def _probed(film, entries, *options):
    return json.loads(_run(["ffprobe", "-v", "error", *options, "-show_entries", entries, "-of", "json", film]))


def _timescale(film):
    """Return the units per second of the times of the film's frames."""
    scale = int(_probed(film, "stream=time_base", "-select_streams", "V:0")["streams"][0]["time_base"].split("/")[1])
    return scale if 1000 <= scale <= 1_000_000 else 90000


def _parts(film, rate, shortest):
    """Find the parts: the first one, and one from each clear cut on, of at least `shortest` seconds each.

    Returns for each part the time halfway from the last frame before it to its first frame, and the time of its first
    frame, in seconds since the film's beginning.
    """
    filters = [f"fps={rate}"] if rate else []
    filters += [f"scale={_WIDTH}:{_HEIGHT}:flags=area", "format=gray", "showinfo=checksum=0"]
    words = [
        "ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-copyts", "-i", film,
        "-map", "0:V:0", "-vf", ",".join(filters), "-fps_mode", "passthrough",
        "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1",
    ]  # fmt: skip
    isCut, last = [], None
    with tempfile.TemporaryFile("w+") as log:
        try:
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        except FileNotFoundError:
            raise lib.Error("ffmpeg is missing: apt-get install ffmpeg", lib.IO) from None
        with child:
            while len(data := child.stdout.read(_WIDTH * _HEIGHT)) == _WIDTH * _HEIGHT:
                frame = np.frombuffer(data, np.uint8).astype(np.int16)
                isCut.append(last is not None and _is_cut(frame, last))
                last = frame
        log.seek(0)
        lines = log.read().splitlines()
    base = next((line.split("time_base: ")[1].split(",")[0] for line in lines if "config in time_base: " in line), None)
    shown = [line.split(" pts:")[1].split()[0] for line in lines if "showinfo" in line and " pts:" in line]
    if not isCut or base is None:
        raise lib.Error(f"'{film}' cannot be read as a film: {lines[-1] if lines else 'ffmpeg says nothing'}", lib.IO)
    unit = int(base.split("/")[0]) / int(base.split("/")[1])
    start = float(_probed(film, "format=start_time")["format"].get("start_time", 0))
    times = [None if text == "NOPTS" else int(text) * unit - start for text in shown]
    end, parts = times[-1], [(0.0, times[0] or 0.0)]
    for time, before, cut in zip(times[1:], times, isCut[1:]):
        if cut and None not in (time, before, end) and time - parts[-1][1] >= shortest <= end - time:
            parts.append(((before + time) / 2, time))
    return parts


def _is_cut(frame, last):
    if np.abs(frame - last).mean() <= _DIFFERENCE:
        return False
    counts = [np.bincount(one >> 3, minlength=32) for one in (frame, last)]
    return np.abs(counts[0] - counts[1]).sum() / (2 * frame.size) > _HISTOGRAM
