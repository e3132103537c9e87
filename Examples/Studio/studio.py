"""Paints photos with a running studio. Sends all photos as jobs, which the studio paints in the
background, and prints their progress. Needs only Python's standard library.

    python studio.py STYLE PHOTO...        writes a painting beside each photo, PHOTO-STYLE.jpg
"""
import json, os, pathlib, sys, time, urllib.request

STUDIO = os.environ.get("STUDIO", "http://127.0.0.1:8417")
NAME = {"Atelier-Client": f"example-{os.getpid()}"}
if "STUDIO_TOKEN" in os.environ:
    NAME["Authorization"] = "Bearer " + os.environ["STUDIO_TOKEN"]


def ask(path, body=None, **headers):
    request = urllib.request.Request(STUDIO + path, body, {**NAME, **{k.replace("_", "-"): v for k, v in headers.items()}})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        sys.exit(json.load(error)["error"]["message"])


style, photos = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]
jobs = {}
for photo in photos:
    job = json.loads(ask(f"/v1/stylize?style={style}", photo.read_bytes(), Prefer="respond-async", Content_Type="application/octet-stream"))
    jobs[job["id"]] = photo
while jobs:
    time.sleep(0.2)
    for id, photo in list(jobs.items()):
        job = json.loads(ask(f"/v1/jobs/{id}"))
        if job["state"] == "done":
            painting = photo.with_name(f"{photo.stem}-{style}.jpg")
            painting.write_bytes(ask(f"/v1/jobs/{id}/painting?quality=90"))
            print(f"{painting}: {job['width']} × {job['height']} in {job['seconds']:.1f} s")
        elif job["state"] in ("failed", "cancelled"):
            print(f"{photo}: {job.get('error', job['state'])}")
        else:
            continue
        del jobs[id]
