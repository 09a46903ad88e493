# tests/kernels/test_opcode.sh asks it for PTX, and what the assembler made of it.
OPCODE_PROBE := $(B)/tests/kernels/opcode_probe
$(OPCODE_PROBE): $(B)/tests/kernels/opcode_probe.o $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(LINK_ALL) $(LIBS_ALL)
test-build: $(OPCODE_PROBE)
# make kernels-table: write down what the kernels' machine code is; read the diff before committing.
.PHONY: kernels-table
TEST_IMAGES := $(patsubst %.cu,%.fatbin,$(wildcard tests/device/*.cu bench/*.cu bench/*/*.cu) tests/device/gemm/faults.cu tests/device/gemm/conv_faults.cu tests/device/gemm/group_faults.cu tests/device/gemm/mixed_faults.cu tests/device/paged/faults.cu)
kernels-table: all $(addprefix $(B)/,$(TEST_IMAGES))
	@{ $(B)/tmap kernels table; cd $(B) && ./tmap kernels table $(TEST_IMAGES); } >tests/kernels/images.tsv
test-build: $(if $(WITH_CUDA),$(CROSS))
$(B)/tests/kernels/test_code: LINK_ALL = $(LINK_IMAGES)
$(B)/tests/kernels/test_code: $(LINK_IMAGES)
# tests/kernels/test_images.sh reads the images that only tests and benches launch, too.
test-build: $(if $(WITH_CUDA),$(addprefix $(B)/,$(shell cut -f1 tests/kernels/images.tsv | grep fatbin | uniq)))
