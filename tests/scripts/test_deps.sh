#!/bin/sh
# WIRE-12: install-sandbox-deps.sh calls the one right command, tries what was installed, tells
# the cause of a failure, and changes no setting.
. "$(dirname -- "$0")/lib.sh"

mkdir "$top/ready" "$top/settings" "$top/state"
export READY="$top/ready" BIN="$bin" STATE="$top/state"
sed "s,^settings=.*,settings=$top/settings," "$SOURCE/scripts/install-sandbox-deps.sh" \
    >"$top/script.sh"

# What a package manager brings; $STATE tells how they behave.
cat >"$top/ready/bubblewrap" <<'END'
#!/bin/sh
case $* in
*' unshare '*) [ ! -e "$STATE/nested-fails" ] ;;
*)
    [ -e "$STATE/bwrap-fails" ] || exit 0
    echo 'bwrap: setting up uid map: Permission denied' >&2
    exit 1
    ;;
esac
END
cat >"$top/ready/socat" <<'END'
#!/bin/sh
[ -e "$STATE/socat-silent" ] || cat
END
chmod +x "$top/ready/"*

as_uid() {
    quiet_stand_in id <<END
echo $1
END
}
as_system() {
    quiet_stand_in uname <<END
echo $1
END
}
sysctls() { # NAME=VALUE...: what the kernel has
    rm -f "$top/state/sysctl-"*
    for pair; do
        echo "${pair#*=}" >"$top/state/sysctl-${pair%%=*}"
    done
}
stand_in sysctl <<'END'
[ "$1" = -n ] && cat "$STATE/sysctl-$2" 2>/dev/null
END
stand_in unshare <<'END'
[ ! -e "$STATE/unshare-fails" ]
END
managers() { # NAME...: the ones of this host, which install by words that are packages
    rm -f "$bin/apt-get" "$bin/dnf" "$bin/pacman" "$bin/zypper" "$bin/apk"
    for name; do
        stand_in "$name" <<'END'
[ ! -e "$STATE/install-fails" ] || exit 100
for word; do
    case $word in
    bubblewrap) cp "$READY/bubblewrap" "$BIN/bwrap" ;;
    socat) cp "$READY/socat" "$BIN/socat" ;;
    esac
done
exit 0
END
    done
}
fresh() { # SYSTEM PACKAGE...: a host with these
    rm -f "$bin/bwrap" "$bin/socat" "$bin/sudo" "$bin/runuser" "$top/state/"*
    as_system "$1"
    shift
    for package; do
        case $package in
        bubblewrap) cp "$top/ready/bubblewrap" "$bin/bwrap" ;;
        socat) cp "$top/ready/socat" "$bin/socat" ;;
        esac
    done
    as_uid 0
    sysctls
}
stand_ins_called() { # what was called but the readers
    grep -v -e '^sysctl -n ' -e '^unshare ' "$CALLS"
}
unset SUDO_USER

for shell in 'sh' 'bash --posix'; do
    command -v "${shell%% *}" >/dev/null || continue

    while IFS='|' read -r manager want; do
        row "$shell: $manager"
        fresh Linux
        managers "$manager"
        # shellcheck disable=SC2086 # a shell and its option
        tested $shell "$top/script.sh" --yes </dev/null
        same status 0 "$status"
        same calls "$(printf '%s' "$want" | tr ';' '\n')" "$(stand_ins_called)"
        says 'everything works'
        says_not FAIL

        row "$shell: $manager --dry-run"
        fresh Linux
        # shellcheck disable=SC2086
        tested $shell "$top/script.sh" --dry-run </dev/null
        same status 0 "$status"
        calls ''
        says "${want##*;}"
    done <<'END'
apt-get|apt-get update;apt-get install -y --no-install-recommends bubblewrap socat
dnf|dnf install -y bubblewrap socat
pacman|pacman -S --needed --noconfirm bubblewrap socat
zypper|zypper --non-interactive install bubblewrap socat
apk|apk add bubblewrap socat
END

    row "$shell: the first of several, and what is missing alone"
    fresh Linux bubblewrap
    managers apk dnf zypper
    # shellcheck disable=SC2086
    tested $shell "$top/script.sh" --yes </dev/null
    same status 0 "$status"
    same calls 'dnf install -y socat' "$(stand_ins_called)"

    row "$shell: nothing missing"
    fresh Linux bubblewrap socat
    managers apt-get
    # shellcheck disable=SC2086
    tested $shell "$top/script.sh" </dev/null
    same status 0 "$status"
    same calls '' "$(stand_ins_called)"
