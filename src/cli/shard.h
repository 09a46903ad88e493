/* shard.h : --shard I/N: one of N disjoint parts of the work, contiguous, so that the parts'
 * outputs in their order are the whole's. */
#ifndef TMAP_CLI_SHARD_H
#define TMAP_CLI_SHARD_H

#include "cli/cli.h"

struct cli_shard {
    uint64_t index, count; /* index from 0; count 0: there is no --shard */
};

/* cli_shard_get() : false, with a message, when the option is no I/N with 1 <= I <= N, or the
 * output is not JSON lines, which alone can be put together. */
bool cli_shard_get(struct cli *cli, struct cli_shard *out);

/* cli_shard_piped() : says that standard input, which is read once, cannot be counted before. */
void cli_shard_piped(struct cli *cli);

/* cli_shard_range() : of n things those from *first to before *end; all without --shard. */
void cli_shard_range(const struct cli_shard *shard, uint64_t n, uint64_t *first, uint64_t *end);

#define CLI_SHARD_OPTION                                                                           \
    {                                                                                              \
        "shard", 0, "I/N", "the I-th of N parts; with -f jsonl, and without totals"                \
    }

#endif
