#!/usr/bin/env bash
# check.sh PROGRAM EXPECTED: runs an example on a fresh database; its output must be EXPECTED.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
diff -u "$2" <("$1" "$folder/memory.db")
