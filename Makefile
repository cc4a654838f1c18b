# A thin front: scripts/bootstrap installs what is missing, CMake builds, scripts/test tests.
#
#   make            the library, the program and the examples, in build/
#   make run        build, and simulate the flagship model (MODEL=relay: another one of models/)
#   make test       every check and test (scripts/test --list names the stages)
#   make bench      build and run the benchmarks against SUNDIALS, in build-bench/
#   make install    PREFIX=/usr/local DESTDIR= SHARED=OFF (ON: libbrink.so, built in build-shared/)
#   make format     lay out every .c and .h
#   make clean      remove everything that was built

PREFIX ?= /usr/local
DESTDIR ?=
SHARED ?= OFF
MODEL ?= corridor

install_build = $(if $(filter ON,$(SHARED)),build-shared,build)

.PHONY: all build run test bench install format clean bootstrap
.NOTPARALLEL:

all: build

bootstrap:
	@scripts/bootstrap build

build: bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target product

run: build
	build/brink run models/$(MODEL)/model.hsml

test:
	@scripts/bootstrap build test
	@scripts/test

bench:
	@scripts/bootstrap build bench
	@scripts/bench

install: bootstrap
	cmake --preset release -B $(install_build) \
	  -DBUILD_SHARED_LIBS=$(SHARED) -DCMAKE_INSTALL_PREFIX='$(PREFIX)'
	cmake --build $(install_build) --target product
	DESTDIR='$(DESTDIR)' cmake --install $(install_build)

format:
	@scripts/bootstrap test
	@scripts/check-format --fix

clean:
	rm -rf build build-*
