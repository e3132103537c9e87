# One build configuration for everything, so that nothing is compiled twice: optimised, and with internal declarations
# visible to the tests. Without debug information, which takes a tenth of the compiler's time: `make DEBUG_INFO=dwarf`
# adds it.
DEBUG_INFO ?= none
SWIFT_FLAGS := --configuration release -debug-info-format $(DEBUG_INFO) -Xswiftc -enable-testing
ATELIER := .build/release/atelier
# Nothing here uses the package's build plug-in, whose program would be compiled a second time (Package.swift).
export ATELIER_PLUGIN := no
SHARED ?= ../shared

.PHONY: all setup setup-tests build library demo install installed tarball deb wheel test-packages gallery ablation quality test test-package test-pages test-installed-kernels fuzz sanitize test-studio test-ray test-serve conformance conformance-onnx conformance-settings conformance-keras test-instructions bench bench-models bench-kernels bench-sizes format format-check docs docs-onnx docs-reference clean

all: build

# Installs missing Debian packages, or prints the necessary command.
setup:
	@sh Scripts/setup.sh

# Installs the same, and the packages that only tests need.
setup-tests:
	@sh Scripts/setup.sh tests

build: setup
	swift build $(SWIFT_FLAGS) --product atelier

# Builds libatelier.so for C and for `pip install ./Python`.
library: setup
	swift build $(SWIFT_FLAGS) --product atelier-c

# Paints the bundled photo in several gallery styles: painted/contact-sheet.jpg.
demo: build
	@ATELIER=$(ATELIER) sh Scripts/demo.sh

# `make install PREFIX=~/.local` installs the program, libatelier.so, its header, manual pages, completions and the
# gallery. The installed program needs neither Swift nor a Debian package.
PREFIX ?= /usr/local
install: installed
	@Scripts/install.sh $(DESTDIR)$(PREFIX)

# Links the program and the library for `install` and the packages: .build/installed/libatelier.so.
installed: build library
	@Scripts/link_program.sh .build/installed

# Packs the same files as an archive, a Debian package and a wheel, in .build/packages (Documentation/Installing.md).
tarball: installed
	@Scripts/tarball.sh .build/packages

deb: installed
	@Scripts/deb.sh .build/packages

wheel: installed
	@Scripts/wheel.sh .build/packages

# Installs the packages in bare Debian or Ubuntu systems and paints there: SUITES="bookworm trixie jammy noble". Needs root
# and debootstrap.
test-packages: tarball deb wheel
	@Scripts/test_packages.sh $(SUITES)

# For maintainers of the gallery: `gallery` trains its network, with ALGORITHM=cnnLite a small one, with STYLES="great-wave
# scream" one of these styles. `quality` judges its styles on photos that no training used; COUNT=3 takes three photos.
# Both fetch the pictures if PICTURES names no folder.
gallery: build
	@ATELIER=$(ATELIER) SHARED=$(SHARED) PICTURES=$(PICTURES) sh Scripts/train_gallery.sh

quality: build
	@ATELIER=$(ATELIER) SHARED=$(SHARED) PICTURES=$(PICTURES) COUNT=$(COUNT) sh Scripts/quality.sh

# Trains one painting with every recipe and compares the networks (Documentation/Training.md). Scripts/ablation.sh lists
# the settings, such as STEPS and RECIPES. BACKGROUND=yes runs it in the background.
ablation: build
	@ATELIER=$(ATELIER) SHARED=$(SHARED) PICTURES=$(PICTURES) Scripts/ablation.sh

# These tests measure times, or wait for servers, queues and processes for a limited time. They run one after the other,
# so that no other test delays them.
TIMED := ^(StudioTests\.|CombineTests\.|CommandLineTests\.(TimeLimit|UpdatableApp)Tests|CoreMLTests\.(AsyncPrediction|ModelCollection|State)Tests|EngineTests\.(LoopCost|KernelTuning|RegionPlan|RunCount)Tests|KernelsTests\.KernelTests/WaitingTests|ModelFormatTests\.ModelFileTests|UpdatingTests\.UpdateTaskTests)

