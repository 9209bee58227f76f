#!/bin/sh
# install-sandbox-deps.sh - installs what sandboxes on Linux need, and tries whether they work.
#
#   scripts/install-sandbox-deps.sh [--yes] [--dry-run]
#
# bubblewrap makes the sandbox of the launcher and of Claude Code; socat carries Claude Code's
# connections out of it. What is missing is installed with the first package manager found of
# apt-get, dnf, pacman, zypper and apk. Then each is tried by what it does, as the user who
# will run the agents: start this as that user, and only the installation goes through sudo.
#
#   --yes       install without asking
#   --dry-run   print what would be run, and run none of it
#   --help      this text
#
# When a test fails, the cause is looked for and the next step printed. This script never takes
# it: no sysctl, no AppArmor profile and no other setting of the kernel is changed here.
#
# Exit status: 0 everything works (or --dry-run, or macOS, which brings its own). 1 something
# is not installed or a test failed. 2 usage.
set -u

say() {
    printf 'install-sandbox-deps: %s\n' "$1"
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

yes='' dry=''
for word; do
    case $word in
    --yes) yes=yes ;;
    --dry-run) dry=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        say "unknown option or word '$word'; see --help" >&2
        exit 2
        ;;
    esac
done

has() {
    command -v "$1" >/dev/null 2>&1
}

case $(uname -s) in
Linux) ;;
Darwin)
    say "macOS brings sandbox-exec: nothing to install. Test it by sandbox/mac-escape-tests.sh."
    exit 0
    ;;
*)
    say "no sandbox is known for this system"
    exit 1
    ;;
esac

# ---- what is missing, and who installs it ----

missing=
has bwrap || missing="$missing bubblewrap"
has socat || missing="$missing socat"

# Command, and the words that install without a question: it was asked here. pacman without -y:
# a fresh list without an upgrade of everything is a half upgraded system.
managers='apt-get install -y --no-install-recommends
dnf install -y
pacman -S --needed --noconfirm
zypper --non-interactive install
apk add'

find_manager() { # sets $install
    while IFS= read -r install; do
        has "${install%% *}" && return 0
    done <<END
$managers
END
    return 1
}

# What tests run as root say nothing of other users: the kernel restricts only those.
as_root='' as_user='' install=''
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
elif [ -n "${SUDO_USER-}" ] && [ "$SUDO_USER" != root ] && has runuser; then
    as_user="runuser -u $SUDO_USER --"
fi

commands=
if [ -n "$missing" ]; then
    if ! find_manager; then
        say "missing:$missing, and none of apt-get, dnf, pacman, zypper, apk is here to install it"
        [ -n "$dry" ] || exit 1
        exit 0
    fi
    install="${as_root:+$as_root }$install$missing"
    commands=$install
    case $install in
    *apt-get*) commands="${as_root:+$as_root }apt-get update
$install" ;;
    esac
fi

in_sandbox='--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --'
confined="bwrap $in_sandbox true"
namespace='unshare -U -r true'
nested="bwrap $in_sandbox unshare -U -r true"
relay='socat -t 2 - EXEC:cat'

if [ -n "$dry" ]; then
    say "would run:"
    [ -z "$commands" ] || printf '%s\n' "$commands" | sed 's/^/    /'
    for test in "$confined" "$namespace" "$nested" "$relay"; do
        echo "    ${as_user:+$as_user }$test"
    done
    exit 0
fi

# ---- installing ----

if [ -n "$commands" ]; then
    if [ -n "$as_root" ] && ! has sudo; then
        say "missing:$missing. Not root, and no sudo: have this run as root, then start again:"
        printf '%s\n' "$commands" | sed 's/^sudo /    /'
        exit 1
    fi
    say "missing:$missing. To be run:"
    printf '%s\n' "$commands" | sed 's/^/    /'
    if [ -z "$yes" ]; then
        printf 'Run it? [y/N] '
        read -r answer || answer=
        case $answer in
        y | Y | yes) ;;
        *)
            say "nothing was installed"
            exit 1
            ;;
        esac
    fi
    case $install in
    *apt-get*)
        # Old lists are often good enough; the installation itself is the judge.
        $as_root apt-get update || say "apt-get update failed; trying with the lists that are here"
        ;;
    esac
    # shellcheck disable=SC2086 # a command and its words
    if ! $install; then
        say "the installation failed; its own message is above"
        exit 1
    fi
fi

