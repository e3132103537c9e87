"""Paints the photos of a folder with Spark: spark-submit Examples/Spark/paint.py PHOTOS PAINTINGS.parquet"""

import sys

from pyspark.sql import SparkSession

from atelier.batch import ColumnPredictor


def painted(frames):
    columns = {"inputs": {"image": "content"}, "outputs": {"stylizedImage": "painting"}, "keep": ["path"]}
    with ColumnPredictor("starry-night", size=512, threads=1, errors="column", **columns) as predictor:
        for frame in frames:
            yield predictor(frame)


spark = SparkSession.builder.getOrCreate()
photos = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(sys.argv[1])
photos.mapInPandas(painted, "path string, painting binary, error string").write.parquet(sys.argv[2])
