# The device programs: built everywhere, run only where there is a GPU (tests/device/run).
DEVICE_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out tests/device/test_%,$(wildcard tests/device/*.c)))
DEVICE_BIN := $(B)/tests/device/explore
$(DEVICE_OBJ): OBJ_CFLAGS = -Itests
$(B)/tests/device/explore: $(DEVICE_OBJ) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_ALL) $(LIBS_ALL)
test-build: $(DEVICE_BIN)
$(B)/tests/device/test_golden_sim: $(filter-out %/explore.o,$(DEVICE_OBJ))
$(B)/tests/device/test_golden_sim: TEST_MORE = $(filter-out %/explore.o,$(DEVICE_OBJ))
