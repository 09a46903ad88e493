# make mutate: every mutant of the rows, and of their evidence, against the tests that pin them down.
MUTATE     := $(B)/tests/mutate/mutate
MUTATE_OBJ := $(call objs,tests/mutate)
.PHONY: mutate
mutate: $(MUTATE)
	$(MUTATE) tests/mutate/survivors.txt
$(B)/gen/mutants.def: tests/mutate/generate $(wildcard src/rules/*.def)
	@mkdir -p $(@D)
	$(Q)tests/mutate/generate src/rules $@
$(MUTATE_OBJ): ALL_CFLAGS += -Itests
# Conditions that no one would write: always true, compared with themselves, ...
$(B)/tests/mutate/mutants.o: $(B)/gen/mutants.def
$(B)/tests/mutate/mutants.o: ALL_CFLAGS += -w
$(MUTATE): $(MUTATE_OBJ) $(call objs,tests/support) $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) -o $@ $^
test-build: $(MUTATE)
