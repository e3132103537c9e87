#!/bin/sh
# Lists the Swift files that people wrote, each ended by a NUL; generated ones are left out.
set -eu
cd "$(dirname "$0")/.."
for folder in Sources Tests Examples Benchmarks; do
  [ -d "$folder" ] || continue
  find "$folder" -name '*.swift' -not -path '*/Generated/*' -not -path '*/.build/*' -print0
done
printf '%s\0' Package.swift
