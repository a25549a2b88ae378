# SPDX-License-Identifier: Apache-2.0
"""Did ctaes's code run just now? Answered by Linux, for the module as it ships and for any host.

The kernel notes which pages of memory were used since the notes were last cleared (proc(5):
/proc/self/clear_refs, and "Referenced" in /proc/self/smaps). A call after which a page of the code
of ctaes.so counts as used has run code of ctaes.
"""

import mmap
import re


def available():
    """Whether this kernel keeps the notes: this very code has just used memory."""
    try:
        clear()
        with open("/proc/self/smaps") as smaps:
            return re.search(r"Referenced:\s+[1-9]", smaps.read()) is not None
    except OSError:
        return False


def clear():
    with open("/proc/self/clear_refs", "w") as f:
        f.write("1\n")
    # The CPU makes a note when it looks a page up, not when it remembers it. Unmapping more than a
    # few pages makes Linux throw away all that the CPU remembers.
    pages = 256
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        for n in range(pages):
            memory[n * mmap.PAGESIZE] = 1


def pages_used(path):
    """KiB of the code mapped from path that were used since clear()."""
    used, inside = 0, False
    with open("/proc/self/smaps") as smaps:
        for line in smaps:
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ \S+ \d+\s*(.*)", line)
            if head:
                inside = "x" in head.group(1) and head.group(2).strip() == path
            elif inside and line.startswith("Referenced:"):
                used += int(line.split()[1])
    return used


def by(path, function):
    """Calls function(). Returns its result, and whether code of path ran in it."""
    clear()
    result = function()
    return result, pages_used(path) > 0