done

managers dnf
for answer in n '' maybe; do
    row "asked, and answered '$answer'"
    fresh Linux
    printf '%s\n' "$answer" >"$top/answer"
    tested sh "$top/script.sh" <"$top/answer"
    same status 1 "$status"
    calls ''
    says 'dnf install -y bubblewrap socat'
    says 'nothing was installed'
done
row 'asked, and nobody there'
tested sh "$top/script.sh" </dev/null
same status 1 "$status"
calls ''
row 'asked, and answered y'
echo y >"$top/answer"
tested sh "$top/script.sh" <"$top/answer"
same status 0 "$status"
same calls 'dnf install -y bubblewrap socat' "$(stand_ins_called)"

row 'not root, with sudo'
fresh Linux
managers apt-get
as_uid 1000
stand_in sudo <<'END'
exec "$@"
END
tested sh "$top/script.sh" --yes </dev/null
same status 0 "$status"
same calls 'sudo apt-get update
apt-get update
sudo apt-get install -y --no-install-recommends bubblewrap socat
apt-get install -y --no-install-recommends bubblewrap socat' "$(stand_ins_called)"

row 'not root, without sudo'
fresh Linux
as_uid 1000
tested sh "$top/script.sh" --yes </dev/null
same status 1 "$status"
calls ''
says '    apt-get install'

row 'no package manager'
fresh Linux
managers
tested sh "$top/script.sh" --yes </dev/null
same status 1 "$status"
calls ''
says 'missing: bubblewrap socat'

row 'the installation fails'
fresh Linux
managers dnf
touch "$top/state/install-fails"
tested sh "$top/script.sh" --yes </dev/null
same status 1 "$status"
calls 'dnf install -y bubblewrap socat'
says 'the installation failed'

# What fails, the setting that is behind it, and a piece of what is said.
while IFS='|' read -r fails setting want; do
    row "$fails, $setting"
    fresh Linux bubblewrap socat
    [ -z "$setting" ] || sysctls "$setting"
    for one in $fails; do
        touch "$top/state/$one"
    done
    as_uid 1000
    tested sh "$top/script.sh" --yes </dev/null
    same status 1 "$status"
    says "$want"
    says FAIL
    same 'calls that change something' '' "$(stand_ins_called)"
done <<'END'
bwrap-fails nested-fails|kernel.apparmor_restrict_unprivileged_userns=1|CAUSE kernel.apparmor_restrict_unprivileged_userns is 1
nested-fails|kernel.apparmor_restrict_unprivileged_userns=1|sudo scripts/test-sandbox-apparmor-userns.sh
bwrap-fails|kernel.unprivileged_userns_clone=0|NEXT  sudo sysctl -w kernel.unprivileged_userns_clone=1
bwrap-fails|user.max_user_namespaces=0|CAUSE user.max_user_namespaces is 0
bwrap-fails|kernel.apparmor_restrict_unprivileged_userns=0|CAUSE
unshare-fails||FAIL  a user namespace of one's own
nested-fails||Claude Code's filter of system calls needs it; the launcher does not.
bwrap-fails||said: bwrap: setting up uid map: Permission denied
socat-silent||FAIL  socat passes on what it gets
END

row 'restricted, and everything works'
fresh Linux bubblewrap socat
sysctls kernel.apparmor_restrict_unprivileged_userns=1
tested sh "$top/script.sh" </dev/null
same status 0 "$status"
says_not CAUSE
says 'tested as root'

row 'called by sudo: tried as the user behind it'
stand_in runuser <<'END'
shift 3
exec "$@"
END
SUDO_USER=alice tested sh "$top/script.sh" </dev/null
same status 0 "$status"
same runuser 4 "$(grep -c '^runuser -u alice -- ' "$CALLS")"
says_not 'tested as root'

row macOS
fresh Darwin
tested sh "$top/script.sh" </dev/null
same status 0 "$status"
calls ''
row 'another system'
fresh FreeBSD
tested sh "$top/script.sh" </dev/null
same status 1 "$status"
calls ''
row 'usage'
fresh Linux
tested sh "$top/script.sh" --force </dev/null
same status 2 "$status"
calls ''
tested sh "$top/script.sh" --help </dev/null
same status 0 "$status"
says 'Exit status'
finish
