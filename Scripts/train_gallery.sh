#!/bin/sh
# Trains the gallery from Gallery/paintings.tsv and publishes it: `make gallery`, or with names to train
# those alone. The paintings and photos are those of PICTURES, or are fetched (pictures_folder.sh). Work in progress
# lies in .build/gallery; a training that was cut off goes on where it was.
#
#   FIRST                         the style that is trained longest and that the others start from
#   ITERATIONS, LITE_ITERATIONS   steps of the others; the first one takes four times as many
#   OPTIONS                       options of every training
set -eu
cd "$(dirname "$0")/.."
: "${ATELIER:=.build/release/atelier}" "${FIRST:=starry-night}"
: "${ITERATIONS:=1500}" "${LITE_ITERATIONS:=$ITERATIONS}"
: "${OPTIONS:=--density 384 --picture-side 224 --batch 1}"

work=.build/gallery
pictures=$(Scripts/pictures_folder.sh)
paintings=$pictures/paintings
photos=$pictures/photos
mkdir -p "$work"
"$ATELIER" fetch vgg16

# All photos but those that are kept for judging.
contents=$work/photos
rm -rf "$contents"
mkdir -p "$contents"
for photo in "$photos"/*; do
  grep -qxF "$(basename "$photo")" Gallery/held-out.txt || ln -s "$(realpath "$photo")" "$contents/"
done

# publish NAME PAINTING ALGORITHM FILE_SUFFIX CARD_OPTION OPTIONS…
publish() {
  name=$1 painting=$2 algorithm=$3 suffix=$4 card=$5
  shift 5
  model="$work/$name$suffix.mlmodel"
  if [ ! -f "$model" ]; then
    echo "train_gallery: $name ($algorithm)"
    # What the first style learned is most of what another one needs.
    first=$work/$FIRST$suffix.mlmodel
    if [ "$name" = "$FIRST" ]; then
      set -- --initial none "$@"
    elif [ -f "$first" ]; then
      set -- --initial "$first" --learning-rate 0.0006 "$@"
    fi
    "$ATELIER" train "$painting" --content "$contents" --algorithm "$algorithm" --output "$model" \
      --validate Gallery/photos/astronaut.jpg --resume "$@"
  fi
  # shellcheck disable=SC2086
  "$ATELIER" card "$name" --model "$model" --painting "$painting" \
    --run "${model%.mlmodel}.training" $card
}

tab=$(printf '\t')
grep -v '^#' Gallery/paintings.tsv | tr "$tab" '|' |
  while IFS='|' read -r name file _ _ _ _ lite options; do
    if [ "$#" -gt 0 ]; then
      case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    if [ ! -f "$paintings/$file" ]; then
      echo "train_gallery: $name is left out, as '$paintings/$file' is missing." >&2
      continue
    fi
    factor=1
    [ "$name" != "$FIRST" ] || factor=4
    # Unquoted: options are lists of words.
    # shellcheck disable=SC2086
    publish "$name" "$paintings/$file" cnn "" "" --iterations $((ITERATIONS * factor)) \
      $options $OPTIONS </dev/null
    if [ "$lite" = lite ]; then
      # shellcheck disable=SC2086
      publish "$name" "$paintings/$file" cnnLite -lite --lite \
        --iterations $((LITE_ITERATIONS * factor)) $options $OPTIONS </dev/null
    fi
  done
"$ATELIER" styles
