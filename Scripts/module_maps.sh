#!/bin/sh
# Prints the flags with which swiftc and swift-symbolgraph-extract find the C modules that the built Swift modules import.
# The build makes some module maps, and the sources contain others.
# usage: module_maps.sh BUILD-FOLDER
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
for map in "$build"/*.build/module.modulemap "$root"/C/*/module.modulemap "$root"/C/*/include/module.modulemap; do
  # SwiftPM builds the C modules a second time for the build plug-in's tool. These copies are skipped.
  case "$map" in *-tool.build/*) continue ;; esac
  if [ -f "$map" ]; then printf ' -Xcc -fmodule-map-file=%s' "$map"; fi
done
