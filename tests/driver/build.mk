# test_abi compares our types with cuda.h's, where a toolkit is present.
CUDA_INCLUDE ?= $(if $(NVCC),$(abspath $(dir $(realpath $(NVCC)))/../include))
$(B)/tests/driver/test_abi: ALL_CFLAGS += $(if $(CUDA_INCLUDE),-isystem $(CUDA_INCLUDE))
