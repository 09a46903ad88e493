# make bless: run every golden test and write down what it prints. Read the diff before committing.
.PHONY: bless
bless: all
	@BLESS=1 B=$(B) VERSION=$(VERSION) tests/cli/test_cli.sh
