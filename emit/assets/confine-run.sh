#!/bin/sh
# confine-run.sh - runs one command inside a sandbox made by the operating system.
#
#   sandbox/confine-run.sh --scratch DIR [OPTION...] -- COMMAND [ARGUMENT...]
#
# Inside, the whole machine is readable and nothing is writable but DIR and a fresh /tmp; there
# is no network, no credential directory, none of the caller's environment, no other process.
# The files that decide what an agent may do stay read-only, also inside DIR.
#
#   --scratch DIR        the directory the command may write; required, must exist
#   --writable DIR       one more; must exist (again for more)
#   --coord-root DIR     the same, for a directory shared with other agents
#   --exclude PATH       hide this directory or file as well
#   --protect PATH       keep this read-only as well, although it is in a writable directory
#   --protect-prompt-roots
#                        the files agents read as instructions are read-only too
#   --git-writable       .git/hooks, .git/config and kin stay writable
#   --mask-toolchain     hide the credentials of toolchains too (npm, cargo, gh, docker ...)
#   --egress MODE        deny (default): no network. proxy: only what the namespace of --netns
#                        reaches. host: all of the host's network, its local services too
#   --proxy ADDR:PORT    where the proxy listens (default 127.0.0.1:8443)
#   --netns NAME         the namespace made for it (default agentteams-egress); - when this
#                        shell is in it already. Entering one takes root and --allow-root
#   --env-allow NAME     pass this variable on (again for more)
#   --setenv NAME=VALUE  set this one; wins over what is passed on
#   --cpu-max SECONDS, --nproc-max N, --mem-max MIB
#                        limits of each process; a limit for all of them takes a cgroup
#   --harden             a filter of system calls (no ptrace: gdb and strace do not work
#                        inside), a fresh keyring and Landlock, by agentteams-harden, as far as
#                        this kernel has them
#   --harden=require     the same, and refuse without
#   --harden-helper PATH where agentteams-harden is, when it is not installed
#   --allow-nested       leave user namespaces on, for a command that brings its own sandbox.
#                        Weaker: without --harden it can move protected files away
#   --allow-root         run although the caller is root; all capabilities are dropped
#   --check [--json]     print the sandbox that would be made; runs nothing
#   --help               this text
#
# Exit status: 2 for every refusal; 0 for --check and --help; else the command's own, 128 and
# the signal's number when a signal ended it. It never runs the command unconfined, and it
# creates no file, ever. Linux: bubblewrap, as tested by `atconsole --self-test`. macOS:
# sandbox-exec, ENFORCEMENT-UNVERIFIED until mac-escape-tests.sh passes on that very machine.
#
# What it does not stop: content written into a writable directory that somebody runs later;
# hard links made before it started; other users of processor and memory; the kernel's faults.
set -u
unset CDPATH
nl='
'
tab='	'
start=$PWD

say() { # the text cannot move the cursor, whatever a path holds
    printf 'confine-run: %s\n' "$1" | LC_ALL=C command -p tr '\000-\010\013-\037\177' '?' >&2
}

refuse() { # MESSAGE [HINT]
    say "$1"
    [ -z "${2-}" ] || say "  $2"
    exit 2
}

# ---- descriptors: what is open here would reach past every mount ----

{ true 3<&0; } 2>/dev/null || exec </dev/null
{ true 3>&1; } 2>/dev/null || exec >/dev/null
{ true 3>&2; } 2>/dev/null || exec 2>/dev/null
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

# Sets $open: descriptors of 10 and up that a program started from here would get.
see_open() {
    open=
    for fd in /proc/self/fd/[0-9][0-9]*; do
        [ -r "/proc/self/fdinfo/${fd##*/}" ] || continue
        while read -r key value; do
            [ "$key" = flags: ] || continue
            [ $((value & 02000000)) -ne 0 ] || open="$open ${fd##*/}" # close-on-exec is no leak
            break
        done <"/proc/self/fdinfo/${fd##*/}"
    done
}

# Sets $harden_helper: what the operator named, else of fixed places alone, so that neither PATH
# nor the project choose it.
harden_helper=
find_helper() {
    if [ -n "$harden_helper" ]; then
        [ -x "$harden_helper" ]
        return
    fi
    for place in /usr/local/libexec/agentteams /usr/libexec/agentteams /usr/lib/agentteams; do
        [ -x "$place/agentteams-harden" ] || continue
        harden_helper=$place/agentteams-harden
        return 0
    done
    return 1
}

see_open
if [ -n "$open" ]; then
    # POSIX shells close one digit only: bash closes any, and so does our helper.
    [ -z "${CONFINE_RUN_CLOSED-}" ] ||
        refuse "descriptor$open is open here and cannot be closed" "Close it in the caller."
    for shell in /bin/bash /usr/bin/bash /usr/local/bin/bash; do
        # shellcheck disable=SC2016,SC2086 # the words are for bash; a list of numbers
        [ ! -x "$shell" ] || CONFINE_RUN_CLOSED=1 exec "$shell" -c \
            'while [ "$1" != -- ]; do eval "exec $1>&-"; shift; done; shift; exec "$@"' \
            bash $open -- /bin/sh "$0" "$@"
    done
    if find_helper; then
        CONFINE_RUN_CLOSED=1 exec "$harden_helper" close -- /bin/sh "$0" "$@"
    fi
    refuse "descriptor$open is open here and this shell cannot close it" \
        "Close it in the caller, or install bash or agentteams-harden."
fi
unset CONFINE_RUN_CLOSED
if [ -n "${BASH_VERSION-}" ] && [ ! -d /proc/self/fd ]; then # macOS: its sh closes any
    for fd in /dev/fd/[0-9][0-9]*; do
        case ${fd##*/} in
        *[!0-9]* | 255) ;; # 255 is this file, read by bash itself
        *) eval "exec ${fd##*/}>&-" ;;
        esac
    done
fi

# Variables to be passed on, before a name of ours takes the place of one.
_before=
for _word in "$@"; do
    if [ "$_before" = --env-allow ]; then
        case $_word in
        '' | [0-9]* | *[!A-Za-z0-9_]*) refuse "--env-allow: '$_word' is no name of a variable" ;;
        esac
        eval "[ -z \"\${$_word+set}\" ] || _env_$_word=\$$_word"
    fi
    [ "$_word" != -- ] || break
    _before=$_word
done

if [ -e /proc/self/ns/pid ]; then
    os=Linux
else
    os=$(command -p uname -s) || os=unknown
fi

# ---- what was asked for ----