# Runs our tests, then short comparisons with coremltools, onnx, ONNX Runtime, LiteRT and Keras; CONFORMANCE=no omits
# these. If coremltools' tests do not run, the last lines of the output say so.
test: setup-tests
	swift build $(SWIFT_FLAGS) --build-tests
	ATELIER_BIN=$(CURDIR)/$(ATELIER) swift test $(SWIFT_FLAGS) --skip-build --disable-xctest --skip '$(TIMED)'
	ATELIER_BIN=$(CURDIR)/$(ATELIER) swift test $(SWIFT_FLAGS) --skip-build --disable-xctest --filter '$(TIMED)' \
	  --no-parallel
	swift build $(SWIFT_FLAGS) --product atelier-c
	@if [ "$(CONFORMANCE)" = no ]; then Scripts/not_run.sh "CONFORMANCE=no leaves them out."; \
	else Scripts/onnx_conformance.sh --part && Scripts/settings_conformance.sh --part && \
	  Scripts/keras_settings.sh --part && \
	  Scripts/conformance.sh --part; fi

# Runs the tests that compare kernels with their definitions and networks with Apple's results, once for each
# instruction set of the machine: INSTRUCTIONS="avx2 plain" selects some.
test-instructions: setup
	swift build $(SWIFT_FLAGS) --build-tests
	@for set in $(or $(INSTRUCTIONS),plain avx2 avx512 avx512_bf16); do \
	  echo "ATELIER_MAX_ISA=$$set"; \
	  ATELIER_MAX_ISA=$$set ATELIER_BIN=$(CURDIR)/$(ATELIER) swift test $(SWIFT_FLAGS) --skip-build \
	    --disable-xctest --filter '^(KernelsTests|LayersTests|GoldenTests)\.' || exit 1; \
	done

# Runs the tests of the kernels and of the engine with the thread teams and matrix products of the installed program:
# TESTS='^LayersTests\.' selects some.
test-installed-kernels: setup
	swift build $(SWIFT_FLAGS) --build-tests
	@Scripts/test_installed_kernels.sh $(if $(TESTS),'$(TESTS)')

# Types the commands of README.md and Documentation/*.md in new folders: all pages, or PAGES="Film Photos". Fetches
# weights again, and takes ten minutes.
test-pages: build library
	@python3 Scripts/type_commands.py $(PAGES)

# Builds and runs a new package that depends on a clone of this one by URL and branch, and generates a model's class.
test-package: setup
	@Scripts/test_package.sh

# Tests the studio in Debian's Chromium: all tests, or WORDS="live keyboard".
test-studio: build
	@ATELIER=$(ATELIER) Scripts/test_studio.sh $(WORDS)

# Tests atelier.ray, and the examples for Ray, Ray Serve and Spark: starts clusters on this machine, and kills actors,
# tasks and the driver. pip installs Ray and Spark into .build/ray-venv, unless RAY_PYTHON names a Python that has them and
# pytest. TESTS="-k killed" selects tests. RAY_PHOTOS, RAY_KILLS, RAY_PICTURES (a folder to crop the photos from) and
# RAY_CLASSIFIER (a model) make the longest one longer.
RAY_PYTHON ?= .build/ray-venv/bin/python
test-ray: build library
	@$(RAY_PYTHON) -c "import pandas, pyspark, pytest, ray" 2>/dev/null || { python3 -m venv .build/ray-venv && \
	  .build/ray-venv/bin/pip install --quiet -r Python/cluster/requirements.txt; }
	PYTHONPATH=$(CURDIR)/Python/src ATELIER_LIBRARY=$(CURDIR)/.build/release/libatelier-c.so \
	  PATH=$(CURDIR)/.build/release:$$PATH $(RAY_PYTHON) -m pytest -q -p no:cacheprovider Python/cluster $(TESTS)

# Tests `atelier serve` with tritonclient. pip installs it and coremltools into .build/serve-venv, unless SERVE_PYTHON
# names a Python that has them and pytest. TESTS="-k sigterm" selects tests. Python/serving/load.py measures times.
SERVE_PYTHON ?= .build/serve-venv/bin/python
test-serve: build library
	@$(SERVE_PYTHON) -c "import coremltools, pytest, tritonclient.http" 2>/dev/null || { python3 -m venv .build/serve-venv && \
	  .build/serve-venv/bin/pip install --quiet -r Python/serving/requirements.txt; }
	PYTHONPATH=$(CURDIR)/Python/src ATELIER_LIBRARY=$(CURDIR)/.build/release/libatelier-c.so \
	  ATELIER_BIN=$(CURDIR)/$(ATELIER) $(SERVE_PYTHON) -m pytest -q -p no:cacheprovider Python/serving $(TESTS)

