#!/usr/bin/env bash
# Runs coremltools' own tests against our wheel. Called by `make conformance`.
# usage: conformance.sh [--part | GROUP...]; see Python/conformance/README.md for the groups.
#
# `make test` uses --part: one or two minutes of tests, without the slowest ones. If the packages cannot be fetched, the
# script prints a prominent message and succeeds, because an unreachable package index is not an error in the code.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$root/.build/conformance
harness=$root/Python/conformance
part=
without_longest=()
if [ "${1:-}" = "--part" ]; then
  part=yes
  shift
  set -- ours layers networks backend
  without_longest=(-k "not conv2d_stress and not random_normal_like")
fi
groups=("$@")
if [ ${#groups[@]} -eq 0 ]; then
  groups=(ours layers networks pipeline programs14 programs15 programs16 programs17 programs18 passes
    backend packages compressing classical versions)
fi

# install_pinned ENVIRONMENT LIST: installs the packages of LIST, each with a fixed version and hash.
install_pinned() {
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --require-hashes -r "$2"
}

packages() {
  mkdir -p "$work"
  "$work/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$work" || return 1
  # Fetches the packages again only if their list has changed.
  cmp -s "$harness/requirements.txt" "$work/requirements.txt" || {
    echo "conformance: fetching coremltools and the packages that its tests need" >&2
    install_pinned "$work" "$harness/requirements.txt" || return 1
    cp "$harness/requirements.txt" "$work/requirements.txt"
  }
}
if ! packages >&2; then
  "$root/Scripts/not_run.sh" "The environment in $work could not be made." \
    "It needs python3-venv and a package index that pip can reach; pip's output is above." >&2
  [ -z "$part" ] || exit 0
  exit 3
fi
"$work/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
  --no-build-isolation --force-reinstall "$root/Python" || exit 3

python=$work/bin/python
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
tests=$site/coremltools/test
mil=$site/coremltools/converters/mil
operations=$mil/mil/ops/tests

files() {
  case $1 in
    layers) echo "$tests/neural_network/test_numpy_nn_layers.py" ;;
    networks)
      echo "$tests/neural_network --ignore=$tests/neural_network/test_numpy_nn_layers.py" ;;
    pipeline) echo "$tests/pipeline" ;;
    classical) echo "$tests/sklearn_tests $tests/xgboost_tests" ;;
    programs1[4-8]) echo "$operations/iOS${1#programs}" ;;
    passes) echo "$mil/mil/passes/tests" ;;
    backend) echo "$mil/backend $mil/mil/tests" ;;
    ours) echo "$root/Python/tests" ;;
    compressing) echo "$tests/optimize/coreml" ;;
    packages) echo "$tests/blob $tests/api $tests/modelpackage $tests/ml_program" ;;
    *) return 1 ;;
  esac
}

export PYTHONPATH=$harness ATELIER_SHARED=${ATELIER_SHARED:-$root/../shared}
# Limits NumPy's instruction sets. Python/conformance/README.md says why.
export NPY_DISABLE_CPU_FEATURES="AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
# Tests MIL operations as ML Programs and as NeuralNetworks, and ML Programs in float16 and float32. MIL_TARGETS selects
# one of the two model types, and INCLUDE_MIL_FP32_UNIT_TESTS=0 leaves out float32.
export PYMIL_TEST_TARGETS=${MIL_TARGETS:-mlprogram,neuralnetwork}
export INCLUDE_MIL_FP32_UNIT_TESTS=${INCLUDE_MIL_FP32_UNIT_TESTS:-1}
# Tests the wheel with older releases of coremltools, each in a separate environment.
versions() {
  local reports=()
  for version in 7.2 8.3.0; do
    local folder=$work/versions/$version
    "$folder/bin/python" -m pip --version >/dev/null 2>&1 || python3 -m venv "$folder" || return 1
    install_pinned "$folder" "$harness/versions-$version.txt" || return 1
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
      --no-build-isolation --force-reinstall "$root/Python" || return 1
    "$folder/bin/python" -m pytest -q -p no:warnings -p no:cacheprovider \
      --junitxml="$folder/report.xml" "$root/Python/tests/test_versions.py"
    reports+=("$folder/report.xml")
  done
  "$python" "$harness/junit.py" "${reports[@]}" > "$work/versions.json"
}

cd "$work" || exit 3
for group in "${groups[@]}"; do
  if [ "$group" = versions ]; then
    echo "conformance: versions, with all output in .build/conformance/versions.log" >&2
    rm -f "$work/versions.json"
    versions > "$work/versions.log" 2>&1
    continue
  fi
  paths=$(files "$group") || {
    echo "conformance: there is no group '$group'." >&2
    exit 2
  }
  rm -f "$work/$group.json"
  echo "conformance: $group, with all output in .build/conformance/$group.log" >&2
  # shellcheck disable=SC2086
  CONFORMANCE_REPORT=$work/$group.json "$python" -m pytest -p conftest --rootdir="$site" -q \
    --junitxml="$work/$group.xml" --no-header --tb=short -p no:warnings -p no:cacheprovider "${without_longest[@]}" ${PYTEST_ARGS:-} $paths \
    > "$work/$group.log" 2>&1
done
exec "$python" "$harness/table.py" "$work" "${groups[@]}"
