#!/usr/bin/env python3
"""Runs public test suites of Fortran with cufemu and prints a table of the results by class.

    tests/conformance/suites.py [options] [--lfortran DIR] [--llvm DIR]

    --lfortran DIR   a checkout of lfortran/lfortran: the programs of integration_tests that gfortran runs
    --llvm DIR       a checkout of llvm/llvm-test-suite: gfortran's tests (regression, torture) and FCVS (UnitTests)
    --cufemu FILE    the binary (default: target/debug/cufemu)
    --only REGEX     only the tests whose names match
    --kind KIND      only the tests of this kind
    --gfortran FILE  asks this compiler of each test of `reject` that is not rejected: what it takes without options is `newer`
    --jobs N         how many run at once (default: 1)
    --out FILE       writes one line per test: name, kind, class, exit code, first message
    --before FILE    an earlier --out: prints what has changed since

Kinds: `run` (must run to the end), `compile` (must be accepted), `reject` (must be rejected), `fcvs` (the output is that of the
suite). Classes of the first two: `ok`; `wrong`, a wrong result or a false finding; `false error`, a valid program rejected;
`refused`, by name, as not supported; `timeout`; `crash`. A program that does not pass is `outside` where it is none that cufemu has
to run: `left open`, it asks for what the standard leaves to the processor; `not standard`, it is no valid program or asks for what
the standard forbids; `extension`, it needs an extension or an option of another compiler; `not in nvfortran`, it needs what
nvfortran lacks, too; `incomplete`, a part of it is in no file. The tables of docs/conformance.md name these programs, each with its
reason. Classes of `reject`, which run with `-Mstandard`: `ok`, `warned`, `accepted`; `newer`, only an older standard or an option of
gfortran forbids it.

Nothing of the suites is in this repository. Not part of the tests.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 20
# The headings of docs/conformance.md under which programs that do not pass are explained, and their classes.
EXPLAINED = {
    "### Extensions": "extension",
    "### Not in nvfortran": "not in nvfortran",
    "### Left open": "left open",
    "### Not standard": "not standard",
    "### Incomplete": "incomplete",
}
FAILURES = ("wrong", "false error", "refused", "timeout", "crash")
MEMORY = "6g"
# What LFortran's tests of environment variables expect.
ENVIRONMENT = {**os.environ, "LFORTRAN_TEST_ENV_VAR": "STATUS OK!"}

Test = collections.namedtuple("Test", "name kind folder sources options fails copies")


def lfortran_tests(checkout):
    """The rows RUN(...) of the CMake file that gfortran runs too."""
    folder = checkout / "integration_tests"
    text = re.sub(r"#[^\n]*", "", (folder / "CMakeLists.txt").read_text())
    keywords = {"NAME", "FILE", "INCLUDE_PATH", "COPY_TO_BIN", "NUM_IMAGES", "LABELS", "EXTRAFILES", "EXTRA_ARGS", "GFORTRAN_ARGS"}
    flags = {"FAIL", "NOFAST_TILL_LLVM16", "NO_FAST", "NO_FAST_MATH", "NO_DETECT_LEAKS", "NO_STD_F23", "NO_LLVM_GOC"}
    for row in re.finditer(r"\bRUN\(([^)]*)\)", text):
        found, key = collections.defaultdict(list), "flags"
        for word in re.findall(r'"[^"]*"|\S+', row.group(1)):
            word = word.strip('"')
            if word in keywords:
                key = word
            else:
                found["flags" if word in flags else key].append(word)
        if not found["NAME"] or not {"gfortran", "gfortranImplicitArgument"} & set(found["LABELS"]):
            continue
        stem = (found["FILE"] or found["NAME"])[0]
        endings = [e for e in (".f90", ".F90", ".f", ".f03") if (folder / (stem + e)).exists()]
        sources = [stem + (endings or [".f90"])[0]] + [s for s in found["EXTRAFILES"] if not s.endswith(".cc")]
        options = options_of(found["GFORTRAN_ARGS"])
        options += [f"-I{folder / path}" for path in found["INCLUDE_PATH"][:1]]
        fails = "FAIL" in found["flags"]
        yield Test(f"lfortran/{found['NAME'][0]}", "run", folder, sources, options, fails, found["COPY_TO_BIN"])


def llvm_tests(checkout):
    """The lists tests.cmake of gfortran's tests, and the programs of FCVS."""
    base = checkout / "Fortran" / "gfortran"
    folders = ["regression", "regression/g77", "regression/ieee", "regression/c-interop", "regression/coarray"]
    for name in folders + ["torture/execute", "torture/compile"]:
        listed = base / name / "tests.cmake"
        if not listed.exists():
            continue
        for line in listed.read_text().splitlines():
            if line.startswith("#") or not line.strip():
                continue
            kind, sources, fails, options, enabled, _ = (line.split(";") + [""] * 6)[:6]
            if enabled and "x86" not in enabled:
                continue
            kind = {"run": "run", "compile": "compile", "link": "compile", "assemble": "compile"}.get(kind)
            if kind is None or (fails and kind == "run"):
                continue
            sources = sources.split()
            # What is compiled alone may call procedures of other files.
            separate = ["-c"] if kind == "compile" and not fails and line.startswith(("compile", "assemble")) else []
            kind = "reject" if fails else kind
            kept = options_of(options.split()) + separate
            yield Test(f"{name}/{sources[0]}", kind, base / name, sources, kept, False, [])
    folder = checkout / "Fortran" / "UnitTests" / "fcvs21_f95"
    for path in sorted(folder.glob("*.f")):
        yield Test(f"fcvs/{path.name}", "fcvs", folder, [path.name], [], False, [])


