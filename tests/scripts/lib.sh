# shellcheck shell=sh
# lib.sh - what the tests of shell files share: a place of their own, stand-ins, rows.
#
# $bin holds stand-ins, $tools links to the plain programs a script may use: together they are
# the PATH of what is tested, so that a program nobody put there cannot be called.
set -u
unset CDPATH
umask 022

top=$(mktemp -d) || exit 1
top=$(cd -P -- "$top" && pwd)
trap 'rm -rf -- "$top"' EXIT
trap 'exit 143' HUP INT TERM
bin=$top/bin tools=$top/tools
export CALLS="$top/calls"
mkdir "$bin" "$tools"
for name in sh env cat cp cut chmod dirname find grep head ln ls mkdir mktemp mv readlink rm sed \
    sleep sort tail timeout touch tr date bash; do
    path=$(command -v "$name") && ln -s "$path" "$tools/$name"
done
: >"$CALLS"

rows=0 bad=0
row() { # NAME: what is tried next
    current=$1 shown=
}

fault() { # TEXT
    bad=$((bad + 1))
    echo "FAIL  $current: $1"
    [ -n "$shown" ] || [ ! -s "$top/out" ] || sed 's/^/      /' "$top/out"
    shown=yes
}

same() { # WHAT WANTED GOT
    rows=$((rows + 1))
    [ "$2" = "$3" ] || fault "$1: wanted '$2', got '$3'"
}

says() { # TEXT: a piece of what was printed
    rows=$((rows + 1))
    grep -q -F -e "$1" "$top/out" || fault "does not say '$1'"
}

says_not() { # TEXT
    rows=$((rows + 1))
    ! grep -q -F -e "$1" "$top/out" || fault "says '$1'"
}

calls() { # TEXT: all calls of stand-ins, as lines
    same calls "$1" "$(cat "$CALLS")"
}

stand_in() { # NAME, its body on standard input; each notes its name and words
    { # shellcheck disable=SC2016 # for the stand-in
        printf '%s\n' '#!/bin/sh' 'echo "${0##*/} $*" >>"$CALLS"'
        cat
    } >"$bin/$1"
    chmod +x "$bin/$1"
}

quiet_stand_in() { # NAME, body: one that is asked too often to be noted
    {
        echo '#!/bin/sh'
        cat
    } >"$bin/$1"
    chmod +x "$bin/$1"
}

tested() { # COMMAND...: runs it with the stand-ins; sets $status; prints into $top/out
    : >"$CALLS"
    PATH=$bin:$tools "$@" >"$top/out" 2>&1
    # shellcheck disable=SC2034 # for the caller
    status=$?
}

finish() {
    echo "$((rows - bad)) of $rows"
    [ "$bad" -eq 0 ] || exit 1
    exit 0
}