# ---- trying ----

failed=
try() { # NAME COMMAND MEANING: true when it worked
    # shellcheck disable=SC2086 # a command and its words
    if said=$($as_user $2 2>&1 </dev/null); then
        printf 'ok    %s\n' "$1"
        return 0
    fi
    failed=yes
    printf 'FAIL  %s\n' "$1"
    printf '      %s\n' "tried: $2" "$3"
    [ -z "$said" ] || printf '%s\n' "$said" | tail -n 3 | LC_ALL=C tr -c '\n -~' '?' |
        sed 's/^/      said: /'
    return 1
}

if [ "$(id -u)" = 0 ] && [ -z "$as_user" ]; then
    say "tested as root, whom nothing restricts: start this again as the user who will run agents"
fi
namespaces=yes
try "a program confined by bubblewrap" "$confined" \
    "The launcher and Claude Code's sandbox cannot start anything." || namespaces=
if has unshare; then
    try "a user namespace of one's own" "$namespace" \
        "A sandbox without root is made of one." || namespaces=
    try "a user namespace inside the sandbox" "$nested" \
        "Claude Code's filter of system calls needs it; the launcher does not." || namespaces=
else
    say "unshare (util-linux) is not here: user namespaces were tried through bubblewrap alone"
fi
# shellcheck disable=SC2086 # a command and its words
if [ "$(echo ping | $as_user $relay 2>/dev/null)" = ping ]; then
    echo "ok    socat passes on what it gets"
else
    failed=yes
    echo "FAIL  socat passes on what it gets"
    echo "      tried: echo ping | $relay"
    echo "      Claude Code's sandbox has no network at all without it, and may refuse to start."
fi

# ---- why ----

settings=/proc/sys
kernel() { # NAME: prints the value of a setting; only reads
    sysctl -n "$1" 2>/dev/null || cat "$settings/$(echo "$1" | tr . /)" 2>/dev/null
}

restricted=$(kernel kernel.apparmor_restrict_unprivileged_userns)
if [ -z "$namespaces" ]; then
    cause=
    if [ "$restricted" = 1 ]; then
        cause=yes
        cat <<'END'

CAUSE kernel.apparmor_restrict_unprivileged_userns is 1, Ubuntu's default.
      A program gets no capability in a user namespace unless an AppArmor profile says so. If
      bubblewrap itself failed, no loaded profile lets it. If only the namespace inside failed,
      the profile bwrap-userns-restrict is loaded: bubblewrap may, and what it starts may not.
      enableWeakerNestedSandbox does not help, nor does a profile for claude: the denied
      program is neither of them.
NEXT  sudo scripts/test-sandbox-apparmor-userns.sh
      It tries the remedies one by one, takes each back, and says what each gives up. To keep
      one is your decision: nothing was changed here.
END
    fi
    if [ "$(kernel kernel.unprivileged_userns_clone)" = 0 ]; then
        cause=yes
        cat <<'END'

CAUSE kernel.unprivileged_userns_clone is 0: only root makes user namespaces.
NEXT  sudo sysctl -w kernel.unprivileged_userns_clone=1
      and, to keep it, the same line without "sysctl -w" in a file of /etc/sysctl.d. It opens
      the kernel's code for namespaces to every user. Nothing was changed here.
END
    fi
    if [ "$(kernel user.max_user_namespaces)" = 0 ]; then
        cause=yes
        cat <<'END'

CAUSE user.max_user_namespaces is 0: nobody makes user namespaces.
NEXT  sudo sysctl -w user.max_user_namespaces=15000
      and, to keep it, the same line without "sysctl -w" in a file of /etc/sysctl.d. It opens
      the kernel's code for namespaces to every user. Nothing was changed here.
END
    fi
    if [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then
        cause=yes
        cat <<'END'

CAUSE this may be the container: its filter of system calls usually denies namespaces.
NEXT  Run the agents on the host or in a virtual machine. A container started with a weaker
      filter gives up more than the sandbox inside it wins.
END
    fi
    [ -n "$cause" ] || printf '\n%s\n' \
        "CAUSE unknown: no setting of the kernel that is known to forbid it does." \
        "NEXT  Read what bubblewrap said above; sudo dmesg may name a denial."
elif [ "$restricted" = 1 ]; then
    say "AppArmor restricts user namespaces here, and lets these programs: nothing to do"
fi

[ -z "$failed" ] || exit 1
say "everything works"
