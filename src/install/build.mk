# Installing: make install PREFIX=/usr/local LIBDIR= DESTDIR=. What is built is installed; install-files
# builds nothing but the text files, so that it can be tested without a second build.
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
PYTHON     ?= python3
INSTALL_IN := src/install
STAGE       = $(B)/install

# The parts: each is a library, a pkg-config module and a CMake target. emulate comes with src/emulate.
PARTS            := tmap tmap-symbolic tmap-cuda $(if $(wildcard src/emulate/*.c src/emulate/*/*.c),tmap-emulate)
ABOUT_tmap       := decides, explains, repairs and encodes NVIDIA TMA tensor-map descriptors
ABOUT_tmap-symbolic := conditions, guards, differences and proofs of tensor maps
ABOUT_tmap-cuda  := the live driver, and copy and matrix-product kernels on tensor maps
ABOUT_tmap-emulate := runs kernels that use the tensor memory accelerator on a CPU
PRIVATE_tmap-symbolic = $(SYMBOLIC_LIBS)
PRIVATE_tmap-cuda     = $(CUDA_LIBS)
cmake_libs = $(subst $(space),;,$(patsubst -l%,%,$(1)))
space     := $(subst ,, )

# Of this very PREFIX, whatever an earlier build was for.
define configure
	@mkdir -p $(STAGE)
	@for m in $(PARTS); do $(foreach m,$(PARTS),[ $$m != $(m) ] || { about='$(ABOUT_$(m))'; private='$(PRIVATE_$(m))'; };) \
	  sed -e "s|@NAME@|$$m|; s|@ABOUT@|$$about|; s|@PRIVATE@|$$private|; s|@VERSION@|$(VERSION)|" \
	  -e "s|@REQUIRES@|$$([ $$m = tmap ] || echo 'tmap = $(VERSION)')|; /^[A-Za-z.]*: $$/d" \
	  -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|; s|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${prefix}/%)|' \
	  $(INSTALL_IN)/module.pc.in >$(STAGE)/$$m.pc; done
	@up=$$(echo '$(LIBDIR:$(PREFIX)/%=%)/cmake/tmap' | sed 's|[^/][^/]*|..|g'); \
	for f in tmap-config.cmake tmap-config-version.cmake; do \
	  sed -e "s|@UP@|$$up|; s|@VERSION@|$(VERSION)|; s|@MAJOR@|$(word 1,$(subst ., ,$(VERSION)))|; s|@MINOR@|$(word 2,$(subst ., ,$(VERSION)))|" \
	  -e 's|@SYMBOLIC_PRIVATE@|$(call cmake_libs,$(SYMBOLIC_LIBS))|; s|@CUDA_PRIVATE@|$(call cmake_libs,$(CUDA_LIBS))|' \
	  -e 's|@LIBDIR@|$(if $(filter $(PREFIX)/%,$(LIBDIR)),$${_tmap_prefix}/$(LIBDIR:$(PREFIX)/%=%),$(LIBDIR))|; s|@INCLUDEDIR@|$(if $(filter $(PREFIX)/%,$(INCLUDEDIR)),$${_tmap_prefix}/$(INCLUDEDIR:$(PREFIX)/%=%),$(INCLUDEDIR))|' \
	  $(INSTALL_IN)/$$f.in >$(STAGE)/$$f; done
endef

# Manual pages and completions, from the command's own tables and the headers' comments.
define generate
	@rm -rf $(STAGE)/man $(STAGE)/completions; if command -v $(PYTHON) >/dev/null 2>&1; then \
	  $(PYTHON) $(INSTALL_IN)/generate $(B)/tmap $(VERSION) $(STAGE); \
	else echo 'no $(PYTHON): no manual pages, no completions'; fi
endef

