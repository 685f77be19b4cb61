#!/bin/sh
# Dev builds, Tester sends back, Dev goes on in the session it had: against a running server.
#   GREYWIND_URL=http://127.0.0.1:8000 DEV_KEY=gw_… TESTER_KEY=gw_… sh docs/examples/send_back.sh
# The keys are of an agent that holds the role dev and of one that holds tester; both may be the same agent's.
# Needs curl and a python3 for reading JSON. Prints what it did, and ends with 0 only when every claim held.
set -eu
: "${GREYWIND_URL:?}" "${DEV_KEY:?}" "${TESTER_KEY:?}"

call() { # key method path [body] -> body of the answer; a refusal ends the script with its text
  key=$1 method=$2 path=$3 body=${4:-'{}'}
  [ "$method" = GET ] && body=
  told=$(curl -sS --fail-with-body -X "$method" "$GREYWIND_URL/api/v1$path" -H "Authorization: Bearer $key" \
    -H 'Content-Type: application/json' -H 'If-Match: *' ${body:+-d "$body"}) || { printf '%s\n <- %s %s\n' "$told" "$method" "$path" >&2; exit 1; }
  printf '%s' "$told"
}
field() { # the value at a dotted path of the JSON on stdin; nothing there means that the call was refused
  python3 -c 'import json,sys
text=sys.stdin.read()
v=json.loads(text) if text else sys.exit(1)
for p in sys.argv[1].split("."): v=v[int(p)] if isinstance(v,list) else v[p]
print(v if isinstance(v,str) else json.dumps(v,ensure_ascii=False))' "$1"
}
claim() { # words, value, expected
  if [ "$2" = "$3" ]; then echo "  holds: $1"; else echo "  FAILS: $1: $2, expected $3" >&2; exit 1; fi
}
move() { call "$DEV_KEY" PATCH "/tasks/$task" "{\"state\":\"$1\"}" >/dev/null; }

run=$(date +%s)$$
harness="{\"harness\":\"claude-code\",\"id\":\"cc-$run\"}"
secret="I muttered about the fixtures $run"

echo "Dev builds."
thread=$(call "$DEV_KEY" POST /threads "{\"title\":\"lexer $run\"}" | field id)
task=$(call "$DEV_KEY" POST /tasks "{\"thread_id\":\"$thread\",\"title\":\"lexer\"}" | field id)
move ready; move doing
dev=$(call "$DEV_KEY" POST /sessions "{\"thread_id\":\"$thread\",\"role\":\"dev\",\"task_id\":\"$task\",\"provider_session\":$harness}" | field id)
call "$DEV_KEY" POST "/sessions/$dev/events" '{"events":[{"client_id":"d1","role":"user","text":"Build the lexer."},{"client_id":"d2","role":"assistant","text":"It reads numbers and names."}]}' >/dev/null
first=$(call "$DEV_KEY" POST /context "{\"session_id\":\"$dev\",\"provider_session\":$harness,\"user_input\":{\"raw_text\":\"go on\"}}" | field session.attempt_id)
move review
call "$DEV_KEY" POST "/sessions/$dev/handoff" '{"next_actor":"tester"}' >/dev/null

echo "Tester looks at it and sends it back."
tester=$(call "$TESTER_KEY" POST /sessions "{\"thread_id\":\"$thread\",\"role\":\"tester\",\"task_id\":\"$task\"}" | field id)
from=$(call "$TESTER_KEY" POST /context "{\"session_id\":\"$tester\",\"user_input\":{\"raw_text\":\"check it\"}}" | field packet.handoff.from_session_id)
claim "the tester begins with the dev's handoff" "$from" "$dev"
call "$TESTER_KEY" POST "/sessions/$tester/events" "{\"events\":[{\"client_id\":\"t1\",\"role\":\"assistant\",\"text\":\"$secret\"}]}" >/dev/null
back=$(call "$TESTER_KEY" POST "/tasks/$task/send-back" "{\"reason\":\"The last token is dropped.\",\"session_id\":\"$tester\",\"summary\":\"The lexer drops the last token of a line.\",\"unfinished_items\":[\"keep the last token\"],\"risks\":[],\"resume_suggestion\":\"start at the end of the line\",\"what\":\"ran the suite twice\",\"why\":\"the parser needs every token\",\"trade_offs\":[],\"open\":[],\"next\":[\"add a case for it\"]}" | field session.id)
claim "it goes back to the dev's own session" "$back" "$dev"

echo "Dev goes on."
resumed=$(call "$DEV_KEY" POST "/sessions/$dev/resume" "{\"provider_session\":$harness}")
claim "the same logical session" "$(printf '%s' "$resumed" | field id)" "$dev"
claim "its harness's session was resumed" "$(printf '%s' "$resumed" | field outcome)" resumed
second=$(printf '%s' "$resumed" | field attempt_id)
[ "$first" != "$second" ] && echo "  holds: a new attempt"
packet=$(call "$DEV_KEY" POST /context "{\"session_id\":\"$dev\",\"provider_session\":$harness,\"user_input\":{\"raw_text\":\"go on\"}}")
claim "the delta is there" "$(printf '%s' "$packet" | field packet.handoff.summary)" "The lexer drops the last token of a line."
claim "the reason is the first next step" "$(printf '%s' "$packet" | field packet.thread.task.next_steps.0)" "The last token is dropped."
case $packet in *"$secret"*) echo "  FAILS: the tester's dialogue is in it" >&2; exit 1 ;; esac
echo "  holds: the tester's dialogue is not"
echo "Three ids: session $dev, provider session cc-$run, attempt $second"
