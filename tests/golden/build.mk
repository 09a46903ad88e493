# docs/EVIDENCE.md comes from the rows, the recorded corpus and tests/golden/evidence-notes.md.
docs: evidence-page
.PHONY: evidence-page
evidence-page: cli
	tests/golden/evidence-page $(B)/tmap >$(B)/EVIDENCE.md && cp $(B)/EVIDENCE.md docs/EVIDENCE.md
