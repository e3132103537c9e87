#!/usr/bin/env python3
"""Paints and classifies all photos of a folder or a bucket on a Ray cluster.

    python Examples/Ray/paint_folder.py photos painted --style starry-night --size 512
    python Examples/Ray/paint_folder.py s3://photos s3://painted --classifier SqueezeNet.mlmodel --address auto

For every photo, the target gets a painting, and with --classifier a file .json with the photo's classes. The painting
is written last: if it exists, the photo is done. So the same command continues a run that was killed. All machines of
the cluster need our wheel with its extra `ray`, the model if it is a path, and access to both folders.
"""

import argparse
import json
import os
import posixpath
import sys
import uuid

import numpy as np
import pyarrow.fs
import ray

from atelier.ray import CoreMLPredictor

PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")
SUFFIXES = {"jpeg": ".jpg", "png": ".png", "webp": ".webp"}


class Folder:
    """A folder on any file system that pyarrow or fsspec opens."""

    def __init__(self, uri):
        self.uri = uri if "://" in uri else os.path.abspath(uri)
        try:
            self.files, self.root = pyarrow.fs.FileSystem.from_uri(self.uri)
        except pyarrow.ArrowInvalid:
            import fsspec

            files, self.root = fsspec.core.url_to_fs(self.uri)
            self.files = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(files))
        # An object store shows an object when its upload is complete, and cannot rename it without a copy.
        self.isObjectStore = self.files.type_name in ("s3", "gcs", "abfs")

    def path(self, name):
        return posixpath.join(self.root, name)

    def name(self, path):
        return posixpath.relpath(path, self.root)

    def list(self):
        """Return the names of all files below the folder, in order."""
        selector = pyarrow.fs.FileSelector(self.root, recursive=True, allow_not_found=True)
        return sorted(self.name(one.path) for one in self.files.get_file_info(selector) if one.is_file)

    def has(self, name):
        return self.files.get_file_info(self.path(name)).is_file

    def write(self, name, data):
        """Write a file beside and rename it, so that it is never there in part."""
        path = self.path(name)
        folder, last = posixpath.split(path)
        part = path if self.isObjectStore else posixpath.join(folder, f".{last}.{uuid.uuid4().hex}.part")
        if not self.isObjectStore:
            self.files.create_dir(folder, recursive=True)
        with self.files.open_output_stream(part) as file:
            file.write(data)
        if part != path:
            self.files.move(part, path)

    def remove_parts(self):
        """Remove what killed actors left beside finished files."""
        names = self.list()
        finished = set(names)
        for name in names:
            folder, last = posixpath.split(name)
            if last.endswith(".part") and posixpath.join(folder, last[1:].rsplit(".", 2)[0]) in finished:
                self.files.delete_file(self.path(name))


class PhotoPainter:
    """Paints and classifies the photos of a batch and writes the results. Ray makes one object in each actor."""

    def __init__(self, source, target, form, paint, classify):
        self.source, self.target, self.form = Folder(source), Folder(target), form
        self.paint = CoreMLPredictor(errors="column", pictures=form, **paint)
        self.classify = CoreMLPredictor(errors="column", **classify) if classify else None

    def __call__(self, batch):
        names = [self.source.name(path) for path in batch["path"]]
        states = [self.one(name, {"bytes": batch["bytes"][row : row + 1]}) for row, name in enumerate(names)]
        return {"name": np.array(names, object), "state": np.array(states, object)}

    def one(self, name, photo):
        """Return "painted", "skipped" or a sentence about what failed."""
        target = painting_name(name, self.form)
        # Ray repeats the whole batch of an actor that died.
        if self.target.has(target):
            return "skipped"
        if self.classify:
            classes = self.classify(photo)
            if sentence := classes.pop("error")[0]:
                return reason(sentence)
            lists = {key: np.asarray(column[0]).tolist() for key, column in classes.items()}
            text = json.dumps({"photo": name, **lists}, ensure_ascii=False)
        painting = self.paint(photo)
        if sentence := painting.pop("error")[0]:
            return reason(sentence)
        try:
            if self.classify:
                self.target.write(f"{name}.json", text.encode())
            self.target.write(target, next(iter(painting.values()))[0])
        except OSError as error:
            return f"The painting cannot be written: {error}"
        return "painted"


