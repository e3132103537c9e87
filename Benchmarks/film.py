#!/usr/bin/env python3
"""Measures how much painted films change along the motion: E_warp of neighbouring frames and of frames ten apart.

usage: film.py [--atelier PATH] [--photos FOLDER] [--styles NAME,NAME] [--films NAME,NAME] [--real FILE]
               [--size 320x240] [--frames 60] [--noise 2] [--stability S,S] [--codec-in ARGUMENTS] [--sheets FOLDER]

A camera moves over large photos, so the true flow and the hidden parts are known: a pan, a zoom, a rotation, and a pan
during which an object moves through the picture. Noise as that of a camera is added. The flow of a real film
(--real, such as vtest.avi of Debian's opencv-doc) is OpenCV's dense inverse search, at full size, checked forward and
backward. Frames go to and from `atelier film` without a codec; with `--codec-in`, ffmpeg's arguments such as
"-c:v libx264 -crf 18", as .mp4 files. Then the decoded film and the decoded painting are compared.

Prints E_warp (interpolated by Lanczos' kernel) of the film, and of its paintings as multiples of it: each frame alone
(stability 0), each stability, and the floor, a single painting that is moved with the true flow. `detail` is the variance
of the Laplacian as a share of that of frames painted alone.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile

import cv2
import numpy

#: The films: the photo, and a function from the share of the film, -0.5…0.5, and the number of frames to the camera: the
#: position in the photo as a share of its free part, the zoom, and the rotation in degrees.
FILMS = {
    "pan": ("tuxpaint-data-rocks.jpg", lambda at, n: (0.009 * n * at, 0.004 * n * at, 1, 0)),
    "zoom": ("gcompris-erase-camels.webp", lambda at, n: (0, 0, 1.012 ** (n * at), 0)),
    "rotation": ("tuxpaint-data-cliff.jpg", lambda at, n: (0.003 * n * at, 0, 1, 0.8 * n * at)),
    "object": ("gcompris-erase-squirrel.webp", lambda at, n: (0.004 * n * at, 0, 1, 0)),
}
#: The photo of the object that moves through the film `object`.
OBJECT = "skimage-coffee.png"
DISTANCES = (1, 10)


def options():
    """Parses the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--atelier", default=".build/release/atelier")
    parser.add_argument("--photos", default="../shared/pictures/photos")
    parser.add_argument("--styles", help="default: all styles of the gallery")
    parser.add_argument("--films", default=",".join(FILMS))
    parser.add_argument("--real", help="a film file, whose first frames are painted as well")
    parser.add_argument("--from", dest="start", type=float, default=0, help="its first second")
    parser.add_argument("--size", default="320x240")
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--noise", type=float, default=2, help="in levels of 255")
    parser.add_argument("--stability", default="0.85", help="one or several")
    parser.add_argument("--network", default="lite", choices=["lite", "large"])
    parser.add_argument("--codec-in", help="ffmpeg's arguments that encode the films")
    parser.add_argument("--sheets", help="a folder for enlarged neighbouring frames")
    return parser.parse_args()


class Film:
    """A film's frames, and the motion between them."""

    def __init__(self, name, frames):
        self.name, self.frames = name, frames

    def motion(self, first, second):
        """Returns the position in frame `second` of each pixel of frame `first`, and whether it is seen there."""
        raise NotImplementedError


