#!/bin/sh
# Runs the tests of the engine and the readers with AddressSanitizer and then with ThreadSanitizer;
# `sanitize.sh address` or `sanitize.sh thread` runs one of them. Each has a build folder of its own below .build.
#
# `sanitize.sh readers` is the short part that CI runs: AddressSanitizer over the readers and writers alone, which
# Tests/Support/ReadingRunner feeds with damaged files. It builds no kernels and no facades; COUNT is the number of
# mutants of each reader.
#
# What they see. Swift, C and C++ of this package are compiled with the sanitizer; oneDNN, libvips and
# libgomp are not. AddressSanitizer still sees every allocation, and what our code reads and writes in
# them; memory that such libraries keep for themselves until the end (thread pools, caches) is no leak, so
# leaks are not looked for.
#
# ThreadSanitizer does not understand libgomp, whose threads wait for each other by means that it cannot
# see: whatever one team of threads hands to the next would count as a race. So the pool has one thread
# there (OMP_NUM_THREADS=1, and the C shims ask for no more), and kernels run on the thread that calls them. What is then looked at is what
# Swift code shares: networks, plans, pools of sessions, caches, and the tests that predict from many
# threads and tasks at once. That parts of one kernel do not touch each other's memory is for the tests
# that compare the bits of every number of threads.
set -eu
cd "$(dirname "$0")/.."

tests='EngineTests|LayersTests|KernelsTests|ModelFormatTests|TrainingTests|CoreMLTests'
tests="$tests|ProgramFormatTests|ONNXFormatTests|CaffeFormatTests|KerasFormatTests|TensorFlowLiteTests"
tests="$tests|ConversionTests"

if [ "${1:-}" = readers ]; then
  flags="--sanitize=address --scratch-path .build/sanitize-readers"
  export ATELIER_SANITIZER=address ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  # shellcheck disable=SC2086 # flags are words
  swift build $flags --product ReadingRunner
  # The mutants' names go to a file; a report of the sanitizer's ends the run, with the last of them before it.
  log=.build/sanitize-readers/mutants.log
  .build/sanitize-readers/debug/ReadingRunner --count "${COUNT:-300}" 2>"$log" ||
    { code=$?; tail -n 60 "$log" >&2; exit "$code"; }
  exit 0
fi

for sanitizer in ${*:-address thread}; do
  folder=.build/sanitize-$sanitizer
  flags="--sanitize=$sanitizer --configuration release -Xswiftc -enable-testing --scratch-path $folder"
  export ATELIER_SANITIZER=$sanitizer
  # shellcheck disable=SC2086 # flags are words
  swift build $flags --build-tests
  export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  export TSAN_OPTIONS=suppressions=$PWD/Scripts/thread-sanitizer.txt:halt_on_error=1
  [ "$sanitizer" = thread ] && export OMP_NUM_THREADS=1
  # shellcheck disable=SC2086
  swift test $flags --skip-build --disable-xctest --filter "^($tests)\."
done
