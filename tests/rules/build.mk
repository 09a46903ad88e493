# make docs: the pages of docs/ that are generated from the tables.
docs: cli
	tests/rules/rules-page $(B)/tmap >docs/RULES.md
	tests/rules/coverage-table >docs/COVERAGE.md
	tests/examples/readme-page >$(B)/README.md && cp $(B)/README.md README.md
