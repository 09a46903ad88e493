#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/edit.h"

void edit_text(char *text, size_t room, const struct edit *e)
{
    char *at = strstr(text, e->from);
    if (!at) fail_msg("no %s", e->from);
    const size_t before = strlen(e->from), after = strlen(e->to);
    assert_true(strlen(text) - before + after < room);
    memmove(at + after, at + before, strlen(at + before) + 1);
    memcpy(at, e->to, after);
}
