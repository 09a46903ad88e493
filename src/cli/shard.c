/* shard.c : see shard.h. */
#include "cli/shard.h"

#include <stdlib.h>

void cli_shard_piped(struct cli *cli)
{
    cli_usage(cli, "--shard needs files: what is piped is read once, and counted before");
}

bool cli_shard_get(struct cli *cli, struct cli_shard *out)
{
    const char *text = cli_get(cli, "shard");
    char *end = NULL, *last = NULL;

    *out = (struct cli_shard){0, 0};
    if (!text) return true;
    const unsigned long long i = strtoull(text, &end, 10);
    const unsigned long long n = *end == '/' ? strtoull(end + 1, &last, 10) : 0;
    if (text[0] < '0' || text[0] > '9' || !last || *last || end[1] < '0' || end[1] > '9' || i < 1 ||
        i > n || n > UINT32_MAX) {
        cli_usage(cli, "--shard takes I/N with I from 1 to N, not '%s'", text);
        return false;
    }
    if (cli->format != IO_JSONL) {
        cli_usage(cli, "--shard needs -f jsonl: the parts of no other format can be put together");
        return false;
    }
    if (cli->operand_count == 0) {
        cli_shard_piped(cli);
        return false;
    }
    *out = (struct cli_shard){i - 1, n};
    return true;
}

/* n * index / count without a product: count is below 2^32. */
static uint64_t before(uint64_t n, uint64_t index, uint64_t count)
{
    return n / count * index + n % count * index / count;
}

void cli_shard_range(const struct cli_shard *shard, uint64_t n, uint64_t *first, uint64_t *end)
{
    *first = shard->count ? before(n, shard->index, shard->count) : 0;
    *end = shard->count ? before(n, shard->index + 1, shard->count) : n;
}
