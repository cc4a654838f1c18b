# A thin front: scripts/bootstrap installs what is missing, CMake builds, scripts/test tests.
#
#   make            the library, the program and the examples, in build/
#   make run        build, simulate the flagship model (MODEL=relay: another one of models/) and write
#                   its report to build/
#   make test       every check and test (scripts/test --list names the stages)
#   make python     the Python package, in place: PYTHONPATH=python python3 -c 'import brink'
#   make bench      build and run the benchmarks against SUNDIALS, in build-bench/
#   make install    prefix=/usr/local DESTDIR= SHARED=OFF (ON: libbrink.so, built in build-shared/); also
#                   bindir= libdir= includedir= datarootdir= datadir= mandir= docdir=
#   make uninstall  what make install with the same DESTDIR and SHARED has installed
#   make deb        Debian packages, in build-deb/
#   make format     lay out every .c and .h
#   make clean      remove everything that was built
#
# PYTHON=python3.13: another Python than scripts/python chooses. make install installs the package for it, unless
# something is missing for that (it says so) or BRINK_PYTHON=OFF.
# BRINK_PAGE=OFF: without node, npm and their network; reports then hold their data, but no plots.
# docs/install.md tells more.

# The names of GNU, in small or in capital letters.
prefix ?= /usr/local
PREFIX ?= $(prefix)
DESTDIR ?=
SHARED ?= OFF
MODEL ?= corridor

# The page of reports: ON bundles it; OFF, or a file that scripts/page has made before.
page = -DBRINK_PAGE='$(or $(BRINK_PAGE),ON)'

install_build = $(if $(filter ON,$(SHARED)),build-shared,build)
# $(call directory,mandir,MANDIR): an option of cmake, if one of the two is set
directory = $(if $(or $($2),$($1)),-DCMAKE_INSTALL_$2='$(or $($2),$($1))')
directories = $(call directory,bindir,BINDIR) $(call directory,libdir,LIBDIR) \
  $(call directory,includedir,INCLUDEDIR) $(call directory,datarootdir,DATAROOTDIR) \
  $(call directory,datadir,DATADIR) $(call directory,mandir,MANDIR) $(call directory,docdir,DOCDIR)

.PHONY: all build run python test bench install uninstall deb format clean bootstrap
.NOTPARALLEL:

all: build

bootstrap:
	@scripts/bootstrap build

build: bootstrap
	@cmake --preset release $(page) >/dev/null
	@cmake --build --preset release --target product

run: build
	build/brink run models/$(MODEL)/model.hsml --report build/$(MODEL).html

python: build
	@scripts/bootstrap python
	@scripts/python python/brink_build.py

test:
	@scripts/bootstrap build python test deb
	@scripts/test

bench:
	@scripts/bootstrap build bench
	@scripts/bench

# -U: directories that were chosen an earlier time are forgotten.
install: bootstrap
	cmake --preset release -B $(install_build) -U 'CMAKE_INSTALL_*' \
	  -DBUILD_SHARED_LIBS=$(SHARED) -DCMAKE_INSTALL_PREFIX='$(PREFIX)' $(directories) $(page) \
	  -DBRINK_PYTHON=$(or $(BRINK_PYTHON),AUTO)
	cmake --build $(install_build) --target product
	DESTDIR='$(DESTDIR)' cmake --install $(install_build)

uninstall:
	DESTDIR='$(DESTDIR)' cmake --build $(install_build) --target uninstall

deb:
	@scripts/bootstrap build deb
	@scripts/deb

format:
	@scripts/bootstrap format
	@scripts/check-format --fix

clean:
	rm -rf build build-*
