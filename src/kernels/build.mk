# Kernels: src/kernels/<path>/<name>.cu -> a fatbin -> an object with image_<path>_<name>[] and
# uint64_t image_<path>_<name>_bytes. Without nvcc that is 0, and the host side says so. The same rules
# make image_tests_device_<name>[] and so on of the kernels that only a test or a bench launches.
IMAGE_CU   := $(wildcard src/kernels/*/*.cu src/kernels/*/*/*.cu)
IMAGE_OBJ  := $(patsubst %.cu,$(B)/%.image.o,$(IMAGE_CU))
# The command, and tests that launch nothing, link all but the images, and open libtmap-cuda.so when
# one is asked for (runtime/images_open.c): nobody waits for kernels that are not run.
HOST_OBJ   := $(filter-out %/runtime/images.o,$(CUDA_OBJ))
CUDA_OBJ   := $(filter-out %/runtime/images_open.o,$(CUDA_OBJ)) $(IMAGE_OBJ)
$(B)/host/libtmap-cuda.a: $(HOST_OBJ)
	@mkdir -p $(@D); rm -f $@
	$(Q)$(AR) rcs $@ $^
# make images: the kernels' machine code, of every architecture that ships.
.PHONY: images
images: $(IMAGE_OBJ)
NVCC_ARCH  ?= -gencode=arch=compute_90a,code=sm_90a
NVCC_FLAGS ?= -std=c++17 -O3 --Werror all-warnings -Xptxas -warn-spills,-warn-lmem-usage
# The copy suite's architectures; COPY_ARCHES="90a 100a 103a 120a 121a" makes it run on all of them.
COPY_ARCHES ?= 90a
# What the compiler said stays beside what it made: tests/kernels/test_images.sh reads its advisories.
NVCC_PACK  := $(if $(WITH_CUDA),$(shell $(NVCC) --help 2>/dev/null | grep -q -e --compress-mode && echo --compress-mode=speed))
keep_log     = >$@.log 2>&1; rc=$$?; cat $@.log >&2; exit $$rc
image_name  = image_$(subst /,_,$(patsubst src/kernels/%,%,$(1:.cu=)))

$(B)/%.fatbin: %.cu
	@mkdir -p $(@D) $(@D)/$(*F).keep
	$(if $(filter 1,$(V)),,@echo "  NVCC  $<")
	$(Q)$(NVCC) $(NVCC_FLAGS) -Xfatbin=-compress-all $(NVCC_PACK) $(NVCC_ARCH) $(NVCC_EXTRA) -Isrc -Itests -Iinclude -MD -MP -MF $@.d -MT $@ \
	  --keep --keep-dir $(@D)/$(*F).keep -fatbin -o $@ $< $(keep_log)
	$(Q)mv -f $$(ls $(@D)/$(*F).keep/*.ptx | head -1) $(@:.fatbin=.ptx); rm -rf $(@D)/$(*F).keep
# The PTX of an image lies beside it, for the emulator's tests; alone it is made without ptxas.
$(B)/%.ptx: %.cu
	@mkdir -p $(@D)
	$(Q)$(NVCC) -std=c++17 -O3 -arch=sm_$(firstword $(PTX_ARCH) 90a) -Isrc -Itests -Iinclude -MD -MP -MF $@.d -MT $@ -ptx -o $@ $<

$(B)/src/kernels/copy/%.fatbin $(B)/tests/device/%.fatbin: NVCC_ARCH = $(call gencode,$(COPY_ARCHES))
# A family's code runs on every chip of the family: 10.0 and 10.3; 11.0; 12.0 and 12.1. Integers in tensor
# memory are 100a's and 110a's alone (ptxas). make kernels-exact compiles for each chip by itself.
TENSOR_ARCHES ?= 100f 110f
TENSOR_S8     ?= 100a 110a
WARPS_ARCHES  ?= 120f
gencode = $(foreach a,$(1),-gencode=arch=compute_$(a),code=sm_$(a))
tensor_arches = $(if $(findstring /sm100/i8,$@),$(TENSOR_S8),$(TENSOR_ARCHES))
# What fills and checks a product's matrices is plain code, for every chip that has products.
$(B)/src/kernels/gemm/sm90/probe.fatbin: NVCC_ARCH = $(call gencode,90a $(TENSOR_ARCHES) $(WARPS_ARCHES))
$(B)/src/kernels/gemm/sm120/%.ptx: PTX_ARCH = $(WARPS_ARCHES)
$(B)/src/kernels/gemm/sm120/%.fatbin: NVCC_ARCH = $(call gencode,$(WARPS_ARCHES))
$(B)/src/kernels/gemm/sm100/%.ptx: PTX_ARCH = $(tensor_arches)
$(B)/src/kernels/gemm/sm100/%.fatbin: NVCC_ARCH = $(call gencode,$(tensor_arches))
$(B)/tests/device/gemm/%.fatbin: NVCC_ARCH = -gencode=arch=compute_90a,code=sm_90a
$(B)/tests/device/gemm/%_sm100.ptx: PTX_ARCH = $(TENSOR_ARCHES)
$(B)/tests/device/gemm/%_sm120.ptx: PTX_ARCH = $(WARPS_ARCHES)
$(B)/tests/device/gemm/%_sm120.fatbin: NVCC_ARCH = $(call gencode,$(WARPS_ARCHES))
$(B)/tests/device/gemm/%_sm100.fatbin: NVCC_ARCH = $(call gencode,$(TENSOR_ARCHES))

$(B)/%.image.o: $(if $(WITH_CUDA),$(B)/%.fatbin,%.cu) src/kernels/build.mk $(B)/.config
	@mkdir -p $(@D)
	$(Q)n=$(call image_name,$*.cu); { \
	  printf '.section .rodata\n.balign 64\n.globl %s, %s_bytes\n' $$n $$n; \
	  printf '.hidden %s, %s_bytes\n%s:\n' $$n $$n $$n; \
	  $(if $(WITH_CUDA),printf '.incbin "$(B)/$*.fatbin"\n';) \
	  printf '0: .balign 8\n%s_bytes: .quad 0b - %s\n' $$n $$n; \
	  printf '.section .note.GNU-stack,"",%%progbits\n'; } > $(@:.o=.s)
	$(Q)$(CC) -c -o $@ $(@:.o=.s)
.PRECIOUS: $(B)/%.fatbin

# The list of images, for src/kernels/runtime/images.c; written anew only when it changes.
IMAGES_DEF := $(B)/gen/kernels/images.def
$(IMAGES_DEF): FORCE
	@mkdir -p $(@D); n=$@.$$$$; for i in $(sort $(IMAGE_CU:src/kernels/%.cu=%)); do \
	  echo "IMAGE(image_$$i, \"$$i\")" | sed ':a; s|^\([^,]*\)/|\1_|; ta'; done >$$n; cmp -s $$n $@ || cp $$n $@; rm -f $$n
$(B)/src/kernels/runtime/images.o: $(IMAGES_DEF)

# make kernels-cross: the copy suite for the architectures after Hopper, each kernel's code scanned.
CROSS_ARCHES ?= 100a 103a 120a 121a
COPY_NAMES   := $(patsubst src/kernels/copy/%.cu,%,$(wildcard src/kernels/copy/*.cu))
CROSS        := $(foreach a,$(CROSS_ARCHES),$(COPY_NAMES:%=$(B)/cross/sm_$(a)/%.cubin))
define cross_rule
$(B)/cross/sm_$(1)/%.cubin: src/kernels/copy/%.cu
	@mkdir -p $$(@D)
	$$(if $$(filter 1,$$(V)),,@echo "  NVCC  $$< for sm_$(1)")
	$$(Q)$$(NVCC) $$(NVCC_FLAGS) -gencode=arch=compute_$(1),code=sm_$(1) -Isrc -Iinclude \
	  -MD -MP -MF $$@.d -MT $$@ -cubin -o $$@ $$< $$(keep_log)
endef
$(foreach a,$(CROSS_ARCHES),$(eval $(call cross_rule,$(a))))
.PHONY: kernels-cross
kernels-cross: $(CROSS) cli
	@$(B)/tmap kernels scan $(CROSS)

# make kernels-exact: the products after Hopper, compiled for each chip by itself.
EXACT := $(patsubst src/%.cu,$(B)/exact/src/%.fatbin,$(wildcard src/kernels/gemm/sm100/*.cu src/kernels/gemm/sm120/*.cu))
.PHONY: kernels-exact
kernels-exact:
	@$(MAKE) --no-print-directory B=$(B)/exact TENSOR_ARCHES="100a 103a 110a" WARPS_ARCHES="120a 121a" $(EXACT)
