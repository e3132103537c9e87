#!/bin/sh
# Builds a shared library of custom layers for `atelier --plugin`.
#
#   Scripts/build_plugin.sh FOLDER LIB.so [debug|release]
#
# The library holds the folder's Swift files alone; CoreML comes from the program that loads it.
# SwiftPM's dynamic libraries carry a CoreML of their own, to whose MLCustomLayer their classes
# would conform, and not to the program's. Run `make build` before, with the same compiler.
set -eu
if [ $# -lt 2 ] || [ ! -d "$1" ]; then
  echo "usage: build_plugin.sh FOLDER LIB.so [debug|release]" >&2
  exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
build=${ATELIER_BUILD:-$root/.build/${3:-release}}
if [ ! -d "$build/Modules" ]; then
  echo "build_plugin: there is nothing in '$build' yet. Run 'make build' first." >&2
  exit 1
fi
name=$(basename "$1") # The module's name.

maps=""
for map in "$build"/*.build/module.modulemap "$root"/C/CGObject/module.modulemap; do
  # What the build plug-in's tool is made of stands there a second time.
  case "$map" in *-tool.build/*) continue ;; esac
  [ -f "$map" ] && maps="$maps -Xcc -fmodule-map-file=$map"
done
# Unquoted: lists of flags.
swiftc -O -emit-library -swift-version 6 -module-name "$name" -o "$2" \
  -I "$build/Modules" $maps $(pkg-config --cflags-only-I gobject-2.0 | sed 's/-I/-Xcc -I/g') \
  "$1"/*.swift
