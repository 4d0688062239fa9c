#!/bin/sh
# Emits a trigger into Cuelight, as a game server would; needs curl and nothing else.
#
#   emit.sh TRIGGER [PAYLOAD [SCOPE]]
#
# PAYLOAD is a JSON object; with SCOPE, also '', only runs of that scope are told. From the environment:
#
#   CUELIGHT_TOKEN       a token with the role EMITTER
#   CUELIGHT_URL         where the server is, with or without /graphql at its end; http://127.0.0.1:4000 where it is not set
#   CUELIGHT_DEDUPE_KEY  names what happened: the same key counts once in 24 hours. Without it one is made for this call,
#                        so that its own retries count once
#
# Prints the server's answer. Exits with 0 when the trigger was taken, 1 when it was refused or nobody answered, 2 on a
# wrong command line.
set -eu

if [ $# -lt 1 ] || [ $# -gt 3 ] || [ -z "${CUELIGHT_TOKEN:-}" ]; then
  echo 'Usage: CUELIGHT_TOKEN=… emit.sh TRIGGER [PAYLOAD [SCOPE]]' >&2
  exit 2
fi

case "$1${3:-}${CUELIGHT_DEDUPE_KEY:-}$CUELIGHT_TOKEN" in
  *[[:cntrl:]]*)
    echo 'Leave line breaks, tabs and other control characters out of the trigger, the scope, the key and the token.' >&2
    exit 2
    ;;
esac

# A text as JSON has it.
text() {
  printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"
}

payload=${2:-}
key=${CUELIGHT_DEDUPE_KEY:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
input="\"trigger\": $(text "$1"), \"payload\": ${payload:-null}, \"dedupeKey\": $(text "$key")"
[ $# -lt 3 ] || input="$input, \"scope\": $(text "$3")"
url=${CUELIGHT_URL:-http://127.0.0.1:4000}
url=${url%/}
url=${url%/graphql}
url=${url%/}
query='mutation ($input: EmitTriggerInput!) { emitTrigger(input: $input) { __typename ... on EmitTriggerPayload { duplicate matchedCount } ... on Error { message } } }'

# The token goes to curl's input: others on the machine can read a command line.
answer=$(
  printf 'header = "authorization: Bearer %s"\n' "$CUELIGHT_TOKEN" |
    curl --silent --show-error --max-time 10 --retry 4 --retry-connrefused --config - \
      --header 'content-type: application/json' \
      --data-raw "{\"query\": $(text "$query"), \"variables\": {\"input\": {$input}}}" \
      "$url/graphql"
) || exit 1

case $answer in
  *'"__typename":"EmitTriggerPayload"'*) printf '%s\n' "$answer" ;;
  *)
    printf '%s\n' "$answer" >&2
    exit 1
    ;;
esac
