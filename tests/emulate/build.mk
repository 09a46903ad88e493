# make ptx: the PTX of every shipped kernel and of the planted faults, without machine code: what
# tests/emulate runs on the emulator. A build with nvcc has it already, beside the images.
PTX := $(patsubst %.cu,$(B)/%.ptx,$(IMAGE_CU) tests/device/copy_faults.cu tests/device/gemm/faults.cu \
       tests/device/gemm/conv_faults.cu tests/device/gemm/group_faults.cu \
       tests/device/gemm/mixed_faults.cu tests/device/paged/faults.cu \
       tests/device/gemm/faults_sm100.cu tests/device/gemm/faults_sm120.cu \
       tests/device/emulate/numerics.cu)
.PHONY: ptx
ptx: $(PTX)
# Faults for the chips after Hopper have PTX alone: seconds of nvcc, where there is one.
test-build: $(if $(WITH_CUDA),$(B)/tests/device/gemm/faults_sm100.ptx $(B)/tests/device/gemm/faults_sm120.ptx)

# make kept-ptx: writes the kernels that machines without nvcc have as data again; a new one begins as
# a file with its name and a first line like the others'.
KEPT := $(wildcard tests/data/emulate/kernels/*.ptx)
.PHONY: kept-ptx
kept-ptx: $(patsubst %.cu,$(B)/%.ptx,$(sort $(shell awk 'FNR == 1 { print $$2 }' $(KEPT))))
	B=$(B) tests/emulate/test_kept.sh --keep

# make prove-emulate: every case of the H200's record on the emulator (a quarter of an hour).
.PHONY: prove-emulate
prove-emulate: ptx $(B)/tests/emulate/test_recorded
	TMAP_RECORDED=all $(B)/tests/emulate/test_recorded

# make controls-emulate: the kernels that faults are planted in, without one: SEEDS schedules of each
# product and kind of copy (1000), the extremes among them, on PARTS cores; nothing may be found.
CONTROLS := $(B)/tests/emulate/test_product_faults $(B)/tests/emulate/test_copy_faults
.PHONY: controls-emulate
controls-emulate: ptx $(CONTROLS)
	@tests/emulate/controls $(or $(SEEDS),1000) $(or $(PARTS),$(shell nproc)) $(CONTROLS)

# make others-emulate: every kernel of others that pip's Triton makes here (some minutes), each
# against a plain sum; -k takes parts of their names.
.PHONY: others-emulate
others-emulate: all
	B=$(B) python3 tests/emulate/others/others.py $(if $(KERNELS),-k $(KERNELS)) 2>/dev/null

# make prove-blackwell: every product for tensor memory and of mma.sync on 200 drawn shapes, at both
# extremes of time and at 100 random times, and 200 groups of every kernel for groups, by CORES
# processes (20 minutes of a core in all).
BLACKWELL := $(B)/tests/emulate/test_products_blackwell $(B)/tests/emulate/test_groups_blackwell
CORES     ?= $(shell nproc)
.PHONY: prove-blackwell
prove-blackwell: ptx $(BLACKWELL)
	for t in $(BLACKWELL); do \
	  TMAP_EMULATE_SHAPES=200 TMAP_EMULATE_SEEDS=100 tests/emulate/shards $(CORES) $$t || exit 1; done

# make fuzz-emulate: broken PTX for FUZZ_SECONDS under the sanitizers; SHARD=I/N is one of N parts.
MUTATE := $(B)/tests/emulate/mutate
MUTATED := $(wildcard $(addsuffix /*.ptx,tests/data/ptx tests/data/emulate/kernels tests/data/emulate/defects))
$(MUTATE).o $(B)/tests/emulate/mutate_case.o: OBJ_CFLAGS = -Itests
$(MUTATE): $(MUTATE).o $(B)/tests/emulate/mutate_case.o $(B)/libtmap-emulate.a $(B)/libtmap.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm
test-build: $(MUTATE)
.PHONY: fuzz-emulate
fuzz-emulate:
	@$(MAKE) --no-print-directory MODE=asan WITH_CUDA= build/asan/tests/emulate/mutate
	@mkdir -p $(B)/fuzz-emulate
	build/asan/tests/emulate/mutate --seed $(or $(SEED),1) --seconds $(or $(FUZZ_SECONDS),60) \
	  --shard $(or $(SHARD),0/1) --keep $(B)/fuzz-emulate $(MUTATED)

# build/tests/emulate/speed: how fast the emulator runs a product.
$(B)/tests/emulate/speed.o: OBJ_CFLAGS = -Itests
$(B)/tests/emulate/speed: $(B)/tests/emulate/speed.o $(TEST_HELP_A) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS_ALL)
test-build: $(B)/tests/emulate/speed

# build/tests/emulate/beside: one product of operands in files, for others/beside.py.
$(B)/tests/emulate/beside.o: OBJ_CFLAGS = -Itests
$(B)/tests/emulate/beside: $(B)/tests/emulate/beside.o $(TEST_HELP_A) $(LINK_ALL)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS_ALL)
test-build: $(B)/tests/emulate/beside

# Faults of the chips after Hopper are the device's, too.
LATER_FAULTS := $(addprefix $(B)/tests/emulate/,test_faults_blackwell test_later_faults)
$(LATER_FAULTS): TEST_MORE = $(B)/tests/device/gemm/planted_later.o
$(LATER_FAULTS): $(B)/tests/device/gemm/planted_later.o

# The search for orders is the command's.
$(B)/tests/emulate/test_orders: TEST_MORE = $(B)/src/cli/emulate_orders.o
$(B)/tests/emulate/test_orders: $(B)/src/cli/emulate_orders.o

# make prove-protocols: every design's barriers as one protocol and every ring, and every kernel after
# Hopper in all ways (5 minutes of a core), with MB megabytes (1000) for the states.
PROTOCOLS := $(addprefix $(B)/tests/emulate/,test_protocols test_protocols_suite)
.PHONY: prove-protocols
prove-protocols: ptx $(PROTOCOLS)
	TMAP_PROTOCOL_MB=$(or $(MB),1000) $(B)/tests/emulate/test_protocols "protocols"
	TMAP_PROTOCOL_MB=$(or $(MB),1000) $(B)/tests/emulate/test_protocols_suite
