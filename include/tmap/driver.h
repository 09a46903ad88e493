/* driver.h : the live NVIDIA driver, loaded at run time: encode calls that explain their refusals,
 * the differential oracle, its recorded corpus, and the trace of another program's calls.
 *
 * Nothing here needs cuda.h or links libcuda. A machine without a driver gets TMAP_E_NO_DRIVER and
 * words that say what is missing. Functions that take a struct tmap_driver may be called from any
 * thread; the driver itself is as thread-safe as NVIDIA's.
 */
#ifndef TMAP_DRIVER_H
#define TMAP_DRIVER_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_DRIVER_TEXT 256

struct tmap_driver; /* an open driver: one device, its primary context retained */

/* tmap_driver_open() : loads libcuda (path; NULL: the environment's TMAP_LIBCUDA, else
 *  libcuda.so.1), initializes it and makes the ordinal-th device's primary context current on this
 *  thread. The caller owns *out and closes it. why: a sentence about what is missing (may be NULL).
 *  Errors: TMAP_E_NO_DRIVER, TMAP_E_NO_DEVICE, TMAP_E_DRIVER, TMAP_E_MEMORY; *out is then NULL. */
TMAP_API enum tmap_status tmap_driver_open(const char *path, int ordinal, struct tmap_driver **out,
                                           char why[TMAP_DRIVER_TEXT]);
TMAP_API void tmap_driver_close(struct tmap_driver *driver); /* NULL is allowed */

/* What was opened. Strings live as long as the driver is open. */
struct tmap_driver_info {
    struct tmap_target target; /* what its verdicts are compared under */
    const char *gpu;           /* "NVIDIA H200" */
    const char *version;       /* "580.159.04"; "" when the system does not say */
    int cuda_version;          /* cuDriverGetVersion(): 13000 */
    int cc_major, cc_minor;
    bool has_im2col_wide;
};
TMAP_API void tmap_driver_describe(const struct tmap_driver *driver, struct tmap_driver_info *out);

#define TMAP_REPORT_VIOLATIONS 32

/* Why an encode call was refused, or why tmap thinks it was not the arguments. */
struct tmap_driver_report {
    int result; /* CUresult; -1: the driver has no such function; -2: not asked, see below */
    const char *result_name;   /* "CUDA_ERROR_INVALID_VALUE" */
    enum tmap_verdict verdict; /* tmap's, contract `driver`, the open driver's target */
    size_t found; /* violated rows; violations[] has at most TMAP_REPORT_VIOLATIONS of them */
    struct tmap_violation violations[TMAP_REPORT_VIOLATIONS];
    char
        text[1024]; /* for people; "" on success. With legal arguments it says to look elsewhere. */
};

/* tmap_driver_encode_tiled(), ..._im2col(), ..._im2col_wide() : the driver's calls, with the
 *  driver's own arguments in its own order behind the first two. Returns its CUresult. report may
 *  be NULL; it is filled on success too. map: as for the driver, 128 bytes. Two calls that driver
 * 580 answers by ending the process are not passed on and return -2: ranks above 8 (it reads that
 * many entries before it refuses), and NULL corner arrays of im2col. */
TMAP_API int tmap_driver_encode_tiled(struct tmap_driver *driver, struct tmap_driver_report *report,
                                      void *map, int dtype, uint32_t rank, void *address,
                                      const uint64_t *dim, const uint64_t *stride_bytes,
                                      const uint32_t *box, const uint32_t *elem_stride,
                                      int interleave, int swizzle, int l2_promotion, int oob_fill);
TMAP_API int tmap_driver_encode_im2col(struct tmap_driver *driver,
                                       struct tmap_driver_report *report, void *map, int dtype,
                                       uint32_t rank, void *address, const uint64_t *dim,
                                       const uint64_t *stride_bytes, const int *lower,
                                       const int *upper, uint32_t channels, uint32_t pixels,
                                       const uint32_t *elem_stride, int interleave, int swizzle,
                                       int l2_promotion, int oob_fill);
