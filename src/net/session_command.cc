#include "net/session_command.h"

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/parse_duration.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/output_directory.h"
#include "cli/read_input.h"
#include "model/request_codec.h"
#include "net/execution_rows.h"
#include "net/remote_json.h"
#include "net/server_options.h"
#include "net/session_cell_run.h"
#include "net/session_files_command.h"

namespace cove {

namespace {

// The words of all subcommands; each uses its own.
struct SessionWords {
  std::shared_ptr<ServerOptions> server;
  std::string id;
  std::string checkpoint;
  std::vector<std::string> ids;
  NewSession session;
  std::vector<std::string> env;
  std::optional<std::string> memory;
  std::optional<std::string> disk;
  std::optional<std::string> idle_timeout;
  std::optional<std::string> file;
  std::optional<std::string> code;
  std::optional<std::string> timeout;
  std::optional<std::string> out;
  bool json = false;
  bool raw = false;
};
using Words = std::shared_ptr<SessionWords>;

void print(const std::string& text) {
  (void)write_fully(STDOUT_FILENO, text);
}

// A session that was made: its id is all that a script needs.
int show_made(const RemoteSession& session, bool as_json) {
  if (as_json) {
    print(write_json(encode_remote(session)) + "\n");
    return 0;
  }
  print(escape_file_name(session.id) + "\n");
  for (const std::string& note : session.notes) say(escape_file_name(note));
  return 0;
}

Result<std::optional<Bytes>> read_size(const std::optional<std::string>& text,
                                       std::string_view option) {
  if (!text) return std::optional<Bytes>();
  auto size = parse_size(*text);
  if (!size) return Err(std::move(size).error().with_context(option));
  return std::optional<Bytes>(*size);
}

Result<std::optional<std::chrono::milliseconds>> read_time(const std::optional<std::string>& text,
                                                           std::string_view option) {
  if (!text) return std::optional<std::chrono::milliseconds>();
  auto time = parse_duration(*text);
  if (!time) return Err(std::move(time).error().with_context(option));
  return std::optional<std::chrono::milliseconds>(*time);
}

Result<int> open_new(Client& client, const SessionWords& words) {
  NewSession session = words.session;
  COVE_ASSIGN(session.limits.memory, read_size(words.memory, "--memory"));
  COVE_ASSIGN(session.limits.disk, read_size(words.disk, "--disk"));
  COVE_ASSIGN(const auto idle, read_time(words.idle_timeout, "--idle-timeout"));
  if (idle) session.idle_timeout = std::chrono::ceil<std::chrono::seconds>(*idle);
  for (const std::string& text : words.env) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Err(Error(ErrorCode::InvalidRequest,
                       fmt::format("--env: {} is not NAME=VALUE", quoted(text))));
    }
    session.env.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  COVE_ASSIGN(const RemoteSession made, client.open_session(session));
  return show_made(made, words.json);
}

Result<int> execute(Client& client, const SessionWords& words) {
  if (words.file && words.code) {
    return Err(Error(ErrorCode::InvalidRequest, "give a file or --code, not both"));
  }
  CellCommand run;
  run.id = words.id;
  run.json = words.json;
  run.raw = words.raw;
  run.out = words.out;
  if (run.out) COVE_TRY(check_output_directory(*run.out));
  if (words.code) {
    run.cell.code = *words.code;
  } else {
    if (!words.file && ::isatty(STDIN_FILENO) == 1) {
      return Err(Error(ErrorCode::InvalidRequest,
                       "nothing to run: give a file, --code TEXT, or a cell on stdin"));
    }
    COVE_ASSIGN(run.cell.code, read_input(words.file.value_or("-"), RequestSizeLimits{}.code));
  }
  COVE_ASSIGN(run.cell.timeout, read_time(words.timeout, "--timeout"));
  return run_cell(client, run);
}

Result<int> fork(Client& client, const SessionWords& words) {
  COVE_ASSIGN(const RemoteSession made, client.fork(words.id));
  return show_made(made, words.json);
}

Result<int> list(Client& client, const SessionWords& words) {
  COVE_ASSIGN(const auto sessions, client.sessions());
  if (!words.json) {
    print(session_table(sessions));
    return 0;
  }
  json::array out;
  for (const RemoteSession& session : sessions) out.push_back(encode_remote(session));
  print(write_json(json::object{{"sessions", std::move(out)}}) + "\n");
  return 0;
}

Result<int> remove(Client& client, const SessionWords& words) {
  json::array removed;
  for (const std::string& id : words.ids) {
    COVE_TRY(client.remove_session(id));
    removed.emplace_back(id);
  }
  if (words.json) print(write_json(json::object{{"removed", std::move(removed)}}) + "\n");
  return 0;
}

// The session as it is now, for who asked for an object.
Result<int> show_now(Client& client, const SessionWords& words) {
  if (!words.json) return 0;
  COVE_ASSIGN(const RemoteSession session, client.session(words.id));
  print(write_json(encode_remote(session)) + "\n");
  return 0;
}

Result<int> interrupt(Client& client, const SessionWords& words) {
  COVE_TRY(client.interrupt(words.id));
  return show_now(client, words);
}

Result<int> reset(Client& client, const SessionWords& words) {
  COVE_TRY(client.reset(words.id));
  return show_now(client, words);
}

Result<int> checkpoint(Client& client, const SessionWords& words) {
  COVE_ASSIGN(const RemoteCheckpoint made, client.checkpoint(words.id, words.checkpoint));
  if (words.json) {
    print(write_json(encode_remote(made)) + "\n");
  } else {
    print(escape_file_name(made.id) + "\n");
  }
  return 0;
}

Result<int> rollback(Client& client, const SessionWords& words) {
  COVE_TRY(client.rollback(words.id, words.checkpoint));
  return show_now(client, words);
}

// For errors that name a field: which options were given.
RunOptions as_run_options(const SessionWords& words) {
  RunOptions out;
  out.json = words.json;
  out.memory = words.memory;
  out.disk = words.disk;
  out.timeout = words.timeout;
  out.cpus = words.session.limits.cpus;
  out.pids = words.session.limits.processes;
  out.env = words.env;
  return out;
}

using Action = Result<int> (*)(Client&, const SessionWords&);

struct Adder {
  CLI::App& parent;
  int& exit_code;

