#!/usr/bin/python3
"""gate.py GATE ASSET [NAME...]: what a tool call costs with the gate in front of it.

Prints one JSON line a measurement. Programs are run in turn, one of each a round; medians, and
ratios against /bin/true started the same way. Nothing here passes or fails; the lines say what is
hoped for. NAME: program, hook, custody, large, content, log, python.
"""
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GATE, ASSET = (os.path.abspath(a) for a in sys.argv[1:3])
WANTED = sys.argv[3:] or ["program", "hook", "custody", "large", "content", "log", "python"]
RUNS = int(os.environ.get("BENCH_RUNS", "201"))


def call(tool, **fields):
    return json.dumps({
        "session_id": "s", "transcript_path": "/t", "cwd": "/", "prompt_id": "p",
        "permission_mode": "default", "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": fields,
        "tool_use_id": "toolu_1"}).encode() + b"\n"


SMALL = call("Bash", command="git status --short && ls -la src | head", description="look")
STOPPED = call("Bash", command="git push --force origin main", description="push")


def line(**fields):
    print(json.dumps(fields), flush=True)


def once(argv, data, env=None):
    """Seconds of wall time; the input is a file, so that no writer is measured."""
    data.seek(0)
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env or {"PATH": "/usr/bin:/bin"}, file_actions=[
        (os.POSIX_SPAWN_DUP2, data.fileno(), 0), (os.POSIX_SPAWN_DUP2, NULL.fileno(), 1)])
    os.waitpid(pid, 0)
    return time.perf_counter() - start


def file_of(data):
    f = tempfile.TemporaryFile()
    f.write(data)
    f.flush()
    return f


def compare(rows, runs=RUNS):
    """rows: name -> (argv, input, env). Medians in ms, in turn."""
    files = {name: file_of(row[1]) for name, row in rows.items()}
    times = {name: [] for name in rows}
    for i in range(runs + 3):
        for name, (argv, _, env) in rows.items():
            took = once(argv, files[name], env)
            if i >= 3:
                times[name].append(took * 1000)
    return {name: round(statistics.median(t), 3) for name, t in times.items()}


def hook_script(where, closed, custody):
    text = open(ASSET).read()
    digest = hashlib.sha256(open(GATE, "rb").read()).hexdigest()
    for a, b in (("@GATE_PROGRAM@", f"'{GATE}'"), ("@GATE_SHA256@", digest),
                 ("@GATE_CHECKED@", custody), ("@GATE_MANIFEST@", "''"), ("@GATE_PLACES@", f"'{GATE}'"),
                 ("FAIL_CLOSED=0", f"FAIL_CLOSED={closed}")):
        text = text.replace(a, b)
    path = f"{where}/hook-{closed}-{custody}"
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)
    return path


def in_custody():
    """Needs root: the program in the system's custody, the session a plain user."""
    global GATE
    if os.geteuid() != 0:
        line(bench="hook-custody", skipped="only root can put a program into custody")
        return
    own = GATE
    with tempfile.TemporaryDirectory(prefix="at-bench-", dir="/run") as kept:
        GATE = shutil.copy(own, kept + "/agentteams-gate")
        hook = hook_script(kept, 1, "custody")
        os.chmod(kept, 0o755)
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            rows = {"true": TRUE, "hook": (["/bin/sh", hook], SMALL, None)}
            asked = subprocess.run(rows["hook"][0], input=SMALL, stdout=subprocess.PIPE)
            ratios("hook-custody", compare(rows), hoped="3 at most",
                   passes=asked.returncode == 0 and not asked.stdout)
            os._exit(0)
        os.waitpid(child, 0)
    GATE = own


TRUE = (["/bin/true"], SMALL, None)
HOOK = [GATE, "--fail-closed", "1"]
NULL = open(os.devnull, "w")


def ratios(name, got, **hoped):
    base = got["true"]
    line(bench=name, ms=got, ratio={k: round(v / base, 2) for k, v in got.items() if k != "true"},
         **hoped)


def main():
    with tempfile.TemporaryDirectory(prefix="at-bench-", dir="/var/tmp") as where:
        if "program" in WANTED:
            ratios("program", compare({"true": TRUE, "pass": (HOOK, SMALL, None),
                                       "ask": (HOOK, STOPPED, None)}), hoped="1.5 at most")
        if "hook" in WANTED:
            rows = {"true": TRUE}
            for shell in (["/bin/sh"], ["/bin/bash"], ["/bin/busybox", "sh"]):
                if os.path.exists(shell[0]):
                    rows[shell[0]] = (shell + [hook_script(where, 1, "none")], SMALL, None)
            rows["open"] = (["/bin/sh", hook_script(where, 0, "none")], SMALL, None)
            ratios("hook", compare(rows), hoped="/bin/sh: 3 at most")
        if "custody" in WANTED:
            in_custody()
        if "large" in WANTED:
            for name, part in (("words", "word "), ("commands", "echo a; "), ("quotes", "'a b' "),
                               ("nested", "$(echo "), ("letters", "a")):
                text = part * ((1 << 20) // len(part))
                got = compare({"true": TRUE, "gate": (HOOK, call("Bash", command=text), None)}, 21)
                line(bench="command-1MiB", of=name, ms=got, hoped="20 ms at most")
        if "content" in WANTED:
            source = open(__file__).read()
            for name, part in (("code", source), ("hex", "0123456789abcdef" * 4 + "\n"),
                               ("one-line", "a1B2"), ("home", "/home/")):
                text = (part * ((1 << 20) // len(part) + 1))[:1 << 20]
                got = compare({"true": TRUE, "gate": (
                    HOOK, call("Write", file_path="a", content=text), None)}, 21)
                line(bench="content-1MiB", of=name, ms=got, hoped="20 ms at most")
        if "log" in WANTED:
            env = {"PATH": "/usr/bin:/bin", "AGENTTEAMS_GATE_LOG": where + "/log",
                   "AGENTTEAMS_GATE_LOG_KEY": "k"}
            ratios("log", compare({"true": TRUE, "plain": (HOOK, SMALL, None),
                                   "logged": (HOOK, SMALL, env)}))
        if "python" in WANTED:
            python = ["/usr/bin/python3", "-I", "-S", "-c",
                      "import json, sys; json.load(sys.stdin)"]
            got = compare({"true": TRUE, "gate": (HOOK, SMALL, None),
                           "python": (python, SMALL, None)}, 101)
            line(bench="python", ms=got, faster=round(got["python"] / got["gate"], 1),
                 hoped="10 at least")


main()
