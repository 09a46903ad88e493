# make ptx: the PTX of every shipped kernel and of the planted faults, without machine code: what
# tests/emulate runs on the emulator. A build with nvcc has it already, beside the images.
PTX := $(patsubst %.cu,$(B)/%.ptx,$(IMAGE_CU) tests/device/copy_faults.cu tests/device/gemm/faults.cu)
.PHONY: ptx
ptx: $(PTX)
