#!/bin/sh
# Checks that `atelier stylize` refuses a painting that needs more memory than its container has, before it packs any
# weights. A control group with a limit of 1 GB takes the place of a container. In this group, the script runs `atelier
# stylize` first for a large painting, then for the size that the error message suggests. Requires root, and a writable
# control group (version 1 or 2).
#
# usage: Scripts/container_memory.sh [ATELIER] [MODEL] [MEGABYTES]
set -eu
cd "$(dirname "$0")/.."
atelier=${1:-.build/release/atelier}
model=${2:-}
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
# A group can be removed only after its last process has ended.
trap 'rm -rf "$work"; sleep 0.2; rmdir "$group"' EXIT
if [ -z "$model" ]; then
  model=$work/scream.mlmodel
  "$atelier" styles --style scream --output "$model" >/dev/null
fi
echo "$limit" > "$group/$most"

# Runs a command in the group. First resets the group's peak memory, so that the peak is the command's.
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

# Extracts the width from the message: “… at most about W × H …”.
size=$(sed -n 's/.*[^0-9]\([0-9][0-9]*\) × [0-9][0-9]*.*/\1/p' "$work/said" | tail -1)
[ -n "$size" ] || { echo 'FAIL: the sentence names no size' >&2; exit 1; }
inside "$atelier" stylize "$photo" --model "$model" --size "$size" \
  --output "$work/fits.png"
echo "$size pixels were painted within $(($(cat "$group/$peak") / 1048576)) MB"
