/* The tuner's choices in a text file that several processes share, and that a process may be killed
 * over. Lines are appended, one write each, under a lock: nobody's is lost. A line that was cut off
 * has no end, so it is not read, and the next one begins on a line of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/gemm/suite.h"

enum { LINE_BYTES = 512 };

/* The next whole line without its end; one that is too long, or has none, is passed over. */
static bool next_line(FILE *file, char line[LINE_BYTES])
{
    bool begins = true;
    while (fgets(line, LINE_BYTES, file)) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        if (end && begins) return true;
        begins = end != NULL;
    }
    return false;
}

bool gemm_recall_from(FILE *file, const char *key, struct tmap_gemm_config *config)
{
    const size_t n = strlen(key);
    struct tmap_gemm_config c;
    char line[LINE_BYTES];
    bool found = false;
    while (next_line(file, line)) {
        if (strncmp(line, key, n) || line[n] != '\t') continue;
        if (gemm_read_config(line + n + 1, &c) != GEMM_CONFIG_MEMBERS) continue;
        *config = c;
        found = true;
    }
    return found;
}

bool gemm_recall(const char *path, const char *key, struct tmap_gemm_config *config)
{
    FILE *f = path ? fopen(path, "r") : NULL;
    if (!f) return false;
    const bool found = gemm_recall_from(f, key, config);
    fclose(f);
    return found;
}

/* Behind what is there; a disk that is full leaves the file as it was. */
static void append(int file, const char *line, size_t n)
{
    struct stat s;
    char last = '\n';
    if (fstat(file, &s) || !S_ISREG(s.st_mode)) return;
    if (s.st_size > 0 && pread(file, &last, 1, s.st_size - 1) != 1) return;
    const size_t skip = last == '\n'; /* the line begins with an end, for one that was cut off */
    const ssize_t written = write(file, line + skip, n - skip);
    if (written >= 0 && (size_t)written < n - skip && ftruncate(file, s.st_size)) return;
}

void gemm_remember(const char *path, const char *key, const struct tmap_gemm_config *config)
{
    char text[LINE_BYTES / 2], line[LINE_BYTES];
    const int file = path ? open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file < 0) return;
    gemm_print_config(text, sizeof text, config);
    const int n = snprintf(line, sizeof line, "\n%s\t%s\n", key, text);
    while (flock(file, LOCK_EX) && errno == EINTR) continue;
    if (n > 0 && (size_t)n < sizeof line) append(file, line, (size_t)n);
    close(file);
}
