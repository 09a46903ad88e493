# A sym_take() of the tests' own refuses each piece of memory (tests/symbolic/refuse_piece.h).
$(B)/tests/symbolic/test_pieces $(B)/tests/symbolic/test_lower: TEST_MORE = $(patsubst %,-Wl$(COMMA)--wrap=sym_%,take copy open)
COMMA := ,
# What is not there, for a test of what is said then.
$(B)/tests/symbolic/test_without: TEST_MORE = $(if $(WITH_ISL),$(if $(WITH_Z3),$(patsubst %,-Wl$(COMMA)--wrap=%,\
  dlopen dlsym malloc isl_ctx_alloc isl_ctx_resume isl_ctx_last_error isl_map_to_str isl_set_to_str \
  isl_pw_multi_aff_to_str pthread_mutex_init)))