def options_of(words):
    """The options of gfortran that have a counterpart."""
    same = {"-fdefault-real-8": "-r8", "-fdefault-integer-8": "-i8", "-ffree-form": "-Mfree", "-ffixed-form": "-Mfixed"}
    same |= {"-fno-automatic": "-Msave", "-fconvert=big-endian": "-Mbyteswapio"}
    same |= dict.fromkeys(("-ffixed-line-length-132", "-ffixed-line-length-none", "-ffixed-line-length-0"), "-Mextend")
    kept = [w for w in words if w.startswith(("-cpp", "-D", "-I"))]
    # gfortran knows no escapes in literals unless it is told.
    kept += [] if "-fbackslash" in words else ["-Mbackslash"]
    return kept + [same[w] for w in words if w in same]


def explained(page):
    """The programs that the tables of docs/conformance.md explain, with their classes."""
    found, verdict = {}, None
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            verdict = EXPLAINED.get(line.strip())
        elif verdict and line.startswith("| `"):
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", line.split("|")[1]), verdict)
    return found


def stem(name):
    """The name of a test without the ending of its file."""
    return re.sub(r"\.[fF]\w*$", "", name)


def run(cufemu, test, gfortran=None, reasons=None):
    """Runs a test in a folder of its own; gives its class, exit code and first message."""
    work = tempfile.mkdtemp(prefix="conformance-")
    try:
        for name in test.copies:
            if (test.folder / name).exists():
                shutil.copy(test.folder / name, work)
        command = ["prlimit", f"--cpu={LIMIT_S}", cufemu, "--no-cuda", "--timeout", str(LIMIT_S)]
        command += ["--memory", MEMORY, "--jobs", "1", "--message-format", "short", f"-I{test.folder}", *test.options]
        if test.kind in ("compile", "reject"):
            command.append("--only-check")
        if test.kind == "reject":
            command.append("-Mstandard")
        command += [str(test.folder / s) for s in test.sources]
        data = (test.folder / test.sources[0]).with_suffix(".in")
        with open(data if data.exists() else os.devnull, "rb") as given:
            try:
                done = subprocess.run(
                    command, cwd=work, env=ENVIRONMENT, stdin=given, capture_output=True, timeout=3 * LIMIT_S
                )
            except subprocess.TimeoutExpired:
                return "timeout", 124, ""
        out, messages = done.stdout.decode("latin1"), done.stderr.decode("latin1")
        said = [line for line in messages.splitlines() if re.search(r"\b[ERW]\d{4}\b", line)]
        first = next((line for line in said if re.search(r"\b[ER]\d{4}\b", line)), (said or messages.splitlines() or [""])[0])
        first = re.sub(r"\s+", " ", first.replace(f"{test.folder}/", ""))[:200]
        verdict = class_of(test, done.returncode, out, messages)
        if verdict in FAILURES and test.kind != "reject":
            verdict = (reasons or {}).get(stem(test.name), verdict)
        if gfortran and test.kind == "reject" and verdict != "ok" and takes(gfortran, test, work):
            verdict = "newer"
        return verdict, done.returncode, first
    finally:
        shutil.rmtree(work, ignore_errors=True)


