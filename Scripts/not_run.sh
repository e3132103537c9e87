#!/bin/sh
# Prints a prominent message that coremltools' tests were not run, with SENTENCE as the reason.
# usage: not_run.sh SENTENCE...
bar="# coremltools' tests #########################################################"
echo
echo "$bar"
echo "# coremltools' tests WERE NOT RUN, so their results are unknown."
for sentence in "$@"; do echo "# coremltools' tests: $sentence"; done
echo "$bar"
