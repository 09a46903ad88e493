# tmap: one Makefile, no configure step.
#
#   make            the command (build/tmap) and the libraries (build/lib*.a, build/lib*.so)
#   make demo       installs what is missing through apt, builds, checks the real descriptors
#   make test       builds and runs every test; ends with "N passed, N failed, N skipped"
#   make install    PREFIX=/usr/local LIBDIR=PREFIX/lib DESTDIR=
#
# Optional parts are found, or said: WITH_ISL=, WITH_Z3= and WITH_CUDA= (empty) build without them.
# MODE=release (default), debug, asan (address and undefined-behaviour sanitizers), tsan (threads),
# fuzz (libFuzzer's instrumentation; make fuzz builds with it), coverage (make coverage) or mcdc (make mcdc).
# Each src/<folder> becomes objects by wildcard; a folder of src or of tests may add its own build.mk.

VERSION  := 0.1.0
SOMAJOR  := 0
PREFIX   ?= /usr/local
DESTDIR  ?=
MODE     ?= release
CC       ?= cc
AR       ?= ar
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)

ifeq ($(MODE),release)
B        := build
# No line tables: they take a sixth of the compile time (CFLAGS='-O2 -g' has them).
OPT      := -O2
else ifeq ($(MODE),debug)
B        := build/debug
OPT      := -O0 -g3
else ifeq ($(MODE),asan)
B        := build/asan
OPT      := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(MODE),tsan)
B        := build/tsan
OPT      := -O1 -g3 -fsanitize=thread -fno-omit-frame-pointer
else ifeq ($(MODE),fuzz)
B        := build/fuzz
OPT      := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
else ifeq ($(MODE),coverage)
B        := build/coverage
# What the compiler knows to be impossible is no branch; nothing is inlined, so each is counted once.
OPT      := -O1 -fno-inline -g1 --coverage -fprofile-update=atomic
else ifeq ($(MODE),mcdc)
B        := build/mcdc
# Each program adds what it ran to a file of its own, wherever it was started.
OPT      := -O1 -g1 -fcoverage-mapping -fcoverage-mcdc -fprofile-instr-generate=$(CURDIR)/build/mcdc/raw/%m.profraw
else
$(error MODE is release, debug, asan, tsan, fuzz, coverage or mcdc, not '$(MODE)')
endif

