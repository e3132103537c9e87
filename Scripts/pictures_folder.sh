#!/bin/sh
# Prints the folder with the gallery's paintings and photos: PICTURES if it is set, otherwise the folder in SHARED if it
# exists. Otherwise fetches them to .build/pictures and prints that folder.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${PICTURES:-}" ]; then
  for needed in paintings photos; do
    [ -d "$PICTURES/$needed" ] && continue
    echo "The folder '$PICTURES' has no folder '$needed'; PICTURES names one with paintings/ and photos/." >&2
    exit 1
  done
  echo "$PICTURES"
elif [ -d "${SHARED:=../shared}/pictures/paintings" ] && [ -d "$SHARED/pictures/photos" ]; then
  echo "$SHARED/pictures"
else
  # Pillow assembles the paintings that come in pieces.
  python=python3
  if ! python3 -c 'import PIL' 2>/dev/null; then
    [ -x .build/pictures-venv/bin/python ] || python3 -m venv .build/pictures-venv >&2
    .build/pictures-venv/bin/pip install --quiet pillow >&2
    python=.build/pictures-venv/bin/python
  fi
  # If some images are missing, the caller continues with the others.
  "$python" Scripts/fetch_pictures.py .build/pictures >&2 || [ -d .build/pictures/photos ]
  echo .build/pictures
fi
