"""What the tests on Ray and Spark have in common. `make test-ray` runs them."""

import os
import pathlib
import sys

import PIL.Image
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

os.environ.setdefault("ATELIER_GALLERY", str(ROOT / "Gallery"))
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def photos(tmp_path_factory):
    """Returns a function that makes a folder with so many small photos: crops of the pictures in RAY_PICTURES."""
    given = pathlib.Path(os.environ.get("RAY_PICTURES", ROOT / "Gallery/photos/astronaut.jpg"))
    paths = sorted(path for path in given.rglob("*") if path.suffix in (".jpg", ".webp")) if given.is_dir() else [given]

    def make(count, side=64):
        folder = tmp_path_factory.mktemp("photos")
        pictures = [PIL.Image.open(path).convert("RGB").resize((256, 256)) for path in paths[:count]]
        for number in range(count):
            x, y = number * 7 % 128, number * 11 % 128
            path = folder / str(number % 4) / f"{number:05}.jpg"
            path.parent.mkdir(exist_ok=True)
            pictures[number % len(pictures)].crop((x, y, x + 128, y + 128)).resize((side, side)).save(path)
        return folder

    return make


@pytest.fixture(scope="session")
def colours(tmp_path_factory):
    """The path of a model that classifies a picture of 16 × 16 pixels by the mean of its red, green and blue."""
    import coremltools
    from coremltools.converters.mil import Builder as mb

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 16, 16))])
    def program(image):
        return mb.softmax(x=mb.reduce_mean(x=image, axes=[2, 3]), axis=1, name="probabilities")

    path = tmp_path_factory.mktemp("models") / "Colours.mlpackage"
    coremltools.convert(
        program,
        convert_to="mlprogram",
        inputs=[coremltools.ImageType(name="image", shape=(1, 3, 16, 16), scale=1 / 255)],
        classifier_config=coremltools.ClassifierConfig(["red", "green", "blue"]),
    ).save(str(path))
    return path
