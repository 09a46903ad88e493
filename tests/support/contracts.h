/* What the evidence of a row makes of it, as a line of text. */
#ifndef TMAP_TESTS_SUPPORT_CONTRACTS_H
#define TMAP_TESTS_SUPPORT_CONTRACTS_H

#include "expr/row.h"

#define CONTRACT_LINE 240

/* "TMA014 violation documented 1200/- 1200/- driver ...": for each contract, on the observed target
 * and on another, the first toolkit and the first PTX version from which the row counts: 0 for
 * every one, - for none. Each is searched with the other version 0, one version at a time. */
void contract_line(const struct row *r, char out[CONTRACT_LINE]);

#endif
