/* Maps from what programs print. tests/data/maps holds one map as each of them printed it (gdb 13,
 * Python, xxd, hexdump and od of Debian 12), twice in the files named two-*. */
#include "io/map/maps.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tmap_map the_map = {{0x7f00deadbe00, 0x20000066520, 0x400000, 0, 0x1fff00000fff,
                                         2, 0x3f00000000000000, 0x7f, 0x4000, 0x400}};

static char *read_text(const char *name, size_t *size)
{
    char path[300], *text = malloc(1 << 16);
    snprintf(path, sizeof path, "tests/data/maps/%s", name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 16, in);
    fclose(in);
    return text;
}

static void every_form(void **state)
{
    struct dirent *entry;
    DIR *folder = opendir("tests/data/maps");
    size_t files = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        struct io_maps maps = {NULL, 0};
        char error[96];
        size_t size;
        if (entry->d_name[0] == '.') continue;
        char *text = read_text(entry->d_name, &size);
        if (!io_maps_read(&maps, text, size, error, sizeof error))
            fail_msg("%s: %s", entry->d_name, error);
        assert_int_equal(maps.count, strncmp(entry->d_name, "two-", 4) == 0 ? 2 : 1);
        for (size_t i = 0; i < maps.count; i++)
            if (memcmp(&maps.list[i], &the_map, sizeof the_map) != 0)
                fail_msg("%s: map %zu differs", entry->d_name, i);
        io_maps_free(&maps);
        free(text);
        files++;
    }
    closedir(folder);
    assert_true(files >= 22);
}

static void bytes_as_they_are(void **state)
{
    const struct tmap_map two[2] = {the_map, the_map};
    unsigned char bytes[sizeof two]; /* as they lie in a GPU's memory, on any host */
    struct io_maps maps = {NULL, 0};
    char error[96];

    (void)state;
    for (size_t i = 0; i < sizeof two; i++)
        bytes[i] = (unsigned char)(the_map.word[i / 8 % 16] >> i % 8 * 8);
    assert_true(io_maps_read(&maps, (const char *)bytes, sizeof bytes, error, sizeof error));
    assert_int_equal(maps.count, 2);
    assert_memory_equal(maps.list, two, sizeof two);
    io_maps_free(&maps);
}

static const struct {
    const char *text, *says;
} none[] = {{"", "0 bytes; a map has 128"},
            {"00 11", "2 bytes; a map has 128"},
            {"00 11\nxyz", "line 2: "},
            {"# only a name\n", "0 bytes"},
            {"0000000 00 00 00 00 00 00 00 00\n*\n", "8 bytes"},
            {"*\n00", "line 1: "},
            {"{1, 2, 3}", "line 1: "},
            {"\n{0x1, 0xx}", "line 2: "},
            {"{\"words\":[1,2]}", "line 1: "},
            {"{\"words\":[", "line 1: "},
            {"0x0: 0x0", "line 1: "},
            {"{99999999999999999999999}", "line 1: "},
            {"[1, 2, 3", "line 1: "},
            {"# a name\n[1,\n2]\n", "line 3: "},
            {"{0 <repeats 200 times>}", "line 1: "},
            {"{0 <repeats x times>}", "line 1: "},
            {"{0 <repeats 16 times", "line 1: "},
            {"{0 <repeats 15 times>, 0x100000000 <repeats 17 times>}", "line 1: "},
            {"{0 <repeats 127 times>, 256}", "line 1: "},
            {"{0 <repeats 128 times>, 1}", "line 1: "},
            {"opaque = {0", "line 1: "},
            {"b'\\x00", "line 1: "},
            {"b'\\", "line 1: "},
            {"b'\\xg0'", "line 1: "},
            {"b'\\q'", "line 1: "},
            {"b'00\n'", "line 1: "},
            {"b'00'", "line 1: "},
            {"0000000 0000 000", "line 1: "},
            {"0x7f00: 0x00 0x", "line 1: "},
            {"0x7f00: 0x00 000", "line 1: "},
            {"b''", "line 1: "},
            {"0x7f00: 0x00 0x0", "line 1: "},
            {"0x7f00: 0x00 00", "line 1: "},
            {"00000000: 000g", "line 1: "},
            {"00000000: 000", "line 1: "},
            {"00000000 00 00\nf0000000 00 00\n", "line 2: "},
            {"zz: 00", "line 1: "},
            {"0000:", "0 bytes"},
            {"0000:00", "0 bytes"},
            {"0000: 00", "1 bytes"},
            {"00\t11\r 22", "3 bytes"},
            {"0000000 0000 1111 >..<", "4 bytes"},
            {"0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n000018 00\n", "17 bytes"},
            {"000000\n*\n000020\n", "0 bytes"},
            {"{11111111111111111111111111111111111111111}", "line 1: "},
            {"{_a = 1, b_ = 2}", "line 1: "},
            {"{ _a", "0 bytes"},
            {"{} ", "line 1: "},
            {"{ \"words\":[] }", "line 1: "},
            {"{\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,true]}", "line 1: "},
            {"{\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\"-1\"]}", "line 1: "},
            {"{\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\"1x\"]}", "line 1: "},
            {"{\"words\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\"0x10000000000000000\"]}", "line 1: "}};

