#!/bin/sh
# Runs the tests of the engine and the readers with AddressSanitizer and then with ThreadSanitizer; `sanitize.sh
# address` or `sanitize.sh thread` runs one of them. Each has a separate build folder in .build.
#
# `sanitize.sh readers` is the short part for CI: AddressSanitizer on the readers and writers, which
# Tests/Support/ReadingRunner feeds with damaged files. It builds no kernels and no facades. COUNT is the number of
# damaged files for each reader.
#
# Coverage: this package's Swift, C and C++ code is compiled with the sanitizer; oneDNN, libvips and libgomp are not.
# AddressSanitizer still checks every access of our code to memory that these libraries allocate. These libraries keep
# some memory until the process ends (thread pools, caches), so leak detection is off.
#
# ThreadSanitizer does not see how libgomp's threads synchronise, so it would report every transfer of data between
# thread teams as a race. Therefore libgomp's pool has only one thread under ThreadSanitizer (OMP_NUM_THREADS=1, and the
# C shims request no more), and kernels run on the calling thread. ThreadSanitizer then checks the data that Swift code
# shares: networks, plans, session pools, caches, and the tests that predict from many threads and tasks concurrently.
# Other tests compare the results' bits for every number of threads, and so detect kernel parts that write to each
# other's memory.
set -eu
cd "$(dirname "$0")/.."

tests='EngineTests|LayersTests|KernelsTests|ModelFormatTests|TrainingTests|CoreMLTests'
tests="$tests|ProgramFormatTests|ONNXFormatTests|CaffeFormatTests|NCNNFormatTests|KerasFormatTests|TensorFlowLiteTests"
tests="$tests|ConversionTests"

if [ "${1:-}" = readers ]; then
  flags="--sanitize=address --scratch-path .build/sanitize-readers"
  export ATELIER_SANITIZER=address ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  # shellcheck disable=SC2086 # flags are words
  swift build $flags --product ReadingRunner
  # The log lists the damaged files by name. A report of the sanitizer ends the run, so the last name is that of the
  # file that caused it.
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
