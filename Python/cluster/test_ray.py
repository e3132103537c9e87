"""atelier.ray.CoreMLPredictor in Ray Data, and Examples/Ray."""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import PIL.Image
import pytest
import ray
import ray.data

import atelier
from atelier.ray import CoreMLPredictor, paint_film

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("RAY_PHOTOS", 200))
KILLS = int(os.environ.get("RAY_KILLS", 2))


@pytest.fixture(scope="module")
def cluster():
    # Workers cannot import this module.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=500_000_000)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def products(tmp_path_factory):
    """The path of a model with three inputs: sum = a + b · c."""
    import coremltools
    from coremltools.converters.mil import Builder as mb

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4)) for _ in range(3)])
    def program(a, b, c):
        return mb.add(x=a, y=mb.mul(x=b, y=c), name="sum")

    path = tmp_path_factory.mktemp("models") / "Products.mlpackage"
    coremltools.convert(program, convert_to="mlprogram", compute_precision=coremltools.precision.FLOAT32).save(str(path))
    return path


class Watching(CoreMLPredictor):
    """Adds columns that say what the actor sees: whether its inputs lie in Ray's object store, and its processors."""

    def __call__(self, batch):
        from atelier import _model

        addresses, make = [], _model.Features

        def features(values):
            made = make(values)
            addresses.extend(feature.data for feature in made.array)
            return made

        _model.Features = features
        try:
            result = super().__call__(batch)
        finally:
            _model.Features = make
        count = len(result["sum"])
        isShared = all(any(first <= address < last for first, last in object_store()) for address in addresses)
        result["shared"] = np.full(count, isShared and len(addresses) == 3 * count)
        result["writeable"] = np.full(count, any(batch[name].flags.writeable for name in "abc"))
        result["threads"] = np.full(count, self._threads())
        result["policy"] = np.full(count, os.environ.get("OMP_WAIT_POLICY"))
        return result


def object_store():
    """Return the ranges of addresses at which this process maps Ray's object store."""
    with open("/proc/self/maps") as file:
        lines = [line.split() for line in file if "plasma" in line or "/dev/shm" in line]
    return [tuple(int(number, 16) for number in line[0].split("-")) for line in lines]


def columns(count):
    numbers = np.arange(12 * count, dtype=np.float32).reshape(3, count, 1, 4) % 1000
    return dict(zip("abc", numbers))


@pytest.mark.parametrize("processors", [1, 2])
def test_actors_read_three_inputs_in_the_object_store_with_as_many_threads_as_ray_gives(cluster, products, processors):
    import pyarrow
    from ray.data.extensions import ArrowTensorArray

    given = columns(4000)
    table = pyarrow.table({name: ArrowTensorArray.from_numpy(column) for name, column in given.items()})
    result = ray.data.from_arrow(table).map_batches(
        Watching, fn_constructor_kwargs={"model": products}, batch_size=500, num_cpus=processors,
        compute=ray.data.ActorPoolStrategy(size=1),
    ).to_pandas()  # fmt: skip
    sums = np.stack([np.asarray(one) for one in result["sum"]]).reshape(4000, 1, 4)
    assert sorted(map(tuple, sums[:, 0])) == sorted(map(tuple, (given["a"] + given["b"] * given["c"])[:, 0]))
    assert result["shared"].all()
    assert not result["writeable"].any()
    assert set(result["threads"]) == {processors}
    assert set(result["policy"]) == {"passive"}


def test_an_object_of_the_class_predicts_in_tasks(cluster, products):
    given = columns(100)
    result = ray.data.from_numpy(given["a"]).map_batches(
        CoreMLPredictor(products, inputs=dict.fromkeys("abc", "data"), outputs={"sum": "y"}), batch_size=32
    )
    rows = sorted(row["y"].ravel().tolist() for row in result.take_all())
    assert rows == sorted((given["a"] + given["a"] ** 2).reshape(100, 4).tolist())