static void what_is_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct io_maps maps = {NULL, 0};
        char error[96];
        assert_false(io_maps_read(&maps, none[i].text, strlen(none[i].text), error, sizeof error));
        if (!strstr(error, none[i].says)) fail_msg("'%s': %s", none[i].text, error);
        assert_null(maps.list);
    }
}

/* Every escape that Python writes, in a map of 117 letters beside. */
static void escapes_of_a_string(void **state)
{
    static const char escapes[] = "\\n\\r\\t\\\\\\'\\\"\\a\\b\\f\\v\\0",
                      bytes[] = "\n\r\t\\'\"\a\b\f\v";
    struct io_maps maps = {NULL, 0};
    char text[256], error[96];

    (void)state;
    memset(text, 'a', sizeof text);
    const int used = snprintf(text, sizeof text, "b'%s", escapes);
    memset(text + used, 'a', 117);
    text[used + 117] = '\'';
    if (!io_maps_read(&maps, text, (size_t)used + 118, error, sizeof error)) fail_msg("%s", error);
    assert_int_equal(maps.count, 1);
    for (size_t i = 0; i < sizeof bytes; i++) /* the last is the zero byte */
        assert_int_equal((unsigned char)(maps.list->word[i / 8] >> i % 8 * 8),
                         (unsigned char)bytes[i]);
    io_maps_free(&maps);
}

/* Two maps as JSON, with nothing between them. */
static void words_side_by_side(void **state)
{
    static const char words[] = "{\"words\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}";
    struct io_maps maps = {NULL, 0};
    char text[2 * sizeof words], error[96];

    (void)state;
    const int n = snprintf(text, sizeof text, "%s%s", words, words);
    if (!io_maps_read(&maps, text, (size_t)n, error, sizeof error)) fail_msg("%s", error);
    assert_int_equal(maps.count, 2);
    assert_int_equal(maps.list[1].word[15], 16);
    io_maps_free(&maps);
}

/* Text ends where its size says: no character behind it is read (a sanitizer sees the read). */
static void text_without_an_end(void **state)
{
    static const char text[] = "00000000\n000000";
    struct io_maps maps = {NULL, 0};
    char error[160], *exact = malloc(sizeof text - 1);

    (void)state;
    assert_non_null(exact);
    memcpy(exact, text, sizeof text - 1);
    assert_false(io_maps_read(&maps, exact, sizeof text - 1, error, sizeof error));
    assert_string_equal(error, "0 bytes; a map has 128");
    free(exact);
}

/* A text cut off anywhere is no map, or as many whole ones as stand before the cut. */
static void cut_off_anywhere(void **state)
{
    struct dirent *entry;
    DIR *folder = opendir("tests/data/maps");
    size_t refused = 0, read = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        size_t size;
        if (entry->d_name[0] == '.') continue;
        char *text = read_text(entry->d_name, &size);
        for (size_t n = 0; n < size; n++) {
            struct io_maps maps = {NULL, 0};
            char error[96];
            const bool ok = io_maps_read(&maps, text, n, error, sizeof error);
            if (ok == (error[0] != 0) || ok != (maps.count > 0))
                fail_msg("%s cut at %zu: %zu maps, '%s'", entry->d_name, n, maps.count, error);
            for (size_t i = 0; i < maps.count; i++)
                if (memcmp(&maps.list[i], &the_map, sizeof the_map) != 0)
                    fail_msg("%s cut at %zu: map %zu differs", entry->d_name, n, i);
            ok ? read++ : refused++;
            io_maps_free(&maps);
        }
        free(text);
    }
    closedir(folder);
    assert_true(refused > 10 * read && read > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),         cmocka_unit_test(bytes_as_they_are),
        cmocka_unit_test(what_is_none),       cmocka_unit_test(escapes_of_a_string),
        cmocka_unit_test(words_side_by_side), cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(text_without_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
