# make mutate: every mutant of the rows, and of their evidence, against the tests that pin them down.
MUTATE     := $(B)/tests/mutate/mutate
EVIDENCE   := $(B)/tests/mutate/evidence
CORPUS     := $(B)/tests/mutate/corpus
RECORDED   := tests/golden/h200-580.bin
MUTATE_OBJ := $(addprefix $(B)/tests/mutate/,mutate.o mutants.o proof.o)
.PHONY: mutate
mutate: $(MUTATE) $(EVIDENCE) $(CORPUS)
	$(MUTATE) tests/mutate/survivors.txt
	$(EVIDENCE) docs/RULES.md
	$(CORPUS) $(RECORDED)
$(B)/gen/mutants.def: tests/mutate/generate $(wildcard src/rules/*.def)
	@mkdir -p $(@D)
	$(Q)tests/mutate/generate src/rules $@
$(MUTATE_OBJ) $(EVIDENCE).o $(CORPUS).o: ALL_CFLAGS += -Itests
# Conditions that no one would write: always true, compared with themselves, ...
$(B)/tests/mutate/mutants.o: $(B)/gen/mutants.def
$(B)/tests/mutate/mutants.o: ALL_CFLAGS += -w
$(MUTATE): $(MUTATE_OBJ) $(TEST_HELP_A) $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) -o $@ $^
$(EVIDENCE): $(EVIDENCE).o $(TEST_HELP_A) $(IO_OBJ) $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(CLI_LIBS)
$(CORPUS): $(CORPUS).o $(filter %mutants.o,$(MUTATE_OBJ)) $(TEST_HELP_A) $(B)/libtmap-cuda.a $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(CUDA_LIBS)
test-build: $(MUTATE) $(EVIDENCE)
