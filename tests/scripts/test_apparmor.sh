#!/bin/sh
# WIRE-12: test-sandbox-apparmor-userns.sh on a model of the kernel: each remedy is tried and
# taken back, by whatever the script is ended; one is kept only when its own command worked.
. "$(dirname -- "$0")/lib.sh"

export MODEL="$top/model"
script=$top/script.sh
sed -e "s,^profiles=.*,profiles=$MODEL/etc/apparmor.d," -e "s,^extra=.*,extra=$MODEL/extra," \
    -e "s,^loaded=.*,loaded=$MODEL/loaded," -e "s,^sysctls=.*,sysctls=$MODEL/etc/sysctl.d," \
    -e "s,^settings=.*,settings=$MODEL/proc," \
    "$SOURCE/scripts/test-sandbox-apparmor-userns.sh" >"$script"
etc=$MODEL/etc/apparmor.d

# The model: a setting, the loaded profiles, and for the one named bwrap what it lets through.
quiet_stand_in id <<'END'
case $* in
-u) cat "$MODEL/uid" ;;
'-u alice') echo 1000 ;;
*) exit 1 ;;
esac
END
stand_in sysctl <<'END'
case $1 in
-n) cat "$MODEL/setting" 2>/dev/null ;;
-w) echo "${2#*=}" >"$MODEL/setting" ;;
esac
END
stand_in apparmor_parser <<'END'
case $* in
*/etc/*) [ ! -e "$MODEL/etc-fails" ] || exit 1 ;;
esac
for name in $(sed -n 's/^profile \([^ ]*\).*/\1/p' "$3"); do
    grep -v "^$name " "$MODEL/loaded" >"$MODEL/loaded.new"
    cat "$MODEL/loaded.new" >"$MODEL/loaded"
    rm "$MODEL/loaded.new"
    [ "$2" != -r ] || echo "$name (enforce)" >>"$MODEL/loaded"
done
sort -o "$MODEL/loaded" "$MODEL/loaded"
: >"$MODEL/kind"
[ "$2" != -r ] || sed -n 's/^profile bwrap .*flags=(\([a-z_]*\).*/\1/p' "$3" >"$MODEL/kind"
[ ! -e "$MODEL/slow-parser" ] || { touch "$MODEL/in-parser"; sleep 1; }
END
stand_in runuser <<'END'
shift 3
exec "$@"
END
quiet_stand_in unshare </dev/null
quiet_stand_in bwrap <<'END'
count=$(($(cat "$MODEL/probes") + 1))
echo "$count" >"$MODEL/probes"
if [ "$count" = "$(cat "$MODEL/hang-at" 2>/dev/null)" ]; then
    echo $$ >"$MODEL/hanging"
    exec sleep 60
fi
[ ! -e "$MODEL/broken" ] || exit 1
case $(cat "$MODEL/setting") in
0) may=yes ;;
*) may= ;;
esac
case $(cat "$MODEL/kind") in
unconfined) may=yes ;;
attach_disconnected) # bwrap may, what it starts gets nothing
    may=yes
    case $* in
    *' unshare '*) may= ;;
    esac
    ;;
esac
[ -n "$may" ] || { echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1; }
[ -e "$MODEL/silent" ] || echo confined
END

ships() { # FILE: the distribution's two profiles
    printf '%s\n' 'profile bwrap /usr/bin/bwrap flags=(attach_disconnected,mediate_deleted) {' '}' \
        'profile unpriv_bwrap flags=(attach_disconnected,mediate_deleted) {' '}' >"$1"
}
host() { # loaded (as Ubuntu has it now), extra (shipped, not loaded), bare
    rm -rf "$MODEL"
    mkdir -p "$etc" "$MODEL/etc/sysctl.d" "$MODEL/extra"
    echo 0 >"$MODEL/uid"
    echo 1 >"$MODEL/setting"
    echo 0 >"$MODEL/probes"
    echo 'other (enforce)' >"$MODEL/loaded"
    : >"$MODEL/kind"
    case $1 in
    loaded)
        ships "$etc/bwrap-userns-restrict"
        printf '%s\n' 'bwrap (enforce)' 'other (enforce)' 'unpriv_bwrap (enforce)' >"$MODEL/loaded"
        echo attach_disconnected >"$MODEL/kind"
        ;;
    extra) ships "$MODEL/extra/bwrap-userns-restrict" ;;
    esac
    before=$(model)
}
model() { # all that may be changed, as text
    echo "setting $(cat "$MODEL/setting" 2>/dev/null)"
    cat "$MODEL/loaded" "$MODEL/kind"
    find "$MODEL/etc" | sort
}
unchanged() {
    same 'the host afterwards' "$before" "$(model)"
}
no_change_called() {
    same 'calls that change something' '' "$(grep -e 'sysctl -w' -e apparmor_parser "$CALLS")"
}
verdict_of() { # CANDIDATE: PASS, FAIL or -
    sed -n "s/^$1  *\([A-Z-][A-Z]*\) *.*/\1/p" "$top/out"
}
unset SUDO_USER