def reason(sentence):
    """Return a row's error without "Row 0 of the batch: ", because the caller names the photo."""
    return sentence.split(": ", 1)[1]


def painting_name(name, form):
    """Return the painting's name: the photo's, if it has the right ending, and otherwise with that ending added."""
    suffix = SUFFIXES[form]
    return name if name.endswith(suffix) else name + suffix


def main(arguments=None, painter=PhotoPainter):
    options = parsed(arguments)
    source, target = Folder(options.source), Folder(options.target)
    if source.uri == target.uri:
        sys.exit("paint_folder: the target is the source; name another folder.")
    photos = [name for name in source.list() if name.lower().endswith(PHOTOS)]
    if not photos:
        sys.exit(f"paint_folder: '{options.source}' has no photos ({', '.join(PHOTOS)}).")
    paintings = {painting_name(name, options.format): name for name in photos}
    if len(paintings) < len(photos):
        name = next(name for name in photos if paintings[painting_name(name, options.format)] != name)
        other = paintings[painting_name(name, options.format)]
        sys.exit(f"paint_folder: '{name}' and '{other}' would have the same painting; rename one of them.")
    done = set(target.list())
    names = [name for name in photos if painting_name(name, options.format) not in done]
    print(f"{len(photos)} photos, {len(photos) - len(names)} of them painted before.", flush=True)
    failures = paint(names, source, target, options, painter) if names else []
    target.remove_parts()
    for name, sentence in failures:
        print(f"paint_folder: {name}: {sentence}", file=sys.stderr)
    return 1 if failures else 0


def paint(names, source, target, options, painter):
    """Paint the photos of these names on the cluster, and return the failures."""
    if not ray.is_initialized():
        ray.init(address=options.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    actors = options.actors or max(1, int(ray.cluster_resources()["CPU"] / options.cpus))
    actors = min(actors, -(-len(names) // options.batch))
    files = ray.data.read_binary_files(
        [source.path(name) for name in names], filesystem=source.files, include_paths=True,
        # Reading waits for disks and networks, and the actors have all processors. Without a limit, Ray would start a
        # process for every block at once.
        num_cpus=0, concurrency=2 * actors,
        override_num_blocks=min(len(names), max(2 * actors, -(-len(names) // (options.batch * 4)))),
    )  # fmt: skip
    model = {"model": options.style, "lite": options.lite, "size": options.size, "quality": options.quality}
    painted = files.map_batches(
        painter, batch_size=options.batch, compute=ray.data.ActorPoolStrategy(size=actors), num_cpus=options.cpus,
        fn_constructor_kwargs={
            "source": source.uri, "target": target.uri, "form": options.format, "paint": model,
            "classify": {"model": options.classifier} if options.classifier else None,
        },
    )  # fmt: skip
    failures, counts = [], {"painted": 0, "skipped": 0}
    for batch in painted.iter_batches(batch_size=None):
        for name, state in zip(batch["name"], batch["state"]):
            if state in counts:
                counts[state] += 1
            else:
                failures.append((name, state))
        print(f"{sum(counts.values())} of {len(names)} painted, {len(failures)} failed", flush=True)
    return failures


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="the folder of the photos: a path, or a URI such as s3://BUCKET/FOLDER")
    parser.add_argument("target", help="the folder of the paintings")
    parser.add_argument("--style", default="starry-night", help="a style of the gallery, or the path of a model")
    parser.add_argument("--lite", action="store_true", help="use the style's small network")
    parser.add_argument("--size", type=int, default=512, help="the longer side of the paintings at most (512)")
    parser.add_argument("--classifier", help="the path of a model that classifies the photos")
    parser.add_argument("--format", choices=sorted(SUFFIXES), default="jpeg", help="of the paintings (jpeg)")
    parser.add_argument("--quality", type=int, default=90, help="of JPEG and WebP (90)")
    parser.add_argument("--actors", type=int, help="how many photos are painted at once (one for each --cpus)")
    parser.add_argument("--cpus", type=float, default=1, help="processors of an actor: its threads (1)")
    parser.add_argument("--batch", type=int, default=16, help="photos that an actor takes at once (16)")
    parser.add_argument("--address", help="of the cluster; 'auto' finds it, without it Ray starts on this machine")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
