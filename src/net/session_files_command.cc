#include "net/session_files_command.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/parse_size.h"
#include "base/strings.h"
#include "base/write_json.h"
#include "cli/console.h"
#include "cli/output_directory.h"
#include "cli/read_input.h"
#include "model/request_codec.h"
#include "net/server_options.h"
#include "net/text_table.h"

namespace cove {

namespace {

struct FilesOptions {
  std::shared_ptr<ServerOptions> server;
  std::string id;
  std::optional<std::string> get;
  std::optional<std::string> out;
  std::optional<std::string> put;
  std::optional<std::string> remove;
  bool json = false;
};

Result<int> list(Client& client, const FilesOptions& options) {
  COVE_ASSIGN(const auto files, client.session_files(options.id));
  if (options.json) {
    json::array out;
    for (const SessionFile& file : files) {
      out.push_back(json::object{
          {"name", file.name}, {"size", file.size.value}, {"mime_type", file.mime_type}});
    }
    (void)write_fully(STDOUT_FILENO, write_json(json::object{{"files", std::move(out)}}) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"NAME", "SIZE", "TYPE"}};
  for (const SessionFile& file : files) {
    rows.push_back({file.name, format_size(file.size), file.mime_type});
  }
  (void)write_fully(STDOUT_FILENO, text_table(rows));
  return 0;
}

// To our stdout, or below a directory under its own name.
Result<int> get(Client& client, const FilesOptions& options) {
  COVE_ASSIGN(RemoteFile file, client.read_session_file(options.id, *options.get));
  if (!options.out) {
    if (::isatty(STDOUT_FILENO) == 1) {
      return Err(Error(ErrorCode::InvalidRequest,
                       "the content of a file is not written to a terminal: give --out DIR"));
    }
    (void)write_fully(STDOUT_FILENO, file.content);
    return 0;
  }
  OutputFile output;
  output.name = *options.get;
  output.content = std::move(file.content);
  COVE_ASSIGN(const WrittenFiles written, write_output_files(*options.out, {std::move(output)}));
  if (written.problems.empty()) return 0;
  return Err(Error(ErrorCode::InvalidRequest, "--out: " + written.problems.front()));
}

// PATH or PATH=NAME, as --file of `cove run`.
Result<int> put(Client& client, const FilesOptions& options) {
  std::string path = *options.put;
  std::string name;
  const std::size_t equals = path.rfind('=');
  std::error_code ignored;
  if (equals != std::string::npos && !std::filesystem::exists(path, ignored)) {
    name = path.substr(equals + 1);
    path.erase(equals);
  }
  if (name.empty()) name = std::filesystem::path(path).filename().string();
  auto content = read_input(path, RequestSizeLimits{}.files_total);
  if (!content) return Err(std::move(content).error().with_context("--put"));
  COVE_TRY(client.write_session_file(options.id, name, *content));
  return 0;
}

Result<int> files(const FilesOptions& options) {
  const int actions = static_cast<int>(options.get.has_value()) +
                      static_cast<int>(options.put.has_value()) +
                      static_cast<int>(options.remove.has_value());
  if (actions > 1) {
    return Err(Error(ErrorCode::InvalidRequest, "give one of --get, --put and --rm"));
  }
  if (options.out && !options.get) {
    return Err(Error(ErrorCode::InvalidRequest, "--out goes with --get"));
  }
  COVE_ASSIGN(Client client, options.server->connect());
  if (options.get) return get(client, options);
  if (options.put) return put(client, options);
  if (!options.remove) return list(client, options);
  COVE_TRY(client.remove_session_file(options.id, *options.remove));
  return 0;
}

}  // namespace

void add_session_files_command(CLI::App& session, int& exit_code) {
  CLI::App* const command = session.add_subcommand("files", "The files of a session");
  const auto options = std::make_shared<FilesOptions>();
  options->server = add_server_options(*command);
  command->add_option("ID", options->id, "The session")->required();
  command->add_option("--get", options->get, "Print this file, or write it below --out");
  command->add_option("--out", options->out, "A directory for --get");
  command->add_option("--put", options->put, "Copy PATH into the session, as NAME (PATH[=NAME])");
  command->add_option("--rm", options->remove, "Remove this file");
  command->add_flag("--json", options->json, "Print the list as one JSON object");
  command->callback([options, &exit_code] {
    const auto done = files(*options);
    exit_code = done ? *done : report_error(options->server->explain(done.error()), options->json);
  });
}

}  // namespace cove
