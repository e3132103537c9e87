#!/bin/sh
# What the studio's interface does, with curl. Start it first: atelier studio
# usage: studio.sh PHOTO [ADDRESS]
set -eu
photo=$1
studio=${2:-http://127.0.0.1:8417}

curl -fsS "$studio/v1/health"
echo

# The styles, and a painting: the answer is the picture.
curl -fsS "$studio/v1/styles"
echo
curl -fsS --data-binary "@$photo" -H 'Content-Type: image/jpeg' -o painting.jpg \
  "$studio/v1/stylize?style=great-wave&size=1024"

# The same as a form, half as strong, in the photo's colours, as PNG.
curl -fsS -F "photo=@$photo" -F style=scream -F size=512 -F strength=0.5 -F colors=photo -F format=png \
  -o painting.png "$studio/v1/stylize"

# What it shows, and words that fit it (needs `atelier fetch squeezenet`).
curl -fsS -F "photo=@$photo" "$studio/v1/classify?top=3" || true
echo

# Numbers of the server, for Prometheus.
curl -fsS "$studio/v1/metrics"
