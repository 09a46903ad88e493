# The GEMM's device programs: built everywhere, run where there is a GPU (tests/device/test_gemm.sh).
GEMM_TESTS := $(addprefix $(B)/tests/device/gemm/,verify epilogues conv mixed faults groups routed rows streams tune graphs two hog size later faults_later)
GEMM_RIG := $(B)/tests/device/gemm/rig.o
$(GEMM_RIG) $(GEMM_TESTS:%=%.o): OBJ_CFLAGS = -Itests
$(GEMM_TESTS): $(B)/tests/device/gemm/%: $(B)/tests/device/gemm/%.o $(LINK_IMAGES)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_IMAGES) $(LIBS_ALL)
$(addprefix $(B)/tests/device/gemm/,epilogues conv mixed routed streams graphs two hog size): $(GEMM_RIG)
$(B)/tests/device/gemm/faults $(B)/tests/device/gemm/epilogues: $(B)/tests/device/gemm/faults.image.o
$(B)/tests/device/gemm/mixed: $(B)/tests/device/gemm/mixed_faults.image.o $(B)/tests/support/mixed_case.o
$(B)/tests/device/gemm/conv: $(B)/tests/device/gemm/conv_faults.image.o
$(B)/tests/device/gemm/routed: $(B)/tests/support/routed.o $(B)/tests/device/gemm/group_faults.image.o
$(B)/tests/device/gemm/later: $(B)/tests/support/gemm_later.o
$(B)/tests/device/gemm/faults_later: $(addprefix $(B)/tests/device/gemm/,planted_later.o faults_sm100.image.o faults_sm120.image.o)
$(B)/tests/device/gemm/planted_later.o: OBJ_CFLAGS = -Itests
test-build device-build: $(GEMM_TESTS)
