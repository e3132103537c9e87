#!/usr/bin/env bash
# Tests the studio in a real browser. Called by `make test-studio`. Arguments select tests by name.
#
# Needs Debian's chromium (or the browser in CHROMIUM), and Playwright from a package index. If these are missing, the
# script prints a message and exits with status 3.
set -uo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/studio-venv
browser=${CHROMIUM:-$(command -v chromium || true)}
if [ -z "$browser" ]; then
  echo "test-studio: chromium is missing. Run: apt-get install chromium fonts-noto-color-emoji" >&2
  exit 3
fi
list=Tests/Browser/requirements.txt
if ! cmp -s "$list" "$work/requirements.txt"; then
  "$work/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$work" || exit 3
  "$work/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$list" || exit 3
  cp "$list" "$work/requirements.txt"
fi
CHROMIUM=$browser exec "$work/bin/python" Tests/Browser/studio.py "${ATELIER:-.build/release/atelier}" "$@"
