# One configuration for everything, so that nothing is compiled twice: optimised, and with the
# internals visible to the tests.
SWIFT_FLAGS := --configuration release -Xswiftc -enable-testing
ATELIER := .build/release/atelier
SHARED ?= ../shared

.PHONY: all setup build library demo install gallery quality test test-package fuzz sanitize test-studio conformance conformance-onnx conformance-settings conformance-keras test-instructions bench bench-kernels bench-sizes format format-check docs docs-onnx clean

all: build

# Installs the Debian packages that are missing, or says which command does.
setup:
	@sh Scripts/setup.sh

build: setup
	swift build $(SWIFT_FLAGS) --product atelier

# libatelier.so, for C and for `pip install ./Python`.
library: setup
	swift build $(SWIFT_FLAGS) --product atelier-c

# Paints the bundled photo in styles of the gallery: painted/contact-sheet.jpg.
demo: build
	@ATELIER=$(ATELIER) sh Scripts/demo.sh

# Puts the program and the gallery into PREFIX: make install PREFIX=~/.local.
PREFIX ?= /usr/local
install: build
	@ATELIER=$(ATELIER) sh Scripts/install.sh $(DESTDIR)$(PREFIX)

# For those who keep the gallery: trains it (STYLE="great-wave scream" trains those), and measures what
# one pass of its networks is worth in steps of optimisation. The pictures are fetched, unless PICTURES=FOLDER names
# them.
gallery: build
	@ATELIER=$(ATELIER) SHARED=$(SHARED) PICTURES=$(PICTURES) sh Scripts/train_gallery.sh $(STYLE)

quality: build
	@ATELIER=$(ATELIER) SHARED=$(SHARED) PICTURES=$(PICTURES) sh Scripts/quality.sh

# Our tests, then the quick part of coremltools' own, where pip can fetch coremltools; CONFORMANCE=no
# leaves that out. Where they are not run, the last lines say so.
test: setup
	swift build $(SWIFT_FLAGS) --build-tests
	ATELIER_BIN=$(CURDIR)/$(ATELIER) swift test $(SWIFT_FLAGS) --skip-build --disable-xctest
	swift build $(SWIFT_FLAGS) --product atelier-c
	@if [ "$(CONFORMANCE)" = no ]; then Scripts/not_run.sh "CONFORMANCE=no leaves them out."; \
	else Scripts/onnx_conformance.sh --part && Scripts/settings_conformance.sh --part && \
	  Scripts/keras_settings.sh --part && \
	  Scripts/conformance.sh --part; fi

# Runs what holds kernels to their definitions, and networks to Apple's answers, with every instruction set
# forced that the machine has: INSTRUCTIONS="avx2 plain" chooses.
test-instructions: setup
	swift build $(SWIFT_FLAGS) --build-tests
	@for set in $(or $(INSTRUCTIONS),plain avx2 avx512 avx512_bf16); do \
	  echo "ATELIER_MAX_ISA=$$set"; \
	  ATELIER_MAX_ISA=$$set ATELIER_BIN=$(CURDIR)/$(ATELIER) swift test $(SWIFT_FLAGS) --skip-build \
	    --disable-xctest --filter '^(KernelsTests|LayersTests|GoldenTests)\.' || exit 1; \
	done

# Builds a fresh package that depends on this one by path and has a model's class written, and runs it.
test-package: setup
	@Scripts/test_package.sh

# Tests the studio in Debian's Chromium: all, or WORDS="live keyboard".
test-studio: build
	@ATELIER=$(ATELIER) Scripts/test_studio.sh $(WORDS)

# Damages small models of every reader and small pictures, predicts with them and converts them, each watched
# in a child: READER="onnx keras" chooses readers, SEED and COUNT which mutants and how many of each reader,
# ONLY=NUMBER tries one again.
fuzz: setup
	swift build $(SWIFT_FLAGS) --product MutationRunner
	.build/release/MutationRunner fuzz --seed $(or $(SEED),20261121) --count $(or $(COUNT),20000) \
	  $(foreach reader,$(READER),--reader $(reader)) $(if $(ONLY),--only $(ONLY))

# Runs the tests of the engine and the readers under AddressSanitizer, then under ThreadSanitizer; takes half an
# hour. SANITIZERS=readers runs the readers alone, on damaged files, and builds far less.
sanitize: setup
	@sh Scripts/sanitize.sh $(SANITIZERS)

# Runs coremltools' own tests against our wheel: all groups, or GROUPS="layers networks".
conformance: library
	@Scripts/conformance.sh $(GROUPS)

# Runs the onnx package's own tests of all operators through our reader and engine.
conformance-onnx: setup
	swift build $(SWIFT_FLAGS) --product ONNXRunner
	@Scripts/onnx_conformance.sh

# Runs operators of ONNX and TensorFlow Lite with all pairs of their settings against ONNX Runtime and LiteRT:
# SETTINGS="--count 200 --convert resize gru" chooses.
conformance-settings: build
	@Scripts/settings_conformance.sh $(SETTINGS)

# Compares layers and operations of Keras with Keras itself, settings in pairs: 40 models of each family, or
# SETTINGS="--count 200 --only resizing".
conformance-keras: build
	@Scripts/keras_settings.sh $(SETTINGS)

# Times networks beside what a user would run instead, and writes Documentation/Benchmarks.md: all, or
# BENCH="--only styleblue". Peers are installed by pip, unless BENCH_PYTHON names a Python that has them.
BENCH_PYTHON ?= .build/bench-venv/bin/python
bench: build
	@[ -x $(BENCH_PYTHON) ] || { python3 -m venv .build/bench-venv && \
	  .build/bench-venv/bin/pip install --quiet -r Benchmarks/requirements.txt; }
	$(BENCH_PYTHON) Benchmarks/bench.py --atelier $(ATELIER) --shared $(SHARED) $(BENCH)

# Times every kernel of every convolution of six networks, and writes how near to the best the chosen ones are
# (Documentation/KernelChoices.md); pictures from 256² to 4096² and several at once (Documentation/Throughput.md).
bench-kernels: build
	python3 Benchmarks/kernels.py --atelier $(ATELIER) --shared $(SHARED) $(BENCH)

bench-sizes: build
	python3 Benchmarks/sizes.py --atelier $(ATELIER) $(BENCH)

# Puts our sources into the one format; format-check only looks.
format:
	@Scripts/sources.sh | xargs -0 swift format --in-place

format-check:
	@Scripts/sources.sh | xargs -0 swift format lint --strict
	@sh Scripts/check_rooms.sh
	@sh Scripts/check_numbers.sh
	@echo "The format is right, and every room knows only what it may."

# The pages that the code writes itself.
docs: setup
	swift build $(SWIFT_FLAGS) --product SupportTable
	.build/release/SupportTable Python/conformance/exercised.tsv > Documentation/Support.md
	.build/release/SupportTable --written > Documentation/Written.md

docs-onnx: setup
	swift build $(SWIFT_FLAGS) --product ONNXRunner
	@Scripts/onnx_conformance.sh --page

clean:
	rm -rf .build painted
