#!/usr/bin/env bash
# The server with nothing but curl. Try: examples/with-server examples/curl.sh
set -uo pipefail
server=${COVE_SERVER:-http://127.0.0.1:8700}

# One JSON value with a header for the key, if there is one.
call() { curl --silent --show-error ${COVE_API_KEY:+-H "Authorization: Bearer $COVE_API_KEY"} "$@"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

echo "# one program, one answer"
call "$server/execute" -d '{"language": "python", "code": "print(6 * 7)"}' | field stdout

echo "# output as it comes"
call --no-buffer -H 'Accept: text/event-stream' "$server/v1/executions" \
  -d '{"language": "bash", "code": "echo one; sleep 0.1; echo two"}' | grep -o '^event: .*'

echo "# a session keeps its variables, and a fork has its own"
session=$(call "$server/v1/sessions" -d '{"language": "python"}' | field id)
call "$server/v1/sessions/$session/execute" -d '{"code": "x = 20"}' | field status
branch=$(call -X POST "$server/v1/sessions/$session/fork" | field id)
call "$server/v1/sessions/$branch/execute" -d '{"code": "x += 22; print(x)"}' | field stdout
call "$server/v1/sessions/$session/execute" -d '{"code": "print(x)"}' | field stdout
call -X DELETE "$server/v1/sessions/$session"
call -X DELETE "$server/v1/sessions/$branch"

echo "# the tool of a language model: a value in, a value out; then a program that does not compile"
tool="$server/v1/tools/code_exec"
call "$tool" -d '{"language": "python", "code": "def run(n): return n * 7", "input": 6}' | field output
call "$tool" -d '{"language": "c", "code": "int main(void) {\n  return nothing;\n}"}' | field diagnostics_text

echo "# what is wrong is said by name"
call "$server/v1/executions" -d '{"code": "1", "colour": "red"}'
