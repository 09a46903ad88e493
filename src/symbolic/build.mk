# The shared library carries its own copy of the rows: libtmap.so exports the public functions only.
$(B)/libtmap-symbolic.so: $(call objs,src/expr)
