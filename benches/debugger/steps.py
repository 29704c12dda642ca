#!/usr/bin/env python3
"""Measures how long the debugger takes for each step back after a long run.

    benches/debugger/steps.py [--cufemu COMMAND] [PROGRAM ...]

The programs are those of benches/programs. Each is run to its end, and then back: to the last hit of a breakpoint in its first
kernel, by `reverse-next` and `reverse-step` from there and from the end, to the beginning. The time of a command is that from the
line that is written to the answer that is read. Prints the run and, of the commands that go back, the longest ones.

Needs python3; not part of the tests. Not here: the time until a screen is drawn (src/tui/tests).
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["mm", "saxpy", "reduce", "stencil", "nbody", "blackscholes", "collatz", "transpose"]


def commands(source):
    """The commands for a program, and whether each goes back."""
    lines = source.split("\n")
    first = next(i for i, line in enumerate(lines) if "attributes(global)" in line)
    last = next(i for i in range(first, len(lines)) if re.match(r"\s*end subroutine", lines[i])) - 1
    while "=" not in lines[last] or "::" in lines[last]:
        last -= 1
    kernel = re.search(r"subroutine (\w+)", lines[first]).group(1)
    at_end = ["reverse-next", "reverse-next", "reverse-step", "reverse-step"]
    at_kernel = [f"break {kernel}", "reverse-continue", "reverse-next", "reverse-next", "reverse-next", "reverse-step"]
    in_kernel = ["delete", f"break {last + 1}", "continue", "reverse-continue", "reverse-next", "reverse-next"]
    to_start = ["delete", "reverse-continue"]
    return ["run", *at_end, *at_kernel, *in_kernel, *to_start]


def session(cufemu, files, lines):
    """The seconds that each command takes."""
    process = subprocess.Popen(
        [cufemu, "--debug", *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
    )
    read, seconds = b"", []
    for number, line in enumerate(lines):
        mark = f"end of command {number}\n".encode()
        begin = time.perf_counter()
        process.stdin.write(f"{line}\necho end of command {number}\\n\n".encode())
        while mark not in read:
            some = os.read(process.stdout.fileno(), 1 << 16)
            if not some:
                sys.exit(f"{files[-1]}: the debugger ended at {line}")
            read += some
        seconds.append(time.perf_counter() - begin)
        read = read.partition(mark)[2]
    process.stdin.close()
    process.wait()
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cufemu", default=str(ROOT / "target/debug/cufemu"))
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    print(f"{'program':14}{'run':>8}  reverse-continue  reverse-next  reverse-step   (longest, ms)")
    for name in options.programs:
        path = ROOT / f"benches/programs/{name}.cuf"
        lines = commands(path.read_text())
        seconds = session(options.cufemu, [str(ROOT / "benches/programs/timing.cuf"), str(path)], lines)
        longest = {}
        for line, taken in zip(lines, seconds):
            longest[line] = max(longest.get(line, 0), taken)
        back = [1000 * longest.get(f"reverse-{way}", 0) for way in ("continue", "next", "step")]
        print(f"{name:14}{1000 * seconds[0]:8.0f}  {back[0]:16.0f}  {back[1]:12.0f}  {back[2]:12.0f}", flush=True)


if __name__ == "__main__":
    main()
