"""Examples/Spark: mapInPandas paints a folder of photos."""

import io
import os
import pathlib
import runpy
import shutil
import sys

import PIL.Image
import pytest

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_photos_are_painted_in_partitions_and_a_failure_has_a_sentence(photos, tmp_path, monkeypatch):
    import pandas
    from pyspark.sql import SparkSession

    folder = photos(6)
    (folder / "bad.jpg").write_bytes(b"no picture")
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
    try:
        monkeypatch.setattr(sys, "argv", ["paint.py", str(folder), str(tmp_path / "painted.parquet")])
        runpy.run_path(str(ROOT / "Examples/Spark/paint.py"), run_name="__main__")
    finally:
        spark.stop()
    table = pandas.read_parquet(tmp_path / "painted.parquet").set_index("path")
    assert {os.path.basename(path) for path in table.index} == {"bad.jpg", *(f"{number:05}.jpg" for number in range(6))}
    for path, row in table.iterrows():
        if path.endswith("bad.jpg"):
            assert row["painting"] == b"" and "bad.jpg'): The bytes are not a picture" in row["error"]
        else:
            assert row["error"] == "" and PIL.Image.open(io.BytesIO(row["painting"])).size == (64, 64)
