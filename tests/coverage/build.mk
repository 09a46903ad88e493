# make coverage: lines and branches of src that the host tests and a part of the sweep reach, per folder (gcc's gcov); fails where more is open than tests/coverage/open allows.
# COVERAGE_TESTS: folders of tests; FOLDER=solve lists what is open there, of the last run.
COVERAGE_TESTS ?= core rules expr solve io symbolic prove emulate kernels driver fuzz golden cli
COVERAGE_BIN    = $(filter $(addprefix build/coverage/tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(TEST_SRC:%.c=build/coverage/%))
# What measures memory or time, or builds for itself, says nothing here.
COVERAGE_NOT    = %_asan.sh %test_memory.sh %test_sweep.sh %test_growth.sh %test_not_built.sh
COVERAGE_SH     = $(filter $(addprefix tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(filter-out $(COVERAGE_NOT),$(TEST_SH)))
COVERAGE_SWEEP ?= --every 17 --kinds memory,output
# What the tests themselves do is not counted; COUNTED: what they call is, and takes longer.
ifeq ($(MODE),coverage)
$(B)/tests/%.o: ALL_CFLAGS += -fno-profile-arcs -fno-test-coverage -DCOUNTED
else ifeq ($(MODE),mcdc)
$(B)/tests/%.o: ALL_CFLAGS += -fno-profile-instr-generate -fno-coverage-mapping -fno-coverage-mcdc -DCOUNTED
endif
.PHONY: coverage
coverage:
ifdef FOLDER
	@python3 tests/coverage/table.py build/coverage open $(FOLDER)
else
	@$(MAKE) --no-print-directory $(PARALLEL) MODE=coverage WITH_CUDA= test-build build/coverage/tests/fuzz/api/api
	@find build/coverage -name '*.gcda' -exec rm {} +
	-@GCOV_ERROR_FILE=/dev/null B=build/coverage VERSION=$(VERSION) tests/run $(COVERAGE_BIN) $(COVERAGE_SH)
	-@GCOV_ERROR_FILE=/dev/null python3 tests/cli/sweep.py $(COVERAGE_SWEEP) build/coverage >build/coverage/sweep.log
	@python3 tests/coverage/table.py build/coverage
endif

# make mcdc: conditions of src that the same tests show to decide alone (MC/DC, by clang 19), per folder; fails where more is open than tests/coverage/open allows. FOLDER=solve lists what is open there, of the last run.
MCDC_CC    ?= clang-19
MCDC_TABLE  = python3 tests/coverage/mcdc.py $(MCDC_CC:clang%=llvm%) build/mcdc
.PHONY: mcdc
mcdc:
ifdef FOLDER
	@$(MCDC_TABLE) $(FOLDER)
else
	@command -v $(MCDC_CC) >/dev/null || \
	  { echo "mcdc: SKIP, no $(MCDC_CC) (apt-get install clang-19 llvm-19 libclang-rt-19-dev)"; exit 0; }; \
	  mkdir -p build/mcdc && \
	  { $(MAKE) --no-print-directory $(PARALLEL) MODE=mcdc CC=$(MCDC_CC) WARN=-w WITH_CUDA= test-build \
	      build/mcdc/tests/fuzz/api/api 2>build/mcdc/log || { tail build/mcdc/log; exit 1; }; } && \
	  rm -rf build/mcdc/raw && \
	  { B=build/mcdc PROFILES=$(CURDIR)/build/mcdc/raw VERSION=$(VERSION) tests/run $(subst build/coverage/,build/mcdc/,$(COVERAGE_BIN)) $(COVERAGE_SH); \
	    $(MCDC_TABLE); }
endif