TMAP_API int tmap_driver_encode_im2col_wide(struct tmap_driver *driver,
                                            struct tmap_driver_report *report, void *map, int dtype,
                                            uint32_t rank, void *address, const uint64_t *dim,
                                            const uint64_t *stride_bytes, int lower_width,
                                            int upper_width, uint32_t channels, uint32_t pixels,
                                            const uint32_t *elem_stride, int interleave, int mode,
                                            int swizzle, int l2_promotion, int oob_fill);

/* tmap_driver_encode() : the call that desc describes. Returns CUresult, -1 when the driver lacks
 *  the function, -2 as above. map is written on success only. */
TMAP_API int tmap_driver_encode(struct tmap_driver *driver, const struct tmap_desc *desc,
                                struct tmap_map *map);

/* --- the oracle ---------------------------------------------------------------------------------
 * Random descriptors through the driver and through tmap: the same verdict and the same bytes? */

#define TMAP_ORACLE_ROWS 192
#define TMAP_ORACLE_KEPT 16

/* One descriptor on which the two differ. */
struct tmap_disagreement {
    struct tmap_desc desc, shrunk; /* as found; the smallest that still differs */
    int result;                    /* the driver's, for shrunk */
    enum tmap_verdict verdict;     /* tmap's, contract `driver`, for shrunk */
    bool bytes;                    /* both accept it: the maps differ */
    struct tmap_map driver_map, tmap_map;
    uint64_t number; /* of desc in the sequence */
};

struct tmap_oracle_progress {
    uint64_t done, of, disagreements;
    double seconds;
};

struct tmap_oracle_result;
struct tmap_oracle_options {
    uint64_t count;               /* descriptors; rounded up to whole chunks */
    uint64_t seed;                /* the sequence is a function of it alone */
    unsigned threads;             /* 0: one per processor */
    double seconds;               /* stop sooner, after about so long; 0: no limit */
    const struct tmap_desc *real; /* to mutate; may be NULL */
    size_t real_count;
    uint64_t stop_after; /* disagreements; 0: run to the end */
    void (*progress)(void *user, const struct tmap_oracle_progress *progress);
    void *user;
    uint64_t first; /* number of the first descriptor, rounded down to a whole chunk (2048) */
    uint64_t block; /* with each: descriptors between two calls, rounded up to whole chunks */
    /* of tmap_oracle_run(): a block's own result, block after block; number counts from first /
     * block. What it kept is in order, whatever the threads did. */
    void (*each)(void *user, uint64_t number, const struct tmap_oracle_result *block);
};

struct tmap_oracle_result {
    uint64_t count;             /* compared */
    uint64_t distinct_at_least; /* bits set in a table addressed by a 64-bit hash */
    uint64_t bound_count;       /* one unit inside or outside a row's bound */
    uint64_t bound_distinct_at_least;
    uint64_t by_kind[3][2];                 /* [kind][0 accepted, 1 refused] by the driver */
    uint64_t by_source[5];                  /* bound, random, real, enums, unusual */
    uint64_t row_side[TMAP_ORACLE_ROWS][2]; /* [row][0 inside, 1 outside] */
    uint64_t verdict_disagreements, byte_disagreements;
    uint64_t refused_but_written; /* the driver touched the buffer of a call that it refused */
    uint64_t other_codes;         /* refusals with another code than CUDA_ERROR_INVALID_VALUE */
    uint64_t not_asked; /* NULL corner arrays, through which the driver reads: not counted */
    double seconds, learn_seconds;
    unsigned threads;
    size_t kept_count;
    struct tmap_disagreement kept[TMAP_ORACLE_KEPT];
};

/* tmap_oracle_run() : compares. Errors: TMAP_E_MEMORY, TMAP_E_DRIVER (a thread has no context). */
TMAP_API enum tmap_status tmap_oracle_run(struct tmap_driver *driver,
                                          const struct tmap_oracle_options *options,
                                          struct tmap_oracle_result *out);

