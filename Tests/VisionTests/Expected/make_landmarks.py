"""Records the results of MediaPipe for photos in landmarks.json. Positions are in pixels from the top left corner.

Needs `pip install mediapipe==0.10.14 pillow`, and the folder of shared pictures as argument.
"""
import json
import os
import sys

import mediapipe
import numpy
from PIL import Image

solutions = mediapipe.solutions
faces = solutions.face_detection.FaceDetection(model_selection=0, min_detection_confidence=0.5)
meshes = solutions.face_mesh.FaceMesh(static_image_mode=True, max_num_faces=8)
hands = solutions.hands.Hands(static_image_mode=True, max_num_hands=2)
poses = solutions.pose.Pose(static_image_mode=True, model_complexity=1)
persons = solutions.selfie_segmentation.SelfieSegmentation(model_selection=0)
photos = ("photos/skimage-astronaut.png", "paintings/leonardo-mona-lisa.png",
          "photos/gcompris-farmanimals-duck.webp", "paintings/cassatt-summertime.png",
          "photos/tuxpaint-data-sheep.jpg")
# The points of the mesh that the tests compare: the corners of the eyes and of the mouth, and the chin.
MESH = [33, 133, 362, 263, 61, 291, 152]


def rounded(values):
    return [round(float(value), 3) for value in values]


made = {}
for photo in photos:
    pixels = numpy.ascontiguousarray(Image.open(os.path.join(sys.argv[1], photo)).convert("RGB"))
    height, width, _ = pixels.shape

    def points(landmarks):
        return [rounded((point.x * width, point.y * height)) for point in landmarks.landmark]

    entry = {"faces": [], "meshes": [], "hands": [], "bodies": []}
    for face in faces.process(pixels).detections or []:
        box = face.location_data.relative_bounding_box
        entry["faces"].append({"confidence": rounded(face.score)[0], "box": rounded(
            (box.xmin * width, box.ymin * height, box.width * width, box.height * height))})
    for mesh in meshes.process(pixels).multi_face_landmarks or []:
        found = points(mesh)
        entry["meshes"].append([found[index] for index in MESH])
    for hand in hands.process(pixels).multi_hand_landmarks or []:
        entry["hands"].append(points(hand))
    body = poses.process(pixels).pose_landmarks
    if body:
        entry["bodies"].append(points(body))
    entry["share"] = round(float(persons.process(pixels).segmentation_mask.mean()), 5)
    made[photo] = entry

with open("landmarks.json", "w") as file:
    json.dump(made, file, separators=(",", ":"))
    file.write("\n")
