# Decode attention's device program: built everywhere, run where there is a GPU (tests/device/run).
PAGED_TEST := $(B)/tests/device/paged/paged
$(PAGED_TEST).o: OBJ_CFLAGS = -Itests
$(PAGED_TEST): $(PAGED_TEST).o $(B)/tests/support/paged.o $(B)/tests/device/paged/faults.image.o $(LINK_IMAGES)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_IMAGES) $(LIBS_ALL)
test-build: $(PAGED_TEST)