scratch='' roots='' excludes='' protects='' egress=deny proxy=127.0.0.1:8443
netns=agentteams-egress names='' setenvs=0 cpu_max='' nproc_max='' mem_max='' harden='' check=''
json='' allow_root='' allow_nested='' prompt_roots='' git_writable='' toolchain=''

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

is_whole() { # a positive number that every shell can compare
    case $1 in
    '' | 0* | *[!0-9]* | ??????????*) return 1 ;;
    esac
}

need_value() {
    [ "$1" -ge 2 ] || refuse "$2 needs a value" "See --help."
    case $3 in
    *[[:cntrl:]]*) refuse "$2: a newline or another control character in '$3'" ;;
    esac
    [ -n "$3" ] || refuse "$2 needs a value that is not empty"
}

separated=''
while [ $# -gt 0 ]; do
    case $1 in
    --scratch | --writable | --coord-root | --exclude | --protect | --egress | --proxy | --netns | \
        --env-allow | --cpu-max | --nproc-max | --mem-max | --harden-helper)
        need_value $# "$1" "${2-}"
        ;;
    esac
    case $1 in
    --scratch) scratch=$2 ;;
    --writable | --coord-root) roots=$roots$1$tab$2$nl ;;
    --exclude) excludes=$excludes$2$nl ;;
    --protect) protects=$protects$2$nl ;;
    --egress) egress=$2 ;;
    --proxy) proxy=$2 ;;
    --netns) netns=$2 ;;
    --env-allow) names=$names$2$nl ;;
    --setenv)
        [ $# -ge 2 ] || refuse "--setenv needs NAME=VALUE"
        setenvs=$((setenvs + 1))
        eval "setenv_$setenvs=\$2"
        ;;
    --cpu-max) cpu_max=$2 ;;
    --nproc-max) nproc_max=$2 ;;
    --mem-max) mem_max=$2 ;;
    --protect-prompt-roots) prompt_roots=yes ;;
    --git-writable) git_writable=yes ;;
    --mask-toolchain) toolchain=yes ;;
    --harden) harden=${harden:-wish} ;;
    --harden=require) harden=require ;;
    --harden-helper) harden_helper=$2 ;;
    --allow-root) allow_root=yes ;;
    --allow-nested) allow_nested=yes ;;
    --check) check=yes ;;
    --json) json=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    --)
        separated=yes
        shift
        break
        ;;
    *) refuse "unknown option or word '$1'" "The command comes after --. See --help." ;;
    esac
    case $1 in
    --scratch | --writable | --coord-root | --exclude | --protect | --egress | --proxy | --netns | \
        --env-allow | --setenv | --cpu-max | --nproc-max | --mem-max | --harden-helper) shift ;;
    esac
    shift
done

[ -n "$scratch" ] || refuse "--scratch DIR is missing" "It names the directory to be writable."
[ -d "$scratch" ] || refuse "--scratch: '$scratch' is not a directory" "It is never created."
[ -n "$separated" ] || refuse "the command is missing" "It comes after --."
[ -n "${1-}" ] || refuse "the command after -- is empty"
[ -z "$json" ] || [ -n "$check" ] || refuse "--json goes with --check"
case $egress in
deny | proxy | host) ;;
*) refuse "--egress: '$egress' is none of deny, proxy, host" ;;
esac
for cap in "--cpu-max$tab$cpu_max" "--nproc-max$tab$nproc_max" "--mem-max$tab$mem_max"; do
    [ -z "${cap#*"$tab"}" ] || is_whole "${cap#*"$tab"}" ||
        refuse "${cap%%"$tab"*}: '${cap#*"$tab"}' is no positive whole number"
done
if [ "$egress" = proxy ]; then
    port=${proxy#*:}
    case $proxy in
    *:*) ;;
    *) port= ;;
    esac
    if [ -z "${proxy%%:*}" ] || ! is_whole "$port" || [ "$port" -gt 65535 ]; then
        refuse "--proxy: '$proxy' is not ADDR:PORT with a port of 1 to 65535"
    fi
    case $netns in
    - | [!-]*) ;;
    *) refuse "--netns: '$netns' is no name of a namespace" ;;
    esac
    case $netns in
    */* | . | ..) refuse "--netns: '$netns' is no name of a namespace" ;;
    esac
fi

# ---- paths: each is resolved to its physical form before anything is made of it ----

absolute() { # PATH: sets $path, without slashes at the end, so that no link hides behind them
    path=$1
    case $path in
    /*) ;;
    *) path=$start/$path ;;
    esac
    while :; do
        case $path in
        /) return ;;
        */) path=${path%/} ;;
        *) return ;;
        esac
    done
}

enter() { # DIR, absolute: makes it the working directory; sets $phys to its physical path
    cd -P -- "$1" 2>/dev/null || return 1
    phys=$PWD
    case $phys in
    //*) phys=/${phys##*//} ;;
    *[[:cntrl:]]*) refuse "a newline or another control character in the path '$phys'" ;;
    esac
}

