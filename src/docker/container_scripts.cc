#include "docker/container_scripts.h"

namespace cove {

namespace {

// The variables of a request are there, too, and must reach the program as they are: names of one's
// own, and PATH only borrowed.
constexpr std::string_view kReadMark = R"sh(umask 077
read -r _cove_mark || exit 121
)sh";

constexpr std::string_view kTakePlace =
    R"sh(_cove_work=$1 _cove_run=$1/$2 _cove_want=$3 _cove_uid=$4
shift 4
)sh";

// The input comes through `head`, because a connection with TLS cannot be closed in one direction
// only. Always a pipeline: for a plain command a shell would remark how it died, in the program's
// own output. The limits are set beside the program, not here, where tools are still to be started.
constexpr std::string_view kRun = R"sh(_cove_path=$PATH PATH=$1 _cove_bytes=$2 _cove_input=$3
_cove_processes=$4 _cove_files=$5 _cove_dir=$6
shift 6
_cove_said=$(head -c "$_cove_bytes" | tar -xf - -C "$_cove_work" 2>&1) || {
[ "$(stat -f -c %f "$_cove_work")" = 0 ] && _cove_said=disk
printf '!%s' "$_cove_said"
exit 0
}
[ -d "$_cove_dir" ] && [ -x "$_cove_dir" ] || { printf '!directory'; exit 0; }
times
printf +
exec 3<&0 4>&2 </dev/null 2>/dev/null
{ [ "$_cove_input" -eq 0 ] || exec head -c "$_cove_input" <&3; } 4>&- | (
cd "$_cove_dir" && unset OLDPWD && ulimit -c 0 && ulimit -n "$_cove_files" || exit 125
ulimit -u "$_cove_processes" || ulimit -p "$_cove_processes" || exit 125
PATH=$_cove_path
exec "$@" 2>&4 3<&- 4>&-
)
_cove_code=$?
kill -9 -1
)sh";

// Tools are started only where there is something for them to do: each costs a millisecond. A
// directory that was closed is opened first; a link in the place of one leads nowhere.
constexpr std::string_view kHolds = R"sh(holds() {
for f do if [ -e "$f" ] || [ -L "$f" ]; then return 0; fi; done
return 1
}
)sh";

constexpr std::string_view kCollect = R"sh(printf '\0%s\n' "$_cove_mark"
times
echo "code $_cove_code"
echo memory
cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control
echo disk
stat -f -c '%f %d' "$_cove_work" /tmp
printf '\0'
full=
if [ ! -L "$_cove_run" ] && [ -d "$_cove_run" ]; then
if [ -r "$_cove_run" ] && [ -x "$_cove_run" ] && cd "$_cove_run" && ! holds * .[!.]* ..?*; then :
else full=yes; chmod -R u+rwX "$_cove_run"; fi
fi
if [ -n "$full" ] && [ -n "$_cove_want" ] && cd "$_cove_run"; then
find . -type s -print0
printf '\0'
tar -cf - .
else printf '\0'
fi
)sh";

// Nothing of other file systems: a bind mount may lie below /tmp.
constexpr std::string_view kRemove = R"sh(cd /
rm -rf "$_cove_run" "$_cove_run.code"
if holds "$_cove_run" "$_cove_run.code"; then
chmod -R u+rwX "$_cove_run" "$_cove_run.code"
rm -rf "$_cove_run" "$_cove_run.code"
fi
places() { find "$_cove_work" /tmp /dev/shm -xdev -mindepth 1 -user "$_cove_uid" "$@"; }
for d in "$_cove_work" /tmp /dev/shm; do
if holds "$d"/* "$d"/.[!.]* "$d"/..?*; then
places -type d ! -perm -700 -exec chmod u+rwx {} \;
places -delete
break
fi
done
)sh";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string script;
  for (const std::string_view part : parts) script += part;
  return script;
}

constexpr std::string_view kEndAll = "exec 2>/dev/null\nkill -9 -1\n";

}  // namespace

std::string run_script() {
  return joined({kReadMark, kTakePlace, kRun, kHolds, kCollect, kRemove, "exit \"$_cove_code\"\n"});
}

std::string collect_script() {
  return joined({kReadMark, kTakePlace, kEndAll, kHolds, kCollect, kRemove, "exit 0\n"});
}

std::string clean_script() {
  return joined(
      {"_cove_work=$1 _cove_run=$1/$2 _cove_uid=$3\n", kEndAll, kHolds, kRemove, "exit 0\n"});
}

}  // namespace cove
