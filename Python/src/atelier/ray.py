"""Core ML models in Ray Data.

    import ray
    from atelier.ray import CoreMLPredictor
    photos = ray.data.read_binary_files("s3://photos", include_paths=True, num_cpus=0, concurrency=16)
    painted = photos.map_batches(
        CoreMLPredictor, fn_constructor_kwargs={"model": "starry-night", "size": 512},
        batch_size=16, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=8))
"""

import os

from ._columns import ColumnPredictor
from ._film import PartedFilm

__all__ = ["CoreMLPredictor", "paint_film"]


class CoreMLPredictor(ColumnPredictor):
    """A `ColumnPredictor` whose threads follow Ray: as many as the actor's or task's `num_cpus`, at least one.

    Give the class to `map_batches`, with its arguments in `fn_constructor_kwargs`. Then every actor opens the model
    once. An object of the class works too, in tasks, but each worker process opens the model for itself.
    """

    def _threads(self):
        return self._options["threads"] or _assigned_processors()


def _assigned_processors():
    """Return the number of processors that Ray assigned to this worker, at least 1. None outside of Ray's workers."""
    try:
        import ray

        context = ray.get_runtime_context()
        if context.worker.mode != ray.WORKER_MODE:
            return None
        return max(1, int(context.get_assigned_resources().get("CPU", 1)))
    except (ImportError, AttributeError, RuntimeError):
        return None


def paint_film(film, painting, *options, cpus=1, shortest=10.0, progress=None):
    """Paint a film in tasks of a Ray cluster: each part of the film, from a cut to a cut, is a task.

    `options` are options of `atelier film`, such as "--style", "great-wave", "--lite". A task uses `cpus` processors,
    and a part takes at least `shortest` seconds of the film. All machines need the programs atelier and ffmpeg, and
    access to both paths. `progress` is called with (finished parts, parts).

    If this call is killed, the same call paints only the parts that are not finished. If the painting exists, nothing
    is painted. The part of a killed task is painted again. Raises `Error` with the sentence of the first failed part.
    Finished parts stay then.
    """
    import ray

    parted = PartedFilm(film, painting, options, shortest)
    if os.path.exists(parted.painting):
        parted.remove()
        return
    parted.plan()
    # Ray repeats a task whose worker died, but not one that raised an error.
    task = ray.remote(num_cpus=cpus, max_retries=20)(PartedFilm.paint)
    waiting = [task.remote(parted, index, max(1, int(cpus))) for index in parted.missing()]
    try:
        while waiting:
            if progress is not None:
                progress(parted.count - len(waiting), parted.count)
            done, waiting = ray.wait(waiting)
            ray.get(done)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        for reference in waiting:
            ray.cancel(reference, force=True)
    if progress is not None:
        progress(parted.count, parted.count)
    parted.join()
