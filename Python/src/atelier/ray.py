"""Core ML models in Ray Data.

    import ray
    from atelier.ray import CoreMLPredictor
    photos = ray.data.read_binary_files("s3://photos", include_paths=True)
    painted = photos.map_batches(
        CoreMLPredictor, fn_constructor_kwargs={"model": "starry-night", "size": 512},
        batch_size=16, concurrency=8, num_cpus=1)
"""

from ._columns import ColumnPredictor

__all__ = ["CoreMLPredictor"]


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