resolve() { # PATH: sets $phys to the physical path of a file or directory that exists
    absolute "$1"
    [ -e "$path" ] || return 1
    if [ -d "$path" ]; then
        enter "$path"
        return
    fi
    if [ -L "$path" ]; then
        path=$(readlink -f -- "$path") || return 1
    fi
    leaf=${path##*/}
    enter "${path%/*}/" || return 1
    phys=${phys%/}/$leaf
}

is_inside() { # PATH LIST: below, or itself, one of the directories of the list
    for dir in $2; do
        case $1/ in
        "$dir"/*) return 0 ;;
        esac
    done
    return 1
}

# Words split at line ends from here on, and no word is a pattern.
IFS=$nl
set -f

caller=''
enter "$start" && caller=$phys
absolute "$scratch"
enter "$path" || refuse "--scratch: '$scratch' cannot be entered"
scratch=$phys
all_roots=$scratch$nl
for root in $roots; do
    absolute "${root#*"$tab"}"
    enter "$path" ||
        refuse "${root%%"$tab"*}: '${root#*"$tab"}' is not a directory" "It is never created."
    all_roots=$all_roots$phys$nl
done
for root in $all_roots; do
    [ "$root" != / ] || refuse "a writable '/' is no confinement"
done

# What is run from here on comes from no directory that the agent can write, nor from wherever
# this shell happens to be; the command inside gets the caller's own PATH.
caller_path=${PATH-}
filtered=''
IFS=:
for path in $caller_path; do
    IFS=$nl
    case $path in
    /*) ;;
    *) continue ;;
    esac
    ! enter "$path" || is_inside "$phys" "$all_roots" || filtered=$filtered:$path
done
IFS=$nl
PATH=${filtered#:}

home=''
if [ -n "${HOME-}" ]; then
    enter "$HOME" && home=$phys
fi
for root in $all_roots; do
    case $home/ in
    "$root"/*) say "WARNING: '$root' holds your home: shell start-up files there are writable" ;;
    esac
done

# ---- what is hidden ----

# On every wrap. Home's credentials, what no toolchain needs, and the operator's own keys.
mask_names='.ssh
.aws
.gnupg
.kube
.config/gcloud
.azure
.config/agentteams/keys
.config/agentteams/confined
.config/agentteams/mcp-grants
.config/agentteams/codex-home
.local/state/agentteams
.password-store
.local/share/gopass
.local/share/keyrings
.local/share/kwalletd
.config/keepassxc
.config/KeePassXC
.config/Bitwarden
.config/1Password
.config/op
.pki
.authinfo
.authinfo.gpg
.bash_history
.zsh_history
.zhistory
.histfile
.sh_history
.local/share/fish
.python_history
.node_repl_history
.psql_history
.mysql_history
.sqlite_history
.rediscli_history
.irb_history
.lesshst
.viminfo
.local/share/nvim/shada
.mozilla
.thunderbird
.config/google-chrome
.config/chromium
.config/BraveSoftware
.config/microsoft-edge
.config/vivaldi
.config/opera
.cache/mozilla
.cache/google-chrome
.cache/chromium
snap/firefox
snap/chromium
.var/app/org.mozilla.firefox
.var/app/com.google.Chrome
.var/app/org.chromium.Chromium
.docker/run
.docker/desktop
.local/share/containers/podman
.Xauthority
Library/Keychains
Library/Cookies
Library/Safari
Library/Application Support/Firefox
Library/Application Support/Google/Chrome
Library/Application Support/Chromium'

# By --mask-toolchain alone: hiding these breaks the tools that log in with them.
toolchain_names='.netrc
.git-credentials
.config/git/credentials
.config/gh
.config/glab-cli
.config/hub
.docker/config.json
.npmrc
.yarnrc.yml
.pypirc
.config/pypoetry/auth.toml
.pgpass
.my.cnf
.cargo/credentials
.cargo/credentials.toml
.gem/credentials
.m2/settings.xml
.gradle/gradle.properties
.composer/auth.json
.config/composer/auth.json
.terraform.d/credentials.tfrc.json
.config/rclone
.s3cfg
.boto
.config/hcloud
.config/doctl'

masks='' not_masked=''

mask() { # PATH: hides its target, where there is one; what /tmp and /run hide already stays so
    resolve "$1" || return 1
    case $phys in
    /tmp | /run | /dev | /proc | /) refuse "--exclude: '$phys' cannot be hidden" ;;
    esac
    masks=$masks$phys$nl
}

if [ -n "$home" ]; then
    for name in $mask_names; do
        [ ! -e "$home/$name" ] || mask "$home/$name" || :
    done
    set +f
    for pem in "$home"/.config/agentteams/*.pem; do
        [ ! -f "$pem" ] || mask "$pem"
    done
    set -f
    [ -z "$toolchain$check" ] || for name in $toolchain_names; do
        [ -e "$home/$name" ] || continue
        if [ -n "$toolchain" ]; then
            mask "$home/$name" || :
        else
            not_masked=$not_masked$home/$name$nl
        fi
    done
fi
case ${XDG_STATE_HOME-} in
/*) [ ! -e "$XDG_STATE_HOME/agentteams" ] || mask "$XDG_STATE_HOME/agentteams" ;;
esac
for path in $excludes; do
    wanted=$path
    mask "$path" || refuse "--exclude: '$wanted' is not there" "Nothing would be hidden."
done

# ---- the variables that are passed on ----

default_names='HOME
USER
LOGNAME
TERM
LANG
LC_ALL
LC_CTYPE
LC_MESSAGES
TZ
TMPDIR
SHELL'
number=0
while [ "$number" -lt "$setenvs" ]; do
    number=$((number + 1))
    eval "value=\$setenv_$number"
    # shellcheck disable=SC2154 # set by eval
    case $value in
    [A-Za-z_]*=*) ;;
    *) refuse "--setenv: '${value%%=*}' is not NAME=VALUE" ;;
    esac
    case ${value%%=*} in
    *[!A-Za-z0-9_]*) refuse "--setenv: '${value%%=*}' is no name of a variable" ;;
    esac
done

# Inside, /tmp is a fresh one: a TMPDIR that is not in a writable directory would not be there.
[ -z "${TMPDIR-}" ] || { resolve "$TMPDIR" && is_inside "$phys" "$all_roots"; } || unset TMPDIR

# ---- the control plane ----

# begin: generated from core/control_plane.c
plane_rows='mark .claude/agents/references/build-log.json
need .claude/agents/references/agent-privilege.json
need .claude/hooks/constitutional-gate.sh
need .claude/hooks/constitutional-gate.py
need .claude/agents/references/authorized-verify-keys
need .claude/agents/references/security-approvers.txt
need .claude/agents/references/authorized-managers.txt
need .claude/agents/references/management-authority.json
mark .goose/recipes/references/build-log.json
need .goose/recipes/references/agent-privilege.json
need .goose/recipes/references/authorized-verify-keys
need .goose/recipes/references/security-approvers.txt
need .goose/recipes/references/authorized-managers.txt
need .goose/recipes/references/management-authority.json
mark .codex/agents/references/build-log.json
need .codex/agents/references/agent-privilege.json
need .codex/agents/references/authorized-verify-keys
need .codex/agents/references/security-approvers.txt
need .codex/agents/references/authorized-managers.txt
need .codex/agents/references/management-authority.json
mark .github/agents/references/build-log.json
need .github/agents/references/agent-privilege.json
need .github/agents/references/authorized-verify-keys
need .github/agents/references/security-approvers.txt
need .github/agents/references/authorized-managers.txt
need .github/agents/references/management-authority.json
if references/security-approvers.txt
if .claude/settings.hooks.example.json
if .goose/confined-run.example.sh
if .codex/confined-run.example.sh
if .goose/sandbox.sb
if .codex/config.toml
if .codex/hooks.json
if sandbox
if .agentteams'
git_rows='hooks
config
config.worktree
info'
prompt_rows='.github/copilot-instructions.md
.github/instructions/
.github/prompts/
.github/agents/
AGENTS.md
AGENTS.override.md
.goosehints
.codex/
.goose/recipes/
CLAUDE.md
CLAUDE.local.md
.mcp.json
.agentteams/'
# end: generated

# Runs in a subshell: prints a line for each path, "PATH/<tab>TAG", for the one sort below. The
# slash keeps what lies below a directory right behind it, the tag orders what stands at one
# path: 1 read-only, 2 writable, 3 a directory on the way, 4 hidden. A line "!" is a refusal.
unfit() { # KIND PATH
    case $1 in
    link) say "'$2' is a symbolic link on the way to a protected file: it could be swapped" ;;
    path) say "--protect: '$2' is not a plain path below a writable directory: a symbolic link, or a '..', is on it" ;;
    gone) say "--protect: '$2' is not there" && say "  It is never created." ;;
    git) say "'$2' is a symbolic link: which repository it is could be swapped" &&
        say "  Put the repository or a gitdir file there, or give --git-writable." ;;
    esac
    echo '!'
    exit 2
}

missing() { # PATH below $root
    team=${marked%/references/*}
    if [ ! -e "$team/references/agent-privilege.json" ] && ! has_agents "$team"; then
        say "'$root/$1' is missing although '$marked' is there; no agent is: it may have been PLANTED"
        say "  Look at it; take it away, or run atconsole --update in '$root'."
    else
        say "'$root/$1' is missing although '$root/$team' holds a team"
        say "  It is never created here. Run atconsole --update (agentteams --update) in '$root'."
    fi
    echo '!'
    exit 2
}

has_agents() { # TEAM: an agent file of its kind is there
    case $1 in
    .claude/*) kind='*.md' ;;
    .goose/*) kind='*.yaml' ;;
    .codex/*) kind='*.toml' ;;
    *) kind='*.agent.md' ;;
    esac
    set +f
    for agent in "$1"/$kind; do
        case $agent in
        */SETUP-REQUIRED.md) continue ;;
        esac
        [ -e "$agent" ] && set -f && return 0
    done
    set -f
    return 1
}

