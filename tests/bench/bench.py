#!/usr/bin/python3
"""bench.py ATCONSOLE SOURCE [NAME…]: measures, prints one JSON line a measurement.

Every figure is a ratio or a difference against a named peer, both run in turn in this
one run; nothing here passes or fails. A peer that is not installed is a line with
"skipped" and the reason.
"""
import json
import os
import pty
import re
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


AGENT_BODY = "Reads what it is given and says what it saw.\n"
FRONT = "---\nname: agent-{0}\ndescription: \"Number {0}\"\ntools: {1}\n---\n\n{2}"
TEAMS = {  # the team's directory, the end of an agent's name, its text
    "claude": (".claude/agents", ".md", lambda i: FRONT.format(i, "Read", AGENT_BODY * 60)),
    "goose": (".goose/recipes", ".yaml", lambda i: f"title: agent-{i}\ndescription: Number {i}\n"
              "instructions: |\n" + ("  " + AGENT_BODY) * 60),
    "codex": (".codex/agents", ".toml", lambda i: f"name = 'agent-{i}'\ndescription = 'Number {i}'\n"
              "developer_instructions = '''\n" + AGENT_BODY * 60 + "'''\n"),
    "copilot-vscode": (".github/agents", ".agent.md",
                       lambda i: FRONT.format(i, "['read']", AGENT_BODY * 60)),
    "copilot-cli": (".github/agents", ".agent.md", None),
    "agents-md": (".agents", ".md", lambda i: f"# agent-{i}\n\nNumber {i}\n\n" + AGENT_BODY * 60),
}


def bench_teams(stage, env):
    """The first update of each of six teams: every agent file is new to it."""
    for agents in (1000, 10000):
        project = os.path.join(stage, f"teams-{agents}")
        shutil.copytree(os.path.join(SOURCE, "examples/demo-shop"), project)
        with open(os.path.join(project, "brief.json"), "w", encoding="utf-8") as f:
            json.dump({"privilege_profile": "confined"}, f)
        for folder, end, text in TEAMS.values():
            os.makedirs(os.path.join(project, folder), exist_ok=True)
            for i in range(agents if text else 0):
                with open(os.path.join(project, folder, f"agent-{i:05}{end}"), "w", encoding="utf-8") as f:
                    f.write(text(i))
        mine, theirs, each = [], [], {}
        for turn in range(6):
            sums = [0, 0]
            for name, (folder, _, _) in TEAMS.items():
                record = os.path.join(project, folder, "references/build-log.json")
                if os.path.exists(record):
                    os.remove(record)
                a, code = once([ATCONSOLE, "--project", project, "--framework", name, "--update"], env, project)
                b, _ = once(["sh", "-c", f"find {folder} -maxdepth 1 -type f | xargs sha256sum"], env, project)
                if code:
                    print(json.dumps({"bench": f"first --update, {name}", "error": f"exit {code}"}))
                    return
                sums = [sums[0] + a, sums[1] + b]
                if turn:
                    each.setdefault(name, []).append(a / b)
            if turn:  # the first round warms up
                mine.append(sums[0])
                theirs.append(sums[1])
        m, t = statistics.median(mine), statistics.median(theirs)
        print(json.dumps({"bench": f"first --update of six teams, {agents} agent files each", "ms": round(m, 2),
                          "peer": "sha256sum of the same files", "peer_ms": round(t, 2),
                          "ratio": round(m / t, 3), "runs": len(mine),
                          "ratios": {n: round(statistics.median(r), 2) for n, r in each.items()}}), flush=True)
        if agents > 1000:  # each file is synced to disk, whose time this is
            continue
        target = os.path.join(stage, "converted")
        spent = []
        for _ in range(3):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(os.path.join(SOURCE, "examples/demo-shop"), target)
            shutil.copy(os.path.join(project, "brief.json"), target)
            a, code = once([ATCONSOLE, "--project", target, "--framework", "goose", "--convert-from",
                            os.path.join(project, ".codex/agents")], env, target)
            spent.append(a)
        print(json.dumps({"bench": f"--convert-from of {agents} agents, codex to goose, with every file synced",
                          "ms": round(statistics.median(spent), 1), "exit": code, "runs": 3}), flush=True)


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
    print(json.dumps({"bench": "first screen and its diff", "ms": round(m, 1), "peer": "tig",
                      "peer_ms": round(t, 1), "ratio": round(m / t, 3), "runs": 15}))
    mine, theirs = [], []
    for _ in range(15):  # its last row is written last: the list, before the diff beside it
        mine.append(whole_screen([ATCONSOLE], env, project, b"leave"))
        theirs.append(whole_screen(["tig"], env, project, b"[main]"))
    if None in mine or None in theirs:
        print(json.dumps({"bench": "first painted screen", "error": "the last row never came"}))
        return
    m, t = statistics.median(mine), statistics.median(theirs)
    print(json.dumps({"bench": "first painted screen", "ms": round(m, 1), "peer": "tig",
                      "peer_ms": round(t, 1), "ratio": round(m / t, 3), "runs": 15}))


