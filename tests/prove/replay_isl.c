// replay_isl FILE... : the kept questions of moves asked again of isl: M is injective, or its range
// does not meet B. Ends with the counts; exit code 1 when one is not so, or cannot be read.
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!in) return NULL;
    if (getdelim(&text, &size, EOF, in) < 0) {
        free(text);
        text = NULL;
    }
    fclose(in);
    return text;
}

// What stands behind "M := " or "B := ", up to ";"; NULL where it does not stand.
static char *part(const char *text, const char *name)
{
    const char *from = strstr(text, name), *end = from ? strchr(from, ';') : NULL;
    return end ? strndup(from + strlen(name), (size_t)(end - from) - strlen(name)) : NULL;
}

static int holds(isl_ctx *ctx, const char *map_text, const char *set_text)
{
    isl_map *map = isl_map_read_from_str(ctx, map_text);
    isl_bool answer;
    if (set_text) {
        map = isl_map_intersect_range(map, isl_set_read_from_str(ctx, set_text));
        answer = isl_map_is_empty(map);
    } else {
        answer = isl_map_is_injective(map);
    }
    isl_map_free(map);
    return answer == isl_bool_true;
}

int main(int n, char **path)
{
    int bad = 0, empty = 0, injective = 0;
    isl_ctx *ctx = isl_ctx_alloc();
    for (int i = 1; i < n; i++) {
        char *text = read_all(path[i]);
        char *map = text ? part(text, "\nM := ") : NULL, *set = text ? part(text, "\nB := ") : NULL;
        if (!map || !holds(ctx, map, set)) {
            printf("%s: not so\n", path[i]);
            bad++;
        }
        empty += set != NULL;
        injective += map && !set;
        free(map);
        free(set);
        free(text);
    }
    isl_ctx_free(ctx);
    printf("isl: %d ranges that meet nothing wrong, %d injective maps, %d failures\n", empty,
           injective, bad);
    return bad != 0;
}
