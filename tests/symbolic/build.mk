# A sym_take() of the tests' own refuses each piece of memory (tests/symbolic/refuse_piece.h).
$(B)/tests/symbolic/test_pieces $(B)/tests/symbolic/test_lower: TEST_MORE = -Wl,--wrap=sym_take
