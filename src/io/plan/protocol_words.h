/* The keys of a protocol's steps, for reading and for writing. */
#ifndef TMAP_IO_PROTOCOL_WORDS_H
#define TMAP_IO_PROTOCOL_WORDS_H

#include "tmap/solve.h"

/* What a step's own key names; NAMES_COUNT: it is a number. */
enum names { NAMES_NONE, NAMES_BARRIER, NAMES_BUFFER, NAMES_RING, NAMES_SYNC, NAMES_COUNT };

/* What a step's own key means: what its value names, and whether "barrier" and "bytes" go with it.
 */
struct protocol_word {
    const char *key;
    uint8_t op, names;
    bool barrier, bytes;
};

#define PROTOCOL_PARTS                                                                             \
    {                                                                                              \
        "start", "tile", "block", "flush", "end"                                                   \
    }

// clang-format off
#define PROTOCOL_WORDS {                                                     \
    {"init", TMAP_STEP_INIT, NAMES_NONE, false, false},                      \
    {"fence_init", TMAP_STEP_FENCE_INIT, NAMES_NONE, false, false},          \
    {"sync", TMAP_STEP_SYNC, NAMES_SYNC, false, false},                      \
    {"wait", TMAP_STEP_WAIT, NAMES_BARRIER, false, false},                   \
    {"wait_free", TMAP_STEP_WAIT_FREE, NAMES_BARRIER, false, false},         \
    {"arrive", TMAP_STEP_ARRIVE, NAMES_BARRIER, false, false},               \
    {"expect", TMAP_STEP_EXPECT, NAMES_BARRIER, false, true},                \
    {"load", TMAP_STEP_LOAD, NAMES_BUFFER, true, true},                      \
    {"read", TMAP_STEP_READ, NAMES_BUFFER, false, false},                    \
    {"done", TMAP_STEP_DONE, NAMES_BUFFER, false, false},                    \
    {"commit", TMAP_STEP_COMMIT, NAMES_BUFFER, true, false},                 \
    {"write", TMAP_STEP_WRITE, NAMES_BUFFER, false, false},                  \
    {"fence", TMAP_STEP_FENCE, NAMES_NONE, false, false},                    \
    {"store", TMAP_STEP_STORE, NAMES_BUFFER, false, false},                  \
    {"wait_read", TMAP_STEP_WAIT_READ, NAMES_COUNT, false, false},           \
    {"advance", TMAP_STEP_ADVANCE, NAMES_RING, false, false},                \
    {"release", TMAP_STEP_RELEASE, NAMES_BUFFER, true, false},               \
    {"mark", TMAP_STEP_MARK, NAMES_NONE, false, false},                      \
    {"begin", TMAP_STEP_BEGIN, NAMES_BUFFER, false, false},                  \
    {"pass", TMAP_STEP_PASS, NAMES_SYNC, false, false},                      \
    {"restart", TMAP_STEP_RESTART, NAMES_RING, false, false},                \
}
// clang-format on

#endif
