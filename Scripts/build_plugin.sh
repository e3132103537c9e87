#!/bin/sh
# Builds a shared library of custom layers for `atelier --plugin`.
#
#   Scripts/build_plugin.sh FOLDER LIB.so [debug|release]
#
# The library contains only the folder's Swift files, and uses the CoreML of the program that loads it. SwiftPM would
# link a second copy of CoreML into a dynamic library. The library's classes would then conform to the MLCustomLayer of
# that copy, not of the program. Run `make build` first, with the same compiler.
set -eu
if [ $# -lt 2 ] || [ ! -d "$1" ]; then
  echo "usage: build_plugin.sh FOLDER LIB.so [debug|release]" >&2
  exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
build=${ATELIER_BUILD:-$root/.build/${3:-release}}
if [ ! -d "$build/Modules" ]; then
  echo "build_plugin: '$build' is empty. Run 'make build' first." >&2
  exit 1
fi
name=$(basename "$1") # The name of the Swift module.

maps=$("$root/Scripts/module_maps.sh" "$build")
# $maps and the output of pkg-config are lists of flags, so they are not quoted.
swiftc -O -emit-library -swift-version 6 -module-name "$name" -o "$2" \
  -I "$build/Modules" $maps $(pkg-config --cflags-only-I gobject-2.0 | sed 's/-I/-Xcc -I/g') \
  "$1"/*.swift
