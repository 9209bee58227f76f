#!/usr/bin/env python3
"""Worktree snapshot against `git status --porcelain`, 100,000 files, alternating.

Issue 8 allows 1.2 times. Both are whole processes; the snapshot's own time is printed too.
BENCH_FILES sets another number, BENCH_UNTRACKED how many of them git does not track.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = sys.argv[1]
FILES = int(os.environ.get("BENCH_FILES", "100000"))
LIMIT = 1.2
ROUNDS = 15
ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent",
       "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
GIT = ["git", "-c", "safe.directory=*", "-c", "user.name=t", "-c", "user.email=t@t",
       "-c", "maintenance.auto=false", "-c", "gc.auto=0", "-C"]


def git(root, *words):
    subprocess.run(GIT + [root, *words], check=True, env=ENV, stdout=subprocess.DEVNULL)


def build(root, untracked):
    for i in range(FILES):
        folder = f"{root}/part{i // 2000:03}/dir{i // 50 % 40:02}"
        if i % 50 == 0:
            os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/file{i % 50:02}.txt", "w") as f:
            f.write(f"line {i}\n" * (i % 40 + 1))
    with open(f"{root}/.gitignore", "w") as f:
        f.write("*.o\nbuild/\n/out\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    for i in range(untracked):
        with open(f"{root}/part000/new{i:05}.txt", "w") as f:
            f.write(f"new {i}\n" * 40)
    time.sleep(3)  # or every file could have changed in the same tick of its clock
    git(root, "update-index", "-q", "--refresh")
    time.sleep(1.2)
    git(root, "status", "--porcelain")


def timed(words):
    start = time.perf_counter()
    done = subprocess.run(words, env=ENV, capture_output=True, check=True)
    return (time.perf_counter() - start) * 1e3, done.stdout


def measure(root, untracked):
    ours, git_s, inner = [], [], []
    status = ["git", "--no-optional-locks", *GIT[1:], root, "status", "--porcelain=v1", "-z",
              "--untracked-files=all"]
    count = 0
    for _ in range(ROUNDS):
        t, out = timed([BENCH, root])
        ours.append(t)
        inner.append(float(out.split()[0]))
        count = int(out.split()[1])
        git_s.append(timed(status)[0])
    ratio = statistics.median(ours) / statistics.median(git_s)
    print(json.dumps({"files": FILES, "untracked": untracked, "seen": count,
                      "snapshot_ms": round(statistics.median(ours), 1),
                      "of_it_the_call_ms": round(statistics.median(inner), 1),
                      "git_status_ms": round(statistics.median(git_s), 1),
                      "ratio": round(ratio, 2), "limit": LIMIT if not untracked else None}))
    return ratio


def main():
    bad = 0
    for untracked in (0, 1000):
        with tempfile.TemporaryDirectory(prefix="at-snapshot-", ignore_cleanup_errors=True) as root:
            build(root, untracked)
            ratio = measure(os.path.realpath(root), untracked)
            bad |= not untracked and ratio > LIMIT
    return int(bad)


sys.exit(main())
