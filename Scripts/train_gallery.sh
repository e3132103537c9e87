#!/bin/sh
# Trains the styles of Gallery/paintings.tsv and adds them to the gallery. Called by `make gallery`. If arguments name
# styles, it trains only these. The pictures come from PICTURES, or are fetched (pictures_folder.sh). Trainings are in
# .build/gallery. An interrupted training resumes where it stopped.
#
#   FIRST                         the style that is trained longest; the others start from its weights
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

# Links all photos except the held-out ones, on which `make quality` judges the networks.
contents=$work/photos
rm -rf "$contents"
mkdir -p "$contents"
for photo in "$photos"/*; do
  grep -qxF "$(basename "$photo")" Gallery/held-out.txt || ln -s "$(realpath "$photo")" "$contents/"
done

# publish NAME PAINTING ALGORITHM FILE_SUFFIX PUBLISH_OPTION OPTIONS…: trains one network of a style and publishes it.
publish() {
  name=$1 painting=$2 algorithm=$3 suffix=$4 publish_option=$5
  shift 5
  model="$work/$name$suffix.mlmodel"
  if [ ! -f "$model" ]; then
    echo "train_gallery: $name ($algorithm)"
    # A style that starts from the first style's weights needs far fewer steps.
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
  "$ATELIER" publish "$name" --model "$model" --painting "$painting" \
    --run "${model%.mlmodel}.training" $publish_option
}

tab=$(printf '\t')
grep -v '^#' Gallery/paintings.tsv | tr "$tab" '|' |
  while IFS='|' read -r name file _ _ _ _ lite options; do
    if [ "$#" -gt 0 ]; then
      case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    if [ ! -f "$paintings/$file" ]; then
      echo "train_gallery: $name is skipped, because '$paintings/$file' is missing." >&2
      continue
    fi
    factor=1
    [ "$name" != "$FIRST" ] || factor=4
    # $options and $OPTIONS are lists of words, so they are not quoted.
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
