#!/bin/sh
# Uses the studio's HTTP API with curl. Start the studio first: atelier studio
# usage: studio.sh PHOTO [ADDRESS]
set -eu
photo=$1
studio=${2:-http://127.0.0.1:8417}

curl -fsS "$studio/v1/health"
echo

# Lists the styles, then paints the photo. The response is the painting.
curl -fsS "$studio/v1/styles"
echo
curl -fsS --data-binary "@$photo" -H 'Content-Type: image/jpeg' -o painting.jpg \
  "$studio/v1/stylize?style=great-wave&size=1024"

# Paints the photo with a form as the request: with half the strength, in the photo's colours, as PNG.
curl -fsS -F "photo=@$photo" -F style=scream -F size=512 -F strength=0.5 -F colors=photo -F format=png \
  -o painting.png "$studio/v1/stylize"

# Classifies the photo, and lists quotations that fit (needs `atelier fetch squeezenet`).
curl -fsS -F "photo=@$photo" "$studio/v1/classify?top=3" || true
echo

# Prints the counters of the server in Prometheus' format.
curl -fsS "$studio/v1/metrics"
