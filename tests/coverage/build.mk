# make coverage: lines and branches of src that the host tests and a part of the sweep reach, per folder (gcc's gcov); fails where more is open than tests/coverage/open allows.
# COVERAGE_TESTS: folders of tests; FOLDER=solve lists what is open there, of the last run.
COVERAGE_TESTS ?= core rules expr solve io symbolic prove emulate kernels driver fuzz golden cli
COVERAGE_BIN    = $(filter $(addprefix build/coverage/tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(TEST_SRC:%.c=build/coverage/%))
# What measures memory or time, or builds for itself, says nothing here.
COVERAGE_NOT    = %_asan.sh %test_memory.sh %test_sweep.sh %test_growth.sh %test_not_built.sh
COVERAGE_SH     = $(filter $(addprefix tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(filter-out $(COVERAGE_NOT),$(TEST_SH)))
COVERAGE_SWEEP ?= --every 41 --kinds memory,output
# What the tests themselves do is not counted.
ifeq ($(MODE),coverage)
$(B)/tests/%.o: ALL_CFLAGS += -fno-profile-arcs -fno-test-coverage
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
