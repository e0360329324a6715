# Reads the literals of tokens.awk twice: first to learn which groups are SQL, then to report, as
# file:line: message, what SQLite and PostgreSQL do not both accept and mean alike.

function word(pattern) { return "(^|[^A-Za-z0-9_])(" pattern ")([^A-Za-z0-9_]|$)" }

function flag(message) { print $1 ":" $2 ": " message }

BEGIN {
  FS = "\t"
  verb = word("SELECT|INSERT|UPDATE|DELETE")
  pattern_match = word("LIKE|GLOB")
  any_case_match = word("[Ll][Ii][Kk][Ee]|[Gg][Ll][Oo][Bb]")
  upsert = word("INSERT +OR|REPLACE +INTO")
  row_id = word("[Rr][Oo][Ww][Ii][Dd]")
  date_call = "(^|[^A-Za-z0-9_])(datetime *\\(|julianday|strftime)"
}

NR == FNR { if ($4 ~ verb) sql[$3] = 1; next }

{
  text = $4
  if ($3 in sql) {
    gsub(/'[^']*'/, "''", text)
    sub(/--.*/, "", text)
    if (text ~ /::/) flag("`::` cast in SQL")
    if (text ~ /[?]/) flag("`?` placeholder in SQL; number it, as $1")
    if (text ~ any_case_match) flag("LIKE or GLOB in SQL")
  } else if (text ~ pattern_match) {
    flag("LIKE or GLOB in SQL")
  }
  if (text ~ upsert) flag("INSERT OR or REPLACE INTO; write ON CONFLICT")
  if (text ~ date_call) flag("date function in SQL; pass the time as a parameter")
  if (text ~ row_id) flag("rowid in SQL")
}
