# make docs: the generated pages of docs/, and README's output and table.
docs: cli
	tests/rules/rules-page $(B)/tmap >docs/RULES.md
	tests/rules/coverage-table >docs/COVERAGE.md
	tests/examples/readme-page >$(B)/README.md && cp $(B)/README.md README.md