.PHONY: install install-files uninstall
install: all $(if $(shell command -v $(PYTHON) 2>/dev/null),conformance) install-files
install-files:
	$(configure)
	$(generate)
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/tmap $(PREFIX)/lib \
	  $(INCLUDEDIR)/tmap $(DATADIR)/tmap/schema)
	install -m 755 $(B)/tmap $(DESTDIR)$(BINDIR)/
	install -m 644 include/tmap/*.h include/tmap/*.hpp $(DESTDIR)$(INCLUDEDIR)/tmap/
	install -m 644 $(PARTS:%=$(B)/lib%.a) $(DESTDIR)$(LIBDIR)/
	cd $(B) && cp -P $(foreach m,$(PARTS),lib$(m).so lib$(m).so.$(SOMAJOR) lib$(m).so.$(VERSION)) $(DESTDIR)$(LIBDIR)/
	install -m 755 $(IMAGE_SO) $(DESTDIR)$(LIBDIR)/
	install -m 644 $(B)/libtmap-trace.so $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(PARTS:%=$(STAGE)/%.pc) $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 $(STAGE)/tmap-config.cmake $(STAGE)/tmap-config-version.cmake $(DESTDIR)$(LIBDIR)/cmake/tmap/
	@if [ -d $(B)/conformance ]; then install -d $(DESTDIR)$(DATADIR)/tmap/conformance && \
	  install -m 644 $(B)/conformance/* $(DESTDIR)$(DATADIR)/tmap/conformance/; fi
	install -m 644 docs/schema/*.json $(DESTDIR)$(DATADIR)/tmap/schema/
	@if [ -d $(STAGE)/man ]; then \
	  install -d $(addprefix $(DESTDIR),$(MANDIR)/man1 $(MANDIR)/man3 $(DATADIR)/bash-completion/completions \
	    $(DATADIR)/zsh/site-functions $(DATADIR)/fish/vendor_completions.d) && \
	  install -m 644 $(STAGE)/man/*.1 $(DESTDIR)$(MANDIR)/man1/ && \
	  install -m 644 $(STAGE)/man/*.3 $(DESTDIR)$(MANDIR)/man3/ && \
	  install -m 644 $(STAGE)/completions/tmap.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/tmap && \
	  install -m 644 $(STAGE)/completions/_tmap $(DESTDIR)$(DATADIR)/zsh/site-functions/ && \
	  install -m 644 $(STAGE)/completions/tmap.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/; fi
uninstall:
	rm -rf $(addprefix $(DESTDIR),$(BINDIR)/tmap $(INCLUDEDIR)/tmap $(LIBDIR)/cmake/tmap $(DATADIR)/tmap \
	  $(PREFIX)/lib/libtmap-trace.so $(PARTS:%=$(LIBDIR)/pkgconfig/%.pc) $(DATADIR)/zsh/site-functions/_tmap \
	  $(DATADIR)/bash-completion/completions/tmap $(DATADIR)/fish/vendor_completions.d/tmap.fish)
	rm -f $(foreach m,$(PARTS),$(DESTDIR)$(LIBDIR)/lib$(m).a $(DESTDIR)$(LIBDIR)/lib$(m).so*) \
	  $(addprefix $(DESTDIR)$(LIBDIR)/,$(notdir $(IMAGE_SO))) \
	  $(DESTDIR)$(MANDIR)/man1/tmap.1 $(DESTDIR)$(MANDIR)/man1/tmap-*.1 $(DESTDIR)$(MANDIR)/man3/tmap_*.3

# make dist: a source tarball and, where dpkg-deb is, a .deb, in build/dist.
DIST       := $(B)/dist
DIST_NAME  := tmap-$(VERSION)
DEB_ARCH    = $(shell dpkg --print-architecture 2>/dev/null)
DEB_MULTI   = $(shell $(CC) -print-multiarch 2>/dev/null)
.PHONY: dist dist-tar dist-deb dist-conformance
dist: dist-tar dist-conformance $(if $(shell command -v dpkg-deb 2>/dev/null),dist-deb)
dist-tar:
	@mkdir -p $(DIST)
	git archive --format=tar --prefix=$(DIST_NAME)/ HEAD | gzip -n9 >$(DIST)/$(DIST_NAME).tar.gz
dist-conformance: conformance
	@mkdir -p $(DIST)
	tar -C $(B) -czf $(DIST)/tmap-conformance-$(VERSION).tar.gz conformance
dist-deb: all
	@rm -rf $(DIST)/root
	@$(MAKE) --no-print-directory -s install-files PREFIX=/usr LIBDIR=/usr/lib/$(DEB_MULTI) DESTDIR=$(abspath $(DIST)/root)
	@$(INSTALL_IN)/deb $(DIST)/root $(VERSION) $(DEB_ARCH) $(DIST)/tmap_$(VERSION)_$(DEB_ARCH).deb
