# make prove-plans: a million repairs and a hundred thousand requested tiles, every plan checked
# (tests/solve/plans.c). PLANS="--seed 2 --jobs 8 --seconds 600" and the like for others; about 40
# minutes of one core. The program is static, to be carried to where the cores are.
PLANS_BIN := $(B)/tests/solve/plans
$(PLANS_BIN): $(B)/tests/solve/plans.o $(TEST_HELP_A) $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) $(if $(filter asan tsan,$(MODE)),,-static) -o $@ $^
$(B)/tests/solve/plans.o: OBJ_CFLAGS = -Itests
test-build: $(PLANS_BIN)
.PHONY: prove-plans
prove-plans: $(PLANS_BIN)
	$(PLANS_BIN) $(PLANS)
