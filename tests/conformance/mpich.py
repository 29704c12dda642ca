#!/usr/bin/env python3
"""Runs the Fortran tests of MPICH with `cufemu --ranks` and prints a table of the results by class.

    tests/conformance/mpich.py [options] DIR

    DIR              the folder test/mpi of a checkout of pmodels/mpich
    --cufemu FILE    the binary (default: target/debug/cufemu)
    --only REGEX     only the tests whose names match
    --mpirun FILE    runs them under this mpirun instead of `--ranks`
    --out FILE       writes one line per test: name, class, exit code, first message

The tests are those that the files `testlist` in f77, f90 and f08 name, with the number of ranks they give; those of f77 count for
f90 too, whose copies of them MPICH makes by a script. A test is `ok` if it ends with exit code 0 and prints "No Errors", as MPICH's
own runner asks. Other classes: `wrong`; `error`, rejected at compile time; `refused`, by name, as not supported; `timeout`;
`crash`; `left out`, which tests what cufemu does not have: C code that calls MPI, dynamic processes, the profiling interface.

Templates (`*.in`, ioharness) are filled in as MPICH's configure and make do it. Nothing of MPICH is in this repository. Not part of
the tests.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 30
WORDS = {"F77_MPI_ADDRESS": "integer*8", "F77_MPI_OFFSET": "integer*8"}

Test = collections.namedtuple("Test", "name folder sources ranks")


def listed(folder):
    """The rows of a folder's testlist: program and number of ranks."""
    for name in ("testlist", "testlist.in", "testlist.ap"):
        if (folder / name).exists():
            for line in (folder / name).read_text().splitlines():
                found = re.match(r"(?:@\w+@)?(\w+)\s+(\d+)", line)
                if found:
                    yield found.group(1), int(found.group(2))
            return


def tests_of(checkout):
    """The tests, with the sources that their Makefiles name."""
    for language in ("f77", "f90", "f08"):
        for folder in sorted(p for p in (checkout / language).iterdir() if p.is_dir()):
            makefiles = [folder / name for name in ("Makefile.am", "Makefile.ap") if (folder / name).exists()]
            text = "\n".join(path.read_text() for path in makefiles).replace("\\\n", " ")
            rows = dict(listed(folder))
            if language == "f77" and folder.name == "ext":
                rows |= {name: 1 for name in ("allocmemf", "c2f2cf", "ctypesinf")}
            for name, ranks in rows.items():
                given = re.search(rf"^(?:nodist_)?{name}_SOURCES\s*=\s*(.*)$", text, re.MULTILINE)
                sources = given.group(1).split() if given else [name + (".f" if language == "f77" else ".f90")]
                yield Test(f"{language}/{folder.name}/{name}", folder, sources, ranks)


def filled(template, definitions):
    """A template with its `<name/>` replaced by definitions, which may name others."""
    for _ in range(8):
        template, count = re.subn(r"<(\w+)/>", lambda m: definitions.get(m.group(1), ""), template)
        if not count:
            break
    return template


def fragments(text):
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    return {m.group(1): m.group(2).strip("\n") for m in re.finditer(r"<(\w+)>\n(.*?)</\1>", text, re.DOTALL)}


def harness(checkout, folder, work):
    """Writes the programs that a folder's ioharness makes."""
    if not (folder / "ioharness.defn").exists():
        return
    text = (folder / "ioharness.defn").read_text()
    own = re.compile(r"<TESTDEFN\s+filename=\"([^\"]+)\">\n(.*?)</TESTDEFN>", re.DOTALL)
    common = fragments((checkout / "maint" / "common.defn").read_text()) | fragments(own.sub("", text))
    template = (folder / "ioharness.tlt").read_text()
    for name, body in own.findall(text):
        program = filled(template, common | fragments(body))
        if name.endswith(".f"):
            program = "\n".join(fixed(line) for line in program.splitlines()) + "\n"
        (work / name).write_text(program)


def fixed(line):
    """A line of a template in fixed form: statements begin in column 7 and go on where they are too long."""
    if not line or re.match(r"[Cc!*](?![a-z])", line) or re.match(r"\s{0,4}\d+\s", line):
        return line
    line = line if line.startswith("      ") else "      " + line.strip()
    parts = []
    while len(line) > 72:
        at = line.rfind(",", 0, 71) + 1
        if at <= 6:
            break
        parts.append(line[:at])
        line = "     &   " + line[at:].lstrip()
    return "\n".join([*parts, line])


