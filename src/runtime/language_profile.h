#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/limits.h"

namespace cove {

// How guests of a language wait for work.
enum class WarmMode : unsigned char {
  None,     // every run is cold
  Prepare,  // a finished sandbox waits; the interpreter starts with the job
  Spawn,    // a started interpreter waits inside its hook, before the program
  Fork,     // a zygote forks finished guests ahead of demand
};

// Another command that can run a language, started in its own way: javascript is `node {program}`
// or `deno run {program}`. What is absent is as the profile itself says.
struct InterpreterChoice {
  std::string command;             // absolute, or looked up on PATH
  std::vector<std::string> needs;  // further commands; `{NAME}` in arguments is where one is
  bool script = false;             // the command may be one; else it is a version manager's shim
  std::string min_version;         // "22.6"; the one thing that makes a search start the command
  std::optional<std::vector<std::string>> version_args;
  std::optional<std::vector<std::string>> run_args;
  std::optional<std::vector<std::string>> warm_args;
  std::optional<std::vector<std::string>> harness_args;
  std::optional<WarmMode> warm;
  std::vector<std::pair<std::string, std::string>> env;  // besides the profile's
};

// How a language runs in a container: in which image, and with which words. `{program}` is the path
// of the program inside.
struct ContainerProfile {
  std::string image;                    // empty: none is known, one must be named
  std::vector<std::string> argv;        // the program is a file; empty: not possible
  std::vector<std::string> stdin_argv;  // the program comes on stdin; empty: it is always a file
};

// One start of a compiler or checker. In its arguments `{entry}` is the program's file, `{sources}`
// (an argument of its own) that and the files that are compiled along, `{out}` the directory for
// what is built, `{prepared}` what was prepared. It starts in the directory of the sources.
struct CompileStep {
  std::string name;  // "build", "check": as results say it
  std::optional<std::string>
      command;  // absolute, or a `{NAME}` of `needs`; absent: the interpreter
  std::vector<std::string> args;
  std::vector<std::string> optional_args;  // of a Runtime: for optional tools that are there
  std::string diagnostics;                 // how it says what it found: see toolchain/diagnostics/
  bool advisory = false;                   // what it finds are warnings, and it stops nothing
  std::vector<std::string> ignored;        // codes that are left out, and stop nothing
  // Further arguments with which it is started once more when an error lies outside of the program:
  // it then prints, as text, which place of the program led there. NAME=VALUE takes the place of
  // the step's own. See toolchain/diagnostics/own_place.h.
  std::vector<std::string> trace;
};

// How code that provides only run(input) becomes a program: see toolchain/harness.h.
struct HarnessProfile {
  std::string syntax;          // how comments and strings are written: "c", "go", "java", "rust"
  std::string signature;       // of run, as the program must write it
  std::string signature_note;  // what an author needs to know besides
  std::vector<std::string> files;    // below guest/harness/; they are put beside the program
  std::string entry;                 // which of them is compiled as the entry; empty: the program
  std::string prefix;                // in front of the program, on lines that do not count,
  std::string unless;                // unless the program has this word
  std::vector<std::string> args;     // further arguments of the first step
  std::vector<std::string> run;      // instead of the profile's; empty: the same
  std::vector<std::string> prepare;  // the same
  std::vector<std::string> prepare_files;  // below guest/harness/: what `prepare` reads of it
  // Those of all these files that name run: an error there is one of the program's signature.
  std::vector<std::string> calls_run;
  // What the program must not have, and what is said then.
  std::vector<std::pair<std::string, std::string>> refused;
};

// Further arguments of the first step where a command is there: a faster linker, say. Only in a
// sandbox of namespaces: at the landlock level mold, for one, may not do what it does.
struct OptionalTool {
  std::string command;  // absolute, or looked up on PATH
  std::vector<std::string> args;
};

// How a program becomes something that can be run: see toolchain/.
struct CompileProfile {
  std::string entry;                 // name of the program's file; `{class}` is Java's main class
  std::vector<std::string> sources;  // extensions of files that are compiled along
  bool source_tree = false;          // those of all directories, not only of the entry's
  std::vector<CompileStep> steps;
  std::vector<OptionalTool> optional;  // of a Runtime: those that are there
  // How it is started: `{build}` is the directory of what was built. Empty: nothing is built.
  std::vector<std::string> run;
  std::vector<std::pair<std::string, std::string>> env;  // of the compilers
  // Run once for each installation of the compiler, without a program: what it leaves in
  // `{prepared}` is shown to the steps. A whole command; `{compiler}` is the interpreter.
  std::vector<std::string> prepare;
  std::vector<std::string> prepare_files;  // below guest/: what `prepare` reads of it
  // The compiler itself sees what of it is out of date: other packages may change meanwhile.
  bool prepare_lasts = false;
  std::chrono::milliseconds timeout{60'000};  // of each step
  std::chrono::milliseconds prepare_timeout{300'000};
  std::optional<HarnessProfile> harness;
  Limits limits;  // of the compilers
};

// What looks at a program before an interpreter runs it: a type checker, say.
struct CheckProfile {
  InterpreterChoice choice;  // its command and needs; without them programs run unchecked
  CompileProfile compile;    // its steps, limits and variables
  std::string install;       // how to get it, for messages
};

// One language as profiles/NAME.toml states it. In arguments, `{program}` is the path of the
// program inside the sandbox and `{guest}` the directory of Cove's guest files there.
struct LanguageProfile {
  std::string name;
  std::vector<std::string> aliases;
  std::string extension;                     // of the program file: main.<extension>
  std::vector<std::string> file_extensions;  // of files that are taken to be in this language
  std::vector<std::string> interpreters;     // first usable wins; absolute, or looked up on PATH
  std::vector<InterpreterChoice>
      alternatives;  // tried in turn when none of `interpreters` is there
  std::vector<std::string> version_args;
  std::vector<std::string> run_args;  // argv after the interpreter, before the request's args
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<std::string> mounts;  // further host paths to show, read-only, where they exist
  Limits limits;
  bool link_files = false;  // the request's files are linked beside the program, too

  WarmMode warm = WarmMode::Prepare;
  std::vector<std::string> warm_args;  // run_args of a waiting interpreter (Spawn, Fork)
  std::vector<std::pair<std::string, std::string>> warm_env;
  std::vector<std::string> preload;  // modules the zygote imports (Fork)

  std::optional<CompileProfile> compile;  // the interpreter is a compiler
  std::optional<CheckProfile> check;      // of an interpreted language
  std::vector<std::string> harness_args;  // run_args when the request has `input`; empty: refused
  ContainerProfile container;
  std::string install;  // how to get an interpreter, for messages
  std::string source;   // the file it came from, for messages
};

// A profile with the interpreter that this host has for it. The arguments in `profile` are those of
// the interpreter that was chosen. `{build}` and `{prepared}` stand for directories of the host
// where they are shown to the program, read-only.
struct Runtime {
  LanguageProfile profile;
  std::string interpreter;          // absolute path as the program will see it in sys.executable
  std::vector<std::string> mounts;  // every host path that must be visible, parents first
  // NOLINTBEGIN(readability-redundant-member-init): so that they may be left out
  std::vector<std::string> needs = {};  // paths of further commands that it uses
  std::string root = {};  // of an image, on the host, that all of it is in; else empty
  std::string build_dir = {};
  std::string prepared_dir = {};
  // NOLINTEND(readability-redundant-member-init)
};

}  // namespace cove
