#!/bin/sh
echo 'This is an example to read: every step is a comment, and it does nothing.' >&2
exit 2
#
# dedicated-uid-provisioning.example.sh - a user of its own for one team, on macOS.
#
# Why: on macOS the launcher's --nproc-max counts all processes of a user. On your own account
# it stops you before it stops the agent. A user that runs nothing else makes the number mean
# the team, gives pf-per-tenant-anchor.example.conf somebody to match, and lets ordinary file
# permissions keep the team out of your home.
#
# What it costs: an administrator has to do it, once a team, and undo it one day. The launcher
# never becomes another user and neither does atconsole: you type these lines yourself, after
# you have read them, in a shell of your own. Nothing here was tried on your machine.
#
# Pick a name, and a number nobody has. Names of services start with an underscore.
#
#   dscl . -list /Users UniqueID | sort -n -k 2
#   team=_agentteam1 number=560
#
# 1. A group of its own. Sharing "staff" would share every file that staff may read.
#
#   sudo dscl . -create "/Groups/$team"
#   sudo dscl . -create "/Groups/$team" PrimaryGroupID "$number"
#
# 2. The user. No shell and no password: nobody logs in as it, not even by mistake; what you
#    give up is looking around as that user in an ordinary window. It is not in "admin", so
#    sudo refuses it.
#
#   sudo dscl . -create "/Users/$team"
#   sudo dscl . -create "/Users/$team" UniqueID "$number"
#   sudo dscl . -create "/Users/$team" PrimaryGroupID "$number"
#   sudo dscl . -create "/Users/$team" UserShell /usr/bin/false
#   sudo dscl . -create "/Users/$team" NFSHomeDirectory "/Users/$team"
#   sudo dscl . -create "/Users/$team" Password '*'
#   sudo dscl . -create "/Users/$team" IsHidden 1
#
# 3. A home that only it can enter. Harnesses keep tokens there: they are that user's now, and
#    you log the harness in once more, with credentials that can do no more than the team needs.
#
#   sudo mkdir "/Users/$team"
#   sudo chown "$team:$team" "/Users/$team"
#   sudo chmod 700 "/Users/$team"
#
# 4. The workspace belongs to it. You keep reading by the access list of the last line; drop
#    that line, and you have to be root to see what the team did.
#
#   sudo mkdir -p "/Users/Shared/$team"
#   sudo chown -R "$team:$team" "/Users/Shared/$team"
#   sudo chmod 700 "/Users/Shared/$team"
#   sudo chmod +a "user:$(id -un) allow list,search,readattr,read,file_inherit,directory_inherit" \
#       "/Users/Shared/$team"
#
# 5. Your own home stays shut for it. Many homes can be read by everybody.
#
#   chmod 700 "$HOME"
#
# 6. Look for programs that make somebody else of their caller. The launcher denies a list of
#    those that macOS ships; what Homebrew, a driver or a colleague added is not on it.
#    Compare, and remove the bit where nobody needs it.
#
#   sudo find / -type f \( -perm -4000 -o -perm -2000 \) -print
#
# 7. Run it. This is the one line that is typed every day, by you and from outside: a rule in
#    sudoers that spares the password would be a way in for whatever can type as you.
#
#   sudo -u "$team" -H /Users/Shared/$team/project/sandbox/confine-run.sh \
#       --scratch "/Users/Shared/$team/project" --nproc-max 200 -- the-harness
#
# 8. Test as that user, not as you: its rights are different ones.
#
#   sudo -u "$team" -H /Users/Shared/$team/project/sandbox/mac-escape-tests.sh
#
# 9. Undo, in this order: first its processes, then what it owns, then the account.
#
#   sudo pkill -U "$number"
#   sudo find / -user "$team" -print
#   sudo dscl . -delete "/Users/$team"
#   sudo dscl . -delete "/Groups/$team"
#
# What stays open: memory has no limit on macOS whoever the user is; the kernel, the processor
# and the disk are shared; files that everybody may read stay readable for it too.