is_there() {
    [ -e "$1" ] || [ -L "$1" ]
}

protect() { # PATH below $root: it, and each directory on the way
    case $root/$1 in
    "$way"/*/*) walk "$1" ;;
    "$way"/*) ;; # beside the last one
    *) walk "$1" ;;
    esac
    [ ! -L "$root/$1" ] || unfit link "$root/$1"
    printf '%s/\t1\n' "$root/$1"
    kept=$kept$root/$1$nl
}

walk() { # PATH below $root: the directories on the way; the last of them is $way
    rest=$1 above=
    while :; do
        case $rest in
        */*) ;;
        *) break ;;
        esac
        above=${above:+$above/}${rest%%/*}
        rest=${rest#*/}
        [ ! -L "$root/$above" ] || unfit link "$root/$above"
        printf '%s/\t3\n' "$root/$above"
    done
    way=$root${above:+/$above}
}

protect_git_dir() { # DIR below $root with a slash, or nothing for $root itself
    for row in $git_rows; do
        if [ -L "$1$row" ] && [ -e "$1$row" ]; then
            # What it leads to; the link itself can only be watched.
            resolve "$root/$1$row" && printf '%s/\t1\n' "$phys"
            echo "~$root/$1$row is a link: what it leads to is read-only, the link is not"
            cd -P -- "$root" || exit 2
            [ -z "$1" ] || printf '%s/\t3\n' "$root/${1%/}"
        elif is_there "$1$row"; then
            protect "$1$row"
        fi
    done
    if [ -d "$1worktrees" ]; then
        set +f
        for row in "$1"worktrees/*/commondir "$1"worktrees/*/gitdir \
            "$1"worktrees/*/config.worktree; do
            [ ! -f "$row" ] || protect "$row"
        done
        set -f
    fi
    if [ -d "$1modules" ]; then
        # shellcheck disable=SC2044 # split at line ends alone
        for row in $(find "$1modules" -type d \( -name refs -o -name logs -o -name objects \) \
            -prune -o \( -name hooks -o -name config -o -name config.worktree -o -name info \) \
            -print -prune); do
            protect "$row"
        done
    fi
    [ -f "${1}config" ] || return 0
    # shellcheck disable=SC2013 # lines are what it splits at
    for row in $(grep -i '^[[:space:]]*hookspath[[:space:]]*=' "${1}config" 2>/dev/null); do
        protect_hooks_path "${row#*=}"
    done
}

protect_hooks_path() { # the value of core.hooksPath: a directory of the workspace that git runs
    row=$1
    while :; do
        case $row in
        [[:space:]\"]*) row=${row#?} ;;
        *[[:space:]\"]) row=${row%?} ;;
        *) break ;;
        esac
    done
    case $row in
    "$root"/*) row=${row#"$root"/} ;;
    '' | /* | '~'* | *..*) return ;;
    esac
    row=${row#./}
    if is_there "$row"; then
        protect "${row%/}"
    else
        echo "~core.hooksPath names '$row', which is not there: one made inside would be run outside"
    fi
}

protect_git() {
    [ -z "$git_writable" ] || return 0
    if [ -L .git ]; then
        unfit git "$root/.git"
    elif [ -f .git ]; then
        protect .git
    elif [ -d .git ]; then
        protect_git_dir .git/
        [ -e .git/hooks ] || [ ! -e .git/HEAD ] ||
            echo "~there is no '$root/.git/hooks': one made inside would be run outside"
    fi
    if [ -f HEAD ] && { [ -d objects ] || [ -f commondir ]; }; then
        protect_git_dir ''
        for row in commondir gitdir; do
            [ ! -f $row ] || protect $row
        done
    fi
}

protect_prompt_roots() {
    for row in $prompt_rows; do
        is_there "${row%/}" || continue
        protect "${row%/}"
        echo "+$root/${row%/}"
    done
}

protect_root() {
    for top in $tops; do
        is_there "$top" || continue
        marked=''
        for row in $plane_rows; do
            kind=${row%% *}
            row=${row#* }
            [ "${row%%/*}" = "$top" ] || continue
            if is_there "$row"; then
                protect "$row"
                [ "$kind" != mark ] || marked=$row
            elif [ "$kind" = mark ]; then
                marked=
            elif [ "$kind" = need ] && [ -n "$marked" ]; then
                missing "$row"
            fi
        done
    done
    protect_git
    [ -z "$prompt_roots" ] || protect_prompt_roots
}

protect_more() { # PATH of --protect
    absolute "${1#./}"
    is_there "$path" || unfit gone "$1"
    [ ! -L "$path" ] || unfit path "$1"
    leaf=${path##*/}
    if [ "${path%/*}" != "$parent" ]; then
        parent=${path%/*}
        enter "$parent/" || unfit gone "$1"
        parent_phys=${phys%/}
    fi
    phys=$parent_phys/$leaf
    for root in $all_roots; do
        case $phys in
        "$root"/*) ;;
        "$root")
            printf '%s/\t1\n' "$phys"
            return
            ;;
        *) continue ;;
        esac
        case $path in
        *"${phys#"$root"}") ;;
        *) unfit path "$1" ;;
        esac
        protect "${phys#"$root"/}"
    done
}

collect() {
    kept='' tops='' way=/// parent=///
    for row in $plane_rows; do # what is at the top of them: where that is not, none of them is
        row=${row#* }
        case $nl$tops in
        *"$nl${row%%/*}$nl"*) ;;
        *) tops=$tops${row%%/*}$nl ;;
        esac
    done
    for root in $all_roots; do
        cd -P -- "$root" || {
            echo '!'
            exit 2
        }
        printf '%s/\t2\n' "$root"
        protect_root
    done
    for path in $protects; do
        protect_more "$path"
    done
    for path in $masks; do
        printf '%s/\t4\n' "$path"
    done
    # A second name of a protected file writes through every mount: a line without a tag.
    # shellcheck disable=SC2086 # a list, split at line ends
    [ -z "$kept" ] || exec find $kept -type f -links +1 2>/dev/null
}

# The tools, before they are asked anything.
for tool in sort find grep tr env; do
    command -v "$tool" >/dev/null || refuse "$tool is not there: nothing can be checked"
done
case $os in
Linux)
    bwrap=$(command -v bwrap) || refuse "bwrap is not there: nothing can be confined" \
        "Install bubblewrap (scripts/install-sandbox-deps.sh)."
    mounts=/proc/self/mountinfo
    euid=
    while IFS="$tab " read -r key _ value _; do
        [ "$key" != Uid: ] || break
        value=
    done </proc/self/status
    euid=$value
    ;;
Darwin)
    bwrap=
    command -v sandbox-exec >/dev/null ||
        refuse "sandbox-exec is not there: nothing can be confined"
    mounts=/dev/null
    euid=$(id -u)
    ;;
*) refuse "no sandbox is known on '$os': FAIL CLOSED" "Linux and macOS have one." ;;
esac
case $euid in
0) [ -n "$allow_root" ] ||
    refuse "the caller is root: a sandbox of root's is none" "Use another user, or --allow-root." ;;
'' | *[!0-9]*) refuse "who the caller is cannot be told" ;;
esac
[ "$euid" != 0 ] || [ -z "$nproc_max" ] || [ "$os" != Linux ] ||
    refuse "--nproc-max: the kernel does not count root's processes" "Use another user."
facts=$(collect | LC_ALL=C sort -u - $mounts)

bound='' locked='' shut='' hidden='' around='' notes='' prompt='' devices='' twice=''
last_ro=/// last_root=/// last_mask=/// \
    last_around=/// ground=''
for line in $facts; do
    path=${line%/"$tab"*}
    case $line in
    '!') exit 2 ;;
    /*/"$tab"[1-4]) ;;
    /*) refuse "'$line' has a second name (a hard link): it could be written by that" \
        "Find the other one (find -samefile), or put a fresh copy in its place." ;;
    esac
    case $line in
    /*/"$tab"1)
        case $path/ in
        "$last_ro"/*) continue ;;
        esac
        last_ro=$path
        shut=$shut$path$nl
        ;;
    /*/"$tab"2)
        case $path/ in
        "$last_ro"/*) refuse "'$path' is to be writable, and is inside '$last_ro', which is protected" ;;
        "$last_mask"/*)
            [ "$last_mask" = "$last_around" ] || ground=${ground}m$last_mask$nl around=$around$last_mask$nl
            last_around=$last_mask
            ;;
        "$last_root"/*) continue ;;
        esac
        last_root=$path
        bound=$bound$path$nl
        ground=${ground}w$path$nl
        ;;
    /*/"$tab"3)
        case $path/ in
        "$last_ro"/*) ;;
        *) locked=$locked$path$nl ;;
        esac
        ;;
    /*/"$tab"4)
        case $path/ in
        "$last_root/") refuse "'$path' is to be writable and hidden at once" ;;
        "$last_mask"/*)
            case $last_root/ in
            "$last_mask"/*) case $path/ in "$last_root"/*) ;; *) continue ;; esac ;;
            *) continue ;;
            esac
            ;;
        esac
        last_mask=$path
        hidden=$hidden$path$nl
        ;;
    '~'*) notes=$notes${line#?}$nl ;;
    +*) prompt=$prompt${line#?}$nl ;;
    [0-9]*) # mountinfo: a device that is mounted twice may show a hidden directory elsewhere
        rest=${line#* }
        rest=${rest#* }
        case "$devices " in
        *" ${rest%% *} "*) twice="$twice ${rest%% *} " ;;
        esac
        devices="$devices ${rest%% *}"
        ;;
    esac
done

[ -n "$bound" ] || refuse "the paths could not be put in order: nothing can be checked"

# ---- a hidden directory that is mounted a second time ----

aliases=''
see_alias() { # HIDDEN DEVICE ROOT MOUNT-POINT: of one mount, is $1 below it, or it below $1?
    case $1/ in
    "${4%/}"/*) ;;
    *) return ;;
    esac
    inner=${3%/}${1#"${4%/}"} # the hidden path in its file system
    for other in $twice_mounts; do
        [ "${other%%"$tab"*}" = "$2" ] || continue
        other=${other#*"$tab"}
        at=${other#*"$tab"}
        other=${other%%"$tab"*}
        case $inner/ in
        "${other%/}"/*) found=${at%/}${inner#"${other%/}"} ;;
        *) case $other/ in
            "$inner"/*) found=$at ;;
            *) continue ;;
            esac ;;
        esac
        case $found/ in
        "$1"/*) continue ;;
        esac
        [ -e "$found" ] || continue
        # shellcheck disable=SC3013 # every sh this is for has -ef
        [ "$found" -ef "$1" ] || [ "$found" -ef "$1${other#"$inner"}" ] || continue
        aliases=$aliases$found$nl
    done
}

unescaped() { # TEXT of mountinfo, where a blank stands as \040: sets $text
    case $1 in
    *\\*) text=$(printf '%b' "$1") ;;
    *) text=$1 ;;
    esac
}

note_mount() { # the fields of a line of mountinfo: keeps it when its device is mounted twice
    case $twice in
    *" $3 "*) ;;
    *) return ;;
    esac
    unescaped "$4"
    twice_mounts=$twice_mounts$3$tab$text$tab
    unescaped "$5"
    twice_mounts=$twice_mounts$text$nl
}

if [ -n "$twice" ] && [ -n "$hidden" ]; then
    twice_mounts=''
    IFS=$nl
    for line in $facts; do
        case $line in
        [0-9]*)
            IFS=' '
            # shellcheck disable=SC2086 # fields of mountinfo
            note_mount $line
            IFS=$nl
            ;;
        esac
    done
    for path in $hidden; do
        for line in $twice_mounts; do
            rest=${line#*"$tab"}
            see_alias "$path" "${line%%"$tab"*}" "${rest%%"$tab"*}" "${rest#*"$tab"}"
        done
    done
fi

# ---- where the command starts ----

is_seen() { # PATH: would it be there inside?
    is_inside "$1" "$bound" && return 0
    case $1/ in
    /tmp/* | /run/* | /dev/* | /proc/*) return 1 ;;
    esac
    ! is_inside "$1" "$hidden"
}

at=$scratch
[ -z "$caller" ] || ! is_seen "$caller" || at=$caller
if [ "$at" != "$scratch" ]; then
    for team in .claude .goose .codex .agents .github/agents; do
        if [ ! -e "$scratch/$team" ] || [ -e "$at/$team" ]; then
            continue
        fi
        say "WARNING: the command starts in '$at', and the team's settings are in '$scratch/$team'"
        say "  A harness reads them where it starts: change to '$scratch' first."
        break
    done
fi

# ---- what the agent's own harness is set to ----

for root in $bound; do
    if [ -L "$root/.codex/config.toml" ]; then
        say "WARNING: '$root/.codex/config.toml' is a symbolic link and was not read"
    elif [ -f "$root/.codex/config.toml" ] && grep -q -e '^[[:space:]]*approval_policy' \
        -e '^[[:space:]]*sandbox_mode' -e '^[[:space:]]*notify' \
        -e '^[[:space:]]*\[sandbox_workspace_write' -e '^[[:space:]]*\[mcp_servers' \
        "$root/.codex/config.toml"; then
        say "WARNING: '$root/.codex/config.toml' sets how codex is confined or what it starts"
    fi
done

native=''
find_native() { # a boundary of the harness's own: two do not nest
    for root in $bound; do
        for file in "$root/.claude/settings.local.json" "$root/.claude/settings.json"; do
            if [ -f "$file" ] && grep -q '"sandbox"' "$file" &&
                grep -q '"enabled"[[:space:]]*:[[:space:]]*true' "$file"; then
                native=$file
                return
            fi
        done
    done
}
case ${1##*/} in
claude) find_native ;;
*) [ -z "$check" ] || find_native ;;
esac
if [ -n "$native" ] && [ -z "$allow_nested" ] && [ -z "$check" ]; then
    say "WARNING: '$native' turns the harness's own sandbox on: it cannot start inside this one"
    say "  Choose one of the two; --allow-nested leaves it a chance, and is weaker."
