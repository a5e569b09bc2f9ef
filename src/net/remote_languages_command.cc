#include "net/remote_languages_command.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/strings.h"
#include "base/write_json.h"
#include "cli/console.h"
#include "net/remote_json.h"
#include "net/server_options.h"
#include "net/text_table.h"

namespace cove {

namespace {

Result<int> list(const ServerOptions& server, bool as_json) {
  COVE_ASSIGN(Client client, server.connect());
  COVE_ASSIGN(const std::vector<RemoteLanguage> languages, client.languages());
  if (as_json) {
    json::array out;
    for (const RemoteLanguage& language : languages) out.push_back(encode_remote(language));
    (void)write_fully(STDOUT_FILENO,
                      write_json(json::object{{"languages", std::move(out)}}) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"NAME", "USABLE", "VERSION OR REASON", "ALSO"}};
  for (const RemoteLanguage& language : languages) {
    rows.push_back({language.name, language.usable ? "yes" : "no",
                    language.usable ? language.version : language.reason,
                    join(language.aliases, ", ")});
  }
  (void)write_fully(STDOUT_FILENO, text_table(rows));
  return 0;
}

}  // namespace

void add_remote_languages_command(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand("languages", "List the languages of a server");
  const auto server = add_server_options(*command);
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Print one JSON object");
  command->callback([server, as_json, &exit_code] {
    const auto done = list(*server, *as_json);
    exit_code = done ? *done : report_error(server->explain(done.error()), *as_json);
  });
}

}  // namespace cove