# --- optional parts: present unless asked for without -----------------------------------------
HASH     := \#
have      = $(shell printf '$(1)\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
WITH_ISL     ?= $(call have,$(HASH)include <isl/ctx.h>)
WITH_Z3      ?= $(call have,$(HASH)include <z3.h>)
WITH_JANSSON ?= $(call have,$(HASH)include <jansson.h>)
WITH_CMOCKA  ?= $(call have,$(HASH)include <stdarg.h>\n$(HASH)include <stddef.h>\n$(HASH)include <setjmp.h>\n$(HASH)include <stdint.h>\n$(HASH)include <cmocka.h>)
# Asked once, not by each compile.
$(foreach part,ISL Z3 JANSSON CMOCKA,$(eval WITH_$(part) := $$(WITH_$(part))))
NVCC         ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
WITH_CUDA    ?= $(if $(NVCC),yes)

WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Werror=implicit-function-declaration -Wvla
CFLAGS   ?= $(OPT)
STRICT   ?= -Werror
CPPFLAGS += -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Iinclude -Isrc -I$(B)/gen -DTMAP_VERSION_STRING='"$(VERSION)"'
CPPFLAGS += $(if $(WITH_ISL),-DTMAP_WITH_ISL) $(if $(WITH_Z3),-DTMAP_WITH_Z3) $(if $(WITH_CUDA),-DTMAP_WITH_CUDA)
ALL_CFLAGS = -std=c11 $(CFLAGS) $(WARN) $(STRICT) -fPIC -fvisibility=hidden -MMD -MP $(CPPFLAGS)

# Objects are made anew when what they are built with changes.
CONFIG := $(CC) $(CFLAGS) isl=$(WITH_ISL) z3=$(WITH_Z3) cuda=$(WITH_CUDA)
$(B)/.config: FORCE
	@mkdir -p $(@D); [ "$$(cat $@ 2>/dev/null)" = '$(CONFIG)' ] || echo '$(CONFIG)' >$@
.PHONY: FORCE

.DEFAULT_GOAL := all

# --- folders ---------------------------------------------------------------------------------
objs      = $(patsubst %.c,$(B)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
CORE_OBJ     := $(call objs,src/expr src/core src/solve)
SYMBOLIC_OBJ := $(call objs,src/symbolic $(addprefix src/symbolic/,poly isl smt condition certify))
EMULATE_OBJ  := $(call objs,src/emulate $(addprefix src/emulate/,parse machine ops async protocol tensor))
CUDA_OBJ     := $(call objs,src/driver src/kernels/runtime src/kernels/copy src/kernels/gemm src/kernels/paged)
IO_OBJ       := $(call objs,$(wildcard src/io/*))
CLI_OBJ      := $(IO_OBJ) $(call objs,src/cli)
SYMBOLIC_LIBS := $(if $(WITH_ISL),-lisl) -ldl
CUDA_LIBS     := -ldl -lpthread
CLI_LIBS      := -ljansson -lm
# The command asks no verdicts by columns, whose rows take a quarter of the compile time.
HOST_CORE_OBJ := $(filter-out $(B)/src/core/columns%,$(CORE_OBJ))
LINK_COMMAND  := $(B)/host/libtmap-cuda.a $(B)/libtmap-symbolic.a $(B)/libtmap-emulate.a $(B)/host/libtmap.a
LINK_ALL      := $(B)/host/libtmap-cuda.a $(B)/libtmap-symbolic.a $(B)/libtmap-emulate.a $(B)/libtmap.a
LINK_IMAGES   := $(B)/libtmap-cuda.a $(B)/libtmap-symbolic.a $(B)/libtmap-emulate.a $(B)/libtmap.a
LIBS_ALL       = $(CUDA_LIBS) $(SYMBOLIC_LIBS) -lm
# tests/support for programs that link less than all of the libraries: they take what they use.
TEST_HELP_A   := $(B)/tests/libsupport.a
-include $(sort $(wildcard src/*/build.mk tests/*/build.mk tests/*/*/build.mk bench/build.mk bench/*/build.mk))

LIB_A    := $(B)/libtmap.a $(B)/libtmap-symbolic.a $(B)/libtmap-emulate.a $(B)/libtmap-cuda.a
LIB_SO   := $(B)/libtmap.so $(B)/libtmap-symbolic.so $(B)/libtmap-emulate.so $(B)/libtmap-cuda.so

.PHONY: all lib cli demo test clean help format tidy docs deps
all: lib cli
lib: $(LIB_A) $(LIB_SO) $(EXTRA_LIBS)
cli: $(B)/tmap

$(B)/%.o: %.c $(B)/.config
	@mkdir -p $(@D)
	$(if $(filter 1,$(V)),,@echo "  CC    $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(OBJ_CFLAGS) -c -o $@ $<

$(B)/libtmap.a: $(CORE_OBJ)
$(B)/libtmap-symbolic.a: $(SYMBOLIC_OBJ)
$(B)/libtmap-emulate.a: $(EMULATE_OBJ)
$(B)/libtmap-cuda.a: $(CUDA_OBJ)
$(B)/host/libtmap.a: $(HOST_CORE_OBJ)
$(LIB_A) $(B)/host/libtmap.a:
	@mkdir -p $(@D); rm -f $@
	$(Q)$(AR) rcs $@ $^

$(B)/libtmap.so: $(CORE_OBJ)
$(B)/libtmap-symbolic.so: $(SYMBOLIC_OBJ) | $(B)/libtmap.so
$(B)/libtmap-cuda.so: $(CUDA_SO_OBJ) | $(B)/libtmap.so
# It has what it needs of libtmap's inside as a copy that nobody sees.
$(B)/libtmap-emulate.so: $(EMULATE_OBJ) | $(B)/libtmap.a
$(B)/libtmap-symbolic.so: private SO_LIBS = -L$(B) -ltmap $(SYMBOLIC_LIBS)
$(B)/libtmap-emulate.so: private SO_LIBS = $(B)/libtmap.a -Wl,--exclude-libs,ALL -lm
$(B)/libtmap-cuda.so: private SO_LIBS = -Wl,-rpath,'$$ORIGIN' -L$(B) -ltmap $(CUDA_LIBS)
# Under a sanitizer the runtime stays undefined in a shared library, so -z defs is for the others.
$(LIB_SO): src/libtmap.map
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F).$(SOMAJOR) -Wl,--version-script=src/libtmap.map \
	  $(if $(filter asan tsan,$(MODE)),,-Wl,-z,defs) $(LDFLAGS) -o $@.$(VERSION) $(filter %.o,$^) $(SO_LIBS)
	$(Q)ln -sf $(@F).$(VERSION) $@.$(SOMAJOR) && ln -sf $(@F).$(SOMAJOR) $@

$(B)/tmap: $(CLI_OBJ) $(LINK_COMMAND)
	$(if $(WITH_JANSSON),,$(error the command needs jansson: apt-get install libjansson-dev, or run 'make demo'))
	@echo "  LD    $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $(LINK_COMMAND) $(CLI_LIBS) $(LIBS_ALL)

# --- tests: tests/<folder>/test_<what>.c is a CMocka program, tests/<folder>/test_<what>.sh prints TAP
TEST_SRC  := $(wildcard tests/*/test_*.c)
TEST_BIN  := $(patsubst %.c,$(B)/%,$(TEST_SRC))
TEST_SH   := $(sort $(wildcard tests/*/test_*.sh))
# What takes longest runs only with DEEP=1, as .ci/run has it: make test stays near 10 minutes.
DEEP      ?=
DEEPER    := cli/test_bad_input_asan.sh cli/test_shard.sh tree/test_install.sh prove/test_repairs \
             symbolic/test_pieces symbolic/test_sets
LEFT_OUT   = $(if $(DEEP),,$(DEEPER:%=tests/%) $(DEEPER:%=$(B)/tests/%))
TEST_HELP := $(call objs,tests/support)
$(TEST_HELP_A): $(TEST_HELP)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
# Compiled apart from linked: a change in a library links the tests anew and compiles none of them.
.SECONDARY:
$(B)/tests/%.o: ALL_CFLAGS += -Itests
$(B)/tests/%: $(B)/tests/%.o $(TEST_HELP) $(B)/src/io/.stamp $(LINK_ALL)
	$(if $(filter 1,$(V)),,@echo "  TEST  $@")
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(TEST_MORE) $(TEST_HELP) $(IO_OBJ) $(LINK_ALL) -lcmocka $(CLI_LIBS) $(LIBS_ALL)
$(B)/src/io/.stamp: $(IO_OBJ)
	@mkdir -p $(@D); touch $@

# A first command builds on every core, unless -j says otherwise.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null))
test: deps
	@$(MAKE) --no-print-directory $(PARALLEL) test-build
	@$(MAKE) --no-print-directory test-run
.PHONY: test-build test-run
test-build: all $(TEST_BIN)
test-run: test-build
	@B=$(B) VERSION=$(VERSION) tests/run $(filter-out $(LEFT_OUT),$(sort $(TEST_BIN)) $(TEST_SH))

bench/%: $(B)/bench/%
	$<
# Built with the tests, which catch a change that a bench does not follow.
test-build: $(patsubst %.c,$(B)/%,$(wildcard bench/*.c)) $(B)/bench/gemm/gemm
$(B)/bench/%: bench/%.c $(LINK_ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< $(filter %.o,$^) $(LINK_ALL) $(LIBS_ALL)

# --- the first command ------------------------------------------------------------------------
# deps installs what is missing through apt, and only then; where apt is absent it says what to install.
deps:
	@tests/support/install-deps
demo: deps
	@$(MAKE) --no-print-directory $(PARALLEL) cli
	@B=$(B) examples/demo

# make format: clang-format over every source.
# make tidy: clang-tidy over src (.clang-tidy).
format:
	clang-format -i $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh')
tidy:
	clang-tidy --quiet $(shell git ls-files 'src/*.c') -- -std=c11 $(CPPFLAGS)

# make tsan: the tests of threads under the thread sanitizer.
tsan:
	@$(MAKE) --no-print-directory $(PARALLEL) MODE=tsan build/tsan/libtmap.a
	@$(CC) $(filter-out $(OPT),$(ALL_CFLAGS)) -fsanitize=thread -g -Itests -o build/tsan/test_threads \
	  tests/core/test_threads.c build/tsan/libtmap.a -lcmocka -lpthread
	build/tsan/test_threads
	@$(MAKE) --no-print-directory $(PARALLEL) MODE=tsan WITH_CUDA= build/tsan/tests/symbolic/test_faults
	build/tsan/tests/symbolic/test_faults
.PHONY: tsan
# make clean: remove build/.
clean:
	rm -rf build
# help: the head of this file, then each "# make TARGET: what it does" of it and of every build.mk.
help:
	@sed -n '3,11s/^# \{0,1\}//p' Makefile
	@echo; sed -nE 's/^# (make [a-z-]+): (.*)/  \1\t\2/p' $(filter Makefile %.mk,$(MAKEFILE_LIST)) | \
	  awk -F'\t' '{ printf "%-20s %s\n", $$1, $$2 }'

-include $(shell find $(B) -name '*.root' -prune -o -type f -name '*.d' -print 2>/dev/null)
