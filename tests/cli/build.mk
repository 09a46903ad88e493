# make bless: write down what every golden test prints; read the diff before committing.
.PHONY: bless
bless: all
	@BLESS=1 B=$(B) VERSION=$(VERSION) tests/cli/test_cli.sh
