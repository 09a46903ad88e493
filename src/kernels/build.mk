# Kernels: src/kernels/<path>/<name>.cu -> a fatbin -> an object with image_<path>_<name>[] and
# uint64_t image_<path>_<name>_bytes. Without nvcc that is 0, and the host side says so. The same rules
# make image_tests_device_<name>[] and so on of the kernels that only a test or a bench launches.
IMAGE_CU   := $(wildcard src/kernels/*/*.cu src/kernels/*/*/*.cu)
IMAGE_OBJ  := $(patsubst %.cu,$(B)/%.image.o,$(IMAGE_CU))
IMAGES     := $(sort $(IMAGE_CU:src/kernels/%.cu=%))
# The command, and tests that launch nothing, link all but the images, and open libtmap-cuda.so when
# one is asked for (runtime/images_open.c): nobody waits for kernels that are not run.
HOST_OBJ   := $(filter-out %/runtime/images.o,$(CUDA_OBJ))
CUDA_OBJ   := $(filter-out %/runtime/images_open.o %/runtime/images.o,$(CUDA_OBJ))
# Which image lies in which shared library: those of LIB_L in libtmap-cuda-L, which libtmap-cuda.so opens
# (runtime/images.c), for each L named here; all others in libtmap-cuda.so. libtmap-cuda.a has all. A library
# for each family after Hopper, on Hopper one for fp8, one for integers, one for operands by rows of M or N, with a bias
# and an activation or none, and one for what few programs ask of it, looked through in this order. None takes more than 12 MB.
IMAGE_LIBS := fp8 s8 majors more sm100 sm120
LIB_more   := $(addprefix gemm/sm90/,%_conv %_gated %_early %_epilogue %_gated_majors %_epilogue_majors mixed_% groups_%)
LIB_fp8    := $(addprefix gemm/sm90/,e5m2% e4m3 $(addprefix e4m3_,blocks high promoted widths))
LIB_s8     := gemm/sm90/s8%
LIB_majors := $(addprefix gemm/sm90/,$(foreach k,bf16 f16,$(k)_majors $(k)_quick_majors))
LIB_sm100  := gemm/sm100/%
LIB_sm120  := gemm/sm120/%
IMAGE_SO   := $(IMAGE_LIBS:%=$(B)/libtmap-cuda-%.so.$(VERSION))
EXTRA_LIBS += $(IMAGE_SO)
images_of   = $(if $(filter $(1),$(IMAGE_LIBS)),$(filter $(LIB_$(1)),$(IMAGES)),$(filter-out $(foreach f,$(IMAGE_LIBS),$(LIB_$(f))),$(IMAGES)))
objects_of  = $(B)/src/kernels/runtime/images-$(1).o $(patsubst %,$(B)/src/kernels/%.image.o,$(call images_of,$(1)))
CUDA_SO_OBJ := $(CUDA_OBJ) $(call objects_of,cuda)
CUDA_OBJ    += $(B)/src/kernels/runtime/images-all.o $(IMAGE_OBJ)
$(IMAGE_SO): $(B)/libtmap-cuda-%.so.$(VERSION): src/libtmap.map
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=src/libtmap.map $(LDFLAGS) -o $@ $(filter %.o,$^) -ldl
$(foreach f,$(IMAGE_LIBS),$(eval $(B)/libtmap-cuda-$(f).so.$(VERSION): $(call objects_of,$(f))))
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
# Made anew when others are asked for: tests/device/run on a later chip would find no copies else.
$(B)/.copy-arches: FORCE
	@mkdir -p $(@D); [ "$$(cat $@ 2>/dev/null)" = '$(COPY_ARCHES)' ] || echo '$(COPY_ARCHES)' >$@
$(patsubst %.cu,$(B)/%.fatbin,$(wildcard src/kernels/copy/*.cu tests/device/*.cu)): $(B)/.copy-arches
# A family's code runs on every chip of the family: 10.0 and 10.3; 11.0; 12.0 and 12.1. Integers in tensor
# memory are 100a's and 110a's alone (ptxas). make kernels-exact compiles for each chip by itself.
TENSOR_ARCHES ?= 100f 110f
TENSOR_S8     ?= 100a 110a
WARPS_ARCHES  ?= 120f
gencode = $(foreach a,$(1),-gencode=arch=compute_$(a),code=sm_$(a))
tensor_arches = $(if $(filter %i8,$(basename $@)),$(TENSOR_S8),$(TENSOR_ARCHES))
# What fills and checks a product's matrices is plain code, for every chip that has products.
$(B)/src/kernels/gemm/sm90/probe.fatbin: NVCC_ARCH = $(call gencode,90a $(TENSOR_ARCHES) $(WARPS_ARCHES))
$(B)/src/kernels/gemm/sm90/probe.ptx: PTX_ARCH = $(TENSOR_ARCHES)
$(B)/src/kernels/gemm/sm120/%.ptx: PTX_ARCH = $(WARPS_ARCHES)
$(B)/src/kernels/gemm/sm120/%.fatbin: NVCC_ARCH = $(call gencode,$(WARPS_ARCHES))
$(B)/src/kernels/gemm/sm100/%.ptx: PTX_ARCH = $(tensor_arches)
$(B)/src/kernels/gemm/sm100/%.fatbin: NVCC_ARCH = $(call gencode,$(tensor_arches))
$(B)/tests/device/gemm/%.fatbin $(B)/tests/device/paged/%.fatbin: NVCC_ARCH = -gencode=arch=compute_90a,code=sm_90a
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

# The lists of images, for src/kernels/runtime/images.c, and what is compiled with each; a list is written
# anew only when it changes.
define image_list # NAME, IMAGES, LIBRARIES
$(B)/gen/kernels/$(1).def: FORCE
	@mkdir -p $$(@D); printf '%s\n' $(foreach i,$(2),'IMAGE(image_$(subst /,_,$(i)), "$(i)")') \
	  $(foreach f,$(3),'LIBRARY("libtmap-cuda-$(f).so")') >$$@.new; cmp -s $$@.new $$@ || cp $$@.new $$@; rm -f $$@.new
$(B)/src/kernels/runtime/images-$(1).o: OBJ_CFLAGS = -DIMAGES='"kernels/$(1).def"'
$(B)/src/kernels/runtime/images-$(1).o: src/kernels/runtime/images.c $(B)/gen/kernels/$(1).def $(B)/.config
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(OBJ_CFLAGS) -c -o $$@ $$<
endef
$(eval $(call image_list,all,$(IMAGES)))
$(eval $(call image_list,cuda,$(call images_of,cuda),$(IMAGE_LIBS)))
$(foreach f,$(IMAGE_LIBS),$(eval $(call image_list,$(f),$(call images_of,$(f)))))

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
