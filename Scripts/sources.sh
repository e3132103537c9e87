#!/bin/sh
# Lists the hand-written Swift files, without generated ones. A NUL byte ends each path.
set -eu
cd "$(dirname "$0")/.."
for folder in Sources Tests Examples Benchmarks; do
  [ -d "$folder" ] || continue
  find "$folder" -name '*.swift' -not -path '*/Generated/*' -not -path '*/.build/*' -print0
done
printf '%s\0' Package.swift