# Damages small models of every reader and small images, predicts with them and converts them, each in a watched child
# process: READER="onnx keras" selects readers, SEED and COUNT select the mutants and their number for each reader,
# ONLY=NUMBER repeats one.
fuzz: setup
	swift build $(SWIFT_FLAGS) --product MutationRunner
	.build/release/MutationRunner fuzz --seed $(or $(SEED),20261121) --count $(or $(COUNT),20000) \
	  $(foreach reader,$(READER),--reader $(reader)) $(if $(ONLY),--only $(ONLY))

# Runs the tests of the engine and the readers with AddressSanitizer, then with ThreadSanitizer; takes half an hour.
# SANITIZERS=readers runs only the readers, on damaged files, and builds far less.
sanitize: setup
	@sh Scripts/sanitize.sh $(SANITIZERS)

# Runs coremltools' own tests against our wheel: all groups, or GROUPS="layers networks".
conformance: library
	@Scripts/conformance.sh $(GROUPS)

# Runs the onnx package's own operator tests with our reader and engine.
conformance-onnx: setup
	swift build $(SWIFT_FLAGS) --product ONNXRunner
	@Scripts/onnx_conformance.sh

# Tests ONNX and TensorFlow Lite operators with all pairs of their settings against ONNX Runtime and LiteRT:
# SETTINGS="--count 200 --convert resize gru" selects models.
conformance-settings: build
	@Scripts/settings_conformance.sh $(SETTINGS)

# Compares Keras layers and operations with Keras itself for pairs of settings: 40 models of each family, or
# SETTINGS="--count 200 --only resizing".
conformance-keras: build
	@Scripts/keras_settings.sh $(SETTINGS)

# Times networks in comparison with other runtimes and writes Documentation/Benchmarks.md: all networks, or
# BENCH="--only styleblue". pip installs the other runtimes, unless BENCH_PYTHON names a Python that has them.
BENCH_PYTHON ?= .build/bench-venv/bin/python
bench: build
	@[ -x $(BENCH_PYTHON) ] || { python3 -m venv .build/bench-venv && \
	  .build/bench-venv/bin/pip install --quiet -r Benchmarks/requirements.txt; }
	$(BENCH_PYTHON) Benchmarks/bench.py --atelier $(ATELIER) --shared $(SHARED) $(BENCH)

# Times common models (classifiers, a detector, segmentation, U-Nets, transformers, an LSTM, a language model) beside all
# peers and writes Documentation/CommonModels.md: all of them, or BENCH="--only whisper,vit-cut --peers onnxruntime". The
# file for LiteRT is written if BENCH_LITERT_PYTHON names a Python with litert-torch, which needs other versions.
bench-models: build library
	@[ -x $(BENCH_PYTHON) ] || { python3 -m venv .build/bench-venv && \
	  .build/bench-venv/bin/pip install --quiet -r Benchmarks/requirements.txt; }
	$(BENCH_PYTHON) Benchmarks/common.py --atelier $(ATELIER) $(BENCH)

# Times every kernel of every convolution in six networks and writes how close the chosen kernels are to the best
# (Documentation/KernelChoices.md); times images from 256² to 4096² and concurrent predictions
# (Documentation/Throughput.md).
bench-kernels: build
	python3 Benchmarks/kernels.py --atelier $(ATELIER) --shared $(SHARED) $(BENCH)

bench-sizes: build
	python3 Benchmarks/sizes.py --atelier $(ATELIER) $(BENCH)

# Formats our sources; format-check only checks them.
format:
	@Scripts/sources.sh | xargs -0 swift format --in-place

format-check:
	@Scripts/sources.sh | xargs -0 swift format lint --strict
	@sh Scripts/check_layers.sh
	@python3 Scripts/check_imports.py
	@sh Scripts/check_numbers.sh
	@sh Scripts/check_words.sh
	@python3 Scripts/write_trust.py --check
	@echo "The format is right; layers, integers and words are as they should be."

# Writes the generated documentation pages.
docs: setup
	swift build $(SWIFT_FLAGS)
	python3 Scripts/apple_names.py
	swift build $(SWIFT_FLAGS) --product SupportTable
	.build/release/SupportTable Python/conformance/exercised.tsv > Documentation/Support.md
	.build/release/SupportTable --written > Documentation/Written.md
	python3 Scripts/write_trust.py

# Writes the reference of the public modules with DocC to .build/reference, or of MODULES="CoreML Vision".
docs-reference: build
	swift build $(SWIFT_FLAGS)
	@Scripts/docc.sh $(MODULES)

docs-onnx: setup
	swift build $(SWIFT_FLAGS) --product ONNXRunner
	@Scripts/onnx_conformance.sh --page

clean:
	rm -rf .build painted
