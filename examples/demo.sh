#!/usr/bin/env bash
# A walk through Holdfast with the whole of WordNet: demo.sh HOLDFAST_BINARY. Works in a folder of
# its own that is removed at the end; every claim it prints is checked, and it stops at the first
# that does not hold.
set -euo pipefail

binary=${1:?usage: demo.sh HOLDFAST_BINARY}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOLDFAST_DB=$folder/memory.db
checks=0
answer=''
status=0

heading() { printf '\n=== %s ===\n\n' "$*"; }
say() { printf '%s\n' "$*"; }

holdfast() { "$binary" "$@"; }

# Runs a command for the reader's eyes, shown before its output.
show() {
  local word words=''
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=-]+$ ]] || word=${word@Q}
    words+=" $word"
  done
  printf '$ holdfast%s\n' "$words"
  holdfast "$@"
  printf '\n'
}

# Runs a command, refused or not, and keeps its exit code in `status` and its answer in `answer`:
# the document on stdout, or the error on stderr when there is none.
ask() {
  status=0
  answer=$(holdfast --json "$@" 2>"$folder/errors") || status=$?
  [[ -n $answer ]] || answer=$(<"$folder/errors")
}

# same WHAT EXPECTED ACTUAL
same() {
  if [[ $2 != "$3" ]]; then
    printf 'demo: FAILED: %s: expected %s, got %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  checks=$((checks + 1))
  printf 'ok: %s: %s\n' "$1" "$3"
}

# holds WHAT TEXT: the last answer contains the text.
holds() {
  if [[ $answer != *"$2"* ]]; then
    printf 'demo: FAILED: %s: no %s in %s\n' "$1" "$2" "$answer" >&2
    exit 1
  fi
  checks=$((checks + 1))
  printf 'ok: %s: %s\n' "$1" "$2"
}

# The first value of a member in the last answer, without quotes; the value holds none.
member() {
  local pattern="\"$1\":\"?([^\",}]*)"
  [[ $answer =~ $pattern ]] || { echo "demo: no member $1 in $answer" >&2 && exit 1; }
  printf '%s' "${BASH_REMATCH[1]}"
}

# Rows of one kind that the import created.
created() {
  local pattern="\"$1\":\{\"created\":([0-9]+)"
  [[ $answer =~ $pattern ]] || { echo "demo: no count of $1 in $answer" >&2 && exit 1; }
  printf '%s' "${BASH_REMATCH[1]}"
}

# --- the parts ---

import_wordnet() {
  heading 'A knowledge graph: all of WordNet'
  show init
  say '$ holdfast --json import --format wordnet'
  SECONDS=0
  # Not through ask(): its progress belongs on the terminal.
  answer=$(holdfast --json import --format wordnet)
  local seconds=$SECONDS
  say "$answer"
  same 'entities (synsets)' 117659 "$(created entities)"
  same 'notes (glosses)' 117659 "$(created notes)"
  same 'edges (both directions of a symmetric relation are one)' 317372 "$(created edges)"
  same 'distinct triples in the source' 364552 "$(member distinct_triples)"
  same 'pointers in the source' 377592 "$(member pointers)"
  same 'entities that relate to themselves' 9 "$(member self_loops)"
  say "imported in $seconds s"
  show info
}

look_around() {
  heading 'An entity, its neighbours and what is written about it'
  show entity list --kind synset --name dog
  ask entity list --kind synset --name dog --limit 1
  local dog
  dog=$(member id)
  show entity get "$dog"
  show neighbors "$dog" --limit 12
  show note list --about "$dog"
  ask neighbors "$dog" --direction outgoing --relation hypernym
  holds 'a dog is a kind of' '"name":"canine"'
  ask note list --about "$dog"
  holds 'its gloss' 'a member of the genus Canis'
  ask entity get 00000000-0000-7000-8000-000000000001
  same 'an id that never was is an error, not an empty answer' 3 "$status"
}

two_agents() {
  heading 'Two agents read one entity, and both write'
  show --space team init
  ask --space team --actor scout entity create --kind project --name Apollo \
    --properties '{"phase":"plan"}'
  local project
  project=$(member id)
  ask --space team entity get "$project"
  local as_read=$answer
  say "both read: $as_read"

  say 'scout writes phase=build:'
  ask --space team --actor scout entity replace "$project" --from - \
    <<<"${as_read/\"plan\"/\"build\"}"
  same 'the first write lands' applied "$(member outcome)"

  say 'critic, who read the same row, writes phase=cancel:'
  ask --space team --actor critic entity replace "$project" --from - \
    <<<"${as_read/\"plan\"/\"cancel\"}"
  say "$answer"
  same 'the second is refused with exit code' 4 "$status"
  same 'because' revision_moved "$(member outcome)"
  holds 'and is told what is there now' '"phase":"build"'

  say 'critic reads again, decides again, writes again:'
  ask --space team entity get "$project"
  ask --space team --actor critic entity replace "$project" --from - \
    <<<"${answer/\"build\"/\"review\"}"
  same 'on a fresh read it lands' applied "$(member outcome)"
  ask --space team entity get "$project"
  holds 'the last word' '"phase":"review"'
}

