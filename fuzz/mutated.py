#!/usr/bin/env python3
"""Runs changed copies of the programs of this repository, and tells which of them end in a panic or a crash of cufemu.

    fuzz/mutated.py --cufemu target/release/cufemu --seconds 600 --jobs 16 --keep found

A copy has one to six changes: a line dropped, doubled, moved or taken from another program, a word exchanged for another one of the
programs, a character changed. Each is compiled and run with options that are chosen at random, in a directory of its own, for at most
TIMEOUT seconds; that it does not end is no finding. Programs that start others or signal processes are left out. Same seed, same copies.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT = 10
MEMORY = 8 << 30
OPTIONS = [[], [], ["--race"], ["--check", "all"], ["-O0"], ["--engine", "interpreter"], ["--emit", "ptx"], ["-Mstandard"]]
LEFT_OUT = re.compile(r"\b(system|execute_command_line|fork|kill|abort|exec\w*|unlink|rename|chdir|c_f_pointer|malloc)\b", re.I)
WORD = re.compile(r"[A-Za-z_]\w*|\d+|[-+*/=<>().,:%]+")


def programs():
    """The texts of the programs, by path."""
    out = {}
    for folder in ["tests/ui", "examples", "tests/suite", "tests/debug"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix.lower() in {".cuf", ".f90", ".f"} and path.stat().st_size < 20000:
                text = path.read_text(errors="replace")
                if not LEFT_OUT.search(text):
                    out[path] = text
    return out


def change(rng, lines, others):
    """Changes one thing in the lines of a program."""
    at = rng.randrange(len(lines))
    kind = rng.randrange(7)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif kind == 3:
        other = rng.choice(others).split("\n")
        lines.insert(at, rng.choice(other))
    elif kind in (4, 5):
        words = list(WORD.finditer(lines[at]))
        new = WORD.findall(rng.choice(rng.choice(others).split("\n")))
        if words and new:
            word = rng.choice(words)
            lines[at] = lines[at][: word.start()] + rng.choice(new) + lines[at][word.end() :]
    elif lines[at]:
        place = rng.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + rng.choice("()'\",:=*&!%09ax \t") + lines[at][place + 1 :]
    if not lines:
        lines.append("end")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


def attempt(number, seed, texts, cufemu, keep):
    """Makes and runs one copy; gives what was wrong, or None."""
    rng = random.Random(f"{seed}.{number}")
    path = rng.choice(list(texts))
    lines = texts[path].split("\n")
    others = list(texts.values())
    for _ in range(rng.randint(1, 6)):
        change(rng, lines, others)
    text = "\n".join(lines)
    if LEFT_OUT.search(text):
        return None
    options = rng.choice(OPTIONS)
    with tempfile.TemporaryDirectory() as directory:
        name = pathlib.Path(directory) / ("mutated" + path.suffix)
        name.write_text(text)
        command = [cufemu, "--jobs", "1", *options, name.name]
        try:
            done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return None
    said = done.stderr.decode(errors="replace")
    # A program that asks for more memory than there is may be ended by the limit.
    is_wrong = "internal error" in said or done.returncode < 0 and "memory allocation of" not in said
    if not is_wrong:
        return None
    if keep:
        kept = pathlib.Path(keep)
        kept.mkdir(parents=True, exist_ok=True)
        (kept / f"{number}{path.suffix}").write_text(text)
        (kept / f"{number}.stderr").write_text(" ".join(options) + "\n" + said)
    first = next((line for line in said.split("\n") if "internal error" in line), said.strip().split("\n")[-1])
    return f"{number} of {path.relative_to(ROOT)} with {' '.join(options) or 'no option'}: exit {done.returncode}: {first}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cufemu", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep")
    args = parser.parse_args()
    cufemu = str(pathlib.Path(args.cufemu).resolve())
    texts = programs()
    end = time.monotonic() + args.seconds
    count, found = 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running = set()
        while time.monotonic() < end or running:
            while time.monotonic() < end and len(running) < 2 * args.jobs:
                running.add(pool.submit(attempt, count, args.seed, texts, cufemu, args.keep))
                count += 1
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for result in (one.result() for one in done):
                if result:
                    found.append(result)
                    print(result, flush=True)
    print(f"{count} copies of {len(texts)} programs in {args.seconds:.0f} s with {args.jobs} jobs: {len(found)} end in a panic or a crash")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
