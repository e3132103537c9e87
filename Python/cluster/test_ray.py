"""atelier.ray.CoreMLPredictor in Ray Data, and Examples/Ray."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import PIL.Image
import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from atelier.ray import CoreMLPredictor  # noqa: E402

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


# Runs Examples/Ray, and appends a line to a journal for every photo that an actor has finished.
DRIVER = """
import functools, os, sys
sys.path.insert(0, os.environ["EXAMPLE"])
import paint_folder, ray

class Painter(paint_folder.PhotoPainter):
    def one(self, name, photo):
        state = super().one(name, photo)
        line = f"{state}\\t{name}\\t{os.getpid()}\\n".encode()
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
    source, target, log = photos(COUNT), tmp_path / "painted", tmp_path / "journal"
    environment = {
        **os.environ, "EXAMPLE": str(ROOT / "Examples/Ray"), "JOURNAL": str(log),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "Examples/Ray"), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }  # fmt: skip
    command = [
        sys.executable, "-c", DRIVER, source, target, "--lite", "--size", "64", "--batch", "8", "--actors", "2",
        "--classifier", colours, "--format", "jpeg",
    ]  # fmt: skip

    def begin():
        return subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True)

    def wait_for(count, process):
        last, end = -1, 0.0
        while (lines := len(journal(log))) < count and process.poll() is None:
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
            assert painting.size == (64, 64)
        assert json.loads((target / f"{name}.json").read_text())["photo"] == name
    counts = collections.Counter(name for state, name, _ in journal(log) if state == "painted")
    assert set(counts.values()) == {1}
    # A kill between a painting and its line loses the line.
    assert len(counts) >= COUNT - KILLS - 2
    assert {state for state, _, _ in journal(log)} <= {"painted", "skipped"}

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
