#!/bin/sh
# test-sandbox-apparmor-userns.sh - tries the remedies against Ubuntu's restriction of user
# namespaces, one by one, and takes each back.
#
#   sudo scripts/test-sandbox-apparmor-userns.sh [--persist CANDIDATE] [--for WHOM]
#        [--user NAME] [-- COMMAND...]
#
# With kernel.apparmor_restrict_unprivileged_userns=1 a program gets no capability in its user
# namespace unless an AppArmor profile says so. Each candidate below is put in force, a sandboxed
# command is run, and the candidate is taken back, also when this script is ended by a signal.
# Nothing is written below /etc while trying: should the machine fail, it starts as it was.
#
#   --persist CANDIDATE  try this one alone, and keep it if the command worked
#   --for WHOM           claude (default): a namespace inside the sandbox must work, which its
#                        filter of system calls needs. launcher: the sandbox itself is enough
#   --user NAME          who runs the command (default: who called sudo); root is not restricted
#   -- COMMAND...        run this instead; status 0 means it worked
#   --list               print the candidates and what each gives up; try nothing
#   --help               this text
#
# What does not help, and is not tried:
#   a rule in /etc/apparmor.d/local/unpriv_bwrap: the profile denies, and in AppArmor no allow
#   beats a deny, wherever it is written;
#   enableWeakerNestedSandbox: the filter's helper still needs a namespace of its own;
#   a profile for claude: what is denied is started by bwrap, and runs under bwrap's profile.
#
# Exit status: 0 nothing to do, or at least one candidate worked (with --persist: it is kept).
# 1 none worked, or something could not be taken back. 2 usage, or not root.
set -u

setting=kernel.apparmor_restrict_unprivileged_userns
profiles=/etc/apparmor.d
extra=/usr/share/apparmor/extra-profiles
settings=/proc/sys
loaded=/sys/kernel/security/apparmor/profiles
sysctls=/etc/sysctl.d

# What is tried, in this order, and what each gives up: the text that is printed as well.
candidates='distribution: the profile bwrap-userns-restrict as the distribution ships it, loaded
    Gives up next to nothing: bwrap may make user namespaces, what it starts gets no capability
    there. Enough for the launcher, not for Claude Code.
unload: that profile, unloaded
    Gives up what it denies to programs inside; the general restriction stays.
documented: the profile that Claude Code documents, bwrap unconfined and with userns
    Gives up AppArmor for everything that anybody on this host starts through bwrap: it has the
    name of the profile above and stands in its place.
sysctl: kernel.apparmor_restrict_unprivileged_userns=0
    Gives up the restriction for every program of every user: more of the kernel is in reach.
sysctl-unload: the setting at 0 and bwrap-userns-restrict unloaded
    Gives up both: the most of all.'
names=$(printf '%s\n' "$candidates" | sed -n 's/^\([a-z-]*\):.*/\1/p')

say() {
    printf 'test-sandbox-apparmor-userns: %s\n' "$*"
}

wrong() { # MESSAGE
    say "$1" >&2
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

is_candidate() {
    for name in $names; do
        [ "$name" != "$1" ] || return 0
    done
    return 1
}

persist='' need=claude user=${SUDO_USER-} own_probe=''
while [ $# -gt 0 ]; do
    case $1 in
    --persist | --for | --user) [ -n "${2-}" ] || wrong "$1 needs a value; see --help" ;;
    esac
    case $1 in
    --persist)
        persist=$2
        shift
        ;;
    --for)
        need=$2
        shift
        ;;
    --user)
        user=$2
        shift
        ;;
    --list)
        printf '%s\n' "$candidates"
        exit 0
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    --)
        shift
        [ -n "${1-}" ] || wrong "the command after -- is missing"
        own_probe=yes
        break
        ;;
    *) wrong "unknown option or word '$1'; see --help" ;;
    esac
    shift
done
[ -z "$persist" ] || is_candidate "$persist" ||
    wrong "--persist: '$persist' is no candidate; see --list"
case $need in
claude | launcher) ;;
*) wrong "--for: '$need' is neither claude nor launcher" ;;
esac

# ---- is there anything to do, and can it be done ----

kernel_value() {
    sysctl -n "$setting" 2>/dev/null || cat "$settings/kernel/${setting#*.}" 2>/dev/null
}

was=$(kernel_value) || was=
case $was in
1) ;;
'')
    say "this kernel has no $setting: nothing to do"
    exit 0
    ;;
*)
    say "$setting is $was, no restriction: nothing to do"
    exit 0
    ;;
