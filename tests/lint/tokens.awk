# Splits C++ files into code and string literals, so that a rule about one does not trip over the
# other.
#   code      file:line:text          comments dropped, literals emptied, #include lines kept whole
#   literals  file TAB line TAB group TAB text
# Literals with nothing but space and comments between them are one literal to the compiler; they
# share a group. Variables: code, literals (the files to write).

function put_literal(text) {
  if (apart) ++group
  apart = 0
  gsub(/\\[nt]|\t/, " ", text)
  print FILENAME "\t" FNR "\t" group "\t" text > literals
}

function put_code(text) {
  out = out text
  if (text ~ /[^ \t]/) apart = 1
}

# The next token of `rest`, which starts neither in a comment nor in a raw string.
function take_token() {
  if (match(rest, /^[ \t]+/)) return RLENGTH
  if (substr(rest, 1, 2) == "//") return length(rest)
  if (match(rest, /^[0-9]([0-9A-Za-z_.]|'[0-9A-Za-z])*/)) return RLENGTH
  if (match(rest, /^(u8|[uUL])?R"[^(]*\(/)) {
    raw_end = substr(rest, 1, RLENGTH - 1)
    sub(/^[^"]*"/, "", raw_end)
    raw_end = ")" raw_end "\""
    return RLENGTH
  }
  if (match(rest, /^[A-Za-z_][A-Za-z0-9_]*/)) return RLENGTH
  if (match(rest, /^"([^"\\]|\\.)*"/)) return RLENGTH
  if (match(rest, /^'([^'\\]|\\.)*'/)) return RLENGTH
  return 1
}

function scan_token(   size, token) {
  size = take_token()
  token = substr(rest, 1, size)
  rest = substr(rest, size + 1)
  if (substr(token, 1, 2) == "//" || raw_end != "") return
  if (token == "/" && substr(rest, 1, 1) == "*") {
    in_comment = 1
    rest = substr(rest, 2)
  } else if (size > 1 && substr(token, 1, 1) == "\"") {
    put_literal(substr(token, 2, size - 2))
    out = out "\"\""
  } else if (size > 1 && substr(token, 1, 1) == "'") {
    put_code("''")
  } else {
    put_code(token)
  }
}

# Skips or stores up to `end`, the text that closes a comment or a raw string.
function scan_until(end, keep,   at) {
  at = index(rest, end)
  if (keep) put_literal(at ? substr(rest, 1, at - 1) : rest)
  rest = at ? substr(rest, at + length(end)) : ""
  return at
}

FNR == 1 { in_comment = 0; raw_end = ""; apart = 1 }

{
  rest = $0
  out = ""
  if (!in_comment && raw_end == "" && $0 ~ /^[ \t]*#[ \t]*include/) {
    put_code($0)
    rest = ""
  }
  while (rest != "") {
    if (in_comment) {
      if (scan_until("*/", 0)) in_comment = 0
    } else if (raw_end != "") {
      if (scan_until(raw_end, 1)) { raw_end = ""; out = out "\"\"" }
    } else {
      scan_token()
    }
  }
  if (out ~ /[^ \t]/) print FILENAME ":" FNR ":" out > code
}
