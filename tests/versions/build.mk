# make versions: every toolkit as a witness, through pip.
# make forms: what is generated from that.
# `make versions` needs the network (pip, half a gigabyte the first time)
# and some minutes; it lists what each toolkit says and ends with the tests that replay the committed
# data, which are part of `make test` too. `make forms` writes what is generated from that data.
VERSIONS_DIR ?= $(B)/versions
.PHONY: versions forms
versions: $(B)/tests/versions/test_versions $(B)/tests/versions/test_reader
	tests/versions/fetch $(VERSIONS_DIR)
	tests/versions/record $(VERSIONS_DIR) $(VERSIONS_DIR)
	tests/versions/compare tests/versions $(VERSIONS_DIR)
	@B=$(B) tests/run $(B)/tests/versions/test_versions $(B)/tests/versions/test_reader \
	  tests/versions/test_tables.sh
forms:
	tests/versions/forms tests/versions/ptxas.json src/rules/targets.def > $(B)/forms.def
	cp $(B)/forms.def src/rules/forms.def
	tests/versions/forms --example > tests/io/ptx/every_form.ptx
	tests/versions/report tests/versions/headers.json tests/versions/ptxas.json docs/VERSIONS.md
