# make bench-gemm: the GEMM comparison; then build/bench/gemm/gemm compare core bf16 bf16.
GEMM_BENCH := $(B)/bench/gemm/gemm
$(B)/bench/gemm/%.o: OBJ_CFLAGS = -Wno-pedantic -isystem $(or $(CUDA_HOME),/usr/local/cuda)/include
$(GEMM_BENCH): $(patsubst %.c,$(B)/%.o,$(wildcard bench/gemm/*.c)) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_ALL) $(LIBS_ALL)
.PHONY: bench-gemm
bench-gemm: $(GEMM_BENCH)