esac
[ "$(id -u)" = 0 ] || wrong "not root: trying changes profiles and settings for a while; use sudo"
case $user in
'' | root) wrong "no user to run the command: root is not restricted. Name one by --user" ;;
-* | *[!A-Za-z0-9._-]*) wrong "--user: '$user' is no name of a user" ;;
esac
id -u "$user" >/dev/null 2>&1 || wrong "--user: there is no user '$user'"
for program in apparmor_parser sysctl timeout runuser bwrap unshare; do
    command -v "$program" >/dev/null 2>&1 || wrong "$program is not here: nothing can be tried"
done
bwrap=$(readlink -f "$(command -v bwrap)") # a profile goes by the path without links
case $bwrap in
/*[!A-Za-z0-9/._-]* | [!/]*) wrong "bwrap is '$bwrap', which cannot be written in a profile" ;;
esac
[ -r "$loaded" ] || wrong "'$loaded' cannot be read: what is in force now cannot be told"

# ---- what is in force now, and how it is put back ----

is_loaded() { # PROFILE
    while IFS=' ' read -r entry _; do
        [ "$entry" != "$1" ] || return 0
    done <"$loaded"
    return 1
}

distribution=$profiles/bwrap-userns-restrict
own=$profiles/bwrap
shipped=
for file in "$distribution" "$extra/bwrap-userns-restrict"; do
    [ -z "$shipped" ] && [ -f "$file" ] && shipped=$file
done

in_force() { # prints all that is changed here
    echo "$setting=$(kernel_value)"
    grep -e '^bwrap ' -e '^unpriv_bwrap ' "$loaded" | sort
}
before=$(in_force)

# The file that the loaded profile came from; it takes one and no other to put it back.
source='' lost=''
if is_loaded bwrap; then
    if [ -f "$distribution" ] && [ ! -f "$own" ]; then
        source=$distribution
    elif [ -f "$own" ] && [ ! -f "$distribution" ]; then
        source=$own
    else
        lost=yes
    fi
fi

stage=$(mktemp -d) || exit 1
documented=$stage/bwrap
cat >"$documented" <<END
# Written by test-sandbox-apparmor-userns.sh. It has the name of the profile bwrap in
# bwrap-userns-restrict and stands in its place: whatever bwrap starts is not confined by AppArmor.
abi <abi/4.0>,
include <tunables/global>
profile bwrap $bwrap flags=(unconfined) {
    userns,
    include if exists <local/bwrap>
}
END

changed_setting='' changed_profile='' written='' child=''

# Without a cache: it goes by a file's last name, and must not keep what was only tried.
load() { # FILE
    apparmor_parser -K -r "$1"
}

remove() { # FILE: the profiles that it names
    apparmor_parser -K -R "$1"
}

# Each mark is set before its change: a signal in between takes back what was not done yet,
# which does no harm.
revert() { # true when everything is as it was
    good=yes
    for file in $written; do
        rm -f -- "$file" || good=
    done
    written=
    if [ -n "$changed_setting" ]; then
        sysctl -w "$setting=$was" >/dev/null || good=
        changed_setting=
    fi
    if [ -n "$changed_profile" ]; then
        # First ours: it may have more profiles than the one that is put back.
        if [ "$changed_profile" != "$source" ] && is_loaded bwrap; then
            remove "$changed_profile" || good=
        fi
        if [ -n "$source" ]; then
            load "$source" || good=
        fi
        changed_profile=
    fi
    now=$(in_force)
    [ "$now" = "$before" ] || good=
    [ -z "$good" ] || return 0
    say "NOT EVERYTHING could be taken back. Before:" >&2
    printf '%s\nNow:\n%s\n' "$before" "$now" >&2
    say "What was only tried is nowhere below /etc: starting the machine anew takes it back." >&2
    return 1
}

# shellcheck disable=SC2317 # the trap calls it
leave() {
    status=$?
    trap '' HUP INT TERM # nothing ends this half way
    [ -z "$child" ] || kill "$child" 2>/dev/null
    revert || status=1
    rm -rf -- "$stage"
    exit "$status"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

set_zero() {
    changed_setting=yes
    sysctl -w "$setting=0" >/dev/null
}

unload() {
    changed_profile=$source
    remove "$source"
}

# Sets $obstacle to why this one cannot be tried, or to nothing.
look() { # CANDIDATE
    obstacle=
    case $1 in
    distribution)
        [ -n "$shipped" ] || obstacle='this distribution ships no bwrap-userns-restrict'
        [ "$source" != "$distribution" ] || obstacle='it is in force already: see the first line'
        ;;
    unload | sysctl-unload)
        [ "$source" = "$distribution" ] || obstacle='bwrap-userns-restrict is not loaded'
        ;;
    documented)
        [ ! -e "$own" ] || obstacle="there is a '$own' already"
        ;;
    esac
    if [ "$1" != sysctl ] && [ -n "$lost" ]; then
        obstacle='no telling which file the loaded profile bwrap is from: no way back'
    fi
}

put_in_force() { # CANDIDATE
    case $1 in
    distribution)
        changed_profile=$shipped
        load "$shipped"
        ;;
    unload) unload ;;
    documented)
        changed_profile=$documented
        load "$documented"
        ;;
    sysctl) set_zero ;;
    sysctl-unload) unload && set_zero ;;
    esac
}

# ---- the sandboxed command ----

as_user() { # COMMAND...: bounded, and in the background: a signal need not wait for it
    timeout 120 runuser -u "$user" -- "$@" </dev/null >"$stage/out" 2>"$stage/err" &
    child=$!
    wait "$child"
    got=$?
    child=
    return $got
}

in_sandbox='--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --'

probe() { # the command, when one was given
    if [ -n "$own_probe" ]; then
        as_user "$@"
        return
    fi
    # Its word, not only its status: something has to have run.
    # shellcheck disable=SC2086 # words of bwrap
    case $need in
    launcher) as_user bwrap $in_sandbox /bin/sh -c 'echo confined' ;;
    claude) as_user bwrap $in_sandbox unshare -U -r /bin/sh -c 'echo confined' ;;
    esac && [ "$(cat "$stage/out")" = confined ]
}

told() { # the last thing the command said
    tail -n 1 "$stage/err" 2>/dev/null | LC_ALL=C tr -c '\n -~' '?' | cut -c 1-160
}

# ---- trying ----

say "the command is run for $need by $user"
if probe "$@"; then
    say "it works as the host is: nothing to do, nothing was changed"
    exit 0
fi
printf '%-14s FAIL  %s\n' 'as it is' "$(told)"

worked=
attempt() { # CANDIDATE COMMAND...
    name=$1
    shift
    look "$name"
    if [ -n "$obstacle" ]; then
        printf '%-14s -     not tried: %s\n' "$name" "$obstacle"
        return 1
    fi
    if ! put_in_force "$name"; then
        printf '%-14s FAIL  could not be put in force\n' "$name"
        return 1
    fi
    if probe "$@"; then
        printf '%-14s PASS\n' "$name"
        worked=$worked$name' '
        return 0
    fi
    printf '%-14s FAIL  %s\n' "$name" "$(told)"
    return 1
}

install_file() { # FROM TO: whole or not at all, and never over what is there
    [ ! -e "$2" ] || return 1
    written="$written $2 $2.new"
    cp -- "$1" "$2.new" && chmod 644 "$2.new" && mv -- "$2.new" "$2"
}

disable_distribution() { # two files must not define one profile at the next start
    [ -f "$distribution" ] || return 0
    mkdir -p "$profiles/disable" || return 1
    [ ! -e "$profiles/disable/bwrap-userns-restrict" ] || return 0
    written="$written $profiles/disable/bwrap-userns-restrict"
    ln -s "$distribution" "$profiles/disable/bwrap-userns-restrict"
}

keep_zero() {
    echo "$setting = 0" >"$stage/sysctl"
    install_file "$stage/sysctl" "$sysctls/60-agentteams-userns.conf"
}

keep() { # CANDIDATE, in force now
    case $1 in
    distribution) [ "$shipped" = "$distribution" ] || install_file "$shipped" "$distribution" ;;
    unload) disable_distribution ;;
    documented) install_file "$documented" "$own" && disable_distribution ;;
    sysctl) keep_zero ;;
    sysctl-unload) disable_distribution && keep_zero ;;
    esac
}

if [ -n "$persist" ]; then
    attempt "$persist" "$@" || {
        say "$persist was not kept: its command did not work"
        exit 1
    }
    if ! keep "$persist"; then
        say "$persist could not be written, and is taken back"
        exit 1
    fi
    say "$persist is kept. It is in:${written:-" the files that were there"}"
    changed_setting='' changed_profile='' kept=$written written=''
    before=$(in_force)
    printf '%s\n' "$candidates" | sed -n "/^$persist:/,/^[a-z]/{/^ /p;}"
    say "To be rid of it: remove${kept:-" nothing"}, and start the machine anew."
    exit 0
fi

for candidate in $names; do
    attempt "$candidate" "$@"
    revert || exit 1
done

printf '\n%s\n' "$candidates"
if [ -z "$worked" ]; then
    say "none worked; everything is as it was"
    exit 1
fi
say "worked: $worked- everything is as it was. To keep one: --persist NAME"
