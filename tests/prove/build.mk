# make prove: every row's native form against its ideal one, and the solvers against the check.
PROVE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/prove/*.c))
$(PROVE_OBJ): ALL_CFLAGS += -Itests
$(B)/tests/prove/prove: $(PROVE_OBJ) | lib
	$(Q)$(CC) $(CFLAGS) -o $@ $(PROVE_OBJ) $(LINK_ALL) $(LIBS_ALL)
.PHONY: prove
prove: $(B)/tests/prove/prove
	$(B)/tests/prove/prove
