#!/bin/sh
# Shows that a photo that would not fit is refused before anything is packed, where the limit is that of a
# container: a control group of 1 GB, in which `atelier stylize` is asked for a large painting, and then for the
# largest that its own sentence says would fit. Needs root, and a control group that may be written to
# (version 1 or 2).
#
# usage: Scripts/container_memory.sh [ATELIER] [MODEL] [MEGABYTES]
set -eu
cd "$(dirname "$0")/.."
atelier=${1:-.build/release/atelier}
model=${2:-Gallery/scream/model.mlmodel}
photo=Gallery/photos/astronaut.jpg
limit=$((${3:-1024} * 1048576))

if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/atelier-$$ most=memory.max peak=memory.peak
  mkdir "$group"
elif [ -d /sys/fs/cgroup/memory ]; then
  group=/sys/fs/cgroup/memory/atelier-$$ most=memory.limit_in_bytes peak=memory.max_usage_in_bytes
  mkdir "$group"
else
  echo 'no control group of memory can be made here' >&2
  exit 2
fi
work=$(mktemp -d)
# A group can be removed when the last process in it has gone.
trap 'rm -rf "$work"; sleep 0.2; rmdir "$group"' EXIT
echo "$limit" > "$group/$most"

# Runs a command in the group; its peak of memory is then that of the group.
inside() {
  [ -w "$group/$peak" ] && echo 0 > "$group/$peak" || true
  group=$group sh -c 'echo $$ > "$group/cgroup.procs" && exec "$@"' inside "$@"
}

if inside "$atelier" stylize "$photo" --model "$model" --size 8000 \
  --output "$work/large.png" 2> "$work/said"; then
  echo 'FAIL: a painting of 8000 pixels was not refused' >&2
  exit 1
fi
cat "$work/said"
[ -e "$work/large.png" ] && { echo 'FAIL: it left a file' >&2; exit 1; }
refused=$(cat "$group/$peak")
echo "refused with at most $((refused / 1048576)) MB of the group in use"
[ "$refused" -lt $((limit / 4)) ] || { echo 'FAIL: memory was taken before' >&2; exit 1; }

# The size in the sentence: “… at most about W × H …”.
size=$(sed -n 's/.*[^0-9]\([0-9][0-9]*\) × [0-9][0-9]*.*/\1/p' "$work/said" | tail -1)
[ -n "$size" ] || { echo 'FAIL: the sentence names no size' >&2; exit 1; }
inside "$atelier" stylize "$photo" --model "$model" --size "$size" \
  --output "$work/fits.png"
echo "$size pixels were painted within $(($(cat "$group/$peak") / 1048576)) MB"