def test_files_are_classified_and_a_failure_is_a_sentence_in_a_column(cluster, colours, photos):
    folder = photos(12)
    (folder / "bad.jpg").write_bytes(b"no picture")
    rows = (
        ray.data.read_binary_files(str(folder), include_paths=True, num_cpus=0)
        .map_batches(
            CoreMLPredictor, fn_constructor_kwargs={"model": colours, "errors": "column", "top": 1}, batch_size=4,
            compute=ray.data.ActorPoolStrategy(size=1),
        )
        .take_all()
    )  # fmt: skip
    assert len(rows) == 13
    for row in rows:
        if row["path"].endswith("bad.jpg"):
            assert "bad.jpg'): The bytes are not a picture" in row["error"] and row["classLabel"] == ""
        else:
            assert row["error"] == "" and row["classLabel"] in ("red", "green", "blue")
            assert list(row["classLabel_probs"]) == [row["classLabel"]]


def test_an_actor_stays_flat_over_many_batches_and_rests_between_them(cluster, products):
    @ray.remote(num_cpus=1)
    class Actor:
        def __init__(self):
            self.predictor = CoreMLPredictor(products)

        def predict(self, batch, count):
            for _ in range(count):
                self.predictor(batch)
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def rest(self):
            # The thread of the actor sleeps, too: the whole process uses the processor.
            begin = time.process_time()
            time.sleep(2)
            return time.process_time() - begin

        def close(self):
            self.predictor.close()
            with open("/proc/self/maps") as file:
                return "Products.mlpackage" in file.read()

    actor, batch = Actor.remote(), ray.put(columns(8))
    before = ray.get(actor.predict.remote(batch, 1000))
    after = ray.get(actor.predict.remote(batch, 9000))
    assert after - before < 0.02 * before
    assert ray.get(actor.rest.remote()) < 0.5
    assert not ray.get(actor.close.remote())


# Runs Examples/Ray, and appends a line to a journal for every photo that an actor has finished, with the actor's
# private memory and processor time.
DRIVER = """
import functools, os, sys, time
sys.path.insert(0, os.environ["EXAMPLE"])
import paint_folder, ray

class Painter(paint_folder.PhotoPainter):
    def one(self, name, photo):
        state = super().one(name, photo)
        with open("/proc/self/status") as status:
            memory = next(line.split()[1] for line in status if line.startswith("RssAnon"))
        line = f"{state}\\t{name}\\t{os.getpid()}\\t{memory}\\t{time.process_time():.3f}\\n".encode()
        with open(os.environ["JOURNAL"], "ab", buffering=0) as file:
            file.write(line)
        return state

ray.init = functools.partial(ray.init, num_cpus=2, include_dashboard=False, object_store_memory=300_000_000)
sys.exit(paint_folder.main(sys.argv[1:], Painter))
"""


def journal(path):
    text = path.read_text() if path.exists() else ""
    return [line.split("\t") for line in text.splitlines()]


