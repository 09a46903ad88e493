# What `tmap --version` says of the rules: the hash of their tables.
RULES_HASH := $(B)/gen/cli/rules_hash.h
$(RULES_HASH): $(wildcard src/rules/*.def)
	@mkdir -p $(@D)
	@printf '#define TMAP_RULES_HASH "%s"\n' "$$(cat $^ | sha256sum | cut -c1-12)" >$@
$(B)/src/cli/version.o: $(RULES_HASH)
