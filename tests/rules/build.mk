# make docs: the generated pages of docs/, and what the commands in the others print.
docs: cli
	tests/rules/rules-page $(B)/tmap >docs/RULES.md
	tests/rules/coverage-table >docs/COVERAGE.md
	for f in $$(grep -lE '^(```console|<!-- commands -->)$$' README.md docs/*.md); do \
	  tests/examples/page $$f >$(B)/page.md && cp $(B)/page.md $$f; done
