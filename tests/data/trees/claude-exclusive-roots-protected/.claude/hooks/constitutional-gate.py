#!/usr/bin/env python3
# A short stand-in for an older gate that was generated into this team.
import json
import sys

json.load(sys.stdin)
sys.exit(0)
