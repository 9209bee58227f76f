#!/bin/sh
# EMIT-10: mac-escape-tests.sh with the emitted launcher and stand-ins for macOS: a sandbox that
# holds nothing must FAIL, one that cannot be had is UNTRUSTED, one in which nothing works is
# INDETERMINATE, and only one that holds passes.
. "$(dirname -- "$0")/lib.sh"

mkdir "$top/home" "$top/sandbox" "$top/state" "$top/shared"
export STATE="$top/state" HOME="$top/home"
unset TMPDIR

# Both as they are emitted, but for how the launcher tells Linux, for the one program of macOS
# that has to be this test's own, and for the place of /tmp, which others share.
emit() {
    sed -e 's,/proc/self/ns/pid,/nowhere,' -e 's,command -p uname,uname,' -e "s,/usr/bin/sudo,$bin/sudo," \
        -e "s,set -- sandbox-exec,set -- $bin/sandbox-exec," \
        "$SOURCE/emit/assets/confine-run.sh" >"$top/sandbox/confine-run.sh"
    sed -e "s,/usr/bin/sudo,$bin/sudo," -e "s,/tmp/agentteams-escape,$top/shared/test," \
        "$SOURCE/emit/assets/mac-escape-tests.sh" >"$top/sandbox/mac-escape-tests.sh"
    chmod +x "$top/sandbox/"*
    digest=$(sha256sum "$top/sandbox/confine-run.sh")
    digest=${digest%% *}
}

quiet_stand_in uname <<'END'
echo Darwin
END
quiet_stand_in id <<'END'
echo 501
END
quiet_stand_in sudo <<'END'
echo 'Sudo version 1'
END
stand_in sw_vers <<'END'
case $1 in
-buildVersion) echo "${BUILD-24G90}" ;;
-productVersion) echo 15.6.1 ;;
esac
END
stand_in shasum <<'END'
[ ! -e "$STATE/changes" ] || [ "$(grep -c shasum "$CALLS")" = 1 ] || echo '#' >>"$3"
exec "$SHA256SUM" "$3"
END
SHA256SUM=$(command -v sha256sum) && export SHA256SUM
# Both ends: a listener is a file, and where FAKE_NET is set there is no network.
stand_in nc <<'END'
case $* in
'-k -l '*)
    touch "$STATE/listens"
    exec sleep 60
    ;;
*' 1.1.1.1 443') [ -z "${FAKE_NET-}" ] ;;
*) [ -z "${FAKE_NET-}" ] && [ -e "$STATE/listens" ] ;;
esac
END
BWRAP=$(command -v bwrap) || BWRAP=
sandbox() { # its body on standard input: a sandbox-exec; $1 is -p, $2 the profile
    { # shellcheck disable=SC2016 # for the stand-in
        printf '%s\n' '#!/bin/sh' "PATH=$bin:$tools" 'export PATH'
        echo "export STATE='$STATE' CALLS='$CALLS' BWRAP='$BWRAP'" # the launcher passes on none
        # shellcheck disable=SC2016 # for the stand-in
        echo 'echo "sandbox-exec $1" >>"$CALLS"; profile=$2; shift 2'
        cat
    } >"$bin/sandbox-exec"
    chmod +x "$bin/sandbox-exec"
}
none() {
    sandbox <<'END'
exec "$@"
END
}
# shellcheck disable=SC2317 # called by a name in a variable
nested() {
    sandbox <<'END'
echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2
exit 71
END
}
# It applies, and then nothing works inside.
# shellcheck disable=SC2317 # called by a name in a variable
deaf() {
    sandbox <<'END'
[ "$profile" != '(version 1)(allow default)' ] || exit 0
echo 'sandbox-exec: "quoted" and \ back' >&2
exit 65
END
}
# The profile's own rules, carried out by bubblewrap: what the profile says is what holds.
held() {
    sandbox <<'END'
[ "$profile" != '(version 1)(allow default)' ] || exec "$@"
paths() { # VERB FILTER
    printf '%s\n' "$profile" | sed -n "s|^($1 ($2 \"\(.*\)\"))\$|\1|p"
}
bind() { # OPTION LIST
    for path in $2; do
        [ ! -e "$path" ] || words="$words $1 $path $path"
    done
}
words='--ro-bind / / --dev /dev'
roots=$(paths 'allow file-write\*' subpath)
bind --bind "$roots"
# A mount point cannot be moved: what a denied literal below a root is for.
for path in $(paths 'deny file-write\*' literal | sort); do
    for root in $roots; do
        case $path in
        "$root"/*) bind --bind "$path" ;;
        esac
    done
done
bind --ro-bind "$(paths 'deny file-write\*' subpath)"
for path in $(paths 'deny file-read\*' subpath); do
    words="$words --tmpfs $path"
done
for path in $(paths 'deny process-exec\*' literal); do
    [ ! -e "$path" ] || words="$words --ro-bind /dev/null $path"
done
case $profile in
*'(deny network*)'*) export FAKE_NET=none ;;
esac
exec "$BWRAP" $words -- "$@"
END
}

verdicts() { # of the report, in one line
    sed -n 's/^    {"gate": "\([0-9a-z]*\)", "verdict": "\([A-Z/]*\)".*/\1=\2/p' "$1" | tr '\n' ' '
}
parses() { # FILE: the console's own reader takes it
    { wc -c <"$1" | tr -d ' ' && cat "$1"; } >"$top/record"
    same 'the report for the console' yes "$("$JSON_VERDICTS" "$top/record")"
}
field() { # NAME VALUE
    rows=$((rows + 1))
    grep -q -F -e "\"$1\": $2" "$top/report" || fault "the report lacks \"$1\": $2"
}
nothing_left() {
    same 'left in home' '' "$(ls -A "$HOME")"
    same 'left in the place of /tmp' '' "$(ls -A "$top/shared")"
}
escape() { # ARGUMENT...
    rm -f "$top/state/listens" "$top/report"
    # shellcheck disable=SC2086 # a shell and its option
    tested $shell "$top/sandbox/mac-escape-tests.sh" --report "$top/report" "$@"
}

