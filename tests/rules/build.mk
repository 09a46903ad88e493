# make docs: the pages of docs/ that are generated from the tables.
docs: cli
	tests/rules/rules-page $(B)/tmap >docs/RULES.md
	tests/rules/coverage-table >docs/COVERAGE.md
