#!/usr/bin/env bash
# Shows that lint.sh passes a clean tree and that each rule finds what it is there for.
# shellcheck disable=SC2016  # the dollars are those of SQL
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
passed=0
failed=0

# put FILE TEXT: writes a file of the scratch tree; backslash escapes are for printf.
put() {
  mkdir -p "$(dirname "$tree/$1")"
  printf '%b' "$2" >"$tree/$1"
}

clean_tree() {
  rm -rf "${tree:?}"/*
  put graph/include/holdfast/graph/edge.h '// thread-safe\n#pragma once\n\nint edge();\n'
  put graph/edge.cpp '#include <holdfast/graph/edge.h>\n\nint edge() { return 1'"'"'000; }\n'
  put tests/CMakeLists.txt 'holdfast_tests(graph SOURCES graph/edge_test.cpp)\n'
  put tests/graph/edge_test.cpp 'int main() {}\n'
}

verdict() {
  if [[ $2 == yes ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'not so: %s\n%s\n' "$1" "$3"
  fi
}

# finds RULE FILE LINE TEXT: with the file added, that rule alone fails, and at that line.
finds() {
  local output good=yes
  clean_tree
  put "$2" "$4"
  output=$("$here/lint.sh" "$tree" || true)
  [[ $(grep '^FAIL' <<<"$output" || true) == "FAIL  $1" ]] || good=no
  grep -q "^$2:$3:" <<<"$output" || good=no
  verdict "$1 finds $2:$3" "$good" "$output"
}

# accepts FILE TEXT: with the file added, no rule fails.
accepts() {
  local output good=yes
  clean_tree
  put "$1" "$2"
  output=$("$here/lint.sh" "$tree") || good=no
  verdict "accepts $1 with $2" "$good" "$output"
}

repeat() { printf "%.0s$1" $(seq "$2"); }

finds third-party-includes graph/a.cpp 1 '#include <sqlite3.h>\n'
finds third-party-includes tests/graph/a.cpp 1 '#include "sqlite3.h"\n'
finds third-party-includes graph/a.cpp 2 '\n#include <libpq-fe.h>\n'
finds third-party-includes storage/a.cpp 1 '#include <faiss/IndexHNSW.h>\n'
accepts storage/sqlite/a.cpp '#include <sqlite3.h>\n'
accepts tests/crash/a.cpp '#include <sqlite3.h>\n'
accepts graph/a.cpp '// #include <sqlite3.h>\n'
finds backend-free-headers storage/include/s.h 2 '#pragma once\nstruct sqlite3; // thread-safe\n'

finds portable-sql graph/a.cpp 1 'auto q = "SELECT a::bigint FROM t";\n'
finds portable-sql graph/a.cpp 2 'auto q = "SELECT a FROM t "  // why\n  "WHERE b = ?";\n'
finds portable-sql graph/a.cpp 3 'auto q = R"sql(\n  SELECT a FROM t\n  WHERE b like $1)sql";\n'
finds portable-sql graph/a.cpp 1 'auto part = " AND b GLOB $1";\n'
finds portable-sql notes/a.h 1 'auto q = "INSERT OR IGNORE INTO t";\n'
finds portable-sql notes/a.h 1 'auto q = "REPLACE INTO t";\n'
finds portable-sql storage/a.cpp 1 'auto q = "a < strftime($1)";\n'
finds portable-sql storage/a.cpp 1 'auto q = "ORDER BY rowid";\n'
accepts storage/sqlite/a.cpp 'auto q = "SELECT rowid FROM t WHERE a = ?";\n'
accepts tests/a.cpp 'auto q = "SELECT rowid FROM t";\n'
accepts graph/a.cpp 'auto q = a::b("SELECT a FROM t -- why?\\n", "std::like?", '"'\"'"', "a::b");\n'
accepts graph/a.cpp '/* "SELECT a::b" */ auto q = "SELECT $1"; // "SELECT ?"\n'
accepts graph/a.cpp 'auto q = "ORDER BY rowid";  // lint: allow(portable-sql) shows the way out\n'
finds portable-sql graph/a.cpp 1 'auto q = "ORDER BY rowid";  // lint: allow(portable-sql)\n'
finds sql-place space/a.cpp 2 'auto q = R"(\n  SELECT a FROM t)";\n'
accepts space/a.cpp 'auto text = "cannot UPDATE";\n'

finds time-and-chance graph/a.cpp 1 'auto t = std::chrono::system_clock::now();\n'
finds time-and-chance tests/a.cpp 1 'auto t = ::time(nullptr);\n'
finds time-and-chance apps/a.cpp 1 'std::random_device device;\n'
finds time-and-chance core/id.cpp 1 'std::this_thread::sleep_for(1s);\n'
accepts core/clock.cpp 'system_clock::now();\nstd::this_thread::sleep_for(t);\n'
accepts graph/a.cpp 'clock.sleep_for(1s); auto t = row.time(0); // system_clock\n'

finds file-length docs/a.md 401 "$(repeat 'a\\n' 401)"
accepts docs/a.md "$(repeat 'a\\n' 400)"
finds line-width graph/a.cpp 1 "//$(repeat a 99)\\n"
accepts graph/a.cpp "//$(repeat é 98)\\n"
accepts docs/a.md "$(repeat a 300)\\n"
finds white-space graph/a.cpp 1 '\tint a;\n'
finds white-space docs/a.md 1 'text \n'
finds white-space cmake/a.cmake 2 'a()\nb()'
finds pragma-once graph/include/a.h 2 '// thread-safe\nint a;\n#pragma once\n'
finds thread-safety graph/include/a.h 1 '#pragma once\nint a();\n'
finds registered-tests tests/graph/a_test.cpp 1 'int a;\n'
finds registered-tests tests/notes/edge_test.cpp 1 'int a;\n'
finds unfinished graph/a.cpp 1 '// TO''DO\n'
accepts graph/a.cpp 'auto pattern = "XXXXXX";\n'
finds machine-paths docs/a.md 1 'see /home/me/notes\n'
accepts docs/a.md 'see https://example.org/home/ and net/tmp/\n'
if command -v shellcheck >/dev/null; then
  finds shell-scripts examples/a.sh 2 '#!/usr/bin/env bash\necho $1\n'
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
