# The device programs: built everywhere, run only where there is a GPU.
DEVICE_BIN := $(B)/tests/device/explore
$(call objs,tests/device): OBJ_CFLAGS = -Itests
$(B)/tests/device/explore: $(call objs,tests/device) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_ALL) $(LIBS_ALL)
test-build: $(DEVICE_BIN)