class MovedCamera(Film):
    """A film of a camera that moves over a photo."""

    def __init__(self, name, settings):
        width, height = settings.width, settings.height
        photo_name, self.camera = FILMS[name]
        photo = cv2.imread(os.path.join(settings.photos, photo_name))
        self.width, self.height = width, height
        # A pixel of the film is as wide as 1.5 pixels of the photo at 640 × 480, and as 3 at 320 × 240, or as large as the
        # photo allows with some place to move.
        self.scale = min(photo.shape[1] / width, photo.shape[0] / height) / 1.75
        self.centre = (photo.shape[1] / 2, photo.shape[0] / 2)
        self.count = settings.frames
        random = numpy.random.default_rng(1)
        frames = []
        for index in range(self.count):
            frame = self.view(photo, self.matrix(index))
            if name == "object":
                frame = self.with_object(frame, index, settings)
            frame = frame + random.normal(0, settings.noise, frame.shape)
            frames.append(numpy.clip(frame + 0.5, 0, 255).astype(numpy.uint8)[:, :, ::-1].copy())
        super().__init__(name, frames)
        self.has_object = name == "object"

    def matrix(self, index):
        """Returns the matrix from pixels of a frame to those of the photo."""
        # Always the middle of a film of 60 frames, so that shorter films move as fast.
        x, y, zoom, angle = self.camera(index / self.count - 0.5, self.count)
        turn = numpy.deg2rad(angle)
        scale = self.scale / zoom
        linear = scale * numpy.array(
            [[numpy.cos(turn), -numpy.sin(turn)], [numpy.sin(turn), numpy.cos(turn)]])
        middle = numpy.array([(self.width - 1) / 2, (self.height - 1) / 2])
        at = numpy.array(self.centre) + self.scale * self.width * numpy.array([x, y])
        return numpy.column_stack([linear, at - linear @ middle])

    def view(self, photo, matrix):
        """Renders a frame: the mean of 4 × 4 samples for each pixel."""
        fine = matrix.copy()
        fine[:, :2] = matrix[:, :2] / 4
        fine[:, 2] = matrix[:, 2] - matrix[:, :2] @ numpy.array([0.375, 0.375])
        large = cv2.warpAffine(
            photo, fine, (self.width * 4, self.height * 4),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REFLECT)
        small = large.reshape(self.height, 4, self.width, 4, 3).astype(numpy.float64)
        return small.mean(axis=(1, 3))

    def object_place(self, index):
        """Returns the centre of the object in a frame."""
        side = self.width / 320
        return numpy.array(
            [self.width * 0.5 + 3.3 * side * (index - self.count / 2), self.height * 0.55])

    def object_mask(self, index):
        """Returns how much of each pixel the object covers."""
        rows, columns = numpy.mgrid[0:self.height, 0:self.width]
        at = self.object_place(index)
        radius = self.width * 0.12
        return numpy.clip(radius + 0.5 - numpy.hypot(columns - at[0], rows - at[1]), 0, 1)

    def with_object(self, frame, index, settings):
        """Draws the object over a frame."""
        picture = cv2.imread(os.path.join(settings.photos, OBJECT))
        at = self.object_place(index)
        scale = picture.shape[0] / (self.width * 0.28)
        matrix = numpy.array(
            [[scale, 0, picture.shape[1] / 2 - scale * at[0]],
             [0, scale, picture.shape[0] / 2 - scale * at[1]]])
        mask = self.object_mask(index)[:, :, None]
        return frame * (1 - mask) + self.view(picture, matrix) * mask

    def motion(self, first, second):
        one, other = (numpy.vstack([self.matrix(i), [0, 0, 1]]) for i in (first, second))
        both = numpy.linalg.inv(other) @ one
        rows, columns = numpy.mgrid[0:self.height, 0:self.width].astype(numpy.float64)
        x = both[0, 0] * columns + both[0, 1] * rows + both[0, 2]
        y = both[1, 0] * columns + both[1, 1] * rows + both[1, 2]
        hidden = numpy.zeros(x.shape, bool)
        if self.has_object:
            own, there = self.object_mask(first), self.object_mask(second)
            shift = self.object_place(second) - self.object_place(first)
            on = own > 0.5
            x, y = numpy.where(on, columns + shift[0], x), numpy.where(on, rows + shift[1], y)
            covered = cv2.remap(there.astype(numpy.float32), x.astype(numpy.float32),
                                y.astype(numpy.float32), cv2.INTER_LINEAR)
            # The object's edge belongs to neither.
            hidden = ((own > 0) & (own < 1)) | (~on & (covered > 0)) | (on & (covered < 1))
        seen = (x >= 2) & (y >= 2) & (x <= self.width - 3) & (y <= self.height - 3) & ~hidden
        return x.astype(numpy.float32), y.astype(numpy.float32), seen


