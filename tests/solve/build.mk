# make prove-plans: a million repairs and a hundred thousand requested tiles, every plan checked
# (tests/solve/test_plans.c); PLANS_SEED=N for others. About an hour of one core.
PLANS_SEED ?= 1
.PHONY: prove-plans
prove-plans: $(B)/tests/solve/test_plans
	PLANS_REPAIRS=1000000 PLANS_SOLVES=100000 PLANS_SEED=$(PLANS_SEED) $<
