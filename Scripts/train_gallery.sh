#!/bin/sh
# Trains the network of the gallery's styles, and publishes it. Called by `make gallery`. The pictures come from PICTURES,
# or are fetched (pictures_folder.sh). The trainings are in .build/gallery. An interrupted training resumes where it
# stopped.
#
#   ALGORITHM              cnn (default), or cnnLite for the small network
#   STYLES                 the names of the styles (default: all of Gallery/paintings.tsv)
#   FIRST, STEPS           steps of 4 pictures: first of FIRST with 128 × 128 pixels, then of STEPS with 192 × 192 pixels
#   OPTIONS                options of both trainings
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${FIRST:=20000}" "${STEPS:=20000}" "${OPTIONS:=}"
: "${ALGORITHM:=cnn}" "${STYLES:=$(grep -v '^#' Gallery/paintings.tsv | cut -f 1)}"

work=.build/gallery
pictures=$(Scripts/pictures_folder.sh)
mkdir -p "$work"
"$ATELIER" fetch vgg16

# Links all photos except the held-out ones, on which `make quality` judges the networks.
contents=$work/photos
rm -rf "$contents"
mkdir -p "$contents"
for photo in "$pictures/photos"/*; do
  grep -qxF "$(basename "$photo")" Gallery/held-out.txt || ln -s "$(realpath "$photo")" "$contents/"
done

# A style has the name of its painting's file, so each painting gets a link with the style's name.
paintings=$work/paintings
rm -rf "$paintings"
mkdir -p "$paintings"
available=""
for name in $STYLES; do
  file=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' Gallery/paintings.tsv)
  if [ -z "$file" ] || [ ! -f "$pictures/paintings/$file" ]; then
    echo "train_gallery: $name is skipped, because its painting '$pictures/paintings/$file' is missing." >&2
    continue
  fi
  ln -s "$(realpath "$pictures/paintings/$file")" "$paintings/$name.${file##*.}"
  available="$available $name"
done

case $ALGORITHM in
  cnnLite) suffix=-lite lite=--lite ;;
  *) suffix="" lite="" ;;
esac

# train NAME OPTION…: trains .build/gallery/NAME.mlmodel, unless it is there already.
train() {
  model=$work/$1.mlmodel
  shift
  [ -f "$model" ] && return
  # $OPTIONS is a list of words, so it is not quoted.
  # shellcheck disable=SC2086
  "$ATELIER" train "$paintings"/* --content "$contents" --algorithm "$ALGORITHM" --batch 4 --output "$model" \
    --snapshot-every 500 --validate Gallery/photos/astronaut.jpg --resume "$@" $OPTIONS
}

# Small pictures teach the colours and the small strokes in a third of the time. Larger ones then teach larger strokes.
train "first$suffix" --initial none --iterations "$FIRST" --picture-side 128 --density 256
train "styles$suffix" --initial "$work/first$suffix.mlmodel" --iterations "$STEPS" --picture-side 192 --density 384 --strength 6
# $available is a list of names, and $lite is one option or none.
# shellcheck disable=SC2086
"$ATELIER" publish $available $lite --model "$work/styles$suffix.mlmodel" --paintings "$pictures/paintings" \
  --run "$work/styles$suffix.training"
"$ATELIER" styles
