# make ptx: the PTX of every shipped kernel and of the planted faults, without machine code: what
# tests/emulate runs on the emulator. A build with nvcc has it already, beside the images.
PTX := $(patsubst %.cu,$(B)/%.ptx,$(IMAGE_CU) tests/device/copy_faults.cu tests/device/gemm/faults.cu \
       tests/device/emulate/numerics.cu)
.PHONY: ptx
ptx: $(PTX)

# make prove-emulate: every case of the H200's record on the emulator (a quarter of an hour).
.PHONY: prove-emulate
prove-emulate: ptx $(B)/tests/emulate/test_recorded
	TMAP_RECORDED=all $(B)/tests/emulate/test_recorded
