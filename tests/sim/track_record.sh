#!/usr/bin/env bash
# track_record.sh BINARY: drops each condition of track_record.txt in turn, and expects the random
# clients to notice.
set -euo pipefail
binary=$1
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
found=0
missed=0
while IFS= read -r conjunct; do
  [[ -n $conjunct && $conjunct != '#'* ]] || continue
  answer=$(HOLDFAST_DROP_CONJUNCT=$conjunct "$binary" 'random clients see*' 2>&1 || true)
  # A run that fails for another reason, such as a crash, has found nothing.
  if [[ $answer =~ (seed [0-9]+): ]]; then
    found=$((found + 1))
    printf 'ok    %s (%s)\n' "$conjunct" "${BASH_REMATCH[1]}"
  else
    missed=$((missed + 1))
    printf 'MISS  %s\n' "$conjunct"
  fi
done <"$here/track_record.txt"
printf '%d found, %d missed\n' "$found" "$missed"
((found > 0 && missed == 0))
