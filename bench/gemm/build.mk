# make bench-gemm: the GEMM comparison; then build/bench/gemm/gemm compare core bf16 bf16.
# make gemm-plot: docs/gemm-ratio.svg from the records in bench/gemm/h200.
GEMM_BENCH := $(B)/bench/gemm/gemm
$(B)/bench/gemm/%.o: OBJ_CFLAGS = -Wno-pedantic -isystem $(or $(CUDA_HOME),/usr/local/cuda)/include
# The names of the vendor's tiles, clusters and stages, from its header; none without it.
VENDOR_NAMES := $(B)/gen/vendor_names.def
$(VENDOR_NAMES): $(wildcard $(or $(CUDA_HOME),/usr/local/cuda)/include/cublasLt.h) bench/gemm/build.mk
	@mkdir -p $(@D)
	$(Q)sed -nE 's/^ *CUBLASLT_(MATMUL_TILE|MATMUL_STAGES|CLUSTER_SHAPE)_([0-9][0-9xAUTO]*) = ([0-9]+).*/NAMED(\1, \3, "\2")/p' \
	  $(filter %.h,$^) /dev/null >$@
$(B)/bench/gemm/vendor.o: $(VENDOR_NAMES)
$(GEMM_BENCH): $(patsubst %.c,$(B)/%.o,$(wildcard bench/gemm/*.c)) \
	$(patsubst %.cu,$(B)/%.image.o,$(wildcard bench/gemm/*.cu)) $(LINK_IMAGES)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LINK_IMAGES) $(LIBS_ALL)
.PHONY: bench-gemm
bench-gemm: $(GEMM_BENCH)
.PHONY: gemm-plot
gemm-plot:
	$(Q)python3 bench/gemm/plot.py bench/gemm/h200 >docs/gemm-ratio.svg

# make build/bench/gemm/fit/fit: fits the cost model's constants to what `gemm fit` printed.
GEMM_FIT := $(B)/bench/gemm/fit/fit
GEMM_MODEL_PARTS := $(addprefix kernels/gemm/,model_constants.h model_conv.h model_promoted.h)
GEMM_CONSTANTS := $(addprefix src/,$(GEMM_MODEL_PARTS))
GEMM_FITTED := $(addprefix $(B)/gen/fit/,model.c $(GEMM_MODEL_PARTS))
$(B)/gen/fit/model.c: src/kernels/gemm/model.c
$(addprefix $(B)/gen/fit/,$(GEMM_MODEL_PARTS)): $(B)/gen/fit/%: src/%
$(GEMM_FITTED):
	@mkdir -p $(@D)
	$(Q)sed -E 's/^static const double ([A-Z][A-Z_0-9]*) = /double \1 = /' $< >$@
$(B)/gen/fit/fit_constants.def: $(GEMM_CONSTANTS)
	@mkdir -p $(@D)
	$(Q)sed -nE 's/^static const double ([A-Z][A-Z_0-9]*) = .*/CONSTANT(\1)/p' $^ >$@
$(GEMM_FIT): bench/gemm/fit/fit.c $(GEMM_FITTED) $(B)/gen/fit/fit_constants.def $(LINK_ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) -I$(B)/gen/fit $(ALL_CFLAGS) -o $@ $(filter %.c,$^) $(LINK_ALL) $(LIBS_ALL)
# make build/bench/gemm/fit/needed: which kernels the model's picks need.
$(B)/bench/gemm/fit/needed: bench/gemm/fit/needed.c bench/gemm/law.c $(LINK_ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -D_GNU_SOURCE -o $@ $(filter %.c,$^) $(LINK_ALL) $(LIBS_ALL)
