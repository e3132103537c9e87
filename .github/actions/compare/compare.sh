#!/bin/sh
# Compares MODEL with REFERENCE, and writes the comparison into the job's summary if there is one.
# usage: MODEL=… REFERENCE=… [INPUTS=FOLDER] [THRESHOLD=SHARE] compare.sh ATELIER
set -eu
for name in MODEL REFERENCE; do
  eval "path=\${$name:-}"
  [ -e "$path" ] || { echo "compare: '$path' ($name) does not exist. Check the path in the workflow." >&2; exit 1; }
done
set -- "$1" compare "$MODEL" "$REFERENCE" --threshold "${THRESHOLD:-0.01}" ${INPUTS:+--inputs "$INPUTS"}
status=0
result=$("$@" 2>&1) || status=$?
echo "$result"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  printf '### %s\n\n```\n%s\n```\n' "$MODEL" "$result" >> "$GITHUB_STEP_SUMMARY"
fi
exit "$status"
