# tests/core/test_cost.sh counts the instructions of one pass of bench/check.
test-build: $(B)/bench/check