fi

[ "$egress" != host ] || say "WARNING: --egress host: all of the host's network, its local services too"

# ---- harder, where it can be had ----

layers=''
if [ -n "$harden_helper" ]; then
    named=$harden_helper
    resolve "$named" || refuse "--harden-helper: '$named' is not there"
    harden_helper=$phys
    ! is_inside "$harden_helper" "$bound" || is_inside "$harden_helper" "$shut" ||
        refuse "--harden-helper: '$named' is inside a writable directory: the agent could replace it"
fi
if [ -n "$harden" ] && [ "$os" = Linux ]; then
    if find_helper; then
        layers=$("$harden_helper" layers) || layers=
    fi
    for layer in seccomp keyring landlock; do
        case "$layers " in
        *"$layer "*) continue ;;
        esac
        [ "$harden" = wish ] || refuse "--harden=require: $layer cannot be had here" \
            "Its helper is agentteams-harden, below /usr/libexec/agentteams or /usr/lib/agentteams."
        say "WARNING: --harden: $layer cannot be had here; the wrap goes on without"
    done
elif [ "$harden" = require ]; then
    refuse "--harden=require: there is no such filter on $os"
fi
has_layer() {
    case "$layers " in
    *"$1 "*) return 0 ;;
    esac
    return 1
}

