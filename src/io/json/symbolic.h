/* symbolic.h : the expressions of a record that was read with IO_SYMBOLIC. */
#ifndef TMAP_IO_SYMBOLIC_H
#define TMAP_IO_SYMBOLIC_H

#include "io/json/record.h"
#include "tmap/symbolic.h"

/* io_symbolic_of() : record's descriptor with its expressions, which live as long as the record. */
void io_symbolic_of(const struct io_record *record, struct tmap_symbolic_desc *out);

/* io_symbolic_uses_of() : the record's uses with their expressions, record->use_count of them. */
void io_symbolic_uses_of(const struct io_record *record, struct tmap_symbolic_use *out);

/* io_assumptions_of() : the texts of "assume"; writes at most cap, returns how many there are. */
size_t io_assumptions_of(const struct io_record *record, const char **out, size_t cap);

#endif
