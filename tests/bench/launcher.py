#!/usr/bin/python3
"""launcher.py LAUNCHER [--harden-helper PATH] [NAME...]: what a wrap costs.

Prints one JSON line a measurement. Commands are run in turn, one of each a round, as an
ordinary user (uid 65534 where root starts this); medians, and ratios against raw bwrap with
the very list that --check --json prints. Nothing here passes or fails. A peer that is not
installed is a line with "skipped" and the reason. NAME: cost, growth, roots, syscalls, peers.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

argv = sys.argv[1:]
LAUNCHER = os.path.abspath(argv.pop(0))
HELPER = None
if argv[:1] == ["--harden-helper"]:
    HELPER = os.path.abspath(argv[1])
    argv = argv[2:]
WANTED = argv or ["cost", "growth", "roots", "syscalls", "peers"]
RUNS = int(os.environ.get("BENCH_RUNS", "41"))
USER = 65534


def drop():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)


def line(**fields):
    print(json.dumps(fields), flush=True)


class Ground:
    """A home with two credential directories and a scratch, not below /tmp."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="at-bench-", dir="/var/tmp")
        self.scratch = self.path + "/s"
        for name in ("s/d", "home/.ssh", "home/.aws"):
            os.makedirs(f"{self.path}/{name}")
        self.launcher = shutil.copy(LAUNCHER, self.path + "/confine-run.sh")
        self.helper = HELPER and shutil.copy(HELPER, self.path + "/agentteams-harden")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.path + "/home"}

    def give(self):
        os.chmod(self.path, 0o755)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", str(USER), self.path], check=True)

    def ours(self, *options):
        return ["/bin/sh", self.launcher, "--scratch", self.scratch, *options]

    def raw(self, *options):
        check = subprocess.run(self.ours(*options, "--check", "--json", "--", "/bin/true"),
                               env=self.env, cwd=self.path, preexec_fn=drop,
                               capture_output=True, check=True)
        return ["bwrap", *json.loads(check.stdout)["args"], "--", "/bin/true"]

    def close(self):
        shutil.rmtree(self.path)


