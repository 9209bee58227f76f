#!/bin/sh
# mac-escape-tests.sh - tries to get out of the launcher beside it, on this very machine.
#
#   sandbox/mac-escape-tests.sh [--report FILE] [--internet] [--work DIR]
#
# Each gate starts confine-run.sh of this directory, lets a harmless program try what must be
# denied, and looks from outside whether it happened. A positive control in the same profile
# shows that the program ran at all: a sandbox in which nothing works proves nothing.
#
#   --report FILE   write the report there; without it, it goes to standard output alone
#   --internet      gate 3i too: a connection to 1.1.1.1:443. Nothing leaves the host without it
#   --work DIR      make the test's own directory in DIR (default: your home). Not below
#                   /private/tmp or /private/var/folders: every profile may write there
#   --help          this text
#
# Verdicts:
#   PASS            the control worked, the attempt did not
#   FAIL            the attempt got through, or a promised warning was not given
#   N/A             nothing is promised here, or the attempt cannot be made on this machine
#   UNTRUSTED       this shell is in a sandbox already: what was denied may be its doing
#   INDETERMINATE   the control failed: the gate says nothing either way
#
# Exit status: 0 every gate that applies passed. 1 a gate FAILed. 2 nothing was tested: usage,
# no launcher, not macOS, root. 3 none failed, but some are UNTRUSTED or INDETERMINATE: that is
# no success. The report is JSON and good for this build of macOS and this launcher alone; the
# console compares both. Run it from a plain Terminal, as the user who will run the agents.
#
# What it does not show: that the list of setuid programs is complete. Compare it with your
# machine:  find / -type f \( -perm -4000 -o -perm -2000 \) -print
set -u
unset CDPATH
umask 077
# shellcheck disable=SC3045 # a shell without it would leave a core file, no more
ulimit -c 0 2>/dev/null
nl='
'

say() {
    printf 'mac-escape-tests: %s\n' "$1" | LC_ALL=C tr '\000-\010\013-\037\177' '?' >&2
}

refuse() { # MESSAGE [HINT]
    say "$1"
    [ -z "${2-}" ] || say "  $2"
    exit 2
}

usage() {
    while IFS= read -r line; do
        case $line in
        '#!'*) ;;
        '# '*) printf '%s\n' "${line#'# '}" ;;
        '#') echo ;;
        *) return ;;
        esac
    done <"$0"
}

report='' internet='' base=${HOME-}
while [ $# -gt 0 ]; do
    case $1 in
    --report | --work) [ -n "${2-}" ] || refuse "$1 needs a value" "See --help." ;;
    esac
    case $1 in
    --report)
        report=$2
        shift
        ;;
    --work)
        base=$2
        shift
        ;;
    --internet) internet=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) refuse "unknown option or word '$1'" "See --help." ;;
    esac
    shift
done

here=$(cd -P -- "$(dirname -- "$0")" && pwd) || refuse "where this script is cannot be told"
launcher=$here/confine-run.sh
[ -f "$launcher" ] || refuse "there is no confine-run.sh in '$here'" \
    "It is the emitted launcher that is tested: run atconsole --update."
[ -x "$launcher" ] || refuse "'$launcher' is not executable"
[ "$(uname -s)" = Darwin ] || refuse "this is not macOS: there is nothing to test here"
[ "$(id -u)" != 0 ] || refuse "the caller is root: what root is denied says little of others" \
    "Run it as the user who will run the agents."