def generate_diff(path):
    """1,000,000 lines, 25,000 hunks, 1,000 files, about 62 MB; the same bytes every time."""
    words = ("request boundary session profile sandbox network credential evidence manifest "
             "operator proposal journal ledger decision advisory worker").split()
    seed, number = 1, 0
    with open(path, "w", encoding="ascii") as out:
        for file in range(1000):
            name = f"src/part{file % 40:02}/module_{file:04}.c"
            lines = [f"diff --git a/{name} b/{name}", f"index {file * 7919:07x}..{file * 104729:07x} 100644",
                     f"--- a/{name}", f"+++ b/{name}"]
            old = new = 1
            for hunk in range(25):
                body = []
                count = 39 if (file * 25 + hunk) % 25 < 21 else 38
                for i in range(count):
                    seed = (seed * 1103515245 + 12345) % 2147483648
                    number += 1
                    text = f"      rc = {words[seed >> 8 & 15]}_{words[seed >> 12 & 15]}(&state, {seed % 1000}, {words[seed >> 16 & 15]}, L{number:07});"
                    sign = " " if i < 3 or i >= count - 3 else "-+ +- "[(i * 5 + hunk) % 6]
                    body.append(sign + text)
                a = sum(line[0] != "+" for line in body)
                b = sum(line[0] != "-" for line in body)
                lines.append(f"@@ -{old},{a} +{new},{b} @@ static int {words[hunk & 15]}_{hunk}(void)")
                lines += body
                old, new = old + a + 40, new + b + 40
            out.write("\n".join(lines) + "\n")


