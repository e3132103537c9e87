#!/usr/bin/env bash
# Runs operators with all pairs of their settings against ONNX Runtime and LiteRT. Called by `make conformance-settings`.
# usage: settings_conformance.sh [--part | ARGUMENTS of pairs_of_settings.py]
#
# `make test` uses --part: a few models of every family. If the packages cannot be fetched, the script prints a message
# and succeeds.
set -uo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/settings-conformance
list=$PWD/Scripts/settings-requirements.txt
export ATELIER=${ATELIER:-$PWD/.build/release/atelier}

packages() {
  mkdir -p "$work"
  "$work/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$work" || return 1
  # Fetches packages only if the list has changed.
  cmp -s "$list" "$work/requirements.txt" && return 0
  echo "conformance: fetching onnxruntime and ai-edge-litert" >&2
  "$work/bin/python" -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --no-deps --require-hashes -r "$list" || return 1
  cp "$list" "$work/requirements.txt"
}
if ! packages >&2; then
  echo "pairs of settings WERE NOT RUN: the environment in $work could not be made." \
    "It needs python3-venv and a package index that pip can reach; pip's output is above." >&2
  [ "${1:-}" = --part ] && exit 0
  exit 3
fi
if [ "${1:-}" = --part ]; then set -- --count 6; fi
PYTHONDONTWRITEBYTECODE=1 exec "$work/bin/python" Scripts/pairs_of_settings.py "$@"
