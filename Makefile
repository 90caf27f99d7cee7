# Thin: CMake builds, tools/ check. `make run` on a fresh machine is the first thing to try.
BUILD  ?= build
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
RUN     = out/launcher

MAKEFLAGS += --no-print-directory

.PHONY: all run build check check-more bench format install clean help

all: build

help:
	@echo "make run          set up, build, launch a rocket and plot it"
	@echo "make check        set up, build, all tests (release and sanitizers)"
	@echo "make check-more   the other compiler, bit for bit, threads, valgrind, fuzzing"
	@echo "make bench        the benchmarks, beside the peers that are installed"
	@echo "make format       clang-format every source"
	@echo "make install      PREFIX=$(PREFIX)"

build:
	@tools/setup.sh run
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD) --target ironbird -j $(JOBS)

run: build
	@echo
	$(BUILD)/ironbird run examples/launcher/mission.yaml --out $(RUN)
	@$(BUILD)/ironbird plot $(RUN) launcher.altitude spent_stage.altitude
	@$(BUILD)/ironbird plot $(RUN) launcher.altitude spent_stage.altitude payload.altitude launcher.airspeed \
		launcher.mass launcher.euler.pitch -o $(RUN)/launcher.svg
	@echo
	@cat $(RUN)/events.csv
	@echo
	@echo "Results: $(RUN)/results.csv    Picture: $(RUN)/launcher.svg"

check:
	@tools/setup.sh check
	@python3 tools/check.py check --jobs $(JOBS)

check-more:
	@tools/setup.sh more
	@python3 tools/check.py more --jobs $(JOBS)

bench:
	@tools/setup.sh check
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	@cmake --build $(BUILD) --target ironbird ironbird_bench model_bench fmi_bench world_bench -j $(JOBS)
	python3 bench/models.py
	python3 bench/fmi.py
	python3 bench/world.py
	python3 bench/bench.py

format:
	@python3 tools/format.py --write

install:
	@tools/setup.sh run
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --build $(BUILD) -j $(JOBS)
	@cmake --install $(BUILD) --prefix $(PREFIX) --strip

clean:
	rm -rf build build-* out