# ---- Linux: the sandbox as a list of bwrap's options, the same for a check and a run ----

netns_path=/run/netns/$netns
if [ "$os" = Linux ] && [ "$egress" = proxy ] && [ "$netns" != - ]; then
    [ "$euid" = 0 ] || refuse "--egress proxy: only root may enter a network namespace" \
        "Start this inside it and say --netns -, or run as root with --allow-root."
    command -v ip >/dev/null || refuse "--egress proxy: there is no ip (iproute2)"
    [ -e "$netns_path" ] || [ -e "/var/run/netns/$netns" ] ||
        refuse "--egress proxy: there is no network namespace '$netns'" "See ip netns list."
fi

# Written to $resolv: what name resolution reads below /run, which is emptied.
resolv=''
if [ "$os" = Linux ] && [ "$egress" != deny ] && [ -L /etc/resolv.conf ] && resolve /etc/resolv.conf; then
    case $phys in
    /run/*) resolv=$phys ;;
    esac
fi

put() { # what the list goes to: here NUL-separated words, for --check other forms
    printf '%s\0' "$@"
}

hide() {
    if [ -d "$1" ]; then
        put --perms 000 --tmpfs "$1" --remount-ro "$1"
    else
        put --ro-bind /dev/null "$1"
    fi
}

plan() { # variables | :
    put --die-with-parent --new-session --clearenv
    "$1" # variables, or nothing for a check: their values are nobody's business
    put --cap-drop ALL
    put --unshare-user --unshare-ipc --unshare-pid --unshare-cgroup-try
    [ "$egress" != deny ] || put --unshare-net
    [ -n "$allow_nested" ] || put --disable-userns
    put --ro-bind / / --tmpfs /tmp --tmpfs /run --dev /dev --proc /proc
    ! has_layer landlock || put --mqueue /dev/mqueue # no right of Landlock's speaks of queues
    [ "$euid" != 0 ] || put --ro-bind /proc/sys /proc/sys
    [ -z "$resolv" ] || put --ro-bind "$resolv" "$resolv"
    for path in $ground; do
        case $path in
        m*) put --perms 0555 --tmpfs "${path#m}" ;; # hidden, with a writable one inside
        w*) put --bind "${path#w}" "${path#w}" ;;
        esac
    done
    for path in $locked; do
        put --bind "$path" "$path"
    done
    for path in $shut; do
        put --ro-bind "$path" "$path"
    done
    for path in $hidden; do
        case $nl$around in
        *"$nl$path$nl"*) put --remount-ro "$path" ;;
        *) hide "$path" ;;
        esac
    done
    for path in $aliases; do
        hide "$path"
    done
    if [ -n "$harden_helper" ] && ! is_seen "$harden_helper"; then
        put --ro-bind "$harden_helper" "$harden_helper"
    fi
    put --chdir "$at"
    put --unshare-uts # the last one: see the end of this file
}

variables() {
    [ "$egress" != proxy ] || for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do
        put --setenv "$name" "http://$proxy"
    done
    [ -z "$caller_path" ] || put --setenv PATH "$caller_path"
    for name in $default_names; do
        eval "[ -z \"\${$name+set}\" ] || put --setenv $name \"\$$name\""
    done
    for name in $names; do
        eval "[ -z \"\${_env_$name+set}\" ] || put --setenv $name \"\$_env_$name\""
    done
    number=0
    while [ "$number" -lt "$setenvs" ]; do
        number=$((number + 1))
        eval "value=\$setenv_$number"
        put --setenv "${value%%=*}" "${value#*=}"
    done
}

# Limits count only what is in the sandbox's own user namespace when they are set inside it.
# shellcheck disable=SC2016 # for the inner shell
limit='confine() { "$@" || { echo "confine-run: a limit cannot be set" >&2; exit 2; }; }
[ -z "$1" ] || confine ulimit -t "$1"
[ -z "$2" ] || ulimit -u "$2" 2>/dev/null || confine ulimit -p "$2"
[ -z "$3" ] || confine ulimit -v "$(($3 * 1024))"
shift 3; exec "$@"'

if [ "$os" = Linux ]; then
    if has_layer landlock; then
        set -- "$harden_helper" inside "$bound" -- "$@"
    fi
    if [ -n "$cpu_max$nproc_max$mem_max" ]; then
        say 'note: the limits are those of each process; one for all of them together needs a cgroup'
        set -- /bin/sh -c "$limit" confine-run "$cpu_max" "$nproc_max" "$mem_max" "$@"
    fi
fi

# ---- Linux: the run. What stands below it is read only when it is needed ----

if [ "$os" = Linux ] && [ -z "$check" ]; then
    # Files that make somebody run what the agent wrote, where none was before.
    new_rows='.git/hooks
.git/commondir
.git/config.worktree
.envrc
.mcp.json
.vscode/tasks.json
.claude/settings.json
.claude/settings.local.json
.codex/config.toml'
    old=$nl
    for root in $bound; do
        for row in $new_rows; do
            [ ! -e "$root/$row" ] || old=$old$root/$row$nl
        done
    done

    # bwrap itself starts with an empty environment and reads options and variables from a
    # descriptor: neither /proc/1/environ nor any list of processes shows them. A list cut short
    # cannot make a weaker sandbox: its last word is --unshare-uts, without which bwrap refuses the
    # --hostname that stands on its command line.
    IFS= read -r hostname </proc/sys/kernel/hostname || hostname=localhost
    if has_layer seccomp; then
        set -- --seccomp 8 -- "$@"
    else
        set -- -- "$@"
    fi
    set -- "$bwrap" --args 9 --hostname "$hostname" "$@"
    if [ -n "$layers" ]; then
        set -- "$harden_helper" start ${allow_nested:+--nested} -- "$@"
    fi
    if [ "$egress" = proxy ] && [ "$netns" != - ]; then
        set -- "$(command -v ip)" netns exec "$netns" "$@"
    fi
    exec 3<&0
    plan variables 3<&- | env -i "$@" 9<&0 0<&3 3<&-
    status=$?

    if [ "$status" = 1 ] && [ -z "$allow_nested" ]; then
        case $("$bwrap" --help 2>&1) in
        *--disable-userns*) ;;
        *) refuse "this bwrap cannot switch user namespaces off; nothing was run" \
            "bubblewrap 0.8 can; --allow-nested goes without, and is weaker." ;;
        esac
    fi
    for root in $bound; do
        for row in $new_rows; do
            is_there "$root/$row" || continue
            case $old in
            *"$nl$root/$row$nl"*) continue ;;
            esac
            say "WARNING: '$root/$row' is new since the start: something on this host may run what it says"
            case $row in
            */commondir) say "  git takes hooks and commands from where it points: remove it before you use git there" ;;
            esac
        done
    done
    exit $status
