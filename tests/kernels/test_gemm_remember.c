/* The tuner's file: shared by processes, killed over, cut off, and on a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/gemm/suite.h"

enum { PROCESSES = 4, EACH = 200, KILLS = 20 };
static char path[] = "/tmp/tmap-remember-XXXXXX";

static int begin(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 || close(file);
}
static int end(void **state)
{
    (void)state;
    return remove(path);
}
static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* A choice that tells numbers apart, of less than a hundred. */
static struct tmap_gemm_config choice(int number)
{
    struct tmap_gemm_config c;
    for (size_t i = 0; i < GEMM_CONFIG_MEMBERS; i++) ((int32_t *)&c)[i] = 1;
    c.tile_m = 128;
    c.stream_k = abs(number) % 100;
    return c;
}
static void remember(int number)
{
    char key[GEMM_KEY_BYTES];
    const struct tmap_gemm_config c = choice(number);
    snprintf(key, sizeof key, "key %d", number);
    gemm_remember(path, key, &c);
}
static bool is_known(int number)
{
    char key[GEMM_KEY_BYTES];
    struct tmap_gemm_config c;
    const struct tmap_gemm_config wanted = choice(number);
    snprintf(key, sizeof key, "key %d", number);
    if (!gemm_recall(path, key, &c)) return false;
    assert_memory_equal(&c, &wanted, sizeof c);
    return true;
}

static void the_last_whole_line_counts(void **state)
{
    (void)state;
    struct tmap_gemm_config c = choice(1);
    assert_false(gemm_recall("/none", "key 1", &c) || gemm_recall(NULL, "key 1", &c));
    gemm_remember("/none/none", "key 1", &c);
    gemm_remember(NULL, "key 1", &c);
    gemm_remember("/dev/full", "key 1", &c);
    write_file("");
    remember(1);
    c.stream_k = 2;
    gemm_remember(path, "key 1", &c);
    assert_true(gemm_recall(path, "key 1", &c) && c.stream_k == 2);
    assert_false(is_known(11) || gemm_recall(path, "key", &c));
}

/* Of a configuration with one member more they would be none, and the fuzzer would find little. */
static void the_fuzzers_seeds_are_configurations(void **state)
{
    (void)state;
    FILE *f = fopen("tests/fuzz/configs.txt", "r");
    char line[256];
    int seeds = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct tmap_gemm_config c;
        if (line[0] == '#') continue;
        assert_int_equal(gemm_read_config(line, &c), GEMM_CONFIG_MEMBERS);
        seeds++;
    }
    fclose(f);
    assert_true(seeds > 10);
}

/* Cut in the middle of its last number, or anywhere, a line is as if not there; the next one is
 * whole. */
static void a_line_that_is_cut_off_is_not_read(void **state)
{
    (void)state;
    char line[512] = "key 777\t";
    const struct tmap_gemm_config c = choice(777);
    gemm_print_config(line + strlen(line), 256, &c);
    for (size_t n = strlen(line); n > 0; n--) {
        line[n] = 0;
        write_file(line);
        assert_false(is_known(777));
        remember(5);
        assert_true(is_known(5));
    }
}

static void a_line_of_any_length_is_passed_over(void **state)
{
    (void)state;
    for (size_t n = 500; n < 1030; n++) {
        char text[1100];
        memset(text, 'x', n);
        snprintf(text + n, sizeof text - n, "key 3\t1,1\n");
        write_file(text);
        remember(4);
        assert_true(is_known(4) && !is_known(3));
    }
}

static pid_t in_a_child(int from, int count)
{
    const pid_t child = fork();
    if (child != 0) return child;
    for (int i = 0; i < count; i++) remember(from + i);
    _exit(0);
}

static void processes_lose_no_line(void **state)
{
    (void)state;
    pid_t child[PROCESSES];
    write_file("");
    for (int i = 0; i < PROCESSES; i++) assert_true((child[i] = in_a_child(i * EACH, EACH)) > 0);
    for (int i = 0; i < PROCESSES; i++) assert_int_equal(waitpid(child[i], NULL, 0), child[i]);
    for (int i = 0; i < PROCESSES * EACH; i++) assert_true(is_known(i));
}

/* What was written stays, in order, up to where the process was. */
static void a_kill_leaves_it_whole(void **state)
{
    (void)state;
    for (int run = 0; run < KILLS; run++) {
        int known = 0;
        write_file("");
        const pid_t child = in_a_child(0, 1 << 20);
        assert_true(child > 0);
        usleep(1000 * (run + 1));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while (is_known(known)) known++;
        remember(-1 - run);
        assert_true(is_known(-1 - run));
        assert_false(is_known(known + 1));
    }
}

static void a_full_disk_leaves_it_as_it_was(void **state)
{
    (void)state;
    struct rlimit before, least;
    write_file("");
    remember(1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    least = before;
    least.rlim_cur = 60;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
    for (int i = 2; i < 5; i++) remember(i);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(is_known(1) && !is_known(2) && !is_known(4));
    remember(6);
    assert_true(is_known(1) && is_known(6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_whole_line_counts),
        cmocka_unit_test(the_fuzzers_seeds_are_configurations),
        cmocka_unit_test(a_line_that_is_cut_off_is_not_read),
        cmocka_unit_test(a_line_of_any_length_is_passed_over),
        cmocka_unit_test(processes_lose_no_line),
        cmocka_unit_test(a_kill_leaves_it_whole),
        cmocka_unit_test(a_full_disk_leaves_it_as_it_was),
    };
    return cmocka_run_group_tests_name("the tuner's file", tests, begin, end);
}