def takes(gfortran, test, work):
    """Whether gfortran takes the program without options."""
    command = [gfortran, "-w", "-c", f"-I{test.folder}", *(str(test.folder / s) for s in test.sources)]
    try:
        return subprocess.run(command, cwd=work, capture_output=True, timeout=LIMIT_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def class_of(test, code, out, messages):
    if test.kind == "reject":
        rejected, warned = re.search(r"\bE\d{4}\b", messages), re.search(r"\bW\d{4}\b", messages)
        return "ok" if rejected else "warned" if warned else "accepted"
    if code in (101, 134, 139, -6, -11) and "STOP" not in messages:
        return "crash"
    if test.kind == "compile":
        return "ok" if code == 0 else "false error"
    if test.fails:
        return "ok" if code != 0 else "wrong"
    if code == 0:
        kept = (test.folder / test.sources[0]).with_suffix(".reference_output")
        if test.kind == "fcvs" and kept.exists():
            wanted = re.sub(r"exit \d+\s*$", "", kept.read_text(encoding="latin1"))
            return "ok" if stripped(wanted) == stripped(out) else "wrong"
        return "ok"
    if code in (124, 137, 152, -9, -24):
        return "timeout"
    if re.search(r"\bR0901|\bE0901|\bW090\d|program is not supported$", messages, re.MULTILINE):
        return "refused"
    return "false error" if re.search(r"\bE\d{4}\b", messages) else "wrong"


def stripped(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def table(results):
    groups, classes = collections.defaultdict(collections.Counter), []
    for (name, kind), (verdict, *_) in results.items():
        groups[name.rsplit("/", 1)[0], kind][verdict] += 1
    for verdict in ("ok", *EXPLAINED.values(), *FAILURES, "warned", "newer", "accepted"):
        if any(counts[verdict] for counts in groups.values()):
            classes.append(verdict)
    print("| suite | kind | tests | " + " | ".join(classes) + " |")
    print("|---|---|---|" + "---|" * len(classes))
    for (suite, kind), counts in groups.items():
        row = [suite, kind, sum(counts.values())] + [counts[c] for c in classes]
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def summary(results):
    """How many of the valid programs are right, without those outside."""
    counts = collections.Counter(verdict for (_, kind), (verdict, *_) in results.items() if kind != "reject")
    total, outside = sum(counts.values()), {c: counts[c] for c in EXPLAINED.values() if counts[c]}
    rest = total - sum(outside.values())
    listed = ", ".join(f"{n} {c}" for c, n in outside.items())
    print(f"\n{total} valid programs; outside: {sum(outside.values())} ({listed or 'none'})")
    if rest:
        failures = ", ".join(f"{counts[c]} {c}" for c in FAILURES)
        print(f"of the other {rest} are right: {counts['ok']} ({100 * counts['ok'] / rest:.2f} %); {failures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lfortran", type=pathlib.Path)
    parser.add_argument("--llvm", type=pathlib.Path)
    parser.add_argument("--cufemu", default=str(ROOT / "target" / "debug" / "cufemu"))
    parser.add_argument("--only", default="")
    parser.add_argument("--kind", choices=("run", "compile", "reject", "fcvs"))
    parser.add_argument("--gfortran")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    options = parser.parse_args()
    tests = []
    if options.lfortran:
        tests += lfortran_tests(options.lfortran.resolve())
    if options.llvm:
        tests += llvm_tests(options.llvm.resolve())
    tests = [t for t in tests if re.search(options.only, t.name) and options.kind in (None, t.kind)]
    if not tests:
        sys.exit("no tests: give --lfortran or --llvm, and a name and a kind that exist")
    cufemu = str(pathlib.Path(options.cufemu).resolve())
    reasons = explained(ROOT / "docs" / "conformance.md")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda t: run(cufemu, t, options.gfortran, reasons), tests)
        results = {(t.name, t.kind): verdict for t, verdict in zip(tests, verdicts)}
    lines = ["\t".join(map(str, (*key, *verdict))) for key, verdict in results.items()]
    unknown = set(reasons) - {stem(test.name) for test in tests}
    if unknown and options.lfortran and options.llvm and not (options.only or options.kind):
        print("docs/conformance.md explains programs that are in no suite:", *sorted(unknown))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.before:
        known = {tuple(f[:2]): f[2] for f in (l.split("\t") for l in options.before.read_text().splitlines())}
        for (name, kind), (verdict, _, first) in results.items():
            old = known.get((name, kind), verdict)
            if old != verdict:
                print(f"{name}: {old} -> {verdict} {first}")
    table(results)
    summary(results)


if __name__ == "__main__":
    main()
