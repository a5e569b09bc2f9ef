# shellcheck shell=bash
# For scripts that run several suites: run_and_add NAME COMMAND… shows the output of each and adds up
# its closing line; closing_line prints the sum and is false when anything failed.
passed=0 failed=0 skipped=0

run_and_add() {
  local name=$1 log line
  shift
  log=$(mktemp)
  echo "==== $name"
  "$@" 2>&1 | tee "$log"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
  rm -f "$log"
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    skipped=$((skipped + BASH_REMATCH[3]))
  else
    echo "FAILED: $name gave no result"
    failed=$((failed + 1))
  fi
}

closing_line() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 ]]
}
