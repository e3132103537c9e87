"""Examples/RayServe: a client posts a photo to Ray Serve and gets a painting."""

import io
import pathlib
import socket
import urllib.error
import urllib.request

import PIL.Image
import pytest
import ray
from ray import serve

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_a_posted_photo_is_painted_and_anything_else_refused(photos, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "Examples/RayServe")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "Examples/RayServe"), prepend=":")
    import paint

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000)
    try:
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        serve.run(paint.app)

        def post(data):
            return urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/", data), timeout=120)

        with post((photos(1) / "0/00000.jpg").read_bytes()) as answer:
            assert answer.headers["Content-Type"] == "image/jpeg"
            assert PIL.Image.open(io.BytesIO(answer.read())).size == (64, 64)
        with pytest.raises(urllib.error.HTTPError) as refusal:
            post(b"no picture")
        assert refusal.value.code == 400 and b"The bytes are not a picture" in refusal.value.read()
    finally:
        serve.shutdown()
        ray.shutdown()
