#!/usr/bin/env bash
# Compares Keras layers and operations with Keras itself, for pairs of settings. Called by `make conformance-keras`.
# usage: keras_settings.sh [--part] [OPTION...]; see Scripts/keras_settings.py for the options.
#
# `make test` uses --part, which tests three models of each family. It does not fetch Keras and TensorFlow, because they
# are larger than all other packages together. If `make conformance-keras` has not fetched them before, the script
# prints a message and succeeds. The tests also contain Keras's results for 94 models
# (Tests/KerasFormatTests/Expected/settings.json).
set -uo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/keras-settings
list=$PWD/Scripts/keras-requirements.txt
export ATELIER=${ATELIER:-$PWD/.build/release/atelier}

say_not_run() {
  echo "Keras's settings WERE NOT COMPARED with Keras: $*" >&2
}
part=
if [ "${1:-}" = --part ]; then
  part=yes
  shift
  set -- --count 3 "$@"
  cmp -s "$list" "$work/requirements.txt" || {
    say_not_run "'make conformance-keras' fetches Keras and TensorFlow, and is part of 'make test' from then on."
    exit 0
  }
fi
packages() {
  mkdir -p "$work"
  "$work/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$work" || return 1
  # Fetches the packages only if their list has changed.
  cmp -s "$list" "$work/requirements.txt" && return 0
  echo "settings: fetching Keras and TensorFlow" >&2
  "$work/bin/python" -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --require-hashes -r "$list" || return 1
  cp "$list" "$work/requirements.txt"
}
if ! packages >&2; then
  say_not_run "the environment in $work could not be made." \
    "It needs python3-venv and a package index that pip can reach; pip's output is above."
  [ -z "$part" ] || exit 0
  exit 3
fi
# TensorFlow writes long logs to standard error.
"$work/bin/python" Scripts/keras_settings.py "$@" 2>"$work/words.log" || {
  code=$?
  tail -n 5 "$work/words.log" >&2
  exit $code
}
