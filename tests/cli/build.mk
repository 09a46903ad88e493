# make bless: write down what every golden test prints; read the diff before committing.
.PHONY: bless
bless: all
	@BLESS=1 B=$(B) VERSION=$(VERSION) tests/cli/test_cli.sh
# make sweep: every command with what can go wrong around it: each allocation, each way in which output
# cannot be written, signals at random moments (tests/cli/sweep.py). SWEEP="--every 7" does less.
.PHONY: sweep
sweep: cli
	@python3 tests/cli/sweep.py $(SWEEP) $(B)
