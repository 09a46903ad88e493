# Every toolkit as a witness. `make versions` needs the network (pip); `make forms` does not; the
# test that replays the committed data is test_versions.c.
VERSIONS_DIR ?= $(B)/versions
.PHONY: versions forms
versions:
	tests/versions/fetch $(VERSIONS_DIR)
	tests/versions/record $(VERSIONS_DIR) $(VERSIONS_DIR)
	tests/versions/compare tests/versions $(VERSIONS_DIR)
forms:
	tests/versions/forms tests/versions/ptxas.json src/rules/targets.def > $(B)/forms.def
	cp $(B)/forms.def src/rules/forms.def
	tests/versions/forms --example > tests/io/ptx/every_form.ptx
	tests/versions/report tests/versions/headers.json tests/versions/ptxas.json docs/VERSIONS.md
