# make conformance: the suite that other projects test against, in build/conformance (docs/CONFORMANCE.md).
CONFORMANCE := $(B)/conformance
.PHONY: conformance
conformance: $(CONFORMANCE)/manifest.json
$(B)/tests/conformance/suite: tests/conformance/suite.c $(IO_OBJ) $(LINK_ALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Itests -o $@ $< $(IO_OBJ) $(LINK_ALL) $(CLI_LIBS) $(LIBS_ALL)
$(CONFORMANCE)/manifest.json: $(B)/tests/conformance/suite tests/golden/h200-580.bin tests/conformance/conformance.py
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)$(B)/tests/conformance/suite tests/golden/h200-580.bin $(@D)
	@cp tests/conformance/conformance.py docs/schema/conformance.json $(@D)/
	@$(PYTHON) tests/conformance/conformance.py manifest $(@D) $(VERSION)
test-build: $(B)/tests/conformance/suite