def measure(ground, commands, runs=RUNS):
    times = {name: [] for name in commands}
    for i in range(runs + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            done = subprocess.run(command, env=ground.env, cwd=ground.path, preexec_fn=drop,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, check=False)
            took = (time.perf_counter() - start) * 1000
            if done.returncode:
                raise RuntimeError(f"{name}: {done.returncode}: {done.stderr[-300:]}")
            if i:  # the first round warms up
                times[name].append(took)
    return {name: statistics.median(t) for name, t in times.items()}


def protected(ground, count):
    options = []
    for i in range(count):
        path = f"{ground.scratch}/d/{count}-{i}"
        with open(path, "w", encoding="ascii") as out:
            out.write("x")
        options += ["--protect", path]
    return options


def harden(ground):
    return ["--harden=require", "--harden-helper", ground.helper]


def cost(ground):
    """/bin/true with 20 protected paths."""
    options = protected(ground, 20)
    ground.give()
    commands = {"raw": ground.raw(*options), "ours": [*ground.ours(*options), "--", "/bin/true"]}
    if ground.helper:
        commands["harden"] = [*ground.ours(*options, *harden(ground)), "--", "/bin/true"]
    took = measure(ground, commands)
    for name in commands:
        if name != "raw":
            line(bench="wrapped true, 20 protected paths", mode=name, ms=round(took[name], 2),
                 peer="raw bwrap, the same list", peer_ms=round(took["raw"], 2),
                 ratio=round(took[name] / took["raw"], 3), runs=RUNS)


def growth(ground):
    """The launcher's own time by the number of protected paths."""
    counts = [0, 20, 100, 500]
    options = {count: protected(ground, count) for count in counts}
    ground.give()
    base = None
    for count in counts:
        runs = RUNS if count < 500 else 9
        took = measure(ground, {"raw": ground.raw(*options[count]),
                                "ours": [*ground.ours(*options[count]), "--", "/bin/true"]}, runs)
        own = took["ours"] - took["raw"]
        base = own if base is None else base
        line(bench="growth", paths=count, own_ms=round(own, 2), raw_bwrap_ms=round(took["raw"], 2),
             own_ms_per_path=round((own - base) / count, 4) if count else None, runs=runs)


def roots(ground):
    """100 writable directories."""
    options = []
    for i in range(100):
        os.makedirs(f"{ground.path}/w{i}/.git/hooks")
        options += ["--writable", f"{ground.path}/w{i}"]
    ground.give()
    took = measure(ground, {"raw": ground.raw(*options),
                            "ours": [*ground.ours(*options), "--", "/bin/true"]}, 9)
    line(bench="100 writable roots, each a repository", ms=round(took["ours"], 2),
         raw_bwrap_ms=round(took["raw"], 2),
         own_ms_per_root=round((took["ours"] - took["raw"]) / 100, 4), runs=9)


CALLS = """
import os, time
best = {}
for _ in range(7):
    for name, call in (("getppid", os.getppid), ("stat", lambda: os.stat("/usr/bin/env"))):
        start = time.perf_counter()
        for _ in range(20000):
            call()
        best[name] = min(best.get(name, 1e9), (time.perf_counter() - start) * 1e9 / 20000)
print(best)
"""


def syscalls(ground):
    """What one system call costs inside, with the interpreter's own part in it."""
    ground.give()
    commands = {"bare": ["/usr/bin/python3", "-c", CALLS],
                "ours": [*ground.ours(), "--", "/usr/bin/python3", "-c", CALLS]}
    if ground.helper:
        commands["harden"] = [*ground.ours(*harden(ground)), "--", "/usr/bin/python3", "-c", CALLS]
    for name, command in commands.items():
        out = subprocess.run(command, env=ground.env, cwd=ground.path, preexec_fn=drop,
                             capture_output=True, text=True, check=True).stdout
        line(bench="a system call", mode=name,
             ns={k: round(v) for k, v in eval(out).items()})  # our own program printed it


def peers(ground):
    """The sandbox commands of others around the same /bin/true, where they are installed."""
    options = protected(ground, 20)
    ground.give()
    home = ground.env["HOME"]
    settings = home + "/srt.json"
    with open(settings, "w", encoding="ascii") as out:
        json.dump({"network": {"allowedDomains": [], "deniedDomains": []},
                   "filesystem": {"denyRead": [home + "/.ssh"], "allowWrite": [ground.scratch],
                                  "denyWrite": []}}, out)
    ground.give()
    known = {
        "codex sandbox": ("codex", ["sandbox", "--", "/bin/true"]),
        "srt": ("srt", ["--settings", settings, "/bin/true"]),
        "firejail": ("firejail", ["--quiet", "--noprofile", "--net=none", "/bin/true"]),
    }
    for name, (program, words) in known.items():
        found = shutil.which(program)
        if not found:
            line(bench="peer", peer=name, skipped=f"{program} is not installed")
            continue
        commands = {"ours": [*ground.ours(*options), "--", "/bin/true"], name: [found, *words]}
        if ground.helper:
            commands["harden"] = [*ground.ours(*options, *harden(ground)), "--", "/bin/true"]
        try:
            took = measure(ground, commands, 11)
        except RuntimeError as why:
            line(bench="peer", peer=name, skipped=f"does not run here: {why}")
            continue
        line(bench="peer", peer=name, peer_ms=round(took[name], 2), ours_ms=round(took["ours"], 2),
             harden_ms=round(took["harden"], 2) if "harden" in took else None,
             ratio=round(took["ours"] / took[name], 3), runs=11)


for wanted in WANTED:
    where = Ground()
    try:
        globals()[wanted](where)
    finally:
        where.close()
