/* paths.c : see paths.h. */
#include "cli/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_json(const struct dirent *entry)
{
    static const char ending[] = ".json";
    const size_t n = strlen(entry->d_name), m = sizeof ending - 1;
    return n > m && strcmp(entry->d_name + n - m, ending) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* "folder/name", or folder alone where there is no name. */
static char *joined(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + (name ? strlen(name) : 0) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, name ? "%s/%s" : "%s", folder, name);
    return path;
}

static enum tmap_status of_directory(const char *path, struct cli_paths *out, const char **why)
{
    struct dirent **entry = NULL;
    const int n = scandir(path, &entry, is_json, by_name);
    enum tmap_status status = TMAP_OK;

    if (n < 0) return *why = strerror(errno), TMAP_E_ARGUMENT;
    out->path = calloc((size_t)n + 1, sizeof *out->path);
    for (int i = 0; i < n; i++) {
        char *file = out->path ? joined(path, entry[i]->d_name) : NULL;
        if (file)
            out->path[out->count++] = file;
        else
            status = TMAP_E_MEMORY;
        free(entry[i]);
    }
    free(entry);
    if (n > 0) return status;
    return *why = "a directory without a .json file", TMAP_E_ARGUMENT;
}

static void free_one(struct cli_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) free(paths->path[i]);
    free(paths->path);
    *paths = (struct cli_paths){NULL, 0};
}

static enum tmap_status list(const char *operand, struct cli_paths *out, const char **why)
{
    struct stat about;

    if (strcmp(operand, "-") != 0 && stat(operand, &about) == 0 && S_ISDIR(about.st_mode))
        return of_directory(operand, out, why);
    out->path = malloc(sizeof *out->path);
    if (!out->path || !(out->path[0] = joined(operand, NULL))) return TMAP_E_MEMORY;
    out->count = 1;
    return TMAP_OK;
}

enum tmap_status cli_paths_of(struct cli *cli, const char *operand, struct cli_paths *out,
                              const char **why)
{
    struct cli_paths found = {NULL, 0}, *kept;
    enum tmap_status status = list(operand, &found, why);

    *out = (struct cli_paths){NULL, 0};
    if (status == TMAP_OK) {
        kept = realloc(cli->paths, (cli->path_count + 1) * sizeof *kept);
        if (kept) {
            cli->paths = kept;
            cli->paths[cli->path_count++] = *out = found;
            return TMAP_OK;
        }
        status = TMAP_E_MEMORY;
    }
    free_one(&found);
    return status;
}

void cli_paths_free(struct cli *cli)
{
    for (size_t i = 0; i < cli->path_count; i++) free_one(&cli->paths[i]);
    free(cli->paths);
    cli->paths = NULL;
    cli->path_count = 0;
}