fi

# ---- macOS: the sandbox as a profile of sandbox-exec, first match last ----

setuid_programs='/usr/bin/sudo
/usr/bin/su
/usr/bin/login
/usr/bin/newgrp
/usr/bin/passwd
/usr/bin/crontab
/usr/bin/at
/usr/bin/atq
/usr/bin/atrm
/usr/bin/batch
/usr/bin/quota
/usr/libexec/authopen
/usr/libexec/security_authtrampoline
/usr/sbin/traceroute
/usr/sbin/traceroute6'

rules() { # VERB FILTER LIST: a rule for each path
    for path in $3; do
        printf '(%s (%s "%s"))\n' "$1" "$2" "$path"
    done
}

profile() {
    echo '(version 1)'
    echo '(allow default)'
    echo '(deny file-write*)'
    rules 'allow file-write*' subpath "$scratch"
    echo '(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders")'
    echo '    (literal "/dev/null") (literal "/dev/stdout") (literal "/dev/stderr"))'
    rules 'allow file-write*' subpath "$bound"
    rules 'deny file-write*' subpath "$shut"
    rules 'deny file-write*' literal "$locked"
    [ -z "$shut" ] || for root in $bound; do
        while [ -n "$root" ]; do # or it could be moved away and back
            rules 'deny file-write*' literal "$root"
            root=${root%/*}
        done
    done
    rules 'deny file-read*' subpath "$hidden"
    rules 'deny process-exec*' literal "$setuid_programs"
    case $egress in
    deny) echo '(deny network*)' ;;
    proxy)
        echo '(deny network*)'
        printf '(allow network* (remote ip "localhost:%s"))\n' "${proxy#*:}"
        ;;
    esac
}

if [ "$os" = Darwin ]; then
    for path in $bound $shut $locked $hidden; do
        case $path in
        *[\\\"]*) refuse "a quote or a backslash in the path '$path' cannot be written in a profile" ;;
        esac
    done
    if [ "$egress" = proxy ]; then
        case ${proxy%%:*} in
        127.0.0.1 | localhost) ;;
        *) refuse "--egress proxy: macOS can pin only a proxy on 127.0.0.1 or localhost: FAIL CLOSED" ;;
        esac
    fi
    say 'ENFORCEMENT-UNVERIFIED: nothing here is proven until mac-escape-tests.sh passes on this machine'
    [ -z "$nproc_max" ] ||
        say "WARNING: --nproc-max counts all of this user's processes: a self-DoS knob without a user of its own"
    if [ -n "$mem_max" ]; then
        say 'WARNING: --mem-max does nothing on macOS: MEMORY UNCAPPED'
        say '  No limit of memory can be set here from a shell.'
        say '  A virtual machine, a container or a Linux host has one.'
        mem_max=
    fi
    if [ -n "$cpu_max$nproc_max" ]; then
        set -- /bin/sh -c "$limit" confine-run "$cpu_max" "$nproc_max" '' "$@"
    fi
fi

if [ "$os" = Darwin ] && [ -z "$check" ]; then
    set -- "$(command -v sandbox-exec)" -p "$(profile)" "$@"
    put() { # --setenv NAME VALUE: kept as an argument of env
        pairs=$((pairs + 1))
        eval "pair_$pairs=\$2=\$3"
    }
    pairs=0
    variables
    while [ "$pairs" -gt 0 ]; do
        eval "set -- \"\$pair_$pairs\" \"\$@\""
        pairs=$((pairs - 1))
    done
    cd -- "$at" || refuse "'$at' cannot be entered"
    exec env -i "$@"
fi

# ---- --check ----

quoted() { # TEXT: for a POSIX shell; sets $text
    case $1 in
    '' | *[!A-Za-z0-9/._+,:@%=-]*) ;;
    *)
        text=$1
        return
        ;;
    esac
    rest=$1 text="'"
    while :; do
        case $rest in
        *\'*)
            text="$text${rest%%\'*}'\\''"
            rest=${rest#*\'}
            ;;
        *) break ;;
        esac
    done
    text="$text$rest'"
}

in_json() { # TEXT: sets $text to a JSON string
    case $1 in
    *[\"\\[:cntrl:]]*) ;;
    *)
        text="\"$1\""
        return
        ;;
    esac
    rest=$1 text='"'
    while [ -n "$rest" ]; do
        tail=${rest#?}
        char=${rest%"$tail"}
        case $char in
        [\"\\]) text=$text\\$char ;;
        [[:cntrl:]]) text=$text\\u$(printf '%04x' "'$char") ;;
        *) text=$text$char ;;
        esac
        rest=$tail
    done
    text="$text\""
}

words() { # WORD...: quoted, on one line
    line=
    for word in "$@"; do
        quoted "$word"
        line="$line $text"
    done
    printf '%s' "${line# }"
}

words_of() { # LIST
    # shellcheck disable=SC2086 # split at line ends
    words $1
}

show() { # LABEL LIST NONE
    printf '  %s:' "$1"
    if [ -n "$2" ]; then
        for path in $2; do
            quoted "$path"
            printf ' %s' "$text"
        done
        echo
    else
        echo " $3"
    fi
}

strings() { # WORD...: a JSON array
    text_of=
    for word in "$@"; do
        in_json "$word"
        text_of="$text_of, $text"
    done
    printf '[%s]' "${text_of#, }"
}

passed=''
[ -z "$caller_path" ] || passed=PATH$nl
for name in $default_names; do
    eval "[ -z \"\${$name+set}\" ] || passed=\$passed\$name\$nl"
done
for name in $names; do
    eval "[ -z \"\${_env_$name+set}\" ] || passed=\$passed\$name\$nl"
done
number=0
while [ "$number" -lt "$setenvs" ]; do
    number=$((number + 1))
    eval "passed=\$passed\${setenv_$number%%=*}\$nl"
done

nested=off
[ -z "$allow_nested" ] || nested='ON (weaker)'
coord=''
for root in $roots; do
    case $root in
    --coord-root*) coord=$coord${root#*"$tab"}$nl ;;
    esac
done

check_text() { # COMMAND...
    echo 'confine-run.sh --check (inert; nothing runs)'
    echo "  os: $os"
    show 'scratch (writable)' "$scratch"
    show writable "$bound"
    case $os$egress in
    *proxy) echo "  egress mode: proxy, netns $netns, ${proxy}" ;;
    *) echo "  egress mode: $egress" ;;
    esac
    show read-excluded "$hidden$aliases" '<none present>'
    show 'not masked (--mask-toolchain)' "$not_masked" '<none present>'
    show 'control-plane (ro)' "$shut" '<none>'
    show 'rename-locked ancestors' "$locked" '<none>'
    [ -z "$prompt_roots" ] || show 'prompt-roots (ro)' "$prompt" '<none present>'
    show coord-roots "$coord" '<none>'
    printf '  env allowlist: %s (all others are not passed on)\n' "$(words_of "$passed")"
    echo "  cpu-max (RLIMIT): ${cpu_max:-<none>}"
    echo "  nproc-max (RLIMIT): ${nproc_max:-<none>}"
    echo "  mem-max: ${mem_max:-<none>}"
    echo "  user namespaces inside: $nested"
    echo "  harden: ${layers:-<none>}"
    [ -z "$native" ] || show 'own sandbox of the harness is on in (choose one)' "$native"
    for note in $notes; do
        quoted "$note"
        printf '  note: %s\n' "$text"
    done
    printf '  command: %s\n  effective: ' "$(words "$@")"
    effective "$@"
    echo
}

check_json() { # COMMAND...
    printf '{\n'
    for field in os scratch egress proxy netns cwd=at nested bwrap layers cpu_max nproc_max mem_max \
        own_sandbox=native; do
        eval "in_json \"\$${field#*=}\""
        printf '  "%s": %s,\n' "${field%=*}" "$text"
    done
    for field in writable=bound hidden aliases not_masked read_only=shut ancestors=locked \
        prompt_roots=prompt coord_roots=coord env=passed notes; do
        # shellcheck disable=SC2046 # a list, split at line ends
        printf '  "%s": %s,\n' "${field%=*}" "$(eval "strings \$${field#*=}")"
    done
    printf '  "command": %s,\n' "$(strings "$@")"
    if [ "$os" = Linux ]; then
        put() {
            strings "$@"
            echo
        }
        printf '  "args": ['
        plan : | {
            joined=
            while IFS= read -r line; do
                line=${line#?}
                joined="$joined, ${line%?}"
            done
            printf '%s]\n}\n' "${joined#, }"
        }
    else
        printf '  "profile": %s\n}\n' "$(strings "$(profile)")"
    fi
}

effective() {
    put() {
        words "$@"
        printf ' '
    }
    if [ "$os" = Linux ]; then
        put "$bwrap"
        plan :
        put -- "$@"
    else
        put sandbox-exec -p "$(profile)" "$@"
    fi
}

if [ -n "$json" ]; then
    check_json "$@"
else
    check_text "$@"
fi
