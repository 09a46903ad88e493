# make coverage: lines and branches of src that the host tests reach, per folder (gcc's gcov); fails below tests/coverage/floor.
# COVERAGE_TESTS: folders of tests; FOLDER=solve lists what is missed there, of the last run.
COVERAGE_TESTS ?= core rules expr solve io symbolic emulate kernels driver fuzz golden cli
COVERAGE_BIN   := $(filter $(addprefix build/coverage/tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(TEST_SRC:%.c=build/coverage/%))
COVERAGE_SH    := $(filter $(addprefix tests/,$(addsuffix /%,$(COVERAGE_TESTS))),$(filter-out %_asan.sh %test_memory.sh,$(TEST_SH)))
.PHONY: coverage
coverage:
ifdef FOLDER
	@python3 tests/coverage/table.py build/coverage $(FOLDER)
else
	@$(MAKE) --no-print-directory $(PARALLEL) MODE=coverage WITH_CUDA= all $(COVERAGE_BIN) build/coverage/tests/fuzz/api/api
	@find build/coverage -name '*.gcda' -exec rm {} +
	-@B=build/coverage VERSION=$(VERSION) tests/run $(COVERAGE_BIN) $(COVERAGE_SH)
	@python3 tests/coverage/table.py build/coverage
endif
