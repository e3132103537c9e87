#!/bin/sh
# Builds the program and copies it to a folder.
# usage: build.sh FOLDER
set -eu
cd "$(dirname "$0")/../../.."
command -v make >/dev/null || { apt-get update -qq && apt-get install --yes --no-install-recommends make; }
make build
mkdir -p "$1"
cp .build/release/atelier "$1/atelier"
