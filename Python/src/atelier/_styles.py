"""The styles of the gallery, by name."""

import os

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
    if not os.path.exists(path):
        raise lib.Error(f"The style '{wanted}' has no {'small ' if lite else ''}network at '{path}'.", lib.IO)
    return path


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
