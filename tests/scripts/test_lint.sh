#!/bin/sh
# Every shell file that an operator or a project gets: the checker's word, two shells' word,
# and ASCII alone, which no locale reads in another way.
. "$(dirname -- "$0")/lib.sh"

has_checker=
if shellcheck --version >/dev/null 2>&1; then
    has_checker=yes
else
    echo "SKIPPED: shellcheck is not here: the shell files were not checked"
fi

cd "$SOURCE" || exit 1
found=0
for file in scripts/* emit/assets/* tests/scripts/*; do
    [ -f "$file" ] || continue
    read -r first <"$file"
    case $first in
    '#!/bin/sh'* | '# shellcheck shell=sh') ;;
    *) continue ;;
    esac
    found=$((found + 1))
    row "$file"
    [ -z "$has_checker" ] || {
        shellcheck -x -s sh -P "${file%/*}" "$file" >"$top/out" 2>&1
        same shellcheck 0 $?
    }
    for shell in 'sh' 'dash' 'bash --posix'; do
        command -v "${shell%% *}" >/dev/null || continue
        $shell -n "$file" >"$top/out" 2>&1
        same "$shell -n" 0 $?
    done
    case $file in
    scripts/*[!h]) continue ;; # for developers, who may write an ellipsis
    esac
    LC_ALL=C tr -d '\n\t -~' <"$file" >"$top/out"
    same 'bytes that are no ASCII' '' "$(cat "$top/out")"
done
row 'the list of shell files'
[ "$found" -ge 11 ] || fault "only $found were found"

# EMIT-10: the examples do nothing, whoever starts or loads them.
row 'inert examples'
sh emit/assets/dedicated-uid-provisioning.example.sh >"$top/out" 2>&1
same 'status of the example' 2 $?
same 'active lines of the example' "echo 'This is an example to read: every step is a comment, \
and it does nothing.' >&2
exit 2" "$(grep -v '^#' emit/assets/dedicated-uid-provisioning.example.sh)"
same 'active lines of the rules' '' "$(grep -v '^#' emit/assets/pf-per-tenant-anchor.example.conf)"
for file in dedicated-uid-provisioning.example.sh mac-escape-tests.sh; do
    grep -q -e '-perm -4000 -o -perm -2000' "emit/assets/$file"
    same "advice to list setuid files in $file" 0 $?
done
finish
