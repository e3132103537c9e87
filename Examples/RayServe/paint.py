"""Paints photos that clients post to Ray Serve: serve run --app-dir Examples/RayServe paint:app"""

import asyncio

import numpy as np
from ray import serve
from starlette.responses import Response

from atelier.ray import CoreMLPredictor


@serve.deployment(ray_actor_options={"num_cpus": 1})
class Painter:
    def __init__(self, style):
        self.predictor = CoreMLPredictor(style, size=512, errors="column")
        self.predictor.open()

    async def __call__(self, request):
        photo = np.array([await request.body()], object)
        result = await asyncio.to_thread(self.predictor, {"bytes": photo})
        if result["error"][0]:
            return Response(result["error"][0], 400)
        return Response(result["stylizedImage"][0], media_type="image/jpeg")


app = Painter.bind("starry-night")
