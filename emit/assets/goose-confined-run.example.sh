#!/bin/sh
# confined-run.example.sh - an example to read: goose, started in sandbox/confine-run.sh.
#
#   .goose/confined-run.example.sh [ARGUMENT...]        what goose is given; default: session
#
# It does nothing until you run it, from a shell of your own and never from an agent's. Written by
# atconsole --update for this project's brief; edits here are undone by it, so keep your own
# version elsewhere. What goose may do inside is what the launcher lets it: see its --help.
#
#   GOOSE_CONFINE_SCRATCH   where goose keeps state, data and cache (default: a directory of this
#                           team's in your own state directory; made when it is missing)
#   GOOSE_KEY_ENV           name of the variable with the model's key (OPENROUTER_API_KEY). It is
#                           handed in, so what runs inside can read it: use a key that can be
#                           revoked and that pays for little
#   GOOSE_CONFINE_EGRESS    deny (default: no network and so no remote model), proxy or host
#   GOOSE_CONFINE_ACCEPT_OPEN_EGRESS=1
#                           for host, where a live key and an open network meet
set -eu
unset CDPATH

refuse() { # MESSAGE
    printf '%s\n' "confined-run: $1" >&2
    exit 2
}

REPO_ROOT=$(cd -P -- "$(dirname -- "$0")/.." && pwd -P) || refuse "the project cannot be entered"
launcher=$REPO_ROOT/sandbox/confine-run.sh
[ -x "$launcher" ] || refuse "$launcher is missing: run atconsole --update"

key=${GOOSE_KEY_ENV:-OPENROUTER_API_KEY}
case $key in
*[!A-Za-z0-9_]* | [0-9]*) refuse "GOOSE_KEY_ENV: '$key' is no name of a variable" ;;
esac
eval "[ -n \"\${$key-}\" ]" ||
    refuse "$key is not set: export the model's key, or name its variable in GOOSE_KEY_ENV"
# shellcheck disable=SC2163 # the variable of that name is meant
export "$key"

egress=${GOOSE_CONFINE_EGRESS:-deny}
if [ "$egress" = host ] && [ "${GOOSE_CONFINE_ACCEPT_OPEN_EGRESS-}" != 1 ]; then
    refuse "host opens the whole network to whoever holds the key inside; if you want that, set \
GOOSE_CONFINE_ACCEPT_OPEN_EGRESS=1"
fi

team=team #@TEAM@
scratch=${GOOSE_CONFINE_SCRATCH:-${XDG_STATE_HOME:-$HOME/.local/state}/goose-confined/$team}
case $scratch in
/*) ;;
*) scratch=$PWD/$scratch ;;
esac
umask 077
mkdir -p -- "$scratch"
[ ! -L "$scratch" ] || refuse "$scratch is a symbolic link: somebody else may turn it around"
for part in state data cache; do
    [ ! -L "$scratch/$part" ] || refuse "$scratch/$part is a symbolic link"
    mkdir -p -- "$scratch/$part"
done

[ $# -gt 0 ] || set -- session
set -- -- goose "$@"
# Of the brief: where goose may write, and what it may not see.
#@BRIEF@
cd -- "$REPO_ROOT"
exec "$launcher" --scratch "$scratch" --egress "$egress" --env-allow "$key" \
    --setenv "XDG_STATE_HOME=$scratch/state" --setenv "XDG_DATA_HOME=$scratch/data" \
    --setenv "XDG_CACHE_HOME=$scratch/cache" --setenv GOOSE_DISABLE_KEYRING=1 "$@"
