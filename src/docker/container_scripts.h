#pragma once
#include <string_view>

namespace cove {

// What runs inside a container on Cove's behalf: POSIX shell, with nothing but what dash, bash and
// busybox have, and `cat`, `head`, `tar`, `find`, `chmod`, `rm`. Every execution is a user of its
// own, so `kill -9 -1` ends all of it, however it has forked and whatever sessions it has made, and
// nothing else (the kernel spares the caller, and the container's first process is another user's).

// The container's first process: lives as long as its standard input, reaps whom nobody else waits
// for.
inline constexpr std::string_view kLifelineScript = "exec 3<&0; cat <&3 >/dev/null & wait $!";

// $1 the work directory, $2 the bytes of an archive on standard input, then the interpreters to
// look for. Unpacks the archive, says where the first interpreter is.
inline constexpr int kStageNoInterpreter = 123;
inline constexpr int kStageDiskFull = 124;
inline constexpr std::string_view kStageScript = R"sh(umask 077
cd "$1" || exit 121
head -c "$2" | tar -xf - || { [ "$(stat -f -c %f .)" = 0 ] && exit 124; exit 122; }
shift 2
for c do command -v "$c" && exit 0; done
exit 123)sh";

// $1 the most processes, $2 the most open files, $3 the bytes of the program's standard input, then
// the program. Its input comes through `head`, because a connection with TLS cannot be closed in
// one direction only. Always a pipeline: for a plain command a shell would remark how it died, in
// the program's own output. Ends what the program has left, so that nobody keeps the output open.
inline constexpr std::string_view kRunScript = R"sh(umask 077
ulimit -c 0 && ulimit -n "$2" && { ulimit -u "$1" 2>/dev/null || ulimit -p "$1"; } || exit 125
n=$3
shift 3
exec 3<&0 4>&2 </dev/null 2>/dev/null
{ [ "$n" -eq 0 ] || exec head -c "$n" <&3; } 4>&- | "$@" 2>&4 3<&- 4>&-
c=$?
kill -9 -1
exit "$c")sh";

inline constexpr std::string_view kKillScript = "kill -9 -1 2>/dev/null; exit 0";

// $1 the work directory, $2 the execution's name in it, $3 not empty if the files are wanted. To
// standard error, as text: after a line "memory" the counters of the container's memory, after a
// line "disk" the free blocks and files of what can be written to. A NUL, then the names of sockets
// (which no archive holds), each ended by a NUL. To standard output an archive of what the program
// left, unless it put a link in the place of its directory. Then all of it is removed, but nothing
// of other file systems: a bind mount may lie below /tmp.
inline constexpr std::string_view kCollectScript = R"sh(kill -9 -1 2>/dev/null
exec 4>&2 2>/dev/null
echo memory >&4
cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control >&4
echo disk >&4
stat -f -c '%f %d' "$1" /tmp >&4
printf '\0' >&4
if [ -n "$3" ] && [ ! -L "$1/$2" ] && cd "$1/$2"; then
chmod -R u+rwX .
find . -type s -print0 >&4
tar -cf - .
fi
cd /
rm -rf "$1/$2" "$1/$2.code"
find /tmp /dev/shm -xdev -mindepth 1 -user "$(id -u)" -delete)sh";

// $1 the work directory, $2 the execution's name in it: the end of the above, when an archive was
// too much.
inline constexpr std::string_view kCleanScript = R"sh(kill -9 -1 2>/dev/null
[ -L "$1/$2" ] || chmod -R u+rwX "$1/$2" 2>/dev/null
rm -rf "$1/$2" "$1/$2.code"
find /tmp /dev/shm -xdev -mindepth 1 -user "$(id -u)" -delete 2>/dev/null)sh";

}  // namespace cove
