#!/bin/sh
# Gets token prices from Quintet, or watches them, over REST with curl and jq.
#
# ./prices.sh price|watch TOKEN...
set -eu

if [ $# -lt 2 ] || { [ "$1" != price ] && [ "$1" != watch ]; }; then
  echo 'usage: ./prices.sh price|watch TOKEN...' >&2
  exit 2
fi
command=$1
shift
tokens=$(IFS=, && echo "$*")
url=${QUINTET_URL:-http://127.0.0.1:8080}/token-price/v1/$command

# The key is in a file that only you can read, because everybody on the machine can read a command line.
umask 077
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
printf 'header = "x-gateway-key: %s"\n' "${QUINTET_KEY:-}" >"$folder/key"
[ -n "${QUINTET_KEY:-}" ] || : >"$folder/key"

prices='(.results[] | "\(.token) \(.price) USD"), (.missing[] | "\(.) has no price")'

# Programs decide by the reason; the message is for people.
errors='"\(.error.reason): \(.message)", (.error.details[]
  | (select(.retry_delay) | "  retry after: \(.retry_delay | rtrimstr("s")) s"),
    (.violations[]? | "  quota: \(.subject)"),
    (.field_violations[]? | "  field: \(.field) \(.description)"))'

case $command in
price)
  # Four attempts in ten seconds. curl waits as long as Retry-After says, and gives up if that is too long.
  curl -sS -G -K "$folder/key" --data-urlencode "tokens=$tokens" --max-time 10 --retry 3 --retry-max-time 10 \
    -o "$folder/answer" "$url" 2>"$folder/said" || {
    code=$?
    if [ "$code" -eq 28 ]; then echo 'DEADLINE_EXCEEDED: no answer in 10 s' >&2; else cat "$folder/said" >&2; fi
    exit 1
  }
  if jq -e .success "$folder/answer" >"$folder/is-good"; then
    jq -r ".data | $prices" "$folder/answer"
  else
    jq -r "$errors" "$folder/answer" >&2
    exit 1
  fi
  ;;
watch)
  # One JSON message per line, until Ctrl-C; or a single response, if there is no stream.
  trap 'exit 0' INT
  curl -sSN -G -K "$folder/key" --data-urlencode "tokens=$tokens" "$url" | while read -r line || [ -n "$line" ]; do
    if printf %s "$line" | jq -e 'has("success")' >"$folder/is-error"; then
      printf %s "$line" | jq -r "$errors" >&2
      exit 1
    fi
    printf %s "$line" | jq -r "$prices"
  done
  ;;
esac
