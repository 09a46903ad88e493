# libtmap-trace.so goes into other programs: libc only, nothing of ours besides src/driver/inject.
TRACE_SO  := $(B)/libtmap-trace.so
TRACE_OBJ := $(call objs,src/driver/inject)
EXTRA_LIBS += $(TRACE_SO)
# Not sanitized and optimized always, whatever CFLAGS says: dlsym must be left by a tail call
# (interpose.c).
$(TRACE_OBJ): override CFLAGS := -O2 -g -fno-sanitize=all -foptimize-sibling-calls
$(TRACE_OBJ): WARN += -Wno-cast-function-type
$(TRACE_SO): $(TRACE_OBJ)
	$(Q)$(CC) -shared -Wl,-z,defs -Wl,-soname,libtmap-trace.so -o $@ $^ -ldl -lpthread
# The arguments of a call are the table's fields; their numbers are no part of libtmap's interface.
$(B)/libtmap-cuda.so: $(B)/src/expr/field.o $(B)/src/expr/values.o