class Watched:
    """A program in a 120x40 terminal: what it wrote and when, and what it cost."""

    def __init__(self, argv, env, cwd):
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.text, self.times = b"", []

    def take(self, wait):
        """Reads once; True when something came. Only collects: who parses here blocks the program."""
        if not select.select([self.fd], [], [], wait)[0]:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += got
        self.times.append((time.perf_counter(), len(self.text)))
        return bool(got)

    def ticks(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def until_idle(self):
        """ms to the last output or processor time before 0.3 s without either."""
        last, ticks = time.perf_counter(), self.ticks()
        while time.perf_counter() - last < 0.3:
            came, now = self.take(0.005), self.ticks()
            if came or now != ticks:
                last, ticks = time.perf_counter(), now
        return (last - self.start) * 1000

    def shown(self, *words):
        """ms to the first moment all of the words were written; None if they never were."""
        ends = [self.text.find(w) + len(w) for w in words if w in self.text]
        if len(ends) < len(words):
            return None
        return next((t - self.start) * 1000 for t, size in self.times if size >= max(ends))

    def keys(self, key, count):
        """ms from each key to the last byte before 20 ms of silence."""
        spent = []
        for _ in range(count):
            sent = time.perf_counter()
            os.write(self.fd, key)
            last = None
            while self.take(0.02 if last else 2):
                last = self.times[-1][0]
            if last:
                spent.append((last - sent) * 1000)
        return spent

    def peak_mib(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024

    def end(self):
        try:
            os.kill(self.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def whole_screen(argv, env, cwd, last):
    """ms to the moment the last row of the first screen was written; None if it never was."""
    watched = Watched(argv, env, cwd)
    try:
        watched.until_idle()
        return watched.shown(last)
    finally:
        watched.end()


def p95(values):
    return sorted(values)[int(len(values) * 0.95)] if values else None


def look_at_diff(argv, env, cwd, last_word):
    watched = Watched(argv, env, cwd)
    try:
        ready = watched.until_idle()
        first = watched.shown(b"module_0000.c", last_word)
        pages = watched.keys(b" ", 50)
        return {"first": first, "ready": ready, "page": p95(pages), "rss": watched.peak_mib()}
    finally:
        watched.end()


class Screen:
    """As much of a terminal as ncurses uses of xterm-256color: what stands where, no colours."""

    SEQUENCE = re.compile(rb"\x1b\[([?>0-9;]*)([@-~])|\x1b[()].|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b.|"
                          rb"([\x00-\x1a\x1c-\x1f])|([^\x00-\x1f]+)", re.S)

    def __init__(self, width=120, height=40):
        self.width, self.height = width, height
        self.rows = [[" "] * width for _ in range(height)]
        self.x = self.y = 0
        self.top, self.bottom = 0, height - 1
        self.last, self.rest = " ", b""

    def text(self):
        return "\n".join("".join(row) for row in self.rows)

    def put(self, text):
        for c in text:
            if self.x >= self.width:
                self.x, self.y = 0, min(self.y + 1, self.height - 1)
            self.rows[self.y][self.x] = self.last = c
            self.x += 1

    def scroll(self, at, by):
        """Lines from `at` to the bottom margin go up by `by`, or down."""
        blank = [[" "] * self.width for _ in range(abs(by))]
        part = self.rows[at:self.bottom + 1]
        part = part[by:] + blank if by > 0 else blank + part[:by]
        self.rows[at:self.bottom + 1] = part[:self.bottom + 1 - at]

    def control(self, c):
        if c == b"\r":
            self.x = 0
        elif c == b"\b":
            self.x = max(min(self.x, self.width) - 1, 0)
        elif c == b"\n" and self.y == self.bottom:
            self.scroll(self.top, 1)
        elif c == b"\n":
            self.y = min(self.y + 1, self.height - 1)

    def escape(self, args, final):
        values = [int(v) if v.isdigit() else 0 for v in args.split(b";")]
        n, row, x = max(values[0], 1), self.rows[self.y], min(self.x, self.width - 1)
        if final in b"Hf":
            self.y, self.x = n - 1, max((values + [1])[1], 1) - 1 if len(values) > 1 else 0
        elif final == b"d":
            self.y = n - 1
        elif final in b"G`":
            self.x = n - 1
        elif final == b"A":
            self.y -= n
        elif final == b"B":
            self.y += n
        elif final == b"C":
            self.x += n
        elif final == b"D":
            self.x = x - n
        elif final == b"K":
            start, end = ((x, self.width), (0, x + 1), (0, self.width))[values[0]]
            row[start:end] = [" "] * (end - start)
        elif final == b"J":
            row[x:] = [" "] * (self.width - x)
            for y in range(0 if values[0] == 2 else self.y + 1, self.height):
                self.rows[y] = [" "] * self.width
        elif final == b"X":
            n = min(n, self.width - x)
            row[x:x + n] = [" "] * n
        elif final == b"P":
            self.rows[self.y] = row[:x] + row[x + n:] + [" "] * min(n, self.width - x)
        elif final == b"@":
            self.rows[self.y] = (row[:x] + [" "] * n + row[x:])[:self.width]
        elif final == b"b":
            self.put(self.last * n)
        elif final == b"r":
            self.top, self.bottom = n - 1, (values + [0])[1] - 1 if len(values) > 1 else self.height - 1
            self.x = self.y = 0
        elif final in b"LM":
            self.scroll(self.y, n if final == b"M" else -n)
        elif final in b"ST" and not args.startswith(b"?"):
            self.scroll(self.top, n if final == b"S" else -n)
        self.y, self.x = min(max(self.y, 0), self.height - 1), max(self.x, 0)

    def feed(self, data):
        data = self.rest + data
        cut = data.rfind(b"\x1b", max(len(data) - 32, 0))  # it may go on in the next piece
        if cut >= 0 and not re.match(rb"\x1b(\[[?>0-9;]*[@-~]|[()].|[^\[()\]])", data[cut:], re.S):
            data, self.rest = data[:cut], data[cut:]
        else:
            self.rest = b""
        for found in self.SEQUENCE.finditer(data):
            if found.group(4):
                self.put(found.group(4).decode("utf-8", "replace"))
            elif found.group(3):
                self.control(found.group(3))
            elif found.group(2):
                self.escape(found.group(1), found.group(2))
            elif found.group(0) == b"\x1bM" and self.y == self.top:
                self.scroll(self.top, -1)


def has(word):
    return lambda now, before: word in now


def number(pattern):
    def changed(now, before):
        a, b = re.search(pattern, now), re.search(pattern, before)
        return bool(a) and (not b or a.group(1) != b.group(1))
    return changed


def typed(word):
    """The keys of an incremental search, with what each has to show."""
    return [("search, a letter", c.encode(), has("\n Search " + word[:i + 1])) for i, c in enumerate(word)]


TOP, COUNT = r"lines (\d+)-", r"lines \d+-\d+ of (\d+)"
OPEN_SEARCH = ("search, /", b"/", has("\n Search "))
CLOSE_SEARCH = ("search, Enter", b"\r", lambda now, before: "\n Search " not in now)
MODES = [("side by side", b"|", has("Side by side.")), ("fold", b"Z", has("lines are folded")),
         ("white space", b"W", has("in white space alone show")), ("page", b" ", number(TOP)),
         ("open a fold", b"\r", number(COUNT)),
         ("white space", b"W", has("White space counts")), ("fold", b"Z", has("Every line")),
         ("side by side", b"|", has("One below"))]
SEARCH = [OPEN_SEARCH, *typed("request_m"), CLOSE_SEARCH] + [
    ("next match, n", b"n", number(TOP))] * 3 + [("last line, G", b"G", number(TOP)),
    ("match before, N", b"N", number(TOP))]
RARE = [OPEN_SEARCH, *typed("l0999")]


def answers(watched, steps, spacing):
    """Sends every key when the last one was answered and all is still (`spacing` None), or every
    so many seconds. Gives (name, ms to the answer or None, ms to the last output) a key."""
    sent = []
    for _, key, _ in steps:
        sent.append((time.perf_counter(), len(watched.text)))
        os.write(watched.fd, key)
        end, came = time.perf_counter() + (spacing or 3), False
        while time.perf_counter() < end:
            got = watched.take(0.001 if spacing else 0.1)
            came = came or got
            if not spacing and came and not got:
                break
    while watched.take(0.3):
        pass
    screen, at, before, spent, chunk = Screen(), 0, "", [], 0
    for i, (name, _, is_answer) in enumerate(steps):
        until = sent[i + 1][0] if i + 1 < len(sent) else float("inf")
        while chunk < len(watched.times) and watched.times[chunk][0] < sent[i][0]:
            screen.feed(watched.text[at:watched.times[chunk][1]])
            at, chunk = watched.times[chunk][1], chunk + 1
        before, answer, last = screen.text(), None, None
        while chunk < len(watched.times) and watched.times[chunk][0] < until:
            when, size = watched.times[chunk]
            screen.feed(watched.text[at:size])
            at, chunk = size, chunk + 1
            last = (when - sent[i][0]) * 1000
            if answer is None and is_answer(screen.text(), before):
                answer = last
        spent.append((name, answer, last))
    return spent


def look_at_keys(argv, env, cwd, rounds):
    """Every key once the diff is ready, and some right after the first screen, quickly typed."""
    ready, opened = {}, {}
    for _ in range(rounds):
        for steps in (SEARCH, RARE, MODES):
            watched = Watched(argv, env, cwd)
            try:
                watched.until_idle()
                for name, answer, last in answers(watched, steps, None):
                    ready.setdefault(name, []).append((answer, last))
            finally:
                watched.end()
        for steps in (SEARCH[:11], MODES[:4], [("page", b" ", number(TOP))] * 8):
            watched = Watched(argv, env, cwd)
            try:
                while b"module_0000.c" not in watched.text and watched.take(5):
                    pass
                for name, answer, last in answers(watched, steps, 0.05):
                    opened.setdefault(name, []).append((answer, last))
            finally:
                watched.end()
    return ready, opened


def tell_keys(title, spent):
    for name, pairs in spent.items():
        ms = [a for a, _ in pairs if a is not None]
        line = {"bench": f"{title}: {name}"}
        if ms:
            line.update({"p95_ms": round(p95(ms), 2), "max_ms": round(max(ms), 2),
                         "peer": "a frame of 60 a second", "ratio": round(max(ms) / FRAME_MS, 3),
                         "settled_ms": round(max(last for _, last in pairs if last), 1)})
        if len(ms) < len(pairs):
            line["unanswered"] = len(pairs) - len(ms)
        line["runs"] = len(pairs)
        print(json.dumps(line), flush=True)


def bench_diff_keys(stage, env):
    path = os.path.join(stage, "big.diff")
    if not os.path.exists(path):
        generate_diff(path)
    ready, opened = look_at_keys([ATCONSOLE, "--diff", path], env, stage,
                                 int(os.environ.get("BENCH_DIFF_RUNS", "5")))
    tell_keys("diff ready", ready)
    tell_keys("diff just opened", opened)


def bench_diff(stage, env):
    path = os.path.join(stage, "big.diff")
    generate_diff(path)
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        lines = f.read().split(b"\n")
    print(json.dumps({"bench": "diff input", "bytes": size, "lines": len(lines) - 1,
                      "hunks": sum(line.startswith(b"@@ ") for line in lines),
                      "files": sum(line.startswith(b"diff ") for line in lines)}), flush=True)
    last_word = lines[34].rsplit(b" ", 1)[1][:8]  # on the first screen of both
    del lines
    has_tig = shutil.which("tig") is not None
    mine, theirs = [], []
    for _ in range(int(os.environ.get("BENCH_DIFF_RUNS", "5"))):
        mine.append(look_at_diff([ATCONSOLE, "--diff", path], env, stage, last_word))
        if has_tig:
            theirs.append(look_at_diff(["sh", "-c", f"exec tig < '{path}'"], env, stage, last_word))
    names = {"first": ("diff, first screen", "ms"), "ready": ("diff, ready", "ms"),
             "page": ("diff, page scroll p95", "ms"), "rss": ("diff, peak memory", "mib")}
    for key, (name, unit) in names.items():
        if any(r[key] is None for r in mine):
            print(json.dumps({"bench": name, "error": "nothing was shown"}))
            continue
        m = statistics.median(r[key] for r in mine)
        line = {"bench": name, unit: round(m, 2), "runs": len(mine)}
        if key == "rss":
            line["of_file"] = round(m * 1048576 / size, 3)
        if not has_tig:
            line["skipped"] = "tig is not installed: no peer"
        elif all(r[key] is not None for r in theirs):
            t = statistics.median(r[key] for r in theirs)
            line.update({"peer": "tig < FILE", f"peer_{unit}": round(t, 2), "ratio": round(m / t, 3)})
        print(json.dumps(line), flush=True)
    bench_diff_keys(stage, env)


FRAME_MS = 1000 / 60


def say_frame(name, ms):
    """p95 and the worst of them, and the worst as part of a frame."""
    print(json.dumps({"bench": name, "ms": round(statistics.median(ms), 2), "p95_ms": round(p95(ms), 2),
                      "max_ms": round(max(ms), 2), "peer": "a frame of 60 a second",
                      "ratio": round(max(ms) / FRAME_MS, 3), "runs": len(ms)}), flush=True)


def write_many_rules(project, count=50000):
    """A live file of about 5 MB: rules of several tools, each of about 100 bytes."""
    words = "of-a-project-that-generates-one-permission-rule-for-every-single-thing-that-it-has"
    shapes = ("Bash(tool-{0}-{1}:*)", "Read(./dir/{0}/{1}/**)", "Edit(./generated/{0}/{1}.txt)",
              "WebFetch(domain:host-{0}.{1}.example)")
    rules = [shapes[i % 4].format(i, words) for i in range(count)]
    live = os.path.join(project, ".claude/settings.json")
    with open(live, "w", encoding="utf-8") as f:
        json.dump({"model": "x", "permissions": {"allow": rules}}, f, indent=2)
    return os.path.getsize(live)


def keys_of_large_project(stage, env):
    """The same with 50,000 permission rules, from the first painted frame on."""
    many = "with 50,000 rules"
    project = sample(stage, 2)
    update(project, env)
    print(json.dumps({"bench": "live settings " + many, "bytes": write_many_rules(project)}), flush=True)
    time.sleep(3.5)  # a file that changed just now is compared by its bytes: that is measured last
    first, loaded = [], []
    for _ in range(9):
        watched = Watched([ATCONSOLE], env, project)
        try:
            loaded.append(watched.until_idle())
            first.append(watched.shown(b"Reading the settings", b"known yet"))
        finally:
            watched.end()
    if None not in first:
        say_frame("first painted frame " + many, first)
    say_frame("all read and shown " + many, loaded)
    watched = Watched([ATCONSOLE], env, project)
    try:
        watched.until_idle()
        fresh = {key: watched.keys(key, 1) for key in (b"1", b"2", b"3", b"4", b"5")}
        spent = {}
        for _ in range(15):
            for key in (b"1", b"j", b"k", b"2", b"3", b"5", b"j", b"k"):
                spent.setdefault((b"view " if key.isdigit() else b"key ") + key, []).extend(
                    watched.keys(key, 1))
            for name, key in ((b"view 4", b"4"), (b"Merge, key j", b"j"), (b"Merge, a decision", b"r"),
                              (b"Merge, its undo", b"u"), (b"Merge, key k", b"k")):
                spent.setdefault(name, []).extend(watched.keys(key, 1))
        os.utime(os.path.join(project, ".claude/settings.json"))
        young = [ms for _ in range(3) for key in (b"4", b"1") for ms in watched.keys(key, 1)]
    finally:
        watched.end()
    say_frame("first change to a view " + many, [ms for key in fresh.values() for ms in key])
    for name, ms in spent.items():
        if len(ms) == 15 or len(ms) == 30:
            say_frame(f"{name.decode()} {many}", ms)
        else:
            print(json.dumps({"bench": f"{name.decode()} {many}", "error": f"answered {len(ms)} times"}))
    say_frame("change of view just after the file changed, " + many, young)


def bench_keys(stage, env):
    keys_of_sample(stage, env)
    keys_of_large_project(stage, env)


def keys_of_sample(stage, env):
    """A key that moves and each change of view, as part of a frame of 60 a second."""
    project = sample(stage, 1)
    update(project, env)
    watched = Watched([ATCONSOLE], env, project)
    try:
        watched.until_idle()
        spent = {}
        for _ in range(15):
            for key in (b"1", b"2", b"3", b"4", b"5", b"j"):
                spent.setdefault(key, []).extend(watched.keys(key, 1))
    finally:
        watched.end()
    for key, ms in spent.items():
        name = "key j" if key == b"j" else f"change to view {key.decode()}"
        print(json.dumps({"bench": name, "ms": round(statistics.median(ms), 2), "p95_ms": round(p95(ms), 2),
                          "peer": "a frame of 60 a second", "ratio": round(p95(ms) / FRAME_MS, 3),
                          "runs": len(ms)}), flush=True)


BENCHES = {"idle": bench_idle, "agents": bench_agents, "teams": bench_teams, "merge": bench_merge,
           "screen": bench_screen, "keys": bench_keys, "diff": bench_diff, "diff-keys": bench_diff_keys}


def main():
    names = sys.argv[3:] or [name for name in BENCHES if name != "diff-keys"]  # a part of "diff"
    with tempfile.TemporaryDirectory() as stage:
        home = os.path.join(stage, "home")
        os.mkdir(home)
        env = environment(home)
        for name in names:
            room = os.path.join(stage, name)
            os.mkdir(room)
            BENCHES[name](room, env)


main()
