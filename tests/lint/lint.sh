#!/usr/bin/env bash
# Checks the rules of the source tree that no compiler checks: lint.sh [TREE].
# Findings are file:line: message; `lint: allow(<rule>) <reason>` in a comment on the line lets it
# pass. Ends with `N passed, N failed`, counted in rules.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cd -- "${1:-$here/../..}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
code=$scratch/code
literals=$scratch/literals
passed=0
failed=0

# --- the files ---

# Those git would keep; without git, everything but the build folders.
list_files() {
  local file files
  files=$({ git ls-files --cached --others --exclude-standard 2>/dev/null || true; } | sort -u)
  [[ -n $files ]] ||
    files=$(find . -type d \( -name .git -o -path './build*' \) -prune -o -type f -printf '%P\n')
  while IFS= read -r file; do
    [[ ! -f $file ]] || printf '%s\n' "$file"
  done <<<"$files"
}

# matching REGEX: the files whose path matches.
matching() { grep -E "$1" "$scratch/files" || true; }

collect() {
  list_files >"$scratch/files"
  mapfile -t cpp < <(matching '\.(cpp|h)$')
  mapfile -t public_headers < <(matching '(^|/)include/.*\.h$')
  mapfile -t styled < <(matching '\.(cpp|h|cmake|awk|sh|md)$|(^|/)(CMakeLists\.txt|dev|run)$')
  mapfile -t all < "$scratch/files"
  ((${#cpp[@]})) || { echo 'lint: no C++ files here' >&2 && exit 2; }
  touch "$code" "$literals"
  awk -v code="$code" -v literals="$literals" -f "$here/tokens.awk" "${cpp[@]}"
  grep -oIE 'lint: allow\([a-z-]+\) +[^ ]' -nH "${all[@]}" >"$scratch/allowed" || true
}

# --- what the rules are made of ---

# Lines of the code, comments and strings aside, that match REGEX in files outside the path regex.
code_lines() {
  awk -F: -v regex="$1" -v outside="$2" -v message="$3" '
    $1 !~ outside {
      text = substr($0, length($1) + length($2) + 3)
      if (text ~ regex) print $1 ":" $2 ": " message
    }' "$code"
}

# grep_lines MESSAGE GREP_ARGUMENT...
grep_lines() {
  local message=$1
  shift
  { grep -nHIE "$@" || true; } | sed -E "s|^([^:]+:[0-9]+):.*|\1: $message|"
}

# --- the rules ---

third_party_includes() {
  local start='^[ \t]*#[ \t]*include[ \t]*[<"]'
  code_lines "${start}sqlite3" '^(storage|bench|tests/support|tests/crash)/' \
    'sqlite3.h belongs to storage'
  code_lines "${start}(postgresql/)?libpq" '^storage/' 'libpq-fe.h belongs to storage'
  code_lines "${start}faiss/" '^bench/' 'FAISS is a floor of the benchmarks'
}

backend_free_headers() {
  ((${#public_headers[@]})) || return 0
  grep_lines 'SQLite named in a public header' 'sqlite3' "${public_headers[@]}"
}

portable_sql() {
  grep -vE '^(storage/([^[:blank:]]*/)?sqlite|tests|bench)/' "$literals" \
    >"$scratch/portable" || true
  awk -f "$here/sql.awk" "$scratch/portable" "$scratch/portable"
}

sql_place() {
  awk -F '\t' '
    $1 ~ /^(core|space|exchange|apps)\// &&
    $4 ~ /^ *(SELECT|INSERT INTO|UPDATE|DELETE FROM)( |$)/ {
      print $1 ":" $2 ": SQL outside the stores"
    }' "$literals"
}

time_and_chance() {
  local before='(^|[^A-Za-z0-9_.>])'
  local sources='system_clock|random_device|getrandom|gettimeofday|clock_gettime'
  code_lines "${before}($sources)" '^core/' 'time and chance come from core'
  code_lines "${before}time *[(] *(nullptr|NULL|0|&)" '^core/' 'time comes from core'
  code_lines 'this_thread *:: *sleep_' '^core/clock[.]cpp$' 'sleep through core::Clock'
  code_lines "${before}(usleep|nanosleep) *[(]" '^core/clock[.]cpp$' \
    'sleep through core::Clock'
}

file_length() {
  awk 'FNR == 401 { print FILENAME ":401: file over 400 lines" }' "${styled[@]}"
}

line_width() {
  local narrow
  mapfile -t narrow < <(printf '%s\n' "${styled[@]}" | grep -v '\.md$')
  grep_lines 'line over 100 columns' '^.{101}' "${narrow[@]}"
}

white_space() {
  local file
  grep_lines 'tab' $'\t' "${styled[@]}"
  grep_lines 'trailing white space' '[[:space:]]$' "${styled[@]}"
  for file in "${styled[@]}"; do
    [[ -z $(tail -c 1 "$file") ]] || printf '%s:%d: no newline at the end\n' "$file" \
      "$(grep -c '' "$file")"
  done
}

# Who embeds the library must not have to guess.
thread_safety() {
  local file
  for file in "${public_headers[@]}"; do
    grep -qiE 'thread.safe' "$file" || printf '%s:1: says nothing of thread safety\n' "$file"
  done
}

pragma_once() {
  awk -F: '
    FNR == NR { wanted[$1] = 1; next }
    $1 in wanted {
      if ($3 !~ /^[ \t]*#pragma once[ \t]*$/) print $1 ":" $2 ": #pragma once comes first"
      delete wanted[$1]
    }
    END { for (file in wanted) print file ":1: no #pragma once" }
  ' <(printf '%s\n' "${public_headers[@]}") "$code"
}

# A test counts as registered where its folder's CMakeLists.txt, or one above, names it.
registered_tests() {
  local lists
  mapfile -t lists < <(matching '(^|/)CMakeLists\.txt$')
  ((${#lists[@]})) || lists=(/dev/null)
  matching '^tests/.*_test\.cpp$' >"$scratch/tests"
  awk -v tests="$scratch/tests" '
    {
      sub(/#.*/, "")
      gsub(/[()"]/, " ")
      folder = FILENAME
      sub(/CMakeLists\.txt$/, "", folder)
      for (i = 1; i <= NF; ++i) named[folder $i] = 1
    }
    END {
      while ((getline file < tests) > 0)
        if (!(file in named)) print file ":1: test named in no CMakeLists.txt"
    }' "${lists[@]}"
}

unfinished() { grep_lines 'unfinished work' -w 'TO''DO|FIX''ME|X''XX' "${styled[@]}"; }

machine_paths() {
  local shipped
  mapfile -t shipped < <(grep -v '^tests/' "$scratch/files")
  grep_lines 'path of one machine' '(^|[^A-Za-z0-9_.~-])/(home|root|tmp|work)/' "${shipped[@]}"
}

shell_scripts() {
  local scripts
  mapfile -t scripts < <(awk 'FNR == 1 { if (/^#!.*sh$/) print FILENAME; nextfile }' "${styled[@]}")
  ((${#scripts[@]})) || return 0
  shellcheck --format=gcc "${scripts[@]}" || true
}

# --- running them ---

# Drops the findings whose line allows the rule.
without_allowed() {
  awk -F: -v rule="$1" '
    FILENAME != "-" { if (index($0, "lint: allow(" rule ")")) allowed[$1 ":" $2] = 1; next }
    !(($1 ":" $2) in allowed)' "$scratch/allowed" -
}

# check RULE: runs the function of that name, written with underscores.
check() {
  local findings
  findings=$("${1//-/_}" | without_allowed "$1" | sort -t : -k 1,1 -k 2,2n)
  if [[ -z $findings ]]; then
    passed=$((passed + 1))
    printf 'ok    %s\n' "$1"
  else
    failed=$((failed + 1))
    printf 'FAIL  %s\n%s\n' "$1" "$findings"
  fi
}

collect
for rule in third-party-includes backend-free-headers portable-sql sql-place time-and-chance \
  file-length line-width white-space pragma-once thread-safety registered-tests unfinished \
  machine-paths; do
  check "$rule"
done
if command -v shellcheck >/dev/null; then
  check shell-scripts
else
  printf 'skip  shell-scripts (no shellcheck here)\n'
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
