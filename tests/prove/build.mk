# make prove: rows' native forms against their ideal ones, by Z3 and cvc5; conditions in full.
PROVE_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out tests/prove/test_% tests/prove/law.c tests/prove/replay_isl.c,$(wildcard tests/prove/*.c)))
LAW_OBJ   := $(if $(WITH_ISL),$(B)/tests/prove/law.o)
$(LAW_OBJ): ALL_CFLAGS += -Itests
$(B)/tests/prove/test_laws: $(LAW_OBJ)
$(B)/tests/prove/test_laws: TEST_MORE = $(LAW_OBJ)
$(PROVE_OBJ): ALL_CFLAGS += -Itests
$(B)/tests/prove/prove: $(PROVE_OBJ) $(B)/libtmap-symbolic.a $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) -o $@ $(PROVE_OBJ) $(B)/libtmap-symbolic.a $(B)/libtmap.a $(SYMBOLIC_LIBS)
test-build: $(B)/tests/prove/prove $(if $(WITH_ISL),$(B)/tests/prove/replay_isl)
$(B)/tests/prove/replay_isl: tests/prove/replay_isl.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $< -lisl
.PHONY: prove
prove: all $(B)/tests/prove/prove $(B)/tests/prove/test_laws $(B)/tests/prove/test_repairs $(addprefix $(B)/tests/symbolic/test_,condition guard random certify diff)
	$(B)/tests/prove/prove
	TMAP_LAWS=100000 $(B)/tests/prove/test_laws
	TMAP_REPAIRS=2000 $(B)/tests/prove/test_repairs
	TMAP_POINTS=100000 $(B)/tests/symbolic/test_condition
	TMAP_POINTS=1000000 $(B)/tests/symbolic/test_guard
	TMAP_POINTS=10000 $(B)/tests/symbolic/test_random
	TMAP_POINTS=1 $(B)/tests/symbolic/test_certify
	$(B)/tests/symbolic/test_diff
	B=$(B) tests/prove/replay $(sort $(shell find examples/descriptors -name '*.json*'))
