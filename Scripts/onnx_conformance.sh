#!/usr/bin/env bash
# Runs the node tests of the `onnx` package against our reader and engine. Called by `make conformance-onnx`.
# usage: onnx_conformance.sh [--part | --page]
#
# `make test` uses --part: it runs all tests in a few seconds and prints only failures. If the package cannot be
# fetched, the script prints a message and succeeds. --page writes Documentation/ONNX.md.
set -uo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/onnx-conformance
list=$PWD/Scripts/onnx-requirements.txt
runner=$PWD/.build/release/ONNXRunner

packages() {
  mkdir -p "$work"
  "$work/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$work" || return 1
  # Fetches the packages and writes the tests only if the list of packages has changed.
  cmp -s "$list" "$work/requirements.txt" && return 0
  echo "conformance: fetching onnx" >&2
  "$work/bin/python" -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --no-deps --require-hashes -r "$list" || return 1
  rm -rf "$work/tests"
  "$work/bin/python" Scripts/write_onnx_tests.py "$work/tests" >&2 || return 1
  cp "$list" "$work/requirements.txt"
}
if ! packages >&2; then
  echo "onnx's tests WERE NOT RUN: the environment in $work could not be made." \
    "It needs python3-venv and a package index that pip can reach; pip's output is above." >&2
  [ "${1:-}" = --part ] && exit 0
  exit 3
fi
case ${1:-} in
  --page) "$runner" "$work/tests" --table > Documentation/ONNX.md ;;
  --part) "$runner" "$work/tests" > "$work/result.txt"
    status=$?
    grep -E '^(wrong|failed)' "$work/result.txt"
    tail -1 "$work/result.txt"
    exit $status ;;
  *) exec "$runner" "$work/tests" ;;
esac