/* tmap_oracle_run_processes() : the same with options->threads processes of one thread each, forked
 *  before any of them opens the driver (path and ordinal as in tmap_driver_open()): the caller must
 *  not have one open. Driver 580 locks inside a refused call, so that threads wait for each other.
 *  why: what was missing. Errors: those of tmap_driver_open(), TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_oracle_run_processes(const char *path, int ordinal,
                                                    const struct tmap_oracle_options *options,
                                                    struct tmap_oracle_result *out,
                                                    char why[TMAP_DRIVER_TEXT]);

/* tmap_oracle_shrink() : the smallest descriptor on which driver and tmap still differ the same
 *  way (verdict, or bytes). Errors: TMAP_E_ARGUMENT when they do not differ on desc. */
TMAP_API enum tmap_status tmap_oracle_shrink(struct tmap_driver *driver,
                                             const struct tmap_desc *desc,
                                             struct tmap_disagreement *out);

/* tmap_driver_probe() : a fixed list of single questions, each answer given to say() as it comes.
 *  rash 0 asks the tame ones. rash 1, 2, ... asks one question that may end the process (driver 580
 *  reads through NULL corners), and says "asking" before; TMAP_E_NO_PLAN past the last. Errors:
 *  TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_driver_probe(struct tmap_driver *driver, unsigned rash,
                                            void (*say)(void *user, const char *question,
                                                        const char *asked, const char *answer),
                                            void *user);

/* What one call costs, on one thread. */
struct tmap_driver_times {
    double driver_legal_ns, driver_refused_ns; /* cuTensorMapEncodeTiled */
    double verdict_ns, encode_ns;              /* tmap_verdict_of(), tmap_encode_unchecked() */
    double checked_encode_ns;                  /* tmap_encode() */
};
/* tmap_driver_time() : rounds passes over 256 legal tiled descriptors (and 256 illegal
 *  ones), the medians. Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_driver_time(struct tmap_driver *driver, unsigned rounds,
                                           struct tmap_driver_times *out);

/* --- the corpus: what a driver answered, kept as data ----------------------------------------- */

enum tmap_corpus_op { TMAP_CORPUS_ENCODE = 0, TMAP_CORPUS_REPLACE_ADDRESS = 1 };

struct tmap_corpus_case {
    enum tmap_corpus_op op;
    uint64_t number;        /* from 0 */
    struct tmap_desc desc;  /* encode: the arguments */
    uint64_t address;       /* replace address: the new one */
    struct tmap_map before; /* replace address: the map that was changed */
    int result;             /* CUresult */
    struct tmap_map map;    /* on success: the bytes */
};

struct tmap_corpus;

/* tmap_corpus_open() : reads a recorded file. The caller owns *out and closes it. Errors:
 *  TMAP_E_ARGUMENT (no such file, not a corpus), TMAP_E_MEMORY; *out is then NULL. */
TMAP_API enum tmap_status tmap_corpus_open(const char *path, struct tmap_corpus **out);
TMAP_API void tmap_corpus_close(struct tmap_corpus *corpus); /* NULL is allowed */

/* tmap_corpus_hash() : FNV-1a, 64 bits, of the whole file; its size in bytes to *bytes. */
TMAP_API uint64_t tmap_corpus_hash(const struct tmap_corpus *corpus, uint64_t *bytes);

/* tmap_corpus_next() : the next case; TMAP_E_NO_PLAN at the proper end of the file, and
 *  TMAP_E_ARGUMENT where the file is broken. tmap_corpus_rewind() starts over. */
TMAP_API enum tmap_status tmap_corpus_next(struct tmap_corpus *corpus,
                                           struct tmap_corpus_case *out);
TMAP_API void tmap_corpus_rewind(struct tmap_corpus *corpus);

/* What replaying a corpus against the rows says. */
struct tmap_corpus_result {
    uint64_t cases, accepted, verdict_differences, byte_differences;
    uint64_t alone[TMAP_ORACLE_ROWS]; /* [row] refused, and no other row of `driver` is violated */
    uint64_t accepted_though[TMAP_ORACLE_ROWS]; /* [row] accepted, though the row is violated */
    uint64_t by_kind[3][2];                     /* [kind][0 accepted, 1 refused] */
    size_t kept_count;                          /* of kept[]: the first differences */
    struct tmap_corpus_case kept[TMAP_ORACLE_KEPT];
};

