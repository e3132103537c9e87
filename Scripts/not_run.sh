#!/bin/sh
# Says, so that nobody misses it, that coremltools' tests were not run.
# usage: not_run.sh SENTENCE...
bar="# coremltools' tests #########################################################"
echo
echo "$bar"
echo "# coremltools' tests WERE NOT RUN, so nothing is known of what they would show."
for sentence in "$@"; do echo "# coremltools' tests: $sentence"; done
echo "$bar"