class RealFilm(Film):
    """The frames of a film file, at the size of the other films."""

    def __init__(self, settings):
        command = [
            "ffmpeg", "-v", "error", "-ss", str(settings.start), "-i", settings.real,
            "-frames:v", str(settings.frames),
            "-vf", f"scale={settings.width}:{settings.height}:flags=area", "-f", "rawvideo",
            "-pix_fmt", "rgb24", "-"]
        data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        size = settings.width * settings.height * 3
        frames = [
            numpy.frombuffer(data[at:at + size], numpy.uint8).reshape(
                settings.height, settings.width, 3)
            for at in range(0, len(data) - size + 1, size)]
        super().__init__(os.path.basename(settings.real), frames)
        self.grey = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in frames]
        self.search = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
        self.search.setFinestScale(0)
        self.known = {}

    def motion(self, first, second):
        if (first, second) in self.known:
            return self.known[first, second]
        there = self.search.calc(self.grey[first], self.grey[second], None)
        back = self.search.calc(self.grey[second], self.grey[first], None)
        height, width = self.grey[0].shape
        rows, columns = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
        x, y = columns + there[:, :, 0], rows + there[:, :, 1]
        returned = cv2.remap(back, x, y, cv2.INTER_LINEAR)
        gap = ((there + returned) ** 2).sum(axis=2)
        lengths = (there ** 2).sum(axis=2) + (returned ** 2).sum(axis=2)
        seen = (gap < 0.01 * lengths + 0.5) & (x >= 2) & (y >= 2)
        seen &= (x <= width - 3) & (y <= height - 3)
        self.known[first, second] = x, y, seen
        return self.known[first, second]


def warping_error(film, frames, distance):
    """Returns the mean E_warp of frames at a distance, with samples of 0…1."""
    errors = []
    for index in range(distance, len(frames)):
        x, y, seen = film.motion(index, index - distance)
        warped = cv2.remap(
            frames[index - distance].astype(numpy.float32), x, y, cv2.INTER_LANCZOS4,
            borderMode=cv2.BORDER_REFLECT)
        gap = (frames[index].astype(numpy.float32) - numpy.clip(warped, 0, 255)) / 255
        errors.append(float((gap[seen] ** 2).mean()))
    return sum(errors) / max(1, len(errors))


def floor(film, painting):
    """Returns a painting of the first frame, moved along the true motion."""
    frames = []
    for index in range(len(film.frames)):
        x, y, _ = film.motion(index, 0)
        frames.append(cv2.remap(painting, x, y, cv2.INTER_LANCZOS4, borderMode=cv2.BORDER_REFLECT))
    return frames


def detail(frames):
    """Returns the mean variance of the Laplacian."""
    values = [cv2.Laplacian(cv2.cvtColor(f, cv2.COLOR_RGB2GRAY), cv2.CV_64F).var() for f in frames]
    return sum(values) / len(values)


def encode(frames, codec, path):
    """Encodes a film of 25 frames per second."""
    height, width = frames[0].shape[:2]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
         f"{width}x{height}", "-r", "25", "-i", "-", "-pix_fmt", "yuv420p", *shlex.split(codec), path],
        input=b"".join(frame.tobytes() for frame in frames), check=True)


def decode(path, width, height):
    """Returns the frames of a film."""
    data = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo",
         "-pix_fmt", "rgb24", "-sws_flags", "lanczos+accurate_rnd+full_chroma_int", "-"],
        check=True, stdout=subprocess.PIPE).stdout
    return list(numpy.frombuffer(data, numpy.uint8).reshape(-1, height, width, 3))


