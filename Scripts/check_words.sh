#!/bin/sh
# Finds words and phrases that this project replaces by the field's terms, and prints the term for each line.
#
# Searches code, comments, messages, scripts and pages. Scripts/words_allowed.txt lists the exceptions as extended
# regular expressions. A line passes if one of them matches FILE:LINE:TEXT.
#
# `check_words.sh --count` prints instead, for each pattern, how many lines it finds.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files -- '*.swift' '*.cpp' '*.hpp' '*.h' '*.c' '*.py' '*.js' '*.html' '*.css' '*.sh' '*.md' '*.ipynb' Makefile '.ci/*' |
  grep -vE '(^|/)Generated/|^Scripts/(check_words\.sh|words_allowed\.txt)$' >"$work/files"
grep -vE '^(#|$)' Scripts/words_allowed.txt >"$work/allowed" || true
failed=0

# word PATTERN BETTER: prints the lines that match PATTERN and no exception, then BETTER.
word() {
  tr '\n' '\0' <"$work/files" | xargs -0 grep -nE "$1" -- 2>/dev/null >"$work/lines" || true
  grep -vE -f "$work/allowed" "$work/lines" >"$work/found" || true
  if [ "${count:-}" ]; then
    printf '%6d  %s\n' "$(wc -l <"$work/found")" "$2"
  elif [ -s "$work/found" ]; then
    cut -c1-200 "$work/found" >&2
    printf '  better: %s\n' "$2" >&2
    failed=1
  fi
}
[ "${1:-}" = --count ] && count=yes

word '[Bb]rain' 'bfloat16'
word '\b[Aa]cted\b|Acted[A-Z]|ACTED' 'emulated (tiles)'
word '\b[Rr]ooms?\b|[a-z]Room\b|\b[Ss]torey|\b[Hh]ouses?\b|\b[Dd]oors?\b' 'module, layer, interface; memory, space'
word '\b[Cc]odes\b|[a-z]Codes|Codes[A-Z]|\b[Cc]oded\b|Coded[A-Z]' 'quantised values, integers, int8'
word '[Pp]roducts (a|per) (second|cycle|nanosecond|element|sum)|(million|many|fewer|more) products\b' 'multiply-adds; matrix products'
word '\b[Ww]holes\b|[a-z]Wholes|Wholes[A-Z+]|[Ww]hole numbers?|WholeNumber|WHOLE_|ck_whole' 'integers'
word '\b(each|every|a|one|first|last|next|its|that) turn\b|\bin turns?\b|\bturns of (a|the) loop' 'iteration; round robin'
word '\bGrowth|[a-z]Growth|\bwhat grows\b|Growing[A-Z]|isGrowing' 'dynamic axis, dynamic length'
word '\b[Kk]ept between\b|Graph\.Kept|graph\.kept|struct Kept\b' 'state'
word '\b[Ww]ays of (a )?convol|[Ww]inograd.s way' 'algorithm'
word '\b[Pp]laces? of (the )?(extreme|greatest|least|largest|smallest|most)|PLACE_OF' 'indices (argmax, argmin)'
word '\b([Oo]rders|[Ss]igns|[Ff]orgetting|[Ww]aiting|[Ss]uppression)\.(cpp|h|hpp|swift)|ck_(orders|signs|forget|suppression)\b' 'sort, sign, cache eviction, thread waiting, non-maximum suppression'
word '\b[Ll]essons?\b|Lesson\b|\b[Ss]hel(f|ves)\b|Shelf\b|[Kk]eepers?\b' 'session, store, janitor, worker pool, training service'
word '[Kk]eepsake|\b[Cc]alendar\b|HandedOver|\bHanded<' 'cache, interval index, a Sendable box'
word '\b[Hh]ung\b|StyleCard|card\.json|atelier card\b' 'published, description'
word '[Ww]inograd.*\bsquares\b|\bsquares\b.*[Ww]inograd|\bin (small|large) squares|\bsquares of (two|three|four|six)' 'tiles, F(4 × 4, 3 × 3)'
word '\b[Bb]ehind\b|isBehind' 'after'
word '\b[Ii]n front of\b' 'before'
word '\b[Ss]tands? (before|after|in|at|where|there|on|beside|by|between|first|last)\b' 'is, comes before or after; means'
exit $failed
