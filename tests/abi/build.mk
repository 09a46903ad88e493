# make abi: write down what programs rely on, for the next release to be compared with (docs/ABI.md).
.PHONY: abi
abi: lib
	@python3 tests/abi/dump.py $(B) >tests/abi/$(VERSION).txt
