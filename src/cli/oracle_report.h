/* oracle_report.h : what the oracle's run and a corpus's replay found, as text and as JSON. */
#ifndef TMAP_CLI_ORACLE_REPORT_H
#define TMAP_CLI_ORACLE_REPORT_H

#include "cli/cli.h"
#include "tmap/driver.h"

/* For %llu. */
static inline unsigned long long llu(uint64_t v)
{
    return (unsigned long long)v;
}

/* A run's counts and the disagreements that it kept. */
void oracle_print_text(const struct tmap_driver *driver, const struct tmap_oracle_result *r);
void oracle_print_json(const struct tmap_driver *driver, const struct tmap_oracle_result *r,
                       uint64_t seed);
/* One block of -f jsonl: nothing in it depends on threads, time or the other blocks. user: the
 * driver. */
void oracle_print_block(void *user, uint64_t number, const struct tmap_oracle_result *r);

/* A corpus: one case of it; of a file of so many bytes and that hash, what a replay found. */
void oracle_print_case(const struct tmap_corpus_case *c);
void oracle_print_replay(const char *path, uint64_t bytes, uint64_t hash,
                         const struct tmap_corpus_result *r);
void oracle_print_replay_json(const struct cli *cli, const char *path, uint64_t bytes,
                              uint64_t hash, const struct tmap_corpus_result *r);

#endif
