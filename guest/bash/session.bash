# The interpreter of a bash session: runs cells that Cove sends, and keeps their state. This is the
# untrusted side. A cell is sourced at the top level, so that what it declares stays.

exec 0</dev/null

__cove_send() {
  local LC_ALL=C  # lengths are bytes
  printf '%d\n%s' "${#1}" "$1" >&3
}

# Reads one order into __cove_verb, __cove_number, __cove_body.
__cove_receive() {
  local size LC_ALL=C
  IFS=' ' read -r -u 3 __cove_verb __cove_number size || exit 0
  __cove_body=
  ((size == 0)) || IFS= read -r -u 3 -N "$size" __cove_body || exit 0
}

__cove_start() {
  local directory cwd tmp previous
  { read -r directory; read -r cwd; read -r tmp; read -r previous; } <<<"$1"
  [[ -d $cwd ]] || mkdir -p -- "$cwd"
  cd -- "$cwd"
  [[ $tmp == /tmp ]] || export TMPDIR=$tmp
  __cove_send '{"type":"ready"}'
}

# An interrupt lets every command that would come next, in functions and loops too, return instead:
# a trap alone ends only the command that it interrupts.
__cove_interrupt() {
  [[ $__cove_running ]] || return 0
  __cove_interrupted=1
  shopt -s extdebug
  trap '__cove_leave' DEBUG
}
# At the loop below it is over.
__cove_leave() { [[ ${FUNCNAME[1]} == main || ${FUNCNAME[1]} == __cove_* ]] || return 2; }
trap '__cove_interrupt' INT

__cove_finish() {
  local status=$1
  if [[ $__cove_interrupted ]]; then
    __cove_send '{"type":"done","number":'"$__cove_number"',"ok":false,"error":{"name":"KeyboardInterrupt","value":"","traceback":[]}}'
  elif ((status == 0)); then
    __cove_send '{"type":"done","number":'"$__cove_number"',"ok":true}'
  else
    __cove_send '{"type":"done","number":'"$__cove_number"',"ok":false,"error":{"name":"ExitStatus","value":"'"$status"'","traceback":[]}}'
  fi
}

while __cove_receive; do
  case $__cove_verb in
    start) __cove_start "$__cove_body" ;;
    fork) __cove_send '{"type":"refused","reason":"a bash session cannot be forked"}' ;;
    cell)
      __cove_interrupted=
      __cove_running=1
      __cove_send '{"type":"started"}'
      source /dev/fd/9 9< <(printf '%s\n' "$__cove_body") 3>&-
      __cove_status=$?
      trap - DEBUG
      shopt -u extdebug
      __cove_running=
      __cove_finish "$__cove_status"
      ;;
  esac
done
