/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shortest sequence that still fails in the same way: differs, crashes, or
 * doesn't end. Each attempt runs in a process of its own.
 */
#include "shrink.h"

#include "grammar.h"
#include "subjects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 5 };

int try_text(const char *text, bool probing)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        alarm(MOST_SECONDS);
        _exit(run_text(text, probing) ? 0 : 1);
    }
    if (waitpid(child, &status, 0) != child) {
        perror("waitpid");
        exit(2);
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Copies text without the step that `start` is in. */
static void leave_out(char *to, const char *text, const char *start)
{
    const char *end = start + strcspn(start, ";");
    while (*end == ';' || *end == ' ')
        end++;
    memcpy(to, text, (size_t)(start - text));
    strcpy(to + (start - text), end);
}

int shrink_text(char *text, bool probing)
{
    static char shorter[SEQUENCE_SIZE];
    const int status = try_text(text, probing);
    bool again = status != 0;

    while (again) {
        again = false;
        for (const char *step = strstr(text, ": ") + 2; *step != '\0';) {
            leave_out(shorter, text, step);
            if (try_text(shorter, probing) == status) {
                strcpy(text, shorter);
                again = true;
            } else {
                step += strcspn(step, ";");
                step += strspn(step, "; ");
            }
        }
    }
    return status;
}
