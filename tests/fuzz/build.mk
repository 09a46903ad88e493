# make fuzz: libFuzzer over the readers, FUZZ_SECONDS (60) each; a failing input stays in build/fuzz.
# What was found to matter is kept in build/fuzz/corpus, where the next run goes on.
FUZZ_NAMES   := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN     := $(FUZZ_NAMES:%=$(B)/tests/fuzz/fuzz_%)
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_LIBS    ?= $(CLI_LIBS)
FUZZ_CLI     := $(filter-out %/main.o,$(CLI_OBJ))
$(FUZZ_BIN): $(B)/tests/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(FUZZ_CLI) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_CLI) $(LINK_ALL) $(FUZZ_LIBS) $(LIBS_ALL)
$(B)/tests/fuzz/fuzz_%.o: OBJ_CFLAGS = -Itests
.PHONY: fuzz fuzz-build
fuzz-build: $(FUZZ_BIN)
fuzz: cli
	@command -v $(FUZZ_CC) >/dev/null || { echo "fuzz: SKIP, $(FUZZ_CC) is not here"; exit 0; }; \
	  $(MAKE) --no-print-directory MODE=fuzz CC=$(FUZZ_CC) WITH_CUDA= WITH_ISL= WITH_Z3= fuzz-build && \
	  B=$(B) FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run $(FUZZ_NAMES)
