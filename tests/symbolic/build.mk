# Each piece of memory that a question takes is refused by the test's own sym_take().
$(B)/tests/symbolic/test_pieces: TEST_MORE = -Wl,--wrap=sym_take