emit
shell='sh'
has_bwrap=''
if [ -n "$BWRAP" ] && "$BWRAP" --ro-bind / / --dev /dev true 2>/dev/null; then
    has_bwrap=held

else
    echo "SKIPPED: no bubblewrap here: a sandbox that holds was not tested"
fi

ways='none nested deaf'
[ -z "$has_bwrap" ] || ways="$ways held"
for shell in 'sh' 'bash --posix'; do
    command -v "${shell%% *}" >/dev/null || continue
    [ "$shell" = sh ] || ways="none ${has_bwrap:-deaf}"
    for way in $ways; do
        row "$shell: $way"
        $way
        escape
        case $way in
        none)
            code=1 result=fail inside=false
            want='1=FAIL 2=FAIL 3=FAIL 4=FAIL 4b=N/A 4c=N/A '
            want=$want'5r=PASS 5=PASS 6=N/A 7=N/A 8=FAIL 8b=FAIL '
            says 'BYPASSED through a symbolic link'
            says 'write to the switch, a planted key, the marker deleted'
            ;;
        nested)
            code=3 result=unproven inside=true
            want='1=UNTRUSTED 2=UNTRUSTED 3=UNTRUSTED 4=UNTRUSTED 4b=UNTRUSTED 4c=UNTRUSTED '
            want=$want'5=UNTRUSTED 8=UNTRUSTED 8b=UNTRUSTED 5r=PASS 6=N/A 7=N/A '
            same 'calls of sandbox-exec' 1 "$(grep -c '^sandbox-exec' "$CALLS")"
            ;;
        deaf)
            code=3 result=unproven inside=false
            want='1=INDETERMINATE 2=INDETERMINATE 3=INDETERMINATE 4=INDETERMINATE '
            want=$want'4b=INDETERMINATE 4c=INDETERMINATE 5r=PASS 5=INDETERMINATE 6=N/A 7=N/A '
            want=$want'8=INDETERMINATE 8b=INDETERMINATE '
            ;;
        held)
            code=0 result=pass inside=false
            # The hard link is another path: the list of setuid programs goes by path.
            want='1=PASS 2=PASS 3=PASS 4=PASS 4b=PASS 4c=N/A '
            want=$want'5r=PASS 5=PASS 6=N/A 7=N/A 8=PASS 8b=PASS '
            ;;
        esac
        same status "$code" "$status"
        same verdicts "$want" "$(verdicts "$top/report")"
        parses "$top/report"
        field result "\"$result\""
        field nested "$inside"
        field os_build '"24G90"'
        field launcher_sha256 "\"$digest\""
        nothing_left
    done
done
shell='sh'

