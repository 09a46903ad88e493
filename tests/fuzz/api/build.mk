# make fuzz-api: random sequences of calls of the public interface under the sanitizers, FUZZ_CALLS of them.
# What fails is shrunk and printed; tests/fuzz/api/main.c says how to replay it and how to use shards.
FUZZ_CALLS ?= 10000000
FUZZ_SEED  ?= 1
API_OBJ := $(call objs,tests/fuzz/api)
$(API_OBJ): OBJ_CFLAGS = -Itests
$(B)/tests/fuzz/api/api: $(API_OBJ) $(TEST_HELP_A) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(API_OBJ) $(TEST_HELP_A) $(LINK_ALL) $(LIBS_ALL)
test-build: $(B)/tests/fuzz/api/api
.PHONY: fuzz-api
fuzz-api:
	@$(MAKE) --no-print-directory MODE=asan WITH_CUDA= build/asan/tests/fuzz/api/api
	build/asan/tests/fuzz/api/api --calls $(FUZZ_CALLS) --seed $(FUZZ_SEED) --isl
