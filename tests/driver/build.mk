# test_abi compares our types with cuda.h's, where a toolkit is present.
CUDA_INCLUDE ?= $(if $(NVCC),$(abspath $(dir $(realpath $(NVCC)))/../include))
$(B)/tests/driver/test_abi: ALL_CFLAGS += $(if $(CUDA_INCLUDE),-isystem $(CUDA_INCLUDE))

# A stand-in for the driver: whole, too old for tensor maps, and without the wide call.
FAKE_CUDA := $(B)/tests/driver/libfakecuda.so
$(FAKE_CUDA) $(FAKE_CUDA:.so=-old.so) $(FAKE_CUDA:.so=-nowide.so): tests/driver/fake/fakecuda.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(OPT) $(WARN) $(STRICT) -Wno-missing-prototypes -fPIC -shared $(FAKE_DEF) -o $@ $< -ldl
$(FAKE_CUDA:.so=-old.so): FAKE_DEF = -DOLD_DRIVER
$(FAKE_CUDA:.so=-nowide.so): FAKE_DEF = -DNO_WIDE
$(B)/tests/driver/encoder: tests/driver/fake/encoder.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(OPT) $(WARN) $(STRICT) -Wno-pedantic -o $@ $< -ldl
test-build: $(B)/tests/driver/encoder $(FAKE_CUDA) $(FAKE_CUDA:.so=-old.so) $(FAKE_CUDA:.so=-nowide.so)
