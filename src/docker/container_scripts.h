#pragma once
#include <string>
#include <string_view>

namespace cove {

// What runs inside a container on Cove's behalf: POSIX shell, with nothing but what dash, bash and
// busybox have, and `cat`, `head`, `tar`, `find`, `chmod`, `rm`. Every execution is a user of its
// own, so `kill -9 -1` ends all of it, however it has forked and whatever sessions it has made, and
// nothing else (the kernel spares the caller, and the container's first process is another user's).

// The container's first process: lives as long as its standard input, reaps whom nobody else waits
// for.
inline constexpr std::string_view kLifelineScript = "exec 3<&0; cat <&3 >/dev/null & wait $!";

// The commands to look for: says the search path, where the shell is, then where the first of them
// is.
inline constexpr int kNoInterpreter = 123;
inline constexpr std::string_view kFindScript = R"sh(echo "$PATH"
command -v sh
for c do command -v "$c" && exit 0; done
exit 123)sh";

// One execution from its files to their removal. Arguments: the work directory, the execution's
// name in it, "yes" if its files are wanted, its user; the search path for the tools used here, the
// bytes of the archive, those of the program's standard input, the most processes, the most open
// files, the program's directory; then the program. Standard input: a line with a mark that nobody
// can guess, the archive, and, once the program is about to start, its input. Standard output and
// the exit code: see wrapper_output.h.
std::string run_script();

// The end of the above alone, for a program whose wrapper is gone: the first four arguments, and
// the mark on standard input. Standard output is as there, without what comes before the program.
std::string collect_script();

// The end of that alone: whatever is left of an execution goes. The work directory, the name, the
// user.
std::string clean_script();

inline constexpr std::string_view kKillScript = "kill -9 -1 2>/dev/null; exit 0";

}  // namespace cove
