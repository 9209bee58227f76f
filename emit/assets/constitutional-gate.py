#!/usr/bin/env python3
"""Hands the tool call over to constitutional-gate.sh beside this file.

Kept so that settings that name this file, and tools that list it, stay true. Frozen.
"""
import os
import sys

HOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "constitutional-gate.sh")

try:
    os.execv("/bin/sh", ["/bin/sh", HOOK])
except OSError as error:
    sys.stderr.write("agentteams gate: cannot start %s: %s\n" % (HOOK, error.strerror))
    sys.exit(2)