consolidator() {
  heading 'A consolidator thinks while the user goes on talking'
  ask --space team --actor user entity create --kind person --name Ada \
    --properties '{"facts":{"tea":"green"}}'
  local ada thought
  ada=$(member id)
  ask --space team entity get "$ada"
  thought=$answer
  say "the consolidator reads, and thinks: $thought"

  say 'meanwhile the user adds a fact:'
  show --space team --actor user entity update "$ada" \
    --patch '{"properties":{"facts":{"allergy":"peanuts"}}}'

  say 'the consolidator is done thinking, and replaces the row it read:'
  ask --space team --actor consolidator entity replace "$ada" --from - \
    <<<"${thought/\"facts\":/\"summary\":\"likes tea\",\"facts\":}"
  same 'a thought that missed a fact is refused with exit code' 4 "$status"
  holds 'and shown the fact it missed' '"allergy":"peanuts"'

  say 'it reads again and thinks again:'
  ask --space team entity get "$ada"
  ask --space team --actor consolidator entity replace "$ada" --from - \
    <<<"${answer/\"facts\":/\"summary\":\"likes tea, no peanuts\",\"facts\":}"
  same 'now it lands' applied "$(member outcome)"
  ask --space team entity get "$ada"
  holds 'the old fact is there' '"tea":"green"'
  holds "the user's new fact is there" '"allergy":"peanuts"'
  holds 'the summary is there' '"summary":"likes tea, no peanuts"'

  heading 'Everything that happened to it'
  show --space team entity history "$ada"
  ask --space team entity history "$ada"
  same 'changes by the consolidator' 1 "$(grep -o '"actor":"consolidator"' <<<"$answer" | wc -l)"
  same 'changes by the user' 2 "$(grep -o '"actor":"user"' <<<"$answer" | wc -l)"
}

plan() {
  heading 'Several changes that land together or not at all'
  ask --space team entity create --kind project --name Gemini --properties '{"phase":"plan"}'
  local gemini revision
  gemini=$(member id)
  revision=$(member revision)
  # What the agent means to do, given the revision that it read.
  steps() {
    cat <<JSON
{"steps":[
  {"op":"create","kind":"entity","as":"wally","row":{"kind":"person","name":"Wally"}},
  {"op":"create","kind":"edge",
   "row":{"source":"\$wally","relation":"leads","target":"$gemini"}},
  {"op":"patch","kind":"entity","id":"$gemini","expect":{"revision":$1},
   "patch":{"properties":{"phase":"build"}}}]}
JSON
  }
  say 'an agent reads a project and plans to give it a lead; somebody else is faster:'
  show --space team --actor user entity update "$gemini" --patch '{"tags":["urgent"]}'
  steps "$revision" >"$folder/plan.json"
  ask --space team apply "$folder/plan.json"
  same 'the plan is refused with exit code' 4 "$status"
  holds 'because of the row that moved' '"outcome":"revision_moved"'
  ask --space team entity list --kind person --name Wally --count
  same 'nothing of it was written' 0 "$(member count)"

  say 'on a fresh read, under an id of its own:'
  ask --space team entity get "$gemini"
  steps "$(member revision)" >"$folder/plan.json"
  show --space team apply "$folder/plan.json" --request-id lead-7
  say 'unsure whether that arrived, the agent asks again:'
  ask --space team apply "$folder/plan.json" --request-id lead-7
  same 'the answer is the first one, repeated' true "$(member repeated)"
  ask --space team entity list --kind person --name Wally --count
  same 'and Wally is there once' 1 "$(member count)"
}

vectors() {
  heading 'Rows that are near to a text, and an index that is never stale in secret'
  show --space team model create words --dim 256
  ask --space team note create --kind memo --content 'green tea is in the kitchen'
  local memo
  memo=$(member id)
  holds 'the write says what has yet to take it in' '"pending":["words"]'
  show --space team embed
  ask --space team similar --text 'a cup of tea' -k 1 --rows note
  same 'the nearest note to "a cup of tea"' "$memo" "$(member id)"
  holds 'is of the text as it is' '"is_stale":false'

  say 'the note changes, and nobody has embedded it yet:'
  ask --space team note update "$memo" --content 'coffee is in the kitchen'
  ask --space team similar --text 'a cup of tea' --rows note
  same 'its old vector is left out' 1 "$(member stale_excluded)"
  show --space team index rebuild words --dim 512
  ask --space team index status words
  same 'after a rebuild in another dimension nothing is stale' 0 "$(member stale)"
  same 'or missing' 0 "$(member missing)"
  show --space team similar --text 'coffee kitchen' -k 2
  ask --space team index verify words
  same 'findings in the index' 0 "$(member findings_total)"
}

round_trip() {
  heading 'A space goes out as JSON Lines and comes in again'
  show --space team export "$folder/team.jsonl"
  show space create copy
  show --space copy import --format jsonl "$folder/team.jsonl"
  holdfast --space copy export "$folder/copy.jsonl" >/dev/null
  # The first line of an export names its space.
  same 'rows that differ' 0 \
    "$(diff <(tail -n +2 "$folder/team.jsonl") <(tail -n +2 "$folder/copy.jsonl") | wc -l)"
}

again() {
  heading 'The same import again'
  answer=$(holdfast --json import --format wordnet)
  same 'a second run changed nothing' true "$(member changed_nothing)"
  same 'entities created' 0 "$(created entities)"
  same 'edges created' 0 "$(created edges)"

  heading 'The journal, replayed, gives every row byte for byte'
  answer=$(holdfast --json verify)
  say "$answer"
  same 'findings' 0 "$(member findings_total)"
}

import_wordnet
look_around
two_agents
consolidator
plan
vectors
round_trip
again
printf '\ndemo: all %d checks passed\n' "$checks"
