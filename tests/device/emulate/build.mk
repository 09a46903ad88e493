# The record that the emulator is compared with: made on a GPU (record.c), replayed anywhere.
RECORD := $(B)/tests/device/emulate/record
$(RECORD): $(RECORD).o $(B)/tests/device/emulate/numerics.image.o $(TEST_HELP_A) $(LINK_IMAGES)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(TEST_HELP_A) $(LINK_IMAGES) $(LIBS_ALL)
$(RECORD).o: OBJ_CFLAGS = -Itests
$(B)/tests/device/emulate/%.fatbin: NVCC_ARCH = -gencode=arch=compute_90a,code=sm_90a
test-build: $(RECORD)

# build/tests/device/emulate/lanes: single instructions on a GPU beside the emulator (tests/support/lane_ops.h).
$(B)/tests/device/emulate/lanes: $(B)/tests/device/emulate/lanes.o
	$(Q)$(CC) $(CFLAGS) -o $@ $< -ldl
test-build: $(B)/tests/device/emulate/lanes
