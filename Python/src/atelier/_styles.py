"""The styles of the gallery, by name."""

import json
import os
from ctypes import byref, c_void_p

from . import _library as lib

_PACKAGE = os.path.dirname(os.path.realpath(__file__))


def gallery():
    """Return the gallery's folder: ATELIER_GALLERY, the one in this package, or the repository's. None if there is none."""
    named = os.environ.get("ATELIER_GALLERY")
    if named:
        return named
    places = [os.path.join(_PACKAGE, "Gallery"), os.path.join(_PACKAGE, "..", "..", "..", "Gallery")]
    return next((os.path.realpath(place) for place in places if os.path.isdir(place)), None)


def style(name, lite=False):
    """Return the path of a gallery style's model. `lite` chooses the style's small network.

    Raises `Error` if the gallery has no such style, or the style no small network.
    """
    folder = gallery()
    if folder is None:
        raise lib.Error("There is no gallery; set ATELIER_GALLERY to its folder.", lib.IO)
    wanted = str(name).lower().replace(" ", "-")
    try:
        names = sorted(one for one in os.listdir(folder) if os.path.exists(os.path.join(folder, one, "style.json")))
    except OSError:
        raise lib.Error(f"The gallery '{folder}' cannot be read; check ATELIER_GALLERY.", lib.IO) from None
    if wanted not in names:
        raise lib.Error(
            f"There is no style '{name}' in the gallery '{folder}'; it has {', '.join(names) or 'none'}.", lib.IO
        )
    path = os.path.join(folder, wanted, "lite.mlmodel" if lite else "model.mlmodel")
    return path if os.path.exists(path) else _exported(folder, wanted, lite)


def _exported(folder, name, lite):
    """Return the path of a style's network in the cache folder, copied from the gallery's network of several styles."""
    try:
        with open(os.path.join(folder, "networks.json"), encoding="utf-8") as file:
            records = json.load(file)
    except OSError:
        records = []
    algorithm = "cnnLite" if lite else "cnn"
    network = next(
        (r["network"] for r in records if r["network"]["algorithm"] == algorithm and name in r["styles"]), None
    )
    if network is None:
        raise lib.Error(f"The style '{name}' has no {'small ' if lite else ''}network in '{folder}'.", lib.IO)
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.expanduser("~/.cache")
    # Programs in Swift use the same files.
    target = os.path.join(cache, "atelier", "gallery", network["sha256"][:16], f"{name}.mlmodel")
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        sentence = c_void_p()
        source = os.path.join(folder, network["file"])
        status = lib.library.atelier_export_style(
            lib.path_bytes(source), name.encode(), 1.0, lib.path_bytes(target), byref(sentence)
        )
        lib.check(status, sentence)
    return target


def model_path(source, lite=False):
    """Return the path of a model: `source` itself if there is a model, otherwise the gallery's style of that name."""
    path = os.fspath(source)
    if os.path.exists(path) and not lite:
        return os.path.abspath(path)
    if os.sep in path or os.path.splitext(path)[1] in (".mlmodel", ".mlpackage", ".mlmodelc"):
        if lite:
            raise lib.Error(f"lite is for styles of the gallery, and '{path}' is a path.", lib.PARAMETERS)
        raise lib.Error(f"There is no model at '{path}' on this machine.", lib.IO)
    return style(path, lite)