def included(folder):
    """The files of a folder, and those of the folders that its Makefile has includes from."""
    makefile = folder / "Makefile.am"
    others = re.findall(r"-I(\.\./\w+)", makefile.read_text()) if makefile.exists() else []
    for other in others:
        yield from (path for path in (folder / other).iterdir() if path.name.endswith((".h", ".h.in")))
    yield from folder.iterdir()


def run(options, checkout, test):
    """Runs a test in a folder of its own; gives its class, exit code and first message."""
    if any(s.endswith(".c") for s in test.sources) or re.search(r"/(spawn|profile)/|c2f", test.name):
        return "left out", 0, ""
    work = pathlib.Path(tempfile.mkdtemp(prefix="mpich-"))
    try:
        for path in included(test.folder):
            if path.suffix in (".f", ".f90", ".h"):
                shutil.copy(path, work)
            elif path.name.endswith(".h.in"):
                text = re.sub(r"@(\w+)@", lambda m: WORDS.get(m.group(1), ""), path.read_text())
                (work / path.name[:-3]).write_text(text)
        harness(checkout, test.folder, work)
        util = checkout / "util" / {"f77": "mtest_f77.f", "f90": "mtest_f90.f90", "f08": "mtest_f08.f90"}[test.name[:3]]
        if not (work / test.sources[0]).exists():
            return "left out", 0, "no source"
        command = ["prlimit", f"--cpu={LIMIT_S}"]
        command += [options.mpirun, "-n", str(test.ranks)] if options.mpirun else []
        command += [options.cufemu, "--no-cuda", "--message-format", "short", "-I."]
        command += [] if options.mpirun else ["--ranks", str(test.ranks)]
        command += ["--check", "none", str(util), *test.sources]
        try:
            done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=3 * LIMIT_S)
        except subprocess.TimeoutExpired:
            return "timeout", 124, ""
        out, messages = done.stdout.decode("latin1"), done.stderr.decode("latin1")
        said = [line for line in messages.splitlines() if re.search(r"\b[ERW]\d{4}\b", line)]
        first = next((line for line in said if re.search(r"\b[ER]\d{4}\b", line)), (said or out.splitlines() or [""])[0])
        return class_of(done.returncode, out, messages), done.returncode, re.sub(r"\s+", " ", first)[:200]
    finally:
        shutil.rmtree(work, ignore_errors=True)


def class_of(code, out, messages):
    if code in (101, 134, 139, -6, -11):
        return "crash"
    if code in (124, 137, 152, -9, -24):
        return "timeout"
    if re.search(r"\bR0901|\bE0901|program is not supported$", messages, re.MULTILINE):
        return "refused"
    if re.search(r"\bE\d{4}\b", messages):
        return "error"
    return "ok" if code == 0 and re.search(r"^\s*No Errors", out, re.MULTILINE) else "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--cufemu", default=str(ROOT / "target" / "debug" / "cufemu"))
    parser.add_argument("--only", default="")
    parser.add_argument("--mpirun")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    options.cufemu = str(pathlib.Path(options.cufemu).resolve())
    checkout = options.checkout.resolve()
    tests = [t for t in tests_of(checkout) if re.search(options.only, t.name)]
    if not tests:
        sys.exit("no tests: give the folder test/mpi of a checkout of pmodels/mpich")
    os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    groups, lines = collections.defaultdict(collections.Counter), []
    for test in tests:
        verdict, code, first = run(options, checkout, test)
        groups[test.name[:3]][verdict] += 1
        lines.append("\t".join(map(str, (test.name, verdict, code, first))))
        if verdict not in ("ok", "left out"):
            print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    order = ("ok", "wrong", "error", "refused", "timeout", "crash", "left out")
    classes = [c for c in order if any(g[c] for g in groups.values())]
    print("| tests | number | " + " | ".join(classes) + " |")
    print("|---|---|" + "---|" * len(classes))
    for name, counts in groups.items():
        print("| " + " | ".join(str(cell) for cell in [name, sum(counts.values()), *(counts[c] for c in classes)]) + " |")


if __name__ == "__main__":
    main()
