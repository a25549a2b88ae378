/* SPDX-License-Identifier: Apache-2.0 */
/* fork between any two calls of a message: parent and child both come to its end. */
#include "faults.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long forks;

static void run(const struct algorithm *alg, int fork_at)
{
    struct message m = {.alg = alg};
    bool good = true;
    for (int i = 0; good && i < fork_at; i++)
        good = make_call(&m, i);
    fflush(stdout);
    const pid_t child = good ? fork() : -1;
    if (!check(child >= 0, "%s: no child before call %d", alg->name, fork_at))
        return;
    good = finish_message(&m, fork_at) && is_right(&m);
    if (child == 0) {
        free_message(&m);
        _exit(good ? 7 : 1);
    }
    int status;
    forks++;
    check(good, "%s: the parent of a fork before call %d", alg->name, fork_at);
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
          "%s: the child of a fork before call %d", alg->name, fork_at);
    free_message(&m);
}

void check_forks(void)
{
    static struct host h;
    open_host(&h, NULL);
    for (size_t i = 0; i < h.count; i++)
        for (int call = 1; call < CALLS; call++)
            run(&h.algorithms[i], call);
    close_host(&h);
    figure("forks in the middle of a message", forks);
}
