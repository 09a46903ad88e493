/* number.c : see number.h. */
#include "io/json/number.h"

#include <inttypes.h>
#include <stdio.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

bool io_parse_u64(const char *text, uint64_t *out)
{
    unsigned base = 10;
    uint64_t value = 0;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (!*text) return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)digit_of(*text);
        if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

bool io_parse_number(const char *text, struct tmap_number *out)
{
    uint64_t magnitude;
    bool negative = *text == '-';

    if (!io_parse_u64(text + negative, &magnitude)) return false;
    *out = (struct tmap_number){true, negative && magnitude > 0, magnitude};
    return true;
}

char *io_number_text(struct tmap_number number, char text[22])
{
    snprintf(text, 22, "%s%" PRIu64, number.negative ? "-" : "", number.magnitude);
    return text;
}

struct tmap_number io_number_of(int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    return (struct tmap_number){true, value < 0, value < 0 ? 0 - bits : bits};
}