def painted(film, settings, style, stability):
    """Paints a film. Returns the frames."""
    height, width = film.frames[0].shape[:2]
    options = ["--style", style, "--stability", str(stability)]
    options += ["--lite"] if settings.network == "lite" else []
    if settings.codec_in:
        path = os.path.join(settings.folder, "painted.mp4")
        subprocess.run(
            [settings.atelier, "film", film.path, "-o", path, *options], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=True)
        film.sizes.append(os.path.getsize(path))
        return decode(path, width, height)
    command = [settings.atelier, "film", "-", "--raw", f"{width}x{height}", "-o", "-", *options]
    data = subprocess.run(
        command, input=b"".join(f.tobytes() for f in film.frames), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=True).stdout
    return list(numpy.frombuffer(data, numpy.uint8).reshape(-1, height, width, 3))


def write_sheet(settings, film, style, stability, frames):
    """Writes parts of neighbouring frames, three times as large: the film's above those of the painting."""
    os.makedirs(settings.sheets, exist_ok=True)
    middle = len(frames) // 2
    height, width = frames[0].shape[:2]
    part = (slice(height // 4, height * 3 // 4), slice(width // 4, width * 3 // 4))
    rows = []
    for source in (film.frames, frames):
        parts = [source[middle + at][part] for at in (0, 1, 2, 10)]
        rows.append(numpy.hstack(parts))
    sheet = cv2.resize(numpy.vstack(rows), None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST)
    path = os.path.join(settings.sheets, f"{film.name}-{style}-{stability}.png")
    cv2.imwrite(path, sheet[:, :, ::-1])


def main():
    """Makes the films, paints them, and prints the table."""
    settings = options()
    settings.width, settings.height = (int(side) for side in settings.size.split("x"))
    cv2.setNumThreads(1)
    films = [MovedCamera(name, settings) for name in settings.films.split(",") if name]
    if settings.real:
        films.append(RealFilm(settings))
    folder = tempfile.TemporaryDirectory()
    settings.folder = folder.name
    if settings.codec_in:
        for film in films:
            film.path, film.sizes = os.path.join(settings.folder, f"{film.name}.mp4"), []
            encode(film.frames, settings.codec_in, film.path)
            film.frames = decode(film.path, settings.width, settings.height)
    styles = (
        settings.styles.split(",") if settings.styles
        else sorted(f for f in os.listdir("Gallery") if os.path.isdir(f"Gallery/{f}")
                    and f != "photos"))
    for film in films:
        own = [warping_error(film, film.frames, distance) for distance in DISTANCES]
        print(f"\n{film.name}: {len(film.frames)} frames of {settings.size}, E_warp of the film "
              + ", ".join(f"{value:.6f}" for value in own) + "\n")
        steps = [float(text) for text in settings.stability.split(",")]
        print("| style | each frame alone | " + " | ".join(f"{s:g}" for s in steps)
              + " | detail | floor |")
        print("|---|---|" + "---|" * len(steps) + "---|---|")
        below = [[0, 0] for _ in steps]
        for style in styles:
            def ratios(frames):
                return [warping_error(film, frames, d) / o for d, o in zip(DISTANCES, own)]

            def text(values):
                return ", ".join(f"× {value:.2f}" for value in values)

            alone = painted(film, settings, style, 0)
            cells, sharp = [text(ratios(alone))], []
            for place, stability in enumerate(steps):
                frames = painted(film, settings, style, stability)
                if settings.sheets:
                    write_sheet(settings, film, style, stability, frames)
                if settings.codec_in:
                    print(f"{film.name}, {style}, {stability:g}: {film.sizes[-1] / 1000:.0f} kB; the film "
                          f"{os.path.getsize(film.path) / 1000:.0f} kB", file=sys.stderr)
                values = ratios(frames)
                for index, value in enumerate(values):
                    below[place][index] += value <= 1.3
                cells.append(text(values))
                sharp.append(f"{detail(frames) / detail(alone):.2f}")
            least = "" if isinstance(film, RealFilm) else text(ratios(floor(film, alone[0])))
            print(f"| {style} | " + " | ".join(cells) + f" | {', '.join(sharp)} | {least} |",
                  flush=True)
        for stability, (near, far) in zip(steps, below):
            print(f"\nAt most × 1.3 at {stability:g}: {near} of {len(styles)} between neighbouring "
                  f"frames, {far} ten apart.")


if __name__ == "__main__":
    main()
