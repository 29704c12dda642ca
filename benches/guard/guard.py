#!/usr/bin/env python3
"""Says whether the bench programs have become slower.

    benches/guard/guard.py [options] [PROGRAM ...]     compares with the kept ratios in benches/guard/ratios.txt
    benches/guard/guard.py --vs OTHER [PROGRAM ...]    compares two cufemu binaries in the same run
    benches/guard/guard.py --renew                     measures and writes the kept ratios

A ratio is the processor time of a program on one thread, divided by that of the reference loop (`reference.rs`) that runs before
and after it. The programs take turns, RUNS times, and the median counts. Processor time and a reference in the same run make
the result nearly independent of the speed and load of the machine, but not of its kind: the kept ratios name the
processor, and on another one only --vs says something.

Exit code 1 if a program is more than 15 % slower. Needs python3 and rustc; not part of the tests.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "ratios.txt"
LIMIT = 1.15

PLAIN = ["--check", "none", "--jobs", "1"]
RACE = ["--race", "--jobs", "1"]
TIMING = "benches/programs/timing.cuf"
PROGRAMS = {
    "mm": [*PLAIN, TIMING, "benches/programs/mm.cuf"],
    "nbody": [*PLAIN, TIMING, "benches/programs/nbody.cuf"],
    "saxpy": [*PLAIN, TIMING, "benches/programs/saxpy.cuf"],
    "stencil": [*PLAIN, TIMING, "benches/programs/stencil.cuf"],
    "reduce": [*PLAIN, TIMING, "benches/programs/reduce.cuf"],
    "transpose": [*PLAIN, TIMING, "benches/programs/transpose.cuf"],
    "blackscholes": [*PLAIN, TIMING, "benches/programs/blackscholes.cuf"],
    "collatz": [*PLAIN, TIMING, "benches/programs/collatz.cuf"],
    "host": [*PLAIN, "benches/programs/host.f90"],
    "race-reduce": [*RACE, TIMING, "benches/programs/reduce.cuf"],
    "race-scatter": [*RACE, "benches/ahead/ahead.cuf", "--", "scatter"],
    "race-gather": [*RACE, "benches/ahead/ahead.cuf", "--", "gather"],
}


def seconds(command):
    """Processor time of a command, in seconds."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"exit code {process.returncode}: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime


def processor():
    """The name of the processor."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def compiled_reference(folder):
    binary = pathlib.Path(folder) / "reference"
    subprocess.run(["rustc", "-O", "-o", binary, HERE / "reference.rs"], check=True)
    return [binary]


def measured(binaries, names, runs, reference):
    """For each program and binary the times relative to the reference loop, one of each run."""
    ratios = {(name, binary): [] for name in names for binary in binaries}
    for number in range(runs):
        for name in names:
            before = seconds(reference)
            # The binaries change places, so that neither is always the first.
            order = binaries if number % 2 == 0 else binaries[::-1]
            times = {binary: seconds([binary, *PROGRAMS[name]]) for binary in order}
            measure = (before + seconds(reference)) / 2
            for binary, time in times.items():
                ratios[name, binary].append(time / measure)
            print(f"{name} {number + 1} of {runs}", end="   \r", file=sys.stderr, flush=True)
    return {key: statistics.median(values) for key, values in ratios.items()}


def kept():
    """The kept ratios and the processor they were measured on."""
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    machine = next((line[2:] for line in lines if line.startswith("# ")), "")
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return machine, {name: float(ratio) for name, ratio in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"some of: {' '.join(PROGRAMS)}")
    parser.add_argument("--cufemu", metavar="BINARY", help="the binary to judge; else it is built")
    parser.add_argument("--vs", metavar="BINARY", help="the binary to compare with")
    parser.add_argument("--runs", type=int, default=5, help="how often each program runs (5)")
    parser.add_argument("--renew", action="store_true", help="write the kept ratios")
    options = parser.parse_args()
    names = options.programs or list(PROGRAMS)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        parser.error(f"no program `{unknown[0]}`")
    binary = options.cufemu
    if binary is None:
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
        binary = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/cufemu"
    binary = str(pathlib.Path(binary).resolve())
    other = options.vs and str(pathlib.Path(options.vs).resolve())
    with tempfile.TemporaryDirectory() as folder:
        reference = compiled_reference(folder)
        found = measured([binary] + ([other] if other else []), names, options.runs, reference)
    machine, before = kept()
    if options.renew:
        rows = before if machine == processor() else {}
        rows.update((name, found[name, binary]) for name in names)
        text = "".join(f"{name:14} {rows[name]:.4f}\n" for name in PROGRAMS if name in rows)
        KEPT.write_text(f"# {processor()}\n{text}")
        return
    if not other and machine != processor():
        sys.exit(f"the kept ratios are of `{machine}`, this is `{processor()}`: use --vs, or --renew")
    slower = 0
    print(f"{'program':14} {'before':>9} {'now':>9} {'change':>8}")
    for name in names:
        now, then = found[name, binary], found[name, other] if other else before.get(name)
        if then is None:
            print(f"{name:14} {'-':>9} {now:9.3f}")
            continue
        is_slower = now > then * LIMIT
        slower += is_slower
        print(f"{name:14} {then:9.3f} {now:9.3f} {100 * (now / then - 1):+7.1f}%{'  SLOWER' if is_slower else ''}")
    if slower:
        sys.exit(f"{slower} of {len(names)} programs are more than {round(100 * (LIMIT - 1))} % slower")


if __name__ == "__main__":
    main()