# One hole at a time in a sandbox that holds, each found by its own gate alone.
while IFS='|' read -r gate hole; do
    [ -n "$has_bwrap" ] || break
    row "a launcher without what gate $gate tries"
    held
    emit
    sed "$hole" "$top/sandbox/confine-run.sh" >"$top/weak"
    rows=$((rows + 1))
    ! cmp -s "$top/weak" "$top/sandbox/confine-run.sh" || fault 'the launcher has no such line'
    cat "$top/weak" >"$top/sandbox/confine-run.sh"
    # The guard of a busy loop without a limit need not wait a whole minute here.
    sed -e "s,/usr/bin/sudo,$bin/sudo," -e "s,/tmp/agentteams-escape,$top/shared/test," \
        -e 's/^    patience=60/    patience=30/' \
        "$SOURCE/emit/assets/mac-escape-tests.sh" >"$top/sandbox/mac-escape-tests.sh"
    escape
    same status 1 "$status"
    same 'failed gates' "$gate" "$(verdicts "$top/report" | tr ' ' '\n' | sed -n 's/=FAIL//p' |
        tr '\n' ' ' | sed 's/ $//')"
done <<END
1|s,(allow file-write\* (subpath "/private/tmp"),(allow file-write* (subpath "$HOME"))\n&,
2|s,^    rules 'deny file-read.*,,
3|s,(deny network\*),,
4|s,^    rules 'deny process-exec.*,,
5|s,confine ulimit -t,: ulimit -t,
6|s,self-DoS knob,self-made knob,
7|s,MEMORY UNCAPPED,memory,
8|s,^    rules 'deny file-write\*' subpath "\$shut",,
END
emit

row 'the report goes to standard output alone when no file is named'
none
rm -f "$top/state/listens"
: >"$CALLS"
(cd "$top/sandbox" && PATH=$bin:$tools ./mac-escape-tests.sh >"$top/report" 2>"$top/out")
same status 1 $?
parses "$top/report"
same 'files beside the launcher' 'confine-run.sh mac-escape-tests.sh ' \
    "$(find "$top/sandbox" -type f | sed 's,.*/,,' | sort | tr '\n' ' ')"
same '1.1.1.1' '' "$(grep 1.1.1.1 "$CALLS")"

row 'the internet, when asked'
escape --internet
same status 1 "$status"
says '3i   FAIL'

row 'without nc and python3 gate 3 tells nothing'
mv "$bin/nc" "$top/nc"
escape
same 'gate 3' '3=INDETERMINATE' "$(verdicts "$top/report" | tr ' ' '\n' | grep '^3=')"
mv "$top/nc" "$bin/nc"

row 'the launcher changes meanwhile'
touch "$top/state/changes"
escape
rm "$top/state/changes"
same status 2 "$status"
says 'changed meanwhile'
same 'the report' '' "$(ls "$top/report" 2>/dev/null)"
emit

row 'ended by TERM: nothing stays'
sandbox <<'END'
[ "$profile" != '(version 1)(allow default)' ] || exit 0
touch "$STATE/inside"
exec sleep 60
END
PATH=$bin:$tools sh "$top/sandbox/mac-escape-tests.sh" >"$top/out" 2>&1 &
process=$!
tries=0
while [ ! -e "$top/state/inside" ] && [ "$tries" -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill "$process"
wait "$process" 2>/dev/null
same status 143 $?
nothing_left

# ---- refusals: nothing is tested, no report ----

refused() { # TEXT ARGUMENT...
    want=$1
    shift
    escape "$@"
    same status 2 "$status"
    says "$want"
    same 'the report' '' "$(ls "$top/report" 2>/dev/null)"
    same 'calls of sandbox-exec' '' "$(grep sandbox-exec "$CALLS")"
}
none
row 'no launcher'
mv "$top/sandbox/confine-run.sh" "$top/away"
refused 'there is no confine-run.sh'
mv "$top/away" "$top/sandbox/confine-run.sh"
row 'a launcher that cannot be executed'
chmod -x "$top/sandbox/confine-run.sh"
refused 'is not executable'
chmod +x "$top/sandbox/confine-run.sh"
row 'not macOS'
quiet_stand_in uname <<'END'
echo Linux
END
refused 'this is not macOS'
quiet_stand_in uname <<'END'
echo Darwin
END
row root
quiet_stand_in id <<'END'
echo 0
END
refused 'the caller is root'
quiet_stand_in id <<'END'
echo 501
END
row 'a build that is none'
export BUILD='24", "x": "'
refused 'no build of macOS'
unset BUILD
row usage
refused 'unknown option' --force
refused '--work needs a value' --work
refused 'is not there' --work "$top/nowhere"
ln -s "$top/elsewhere" "$top/link"
refused 'is a directory or a link' --report "$top/link"
refused 'is a directory or a link' --report "$top"
refused 'is not there' --report "$top/nowhere/report"
tested sh "$top/sandbox/mac-escape-tests.sh" --help
same status 0 "$status"
says 'Exit status'
finish
