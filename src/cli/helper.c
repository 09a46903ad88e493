/* helper.c : when memory is gone in the middle of a question, Z3 exits (101), ends by an exception,
 * or goes on with a heap that it has broken, and isl reads through NULL (symbolic.h). In a child of
 * ours that costs the answer, not the words and the exit code. */
#include "cli/helper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What was asked for from outside ends this process as it ended the child. */
static bool is_users(int number)
{
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static int judge(const struct cli *cli, int how)
{
    if (WIFEXITED(how) && WEXITSTATUS(how) <= CLI_INTERNAL) return WEXITSTATUS(how);
    if (WIFEXITED(how)) {
        cli_message(cli, "the solver ended without an answer (exit code %d): out of memory?",
                    WEXITSTATUS(how));
        return CLI_INTERNAL;
    }
    if (is_users(WTERMSIG(how))) {
        signal(WTERMSIG(how), SIG_DFL);
        raise(WTERMSIG(how));
    }
    cli_message(cli, "the solver ended without an answer (signal %d): out of memory?",
                WTERMSIG(how));
    return CLI_INTERNAL;
}

bool cli_helper_begin(const struct cli *cli, int *code)
{
    const char *wanted = getenv("TMAP_HELPER");
    const pid_t self = getpid(), child = wanted && strcmp(wanted, "no") == 0 ? -1 : fork();
    int how = 0;

    if (child < 0) return false;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(CLI_INTERNAL);
        return false;
    }
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) continue;
    *code = judge(cli, how);
    return true;
}
