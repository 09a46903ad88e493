# The device programs: built everywhere, run only where there is a GPU (tests/device/run).
DEVICE_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out tests/device/test_%,$(wildcard tests/device/*.c)))
DEVICE_IMAGES := $(addprefix $(B)/tests/device/,executor.image.o copy_faults.image.o)
DEVICE_BIN := $(B)/tests/device/explore
$(DEVICE_OBJ): OBJ_CFLAGS = -Itests
$(B)/tests/device/explore: $(DEVICE_OBJ) $(addprefix $(B)/tests/support/,repair_support.o tile_walk.o) $(DEVICE_IMAGES) $(LINK_IMAGES)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_IMAGES) $(LIBS_ALL)
test-build: $(DEVICE_BIN)
DEVICE_REPLAYS := $(B)/tests/device/test_golden_sim $(B)/tests/device/test_plans_sim
$(DEVICE_REPLAYS): $(filter-out %/explore.o,$(DEVICE_OBJ)) $(DEVICE_IMAGES)
$(DEVICE_REPLAYS): TEST_MORE = $(filter-out %/explore.o,$(DEVICE_OBJ)) $(DEVICE_IMAGES)
$(B)/bench/copy_rates: $(B)/bench/copy_rates.image.o
$(addprefix $(B)/bench/,copy copy_rates paged): LINK_ALL = $(LINK_IMAGES)
$(addprefix $(B)/bench/,copy copy_rates paged): $(LINK_IMAGES)

# make device: all of it on this machine's GPU, with its record in $(B)/device.
.PHONY: device device-build
device-build: lib $(DEVICE_BIN) $(addprefix $(B)/,tests/device/emulate/record tests/device/paged/paged \
	bench/copy bench/copy_rates bench/paged bench/gemm/gemm)
device:
	@B=$(B) tests/device/run $(B)/device
