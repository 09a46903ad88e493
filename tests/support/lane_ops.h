/* One PTX instruction, or a few, on 256 threads with operands of their own: by full warps, and by
 * those lanes alone whose number has neither bit 0 nor bit 2. */
#ifndef TMAP_TESTS_LANE_OPS_H
#define TMAP_TESTS_LANE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANE_CASES = 256, LANE_SOURCES = 4 };
#define LANE_ANY 0xa11a11a11a11a11aull /* what the ISA leaves open */

struct lane_case {
    uint64_t in[LANE_SOURCES]; /* $A, $B, $C, $E */
    uint64_t out, part;        /* of full warps; of some lanes, the others' as they were */
    uint64_t more[2];
};

/* text: an opcode, or statements with $D, $A, $B, $C, $E. shape: a letter for D and each source:
 * h, r, d a register of 16, 32, 64 bits, p a predicate (bit 0). False with a word why not. */
bool lane_ops(const char *target, const char *text, const char *shape,
              struct lane_case cases[LANE_CASES]);

/* What a lane that does not take part has in `part`. */
uint64_t lane_untouched(char letter);
bool lane_takes_part(uint32_t thread);
uint64_t lane_width(char letter, uint64_t value); /* cut to the letter's bits */

/* Runs it on the cases and compares every lane with `expect` of its sources, cut to their widths;
 * tells of the first that differ. */
typedef uint64_t lane_expect(const uint64_t in[LANE_SOURCES], const void *with);
bool lane_check(const char *target, const char *text, const char *shape,
                struct lane_case cases[LANE_CASES], lane_expect *expect, const void *with);

/* Draws sources: half of them from `edges`. */
void lane_draw(struct lane_case cases[LANE_CASES], const uint64_t *edges, size_t count,
               uint64_t seed);

#endif
