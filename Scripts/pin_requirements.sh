#!/bin/sh
# Pins what coremltools' tests, the studio's and Keras's need: every package of Python/conformance/*.in,
# Tests/Browser/*.in and Scripts/*.in in one version, with the hashes of all its files, so that the lists serve every processor and Python 3.11 and 3.12.
# Needs Python 3.11, as Debian 12 has it: a newer one would choose packages that 3.11 cannot install.
set -eu
cd "$(dirname "$0")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"${PYTHON:-python3.11}" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check pip-tools
for list in Python/conformance/*.in Tests/Browser/*.in Scripts/*.in; do
  target=${list%.in}.txt
  echo "Pinning $target"
  "$tools/bin/pip-compile" --quiet --upgrade --generate-hashes --allow-unsafe --strip-extras --no-header \
    --no-emit-index-url --no-emit-find-links --output-file "$tools/list.txt" "$list"
  {
    echo "# Made by Scripts/pin_requirements.sh from the file beside it that ends in .in: change that one."
    echo
    cat "$tools/list.txt"
  } > "$target"
done