/* tmap_corpus_replay() : every case from the start, under the contract `driver` on target. Errors:
 *  TMAP_E_ARGUMENT for a broken file. */
TMAP_API enum tmap_status tmap_corpus_replay(struct tmap_corpus *corpus,
                                             const struct tmap_target *target,
                                             struct tmap_corpus_result *out);

struct tmap_record_options {
    const char *path; /* the corpus to write; PATH.json becomes its manifest */
    uint64_t seed;
    uint32_t cases_a_row; /* in which the row alone is violated */
    uint32_t legal_maps;  /* of each kind */
    const struct tmap_desc *real;
    size_t real_count;
    const char *date; /* for the manifest, "2026-11-21" */
};

/* tmap_corpus_record() : asks the driver, and writes corpus and manifest. Errors: TMAP_E_ARGUMENT
 *  when a file cannot be written, TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_corpus_record(struct tmap_driver *driver,
                                             const struct tmap_record_options *options);

/* --- the trace: the encode calls of another program ------------------------------------------- */

enum tmap_trace_what {
    TMAP_TRACE_PROCESS = 1, /* a process made its first call, or initialized CUDA */
    TMAP_TRACE_ENCODE = 2,
    TMAP_TRACE_REPLACE_ADDRESS = 3
};

struct tmap_trace_event {
    enum tmap_trace_what what;
    bool by_cupti; /* else by interposed dlsym and cuGetProcAddress */
    int result;    /* CUresult; of a process: why CUPTI could not be used, 0 when it could */
    uint32_t pid, tid;
    uint64_t time_ns;      /* CLOCK_MONOTONIC, as the call returned */
    uint64_t map_address;  /* where the program keeps the map */
    struct tmap_map map;   /* on success */
    struct tmap_desc desc; /* encode; arrays are empty when the rank is above TMAP_MAX_RANK */
    uint64_t address;      /* replace address */
    const char *command;   /* process: its command line, for the time of the call */
};

struct tmap_trace_options {
    char *const *argv;   /* the program and its arguments, NULL at the end; searched in PATH */
    const char *library; /* libtmap-trace.so; NULL: beside this program, else in its ../lib */
    const char *mode;    /* "auto" (NULL), "cupti" or "interpose" */
    void (*event)(void *user, const struct tmap_trace_event *event);
    void *user;
};

struct tmap_trace_result {
    int exit_code;                              /* the program's; 128 + n after signal n */
    uint64_t processes, calls, failed, foreign; /* foreign: bytes in the pipe that are no record */
    char why[TMAP_DRIVER_TEXT];                 /* on an error, what was missing */
};

/* tmap_trace_run() : runs the program to its end, every event given to options->event as it comes,
 *  of forked and exec'd children too. Its output is its own. Errors: TMAP_E_ARGUMENT (no program),
 *  TMAP_E_NOT_BUILT (no library to inject), TMAP_E_DRIVER (no pipe or process); why says which. */
TMAP_API enum tmap_status tmap_trace_run(const struct tmap_trace_options *options,
                                         struct tmap_trace_result *out);

/* --- the doctor
 * ----------------------------------------------------------------------------------*/

enum tmap_health { TMAP_HEALTHY = 0, TMAP_ABSENT = 1, TMAP_BROKEN = 2 };

struct tmap_finding {
    const char *what; /* "driver" */
    enum tmap_health health;
    bool needed;    /* TMA is not usable without it */
    char text[160]; /* what is there, or what is wrong */
    char help[160]; /* how to get it; "" when it is there */
};
#define TMAP_MAX_FINDINGS 16

/* tmap_doctor() : looks at toolkit, driver, GPU, limits, CUPTI, compares encode calls with tmap and
 *  runs one tensor copy. Works, and says what is missing, without any of them. path and ordinal as
 *  in tmap_driver_open(). usable: a tensor copy was seen to work. Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_doctor(const char *path, int ordinal, struct tmap_finding *out,
                                      size_t cap, size_t *found, bool *usable);

#ifdef __cplusplus
}
#endif

#endif
