/* clean.c : see clean.h. Colours: ECMA-48's CSI sequences, as bytes or as people's logs spell ESC.
 */
#define _GNU_SOURCE /* memmem */
#include "io/paste/clean.h"

#include <string.h>

enum {
    LINE_ENDS = 3, /* so many "\n" are a text in a string, fewer a piece of source */
    LONGEST = 82   /* of a placeholder */
};

static const struct {
    const char *from, *to; /* to: not longer; blanks fill the rest */
} signs[] = {{"&nbsp;", ""},
             {"&quot;", "\""},
             {"&#39;", "'"},
             {"&lt;", "<"},
             {"&gt;", ">"},
             {"&amp;", "&"},
             {"\xc2\xa0", ""},
             {"\xc3\x97", "x"},
             {"\xe2\x80\x9c", "\""},
             {"\xe2\x80\x9d", "\""},
             {"\xe2\x80\x98", "'"},
             {"\xe2\x80\x99", "'"},
             {"\xe2\x86\x92", "->"},
             {"\xe2\x87\x92", "=>"},
             {"\xe2\x89\xa4", "<="},
             {"\xe2\x89\xa5", ">="},
             {"\xe2\x80\x8b", ""},
             {"\xef\xbb\xbf", ""},
             {"\xef\xbc\x8c", ","},
             {"\xef\xbc\x9a", ":"},
             {"\xef\xbc\x88", "("},
             {"\xef\xbc\x89", ")"},
             {"\r", ""}};

static void replace(char *at, size_t length, const char *by)
{
    const size_t n = strlen(by);
    memcpy(at, by, n);
    memset(at + n, ' ', length - n);
}

/* The length of a colour's sequence at `at`; 0 for none. */
static size_t colour(const char *at, const char *end)
{
    static const char *const escapes[] = {"\033[",  "\\x1b[", "\\x1B[",       "\\u001b[",
                                          "\\033[", "^[[",    "\xe2\x90\x9b["};
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        const size_t n = strlen(escapes[i]);
        if ((size_t)(end - at) <= n || memcmp(at, escapes[i], n) != 0) continue;
        const char *p = at + n;
        while (p < end && ((*p >= '0' && *p <= '9') || *p == ';' || *p == '?')) p++;
        return p < end && *p != '\n' ? (size_t)(p + 1 - at) : n;
    }
    return 0;
}

static size_t sign(char *at, const char *end)
{
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t n = strlen(signs[i].from);
        if ((size_t)(end - at) < n || memcmp(at, signs[i].from, n) != 0) continue;
        replace(at, n, signs[i].to);
        return n;
    }
    return 1;
}

/* "%[[NAME:.*]]" and "%[[NAME]]", as LLVM's tests write a value's name. */
static size_t placeholder(char *at, const char *end)
{
    const char *name = at + 3, *line = memchr(at, '\n', (size_t)(end - at)), *close;

    if (line) end = line;
    if (end - at > LONGEST) end = at + LONGEST;
    if (end - at < 6 || memcmp(at, "%[[", 3) != 0) return 1;
    close = memmem(name, (size_t)(end - name), "]]", 2);
    if (!close) return 1;
    const size_t n = strcspn(name, ":]");
    memmove(at + 1, name, n);
    memset(at + 1 + n, ' ', (size_t)(close + 2 - at) - 1 - n);
    return (size_t)(close + 2 - at);
}

static int line_ends(const char *at, const char *end)
{
    int count = 0;
    while (count < LINE_ENDS && (at = memmem(at, (size_t)(end - at), "\\n", 2))) at += 2, count++;
    return count;
}

void io_clean(struct io_stream *s)
{
    char *at = s->text, *end = s->text + s->size;
    const bool in_string = line_ends(at, end) >= LINE_ENDS;

    for (size_t n; at < end; at += n) {
        n = colour(at, end);
        if (n > 0) {
            replace(at, n, "");
        } else if (in_string && *at == '\\' && end - at > 1 && (at[1] == 'n' || at[1] == 't')) {
            n = 2;
            at[0] = ' ', at[1] = at[1] == 'n' ? IO_CLEAN_LINE : ' ';
        } else if (*at == '%') {
            n = placeholder(at, end);
        } else {
            n = strchr("&\r\xc2\xc3\xe2\xef", *at) && *at ? sign(at, end) : 1;
        }
    }
}