def test_a_folder_is_painted_once_though_actors_and_the_driver_are_killed(photos, colours, tmp_path):
    ray.shutdown()
    source, target, log = photos(COUNT, side=96), tmp_path / "painted", tmp_path / "journal"
    environment = {
        **os.environ, "EXAMPLE": str(ROOT / "Examples/Ray"), "JOURNAL": str(log),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "Examples/Ray"), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }  # fmt: skip
    command = [
        sys.executable, "-c", DRIVER, source, target, "--lite", "--size", "96", "--batch", "8", "--actors", "2",
        "--classifier", os.environ.get("RAY_CLASSIFIER", colours), "--format", "jpeg",
    ]  # fmt: skip

    def begin():
        return subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True)

    def wait_for(count, process):
        last, end = -1, 0.0
        while (lines := sum(line[0] == "painted" for line in journal(log))) < count and process.poll() is None:
            if lines > last:
                last, end = lines, time.monotonic() + 600
            assert time.monotonic() < end, f"no photo was painted for ten minutes, after {lines}"
            time.sleep(0.02)

    # The first run: actors die, then the driver.
    process = begin()
    for number in range(KILLS):
        wait_for(COUNT * (number + 1) // (2 * KILLS + 2), process)
        os.kill(int(journal(log)[-1][2]), signal.SIGKILL)
    wait_for(COUNT // 2, process)
    assert process.poll() is None
    process.kill()
    process.wait()
    actors = {int(line[2]) for line in journal(log)}
    end = time.monotonic() + 120
    while any(pathlib.Path(f"/proc/{actor}").exists() for actor in actors) and time.monotonic() < end:
        time.sleep(0.1)
    before = len(list(target.rglob("*.jpg")))
    assert COUNT // 2 - KILLS <= before < COUNT

    # The second run goes on.
    process = begin()
    output = process.communicate(timeout=3600)[0]
    assert process.returncode == 0, output
    assert f"{COUNT} photos, {before} of them painted before." in output

    names = {str(path.relative_to(source)) for path in source.rglob("*.jpg")}
    assert {str(path.relative_to(target)) for path in target.rglob("*.jpg")} == names
    assert {str(path.relative_to(target)) for path in target.rglob("*.json")} == {name + ".json" for name in names}
    assert len([path for path in target.rglob("*") if path.is_file()]) == 2 * COUNT
    for name in names:
        with PIL.Image.open(target / name) as painting:
            painting.load()
            assert painting.size == (96, 96)
        assert json.loads((target / f"{name}.json").read_text())["photo"] == name
    counts = collections.Counter(name for state, name, *_ in journal(log) if state == "painted")
    assert set(counts.values()) == {1}
    # A kill between a painting and its line loses the line.
    assert len(counts) >= COUNT - KILLS - 2
    assert {state for state, *_ in journal(log)} <= {"painted", "skipped"}

    # After the first tenth of an actor's photos its memory stays. Allocators reach their level late, so actors with few
    # photos say little.
    for actor in {line[2] for line in journal(log)}:
        rows = [(int(line[3]), float(line[4])) for line in journal(log) if line[2] == actor]
        if len(rows) >= 2000:
            tenth, last = rows[len(rows) // 10], rows[-1]
            print(f"actor {actor}: {len(rows)} photos, {tenth[0]} kB, at the end {last[0]} kB,"
                  f" {1000 * (last[1] - tenth[1]) / (len(rows) - len(rows) // 10 - 1):.2f} ms each")  # fmt: skip
            assert last[0] <= 1.02 * tenth[0]

    # The third run finds nothing to do, and does not start Ray.
    lines, process = journal(log), begin()
    assert f"{COUNT} photos, {COUNT} of them painted before." in process.communicate(timeout=600)[0]
    assert process.returncode == 0 and journal(log) == lines


@pytest.mark.parametrize("way", ["path", "file", "fsspec"])
def test_a_folder_of_the_example_writes_wholes_on_each_file_system(tmp_path, way, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "Examples/Ray")
    import paint_folder

    uri = {"path": str(tmp_path), "file": f"file://{tmp_path}", "fsspec": f"local://{tmp_path}"}[way]
    folder = paint_folder.Folder(uri)
    assert folder.list() == [] and not folder.has("a/b.jpg")
    folder.write("a/b.jpg", b"1")
    folder.write("a/b.jpg", b"2")
    (tmp_path / "a/.b.jpg.0.part").write_bytes(b"")
    (tmp_path / "a/.c.jpg.0.part").write_bytes(b"")
    folder.remove_parts()
    assert folder.list() == ["a/.c.jpg.0.part", "a/b.jpg"] and (tmp_path / "a/b.jpg").read_bytes() == b"2"


@pytest.mark.parametrize(
    "names, message",
    [([], "has no photos"), (["a.png", "a.png.jpg"], "'a.png' and 'a.png.jpg' would have the same painting")],
)
def test_the_example_refuses_in_words(tmp_path, names, message, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "Examples/Ray")
    import paint_folder

    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SystemExit, match=message):
        paint_folder.main([str(tmp_path), str(tmp_path / "painted")])
    with pytest.raises(SystemExit, match="the target is the source"):
        paint_folder.main([str(tmp_path), str(tmp_path)])


# Paints a film on a cluster of its own, and says so when a part is finished.
FILM_DRIVER = """
import sys, ray
from atelier.ray import paint_film
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000)
paint_film(*sys.argv[1:], shortest=1.5, progress=lambda done, count: print(done, count, flush=True))
"""


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A film with sound of six shots of two seconds each: a window that moves over noise of different brightness."""
    if shutil.which("ffmpeg") is None or shutil.which("atelier") is None:
        pytest.skip("needs ffmpeg and atelier on the PATH")
    folder = tmp_path_factory.mktemp("film")
    random = np.random.default_rng(1)
    frames = []
    for shot in range(6):
        low, high = (0, 90) if shot % 2 == 0 else (140, 255)
        coarse = random.integers(low, high, (24, 32, 3), dtype=np.uint8)
        picture = np.asarray(PIL.Image.fromarray(coarse).resize((256, 192), PIL.Image.Resampling.BICUBIC))
        frames += [picture[number : number + 120, number : number + 160] for number in range(50)]
    words = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "160x120", "-r", "25", "-i", "-",
             "-f", "lavfi", "-i", "sine=440:duration=12", "-c:v", "libx264", "-c:a", "aac", "-metadata", "title=Shots",
             "-shortest", folder / "film.mp4"]  # fmt: skip
    subprocess.run(words, input=np.stack(frames).tobytes(), check=True)
    return folder / "film.mp4"


def decoded(path, track):
    """Return the times and hashes of a track's frames."""
    words = ["ffmpeg", "-v", "error", "-i", path, "-map", f"0:{track}", "-f", "framemd5", "-"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()


def test_a_film_has_the_frames_of_one_run_though_tasks_and_the_driver_are_killed(film, tmp_path):
    ray.shutdown()
    painting, options = tmp_path / "painted.mp4", ["--style", "starry-night", "--lite", "--crf", "0"]
    folder = tmp_path / ".painted.mp4.parts"
    command = [sys.executable, "-c", FILM_DRIVER, film, painting, *options]

    def parts():
        return {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*")}

    def painters():
        """Return the processes that paint parts, and their workers of Ray."""
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if str(film).encode() in words and b"-o" in words:
                    found[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                pass
        return found

    def wait_until(condition, what):
        end = time.monotonic() + 600
        while not (found := condition()):
            assert time.monotonic() < end, f"ten minutes without {what}"
            time.sleep(0.01)
        return found

    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for _ in range(2):
        painter, worker = next(iter(wait_until(painters, "a painter").items()))
        os.kill(worker, signal.SIGKILL)
        # The program ends with its worker.
        wait_until(lambda: painter not in painters(), "the painter's end")
    wait_until(lambda: len(parts()) >= 2, "two parts")
    process.kill()
    process.wait()
    wait_until(lambda: not painters(), "the painters' end")
    before = parts()
    assert 2 <= len(before) < 6 and not painting.exists()

    process, seen = subprocess.Popen(command, stdout=subprocess.PIPE, text=True), {}
    while process.poll() is None:
        seen |= parts()
        time.sleep(0.005)
    output = process.communicate()[0]
    assert process.returncode == 0 and f"{len(before)} 6" == output.splitlines()[0]
    assert {name: seen[name] for name in before} == before
    assert [path.name for path in tmp_path.iterdir()] == ["painted.mp4"]

    one = tmp_path / "one.mp4"
    subprocess.run(["atelier", "film", film, "-o", one, *options, "--segment", "100000"], check=True)
    assert decoded(painting, "v") == decoded(one, "v") and len(decoded(painting, "v")) > 300
    assert decoded(painting, "a") == decoded(film, "a")

    # A painting that is there is not painted again.
    written = painting.stat().st_mtime_ns
    assert subprocess.run(command, check=True, capture_output=True).stdout == b""
    assert painting.stat().st_mtime_ns == written and not folder.exists()


@pytest.mark.parametrize(
    "options, target, message",
    [
        (["--style", "scream", "--from", "1"], "a.mp4", "--from is not for a film in parts"),
        (["--style", "scream", "--transition=great-wave"], "a.mp4", "--transition is not for a film in parts"),
        (["--style", "scream"], "a.gif", "must end with .mp4"),
        (["--style", "scream"], "a", "must end with .mp4"),
    ],
)
def test_a_film_in_parts_is_refused_in_words(tmp_path, options, target, message):
    (tmp_path / "film.mp4").touch()
    with pytest.raises(atelier.Error, match=message):
        paint_film(tmp_path / "film.mp4", tmp_path / target, *options)
    with pytest.raises(atelier.Error, match="There is no film"):
        paint_film(tmp_path / "none.mp4", tmp_path / "a.mp4")
    with pytest.raises(atelier.Error, match="cannot be read as a film"):
        paint_film(tmp_path / "film.mp4", tmp_path / "a.mp4")


def test_a_part_that_cannot_be_painted_is_one_sentence(film, tmp_path, cluster):
    with pytest.raises(atelier.Error, match="atelier film: .*no-such-style"):
        paint_film(film, tmp_path / "a.mp4", "--style", "no-such-style", shortest=5)
