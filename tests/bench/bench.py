#!/usr/bin/python3
"""bench.py ATCONSOLE SOURCE [NAME…]: measures, prints one JSON line a measurement.

Every figure is a ratio or a difference against a named peer, both run in turn in this
one run; nothing here passes or fails. A peer that is not installed is a line with
"skipped" and the reason.
"""
import json
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import fcntl
import termios

ATCONSOLE = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
RUNS = int(os.environ.get("BENCH_RUNS", "21"))


def environment(home):
    keep = {k: os.environ[k] for k in ("PATH",) if k in os.environ}
    return {**keep, "HOME": home, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"}


def once(argv, env, cwd):
    start = time.perf_counter()
    done = subprocess.run(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - start) * 1000, done.returncode


def pair(name, ours, peer, env, cwd, peer_name, runs=RUNS, want=None):
    """Runs both in turn; prints medians, their ratio and their difference."""
    mine, theirs = [], []
    for i in range(runs + 1):
        a, code = once(ours, env, cwd)
        b, _ = once(peer, env, cwd)
        if want is not None and code != want:
            print(json.dumps({"bench": name, "error": f"exit {code}, expected {want}"}))
            return
        if i:  # the first round warms up
            mine.append(a)
            theirs.append(b)
    m, t = statistics.median(mine), statistics.median(theirs)
    print(json.dumps({"bench": name, "ms": round(m, 2), "peer": peer_name, "peer_ms": round(t, 2),
                      "ratio": round(m / t, 3), "difference_ms": round(m - t, 2), "runs": runs}),
          flush=True)


def sample(stage, agents=0):
    project = os.path.join(stage, f"project-{agents}")
    shutil.copytree(os.path.join(SOURCE, "examples/demo-shop"), project)
    brief = os.path.join(project, "brief.json")
    with open(brief, encoding="utf-8") as f:
        text = json.load(f)
    text["workspace_write_roots"] = ["."]
    with open(brief, "w", encoding="utf-8") as f:
        json.dump(text, f)
    for i in range(agents):
        with open(os.path.join(project, f".claude/agents/agent-{i:05}.md"), "w", encoding="utf-8") as f:
            f.write(f"---\nname: agent-{i}\ndescription: \"Number {i}\"\ntools: Read\n---\n\n"
                    f"# Agent {i}\n\n" + "Reads what it is given and says what it saw.\n" * 60)
    return project


def update(project, env):
    subprocess.run([ATCONSOLE, "--project", project, "--update"], env=env, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bench_idle(stage, env):
    project = sample(stage)
    update(project, env)
    for name, argv, want in (
            ("check-wiring --no-probes", ["--check-wiring", "--no-probes"], 1),
            ("idle --update", ["--update"], 0), ("--version", ["--version"], 0)):
        pair(name, [ATCONSOLE, "--project", project, *argv], ["/bin/true"], env, project,
             "/bin/true", want=want)


def bench_agents(stage, env):
    for agents in (1000, 10000):
        project = sample(stage, agents)
        update(project, env)
        peer = ["sh", "-c", "find .claude/agents -type f | xargs sha256sum"]
        runs = 7
        for name, argv, want in (("check-wiring", ["--check-wiring", "--no-probes"], 1),
                                 ("idle --update", ["--update"], 0)):
            pair(f"{name}, {agents} agent files", [ATCONSOLE, "--project", project, *argv], peer, env,
                 project, "sha256sum of all of them", runs, want)


def bench_merge(stage, env):
    if not shutil.which("jq"):
        print(json.dumps({"bench": "merge of 50,000 rules", "skipped": "jq is not installed"}))
        return
    project = sample(stage, 1)
    update(project, env)
    live = os.path.join(project, ".claude/settings.json")
    rules = [f"Read(./generated/part-{i:05}/some/longer/directory/name/that/nobody/should/read/{i * 7919 % 100003:06}.txt)"
             for i in range(50000)]
    with open(live, "w", encoding="utf-8") as f:
        json.dump({"model": "x", "permissions": {"deny": rules}}, f, indent=2)
    print(json.dumps({"bench": "merge input", "bytes": os.path.getsize(live)}))
    pair("--merge --accept-safe --dry-run, 50,000 rules", [ATCONSOLE, "--project", project, "--merge",
         "--accept-safe", "--dry-run"], ["jq", ".", live], env, project, "jq . FILE", 11, 0)
    untouched = live + ".before"
    shutil.copy(live, untouched)
    mine, theirs = [], []
    for _ in range(9):
        shutil.copy(untouched, live)
        a, code = once([ATCONSOLE, "--project", project, "--merge", "--accept-safe"], env, project)
        b, _ = once(["jq", ".", untouched], env, project)
        if code:
            print(json.dumps({"bench": "merge", "error": f"exit {code}"}))
            return
        mine.append(a)
        theirs.append(b)
    m, t = statistics.median(mine), statistics.median(theirs)
    print(json.dumps({"bench": "--merge --accept-safe written to disk, 50,000 rules", "ms": round(m, 1),
                      "peer": "jq . FILE", "peer_ms": round(t, 1), "ratio": round(m / t, 3)}))


def first_screen(argv, env, cwd):
    """ms from exec to the last byte before 120 ms of silence, in a 120x40 terminal."""
    start = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe(argv[0], argv, env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    last, total = None, 0
    while True:
        ready, _, _ = select.select([fd], [], [], 0.12 if total else 5)
        if not ready:
            break
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        last, total = time.perf_counter(), total + len(got)
    os.write(fd, b"q")
    time.sleep(0.05)
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return ((last or time.perf_counter()) - start) * 1000, total


def bench_screen(stage, env):
    if not shutil.which("tig"):
        print(json.dumps({"bench": "first painted screen", "skipped": "tig is not installed"}))
        return
    project = sample(stage, 2)
    update(project, env)
    for argv in (["git", "init", "-q"], ["git", "add", "-A"],
                 ["git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "sample"]):
        subprocess.run(argv, cwd=project, env=env, check=True)
    mine, theirs = [], []
    for i in range(16):
        a, size = first_screen([ATCONSOLE], env, project)
        b, _ = first_screen(["tig"], env, project)
        if size < 500:
            print(json.dumps({"bench": "first painted screen", "error": f"only {size} bytes painted"}))
            return
        if i:
            mine.append(a)
            theirs.append(b)
    m, t = statistics.median(mine), statistics.median(theirs)
    print(json.dumps({"bench": "first painted screen", "ms": round(m, 1), "peer": "tig",
                      "peer_ms": round(t, 1), "ratio": round(m / t, 3), "runs": 15}))


BENCHES = {"idle": bench_idle, "agents": bench_agents, "merge": bench_merge, "screen": bench_screen}


def main():
    names = sys.argv[3:] or list(BENCHES)
    with tempfile.TemporaryDirectory() as stage:
        home = os.path.join(stage, "home")
        os.mkdir(home)
        env = environment(home)
        for name in names:
            room = os.path.join(stage, name)
            os.mkdir(room)
            BENCHES[name](room, env)


main()