  CLI::App* add(const std::string& name, const std::string& about, Action action,
                const Words& words) const {
    CLI::App* const command = parent.add_subcommand(name, about);
    words->server = add_server_options(*command);
    command->add_flag("--json", words->json, "Print one JSON object");
    int& code = exit_code;
    command->callback([words, action, &code] {
      const auto run = [&]() -> Result<int> {
        COVE_ASSIGN(Client client, words->server->connect());
        return action(client, *words);
      };
      const auto done = run();
      code = done ? *done
                  : report_run_error(words->server->explain(done.error()), as_run_options(*words));
    });
    return command;
  }
  // With the id of a session as its first word.
  CLI::App* add_on(const std::string& name, const std::string& about, Action action,
                   const Words& words) const {
    CLI::App* const command = add(name, about, action, words);
    command->add_option("ID", words->id, "The session")->required();
    return command;
  }
};

Words fresh() {
  return std::make_shared<SessionWords>();
}

void add_new(const Adder& adder) {
  const Words words = fresh();
  CLI::App* const command = adder.add("new", "Open a session and print its id", open_new, words);
  command->add_option("-l,--language", words->session.language, "python, javascript or bash")
      ->default_str("python");
  command->add_option("--profile", words->session.profile, "A language profile of the server");
  command->add_option("--policy", words->session.policy, "A preset of the server");
  command->add_option("--memory", words->memory, "Memory limit: 256m, 1g");
  command->add_option("--disk", words->disk, "Most that may be written: 64m");
  command->add_option("--cpus", words->session.limits.cpus, "CPU share: 0.5, 2")
      ->check(CLI::PositiveNumber);
  command->add_option("--pids", words->session.limits.processes, "Most processes at once")
      ->check(CLI::PositiveNumber);
  command->add_option("--env", words->env, "Set a variable (NAME=VALUE)")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--idle-timeout", words->idle_timeout, "It ends when idle for so long: 10m");
}

void add_exec(const Adder& adder) {
  const Words words = fresh();
  CLI::App* const command = adder.add_on("exec", "Run a cell; its state stays", execute, words);
  command->add_option("FILE", words->file, "The cell; - reads it from stdin");
  command->add_option("-c,--code", words->code, "The cell itself, instead of a file");
  command->add_option("--timeout", words->timeout, "Wall-clock limit: 1500ms, 10s");
  command->add_option("--out", words->out, "Write images and other rich forms below DIR");
  command->add_flag("--raw", words->raw, "Let escape sequences reach the terminal");
}

void add_checkpoints(const Adder& adder) {
  const Words made = fresh();
  adder
      .add_on("checkpoint", "Keep the state as it is now; prints the checkpoint's id", checkpoint,
              made)
      ->add_option("NAME", made->checkpoint, "A name to roll back by");
  const Words back = fresh();
  adder.add_on("rollback", "Back to a checkpoint", rollback, back)
      ->add_option("CHECKPOINT", back->checkpoint, "Its id or name")
      ->required();
}

}  // namespace

void add_session_command(CLI::App& app, int& exit_code) {
  CLI::App* const session = app.add_subcommand("session", "Stateful sessions of a server");
  session->require_subcommand(1);
  const Adder adder{*session, exit_code};
  add_new(adder);
  add_exec(adder);
  adder.add_on("fork", "Copy a session with all its variables; prints the new id", fork, fresh());
  adder.add("ls", "The sessions there are", list, fresh())->alias("list");
  const Words removed = fresh();
  adder.add("rm", "End sessions", remove, removed)
      ->add_option("ID", removed->ids, "Which")
      ->required();
  adder.add_on("interrupt", "End the running cell; the state stays", interrupt, fresh());
  adder.add_on("reset", "A fresh interpreter; files stay", reset, fresh());
  add_checkpoints(adder);
  add_session_files_command(*session, exit_code);
}

}  // namespace cove