# ---- each is tried, and taken back ----

# Host, --for, status; then the verdicts of as it is, distribution, unload, documented, sysctl,
# sysctl-unload.
for shell in 'sh' 'bash --posix'; do
    command -v "${shell%% *}" >/dev/null || continue
    while read -r host need want verdicts; do
        row "$shell: $host for $need"
        host "$host"
        # shellcheck disable=SC2086 # a shell and its option
        tested $shell "$script" --user alice --for "$need"
        same status "$want" "$status"
        got=
        for name in 'as it is' distribution unload documented sysctl sysctl-unload; do
            got="$got $(verdict_of "$name")"
        done
        same verdicts "$verdicts" "${got# }"
        unchanged
        says 'Gives up AppArmor for everything'
    done <<'END'
loaded claude 0 FAIL - FAIL PASS FAIL PASS
extra claude 0 FAIL FAIL - PASS PASS -
extra launcher 0 FAIL PASS - PASS PASS -
bare claude 0 FAIL - - PASS PASS -
END
done

row 'what was called for it'
host loaded
tested sh "$script" --user alice
same calls '-K -R SHIPPED
-K -r SHIPPED
-K -r OURS
-K -R OURS
-K -r SHIPPED
-w kernel.apparmor_restrict_unprivileged_userns=0
-w kernel.apparmor_restrict_unprivileged_userns=1
-K -R SHIPPED
-w kernel.apparmor_restrict_unprivileged_userns=0
-w kernel.apparmor_restrict_unprivileged_userns=1
-K -r SHIPPED' "$(sed -n -e "s,$etc/bwrap-userns-restrict$,SHIPPED," -e 's,/[^ ]*/bwrap$,OURS,' \
    -e 's/^apparmor_parser //p' -e 's/^sysctl -w/-w/p' "$CALLS")"

row 'none works'
host loaded
touch "$MODEL/broken"
tested sh "$script" --user alice
same status 1 "$status"
says 'none worked; everything is as it was'
unchanged

row 'a command that says nothing did not run'
host loaded
touch "$MODEL/silent"
tested sh "$script" --user alice
same status 1 "$status"
unchanged

row 'a command of the operator'
host loaded
tested sh "$script" --user alice -- false
same status 1 "$status"
unchanged
# shellcheck disable=SC2016 # for the command
tested sh "$script" --user alice -- sh -c '[ "$(cat "$MODEL/setting")" = 0 ]'
same status 0 "$status"
says 'worked: sysctl sysctl-unload '
unchanged

row 'a profile of the operator stays'
host loaded
rm "$etc/bwrap-userns-restrict"
printf '%s\n' 'profile bwrap /usr/bin/bwrap flags=(attach_disconnected) {' '}' >"$etc/bwrap"
before=$(model)
tested sh "$script" --user alice
says "there is a '$etc/bwrap' already"
unchanged

row 'it is put back over a profile of the distribution that was tried'
host extra
printf '%s\n' 'profile bwrap /usr/bin/bwrap flags=(attach_disconnected) {' '}' >"$etc/bwrap"
printf '%s\n' 'bwrap (enforce)' 'other (enforce)' >"$MODEL/loaded"
echo attach_disconnected >"$MODEL/kind"
before=$(model)
tested sh "$script" --user alice
same 'its verdict' FAIL "$(verdict_of distribution)"
unchanged

row 'two files for the loaded profile: no way back, not tried'
host loaded
cp "$etc/bwrap-userns-restrict" "$etc/bwrap"
before=$(model)
tested sh "$script" --user alice
same calls '' "$(grep apparmor_parser "$CALLS")"
says 'no way back'
unchanged

row 'what cannot be taken back is said'
host loaded
touch "$MODEL/etc-fails"
tested sh "$script" --user alice
same status 1 "$status"
says 'NOT EVERYTHING could be taken back'
same 'tries after that' '' "$(verdict_of documented)"

# ---- keeping one ----

while read -r host need name want files; do
    row "--persist $name for $need on $host"
    host "$host"
    tested sh "$script" --user alice --for "$need" --persist "$name"
    same status "$want" "$status"
    if [ "$want" = 0 ]; then
        same 'new files' "$files" "$(find "$MODEL/etc" ! -type d | sed "s,^$MODEL/etc/,," | sort |
            grep -v -x -F "$(printf '%s\n' "$before" | sed -n "s,^$MODEL/etc/,,p")" |
            tr '\n' ' ' | sed 's/ $//')"
        says "$name is kept"
        says '    Gives up'
        tested sh "$script" --user alice --for "$need"
        same 'status of a second run' 0 "$status"
        says 'nothing to do'
    else
        unchanged
        says "$name was not kept"
    fi