if [ -n "$report" ]; then
    if [ -d "$report" ] || [ -L "$report" ]; then
        refuse "--report: '$report' is a directory or a link"
    fi
    case $report in
    /*) ;;
    *) report=$PWD/$report ;;
    esac
    [ -d "${report%/*}/" ] || refuse "--report: the directory of '$report' is not there"
fi

# The report holds for these two alone; without them it would hold for any machine.
build=$(sw_vers -buildVersion) || refuse "sw_vers does not tell the build of this macOS"
version=$(sw_vers -productVersion) || refuse "sw_vers does not tell the version of this macOS"
case $build in
'' | *[!0-9A-Za-z.]*) refuse "sw_vers tells '$build', which is no build of macOS" ;;
esac
case $version in
'' | *[!0-9.]*) refuse "sw_vers tells '$version', which is no version of macOS" ;;
esac
digest() { # prints the launcher's SHA-256
    sum=$(shasum -a 256 "$launcher") || return 1
    sum=${sum%% *}
    sum=${sum#\\} # shasum marks a path that it had to quote
    case $sum in
    *[!0-9a-f]*) return 1 ;;
    ????????????????????????????????????????????????????????????????) printf '%s' "$sum" ;;
    *) return 1 ;;
    esac
}
sha256=$(digest) || refuse "shasum -a 256 does not tell the digest of '$launcher'"

# ---- a place of its own, and nothing left behind ----

work='' shared='' part='' listener='' running='' guard=''
# shellcheck disable=SC2317 # the trap calls it
leave() {
    for process in $guard $running $listener; do # the guard first: it must not kill a stranger
        kill "$process" 2>/dev/null
    done
    [ -z "$part" ] || rm -f -- "$part"
    [ -z "$work" ] || rm -rf -- "$work"
    if [ -n "$shared" ]; then
        # Gone only when gate 8b moved it: then that is ours as well.
        [ -d "$shared" ] || rm -rf -- "$shared.moved"
        rm -rf -- "$shared"
    fi
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

[ -d "$base" ] || refuse "the directory for the test, '$base', is not there" \
    "Set HOME, or name one by --work."
base=$(cd -P -- "$base" && pwd) || refuse "'$base' cannot be entered"
case $base/ in
/private/tmp/* | /private/var/folders/*) refuse "'$base' is where every profile may write" \
    "Name a directory elsewhere by --work: a write there would prove nothing." ;;
esac
work=$(mktemp -d "${base%/}/.agentteams-escape.XXXXXXXX") ||
    refuse "no directory can be made in '$base'"
shared=$(mktemp -d /tmp/agentteams-escape.XXXXXXXX) || refuse "no directory can be made in /tmp"
shared=$(cd -P -- "$shared" && pwd) || exit 2
scratch=$work/scratch
outside=$work/outside
mkdir "$scratch" "$outside" || exit 2
cd -- "$scratch" || exit 2

# ---- running and judging ----

within() { # SECONDS COMMAND...: $overdue when it had to be ended
    seconds=$1
    shift
    rm -f "$work/overdue"
    "$@" &
    running=$!
    (
        nap=
        trap '[ -z "$nap" ] || kill "$nap"; exit' TERM
        sleep "$seconds" &
        nap=$!
        wait "$nap"
        echo >"$work/overdue"
        kill -KILL "$running"
    ) </dev/null >/dev/null 2>&1 &
    guard=$!
    wait "$running" 2>/dev/null
    status=$?
    kill "$guard" 2>/dev/null
    wait "$guard" 2>/dev/null
    running='' guard=''
    [ -e "$work/overdue" ] && overdue=yes || overdue=
    return $status
}

confined() { # LAUNCHER'S ARGUMENTS...
    rm -f "$scratch/ran"
    within 30 "$launcher" "$@" </dev/null >"$work/out" 2>"$work/err"
}

ran() { # the program inside wrote what the profile lets it write
    [ -s "$scratch/ran" ]
}

rows='' failed='' unsure=''
verdict() { # GATE VERDICT NOTE
    printf '%-4s %-13s %s\n' "$1" "$2" "$3" >&2
    rows="$rows${rows:+,$nl}    {\"gate\": \"$1\", \"verdict\": \"$2\", \"note\": \"$3\"}"
    case $2 in
    FAIL) failed=yes ;;
    UNTRUSTED | INDETERMINATE) unsure=yes ;;
    esac
}

no_control() { # GATE WHAT: with the last thing the launcher or the system said of it
    said=$(grep -v -e ENFORCEMENT-UNVERIFIED "$work/err" 2>/dev/null | tail -n 1 |
        LC_ALL=C tr -c ' !#-[]-~' '?' | cut -c 1-160) # no quote, no backslash: it goes into JSON
    verdict "$1" INDETERMINATE "control failed: $2${said:+ ($said)}"
}

# A team's control plane: what the launcher wants to find, in the root that is tried to break.
team() { # ROOT
    mkdir -p "$1/.claude/hooks" "$1/.claude/agents/references/authorized-verify-keys" || exit 2
    for file in hooks/constitutional-gate.sh hooks/constitutional-gate.py \
        agents/references/build-log.json agents/references/agent-privilege.json \
        agents/references/security-approvers.txt agents/references/authorized-managers.txt \
        agents/references/management-authority.json; do
        echo as-it-was >"$1/.claude/$file" || exit 2
    done
}

# ---- the gates ----

# Programs run inside write by echo: a redirection that fails must not end the shell.
# shellcheck disable=SC2016 # the words are for the shell inside
gate_1() {
    echo as-it-was >"$outside/kept"
    confined --scratch "$scratch" -- /bin/sh -c \
        'echo in >"$1/ran"; echo out >"$2/new"; echo out >"$2/kept"' sh "$scratch" "$outside"
    if ! ran; then
        no_control 1 'a write in scratch'
    elif [ -e "$outside/new" ] || [ "$(cat "$outside/kept")" != as-it-was ]; then
        verdict 1 FAIL 'a file outside scratch was written'
    else
        verdict 1 PASS 'scratch can be written, a directory outside cannot'
    fi
}

# shellcheck disable=SC2016 # the words are for the shell inside
gate_2() {
    mkdir "$outside/keys"
    echo the-secret >"$outside/keys/secret"
    look='echo in >"$1/ran"; cat "$2" >"$1/seen"'
    confined --scratch "$scratch" -- /bin/sh -c "$look" sh "$scratch" "$outside/keys/secret"
    if ! ran || ! grep -q the-secret "$scratch/seen"; then
        no_control 2 'a read without --exclude'
        return
    fi
    rm -f "$scratch/seen"
    confined --scratch "$scratch" --exclude "$outside/keys" -- \
        /bin/sh -c "$look" sh "$scratch" "$outside/keys/secret"
    if ! ran; then
        no_control 2 'a write in scratch with --exclude'
    elif grep -q the-secret "$scratch/seen" 2>/dev/null; then
        verdict 2 FAIL 'a file below --exclude was read'
    else
        verdict 2 PASS 'readable without --exclude, not with it'
    fi
}

listen_py='import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(8)
with open(sys.argv[1], "w") as f: f.write(str(s.getsockname()[1]) + "\n")
while True: s.accept()[0].close()'
connect_py='import socket, sys
socket.create_connection((sys.argv[1], int(sys.argv[2])), 5).close()'

reach() { # ADDRESS PORT: sets the words of a program that connects and says so
    if [ "$tool" = nc ]; then
        reach="nc -z -w 5 $1 $2"
    else
        reach="python3 -c '$connect_py' $1 $2"
    fi
}

pick_tool() {
    if command -v nc >/dev/null; then
        tool=nc
    elif command -v python3 >/dev/null; then
        tool=python3
    else
        return 1
    fi
}

listen() { # sets $port and $listener: a listener of ours that answers on loopback
    tries=0
    while [ "$tries" -lt 5 ]; do
        tries=$((tries + 1))
        if [ "$tool" = nc ]; then
            port=$((20000 + ($$ + tries * 7919) % 40000))
            nc -k -l 127.0.0.1 "$port" </dev/null >/dev/null 2>&1 &
            listener=$!
        else
            rm -f "$work/port"
            python3 -c "$listen_py" "$work/port" </dev/null >/dev/null 2>&1 &
            listener=$!
        fi
        sleep 1
        [ "$tool" = nc ] || read -r port <"$work/port" || port=0
        reach 127.0.0.1 "$port"
        # Both: another program may have had the port, and then ours has ended.
        if kill -0 "$listener" 2>/dev/null && within 10 sh -c "$reach" >/dev/null 2>&1; then
            return 0
        fi
        kill "$listener" 2>/dev/null
        wait "$listener" 2>/dev/null
        listener=
    done
    return 1
}

connect() { # GATE WHERE, with $reach set
    # shellcheck disable=SC2016 # the words are for the shell inside
    try='echo in >"$1/ran"; if ('$reach') </dev/null >/dev/null 2>&1; then echo yes >"$1/met"; fi'
    rm -f "$scratch/met"
    confined --scratch "$scratch" --egress host -- /bin/sh -c "$try" sh "$scratch"
    if ! ran || [ ! -e "$scratch/met" ]; then
        no_control "$1" "a connection to $2 with --egress host"
        return
    fi
    rm -f "$scratch/met"
    confined --scratch "$scratch" --egress deny -- /bin/sh -c "$try" sh "$scratch"
    if ! ran; then
        no_control "$1" 'a write in scratch with --egress deny'
    elif [ -e "$scratch/met" ]; then
        verdict "$1" FAIL "$2 was reached with --egress deny"
    elif ! within 10 sh -c "$reach" >/dev/null 2>&1; then
        no_control "$1" "$2 did not answer any more afterwards"
    else
        verdict "$1" PASS "$2 answers with --egress host, not with deny"
    fi
}

gate_3() {
    : >"$work/err"
    if ! pick_tool; then
        no_control 3 'neither nc nor python3 is there to connect with'
        return
    fi
    if listen; then
        connect 3 'a listener on loopback'
        kill "$listener" 2>/dev/null
        wait "$listener" 2>/dev/null
        listener=
    else
        no_control 3 "no listener on loopback could be had with $tool"
    fi
    if [ -n "$internet" ]; then
        reach 1.1.1.1 443
        connect 3i 1.1.1.1:443
    fi
}

# sudo -V only prints its version: it asks for nothing and becomes nobody.
setuid_program=/usr/bin/sudo

# shellcheck disable=SC2016 # the words are for the shell inside
execute() { # GATE PROGRAM: sets $executed to yes, no, or nothing when the control failed
    rm -f "$scratch/status"
    executed=
    confined --scratch "$scratch" -- /bin/sh -c \
        '/bin/echo in >"$1/ran"; "$2" -V >/dev/null 2>&1; echo $? >"$1/status"' \
        sh "$scratch" "$2"
    if ! ran || ! read -r got <"$scratch/status" || [ "$got" = 127 ]; then
        no_control "$1" 'exec of echo'
    elif [ "$got" = 126 ]; then
        executed=no
    else
        executed=yes
    fi
}

gate_4() {
    if ! [ -x "$setuid_program" ] || ! "$setuid_program" -V </dev/null >/dev/null 2>&1; then
        for gate in 4 4b 4c; do
            verdict $gate N/A "$setuid_program does not run here without a sandbox either"
        done
        return
    fi
    execute 4 "$setuid_program"
    case $executed in
    yes) verdict 4 FAIL "$setuid_program was executed" ;;
    no) verdict 4 PASS "echo can be executed, $setuid_program cannot" ;;
    esac
    # The list goes by path and is called a hindrance, no boundary: a way around it is told.
    for way in '4b symbolic' '4c hard'; do
        gate=${way%% *}
        way=${way#* }
        if [ "$way" = symbolic ]; then
            ln -s "$setuid_program" "$scratch/$way"
        elif ! ln "$setuid_program" "$scratch/$way" 2>/dev/null; then
            verdict "$gate" N/A 'a hard link to it cannot be made here'
            continue
        fi
        execute "$gate" "$scratch/$way"
        case $executed in
        yes) verdict "$gate" N/A "BYPASSED through a $way link: the list is a hindrance, no more" ;;
        no) verdict "$gate" PASS "not through a $way link either" ;;
        esac
        rm -f "$scratch/$way"
    done
}

is_cpu_death() { # the kernel's signal ended it (XCPU or KILL), not our guard
    case $status$overdue in
    152 | 137) return 0 ;;
    esac
    return 1
}

gate_5r() {
    within 30 /bin/sh -c 'ulimit -t 1 || exit 3; while :; do :; done' >/dev/null 2>&1
    if is_cpu_death; then
        limits=yes
        verdict 5r PASS 'the limit of processor time ends a busy loop, without any profile'
    else
        limits=
        verdict 5r FAIL "the limit of processor time did not end a busy loop (status $status)"
    fi
}

# shellcheck disable=SC2016 # the words are for the shell inside
gate_5() {
    if [ -z "$limits" ]; then
        : >"$work/err"
        no_control 5 'the limit itself, gate 5r'
        return
    fi
    confined --scratch "$scratch" --cpu-max 2 -- \
        /bin/sh -c 'echo in >"$1/ran"; while :; do :; done' sh "$scratch"
    if ! ran; then
        no_control 5 'a program under --cpu-max'
    elif is_cpu_death; then
        verdict 5 PASS "a busy loop under --cpu-max 2 ended with status $status"
    else
        verdict 5 FAIL \
            "a busy loop under --cpu-max 2 ended with status $status${overdue:+, by the guard}"
    fi
}

caveat() { # GATE OPTION WORDS: no limit is promised, but its absence must be said
    "$launcher" --scratch "$scratch" "$2" 64 --check -- /usr/bin/true </dev/null \
        >/dev/null 2>"$work/err"
    if grep -q -e "$3" "$work/err"; then
        verdict "$1" N/A "$2 promises nothing on macOS and says so ($3)"
    else
        verdict "$1" FAIL "$2 does not say '$3'"
    fi
}

# shellcheck disable=SC2016 # the words are for the shell inside
gate_8() {
    team "$work/root"
    plane=$work/root/.claude/agents/references
    confined --scratch "$work/root" --writable "$scratch" -- /bin/sh -c '
        echo in >"$1/written" && echo in >"$3/ran"
        echo out >"$2/agent-privilege.json"
        echo out >"$2/authorized-verify-keys/planted.pub"
        rm -f "$2/build-log.json"
        mv "$2" "$2.moved"' sh "$work/root" "$plane" "$scratch"
    if ! ran || [ ! -s "$work/root/written" ]; then
        no_control 8 'a write in the root'
        return
    fi
    through=
    if [ ! -d "$plane" ]; then
        through=', rename of references'
        plane=$plane.moved
    fi
    [ "$(cat "$plane/agent-privilege.json" 2>/dev/null)" = as-it-was ] ||
        through="$through, write to the switch"
    [ ! -e "$plane/authorized-verify-keys/planted.pub" ] || through="$through, a planted key"
    [ -e "$plane/build-log.json" ] || through="$through, the marker deleted"
    if [ -n "$through" ]; then
        verdict 8 FAIL "got through: ${through#, }"
    else
        verdict 8 PASS 'switch, keys, marker and their directory stay as they are'
    fi
}

# shellcheck disable=SC2016 # the words are for the shell inside
gate_8b() {
    team "$shared/root"
    confined --scratch "$shared/root" --writable "$scratch" -- /bin/sh -c '
        echo in >"$1/root/written" && echo in >"$2/ran"
        mv "$1/root" "$1/moved"
        mv "$1" "$1.moved"' sh "$shared" "$scratch"
    if [ ! -d "$shared/root" ]; then
        verdict 8b FAIL 'a root below /private/tmp was moved away'
    elif ! ran || [ ! -s "$shared/root/written" ]; then
        no_control 8b 'a write in a root below /private/tmp'
    else
        verdict 8b PASS 'a root below /private/tmp stays where it is'
    fi
}

# ---- all of them ----

# A process in a sandbox cannot get another profile: then it is the first that denies.
if sandbox-exec -p '(version 1)(allow default)' /usr/bin/true </dev/null >/dev/null 2>&1; then
    nested=false
    gate_1
    gate_2
    gate_3
    gate_4
else
    nested=true
    say "no profile can be applied here: this shell is in a sandbox, or has no sandbox-exec"
    say "  Run this from a plain Terminal; what it says here counts for nothing."
    for gate in 1 2 3 4 4b 4c 5 8 8b; do
        verdict $gate UNTRUSTED 'no profile can be applied in this shell'
    done
fi
gate_5r
[ "$nested" = true ] || gate_5
caveat 6 --nproc-max 'self-DoS knob'
caveat 7 --mem-max 'MEMORY UNCAPPED'
if [ "$nested" = false ]; then
    gate_8
    gate_8b
fi

[ "$(digest)" = "$sha256" ] || refuse "'$launcher' changed meanwhile: no report is written"
if [ -n "$failed" ]; then
    result=fail code=1
elif [ -n "$unsure" ]; then
    result=unproven code=3
else
    result=pass code=0
fi

put_report() {
    cat <<END
{
  "report": "mac-escape-tests",
  "format": 1,
  "date": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "os_version": "$version",
  "os_build": "$build",
  "launcher_sha256": "$sha256",
  "nested": $nested,
  "result": "$result",
  "gates": [
$rows
  ]
}
END
}

if [ -z "$report" ]; then
    put_report
else
    # Whole or not at all: half a report must not be read.
    part=$(mktemp "$report.XXXXXXXX") || refuse "the report '$report' cannot be written"
    put_report >"$part" || refuse "the report '$report' cannot be written"
    mv -f -- "$part" "$report" || refuse "the report '$report' cannot be written"
    part=
fi
case $result in
pass) say "every gate that applies passed, for build $build and this launcher alone" ;;
fail) say "a gate FAILed: this launcher does not confine here" ;;
unproven) say "nothing failed, but not every gate could tell: nothing is proven" ;;
esac
exit $code