done <<'END'
loaded claude documented 0 apparmor.d/bwrap apparmor.d/disable/bwrap-userns-restrict
loaded claude sysctl-unload 0 apparmor.d/disable/bwrap-userns-restrict sysctl.d/60-agentteams-userns.conf
loaded claude sysctl 1
loaded claude unload 1
loaded claude distribution 1
extra claude distribution 1
extra launcher distribution 0 apparmor.d/bwrap-userns-restrict
extra claude documented 0 apparmor.d/bwrap
extra claude sysctl 0 sysctl.d/60-agentteams-userns.conf
bare claude documented 0 apparmor.d/bwrap
END

row 'what is kept'
host bare
tested sh "$script" --user alice --persist documented
grep -q "^profile bwrap $bin/bwrap flags=(unconfined) {" "$etc/bwrap"
same 'the profile' 0 $?
same 'its mode' "$etc/bwrap" "$(find "$etc/bwrap" -perm 644)"

row 'a file in the way: nothing is kept'
host extra
echo mine >"$MODEL/etc/sysctl.d/60-agentteams-userns.conf"
before=$(model)
tested sh "$script" --user alice --persist sysctl
same status 1 "$status"
same 'the file' mine "$(cat "$MODEL/etc/sysctl.d/60-agentteams-userns.conf")"
unchanged

# ---- ended in the middle ----

mkdir "$top/tmp"
export TMPDIR="$top/tmp"
killed() { # SIGNAL MARK ARGUMENT...: starts it, waits for the mark, ends it
    signal=$1 mark=$2
    shift 2
    : >"$CALLS"
    PATH=$bin:$tools sh "$script" --user alice "$@" >"$top/out" 2>&1 &
    process=$!
    tries=0
    while [ ! -e "$MODEL/$mark" ] && [ "$tries" -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    meanwhile=$(model)
    kill -s "$signal" "$process"
    wait "$process" 2>/dev/null
    status=$?
}

while read -r host name signal want; do
    row "$name on $host, ended by $signal while its command runs"
    host "$host"
    echo 2 >"$MODEL/hang-at"
    killed "$signal" hanging --persist "$name"
    same status "$want" "$status"
    rows=$((rows + 1))
    [ "$meanwhile" != "$before" ] || fault 'it was not in force when the signal came'
    unchanged
done <<'END'
loaded unload TERM 143
loaded documented TERM 143
loaded sysctl TERM 143
loaded sysctl-unload TERM 143
extra distribution TERM 143
extra documented TERM 143
loaded sysctl-unload HUP 129
END

row 'the third of all, ended by TERM'
host loaded
echo 4 >"$MODEL/hang-at"
killed TERM hanging
same status 143 "$status"
unchanged

row 'ended by KILL: nothing of it comes back with the next start'
host loaded
echo 2 >"$MODEL/hang-at"
killed KILL hanging --persist documented
same status 137 "$status"
kill "$(cat "$MODEL/hanging")"
same 'files below /etc' "$(printf '%s\n' "$before" | grep "^$MODEL")" "$(find "$MODEL/etc" | sort)"

row 'ended by TERM while a profile is loaded'
host loaded
touch "$MODEL/slow-parser"
killed TERM in-parser --persist documented
same status 143 "$status"
unchanged

row 'nothing is left in the directory for temporary files, but by KILL'
same directories 1 "$(find "$top/tmp" -mindepth 1 -maxdepth 1 | grep -c .)"

# ---- nothing to do, and refusals ----

row 'no AppArmor'
host bare
rm "$MODEL/setting"
echo 1000 >"$MODEL/uid"
tested sh "$script"
same status 0 "$status"
says 'nothing to do'
no_change_called

row 'no restriction'
host loaded
echo 0 >"$MODEL/setting"
tested sh "$script" --persist sysctl --user alice
same status 0 "$status"
says 'nothing to do'
no_change_called

row 'it works already'
host loaded
tested sh "$script" --user alice --for launcher --persist documented
same status 0 "$status"
says 'nothing was changed'
no_change_called

while IFS='|' read -r uid words want; do
    row "usage: $words"
    host loaded
    echo "$uid" >"$MODEL/uid"
    # shellcheck disable=SC2086 # words
    tested sh "$script" $words
    same status 2 "$status"
    says "$want"
    no_change_called
    unchanged
done <<'END'
0|--user alice --persist nonsense|'nonsense' is no candidate
0|--user alice --persist sys|'sys' is no candidate
0|--user alice --persist s.+l|is no candidate
0|--persist|--persist needs a value
0|--user alice --for nobody|--for: 'nobody'
0|--force|unknown option
0||no user to run the command
0|--user root|root is not restricted
0|--user bob|there is no user 'bob'
0|--user alice --|the command after -- is missing
1000|--user alice|not root
END

row 'what does not help is said'
tested sh "$script" --help
same status 0 "$status"
says 'no allow'
says 'enableWeakerNestedSandbox'
finish
