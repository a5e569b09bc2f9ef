#include "cli/server_flags.h"

#include <CLI/CLI.hpp>

namespace cove {

namespace {

constexpr const char* kGroup = "On a server";

}  // namespace

void add_server_flags(CLI::App& command, ServerFlags& flags, const std::string& absent) {
  command
      .add_option("--server", flags.url,
                  "http://HOST:PORT, https://HOST:PORT or unix:PATH" + absent)
      ->type_name("URL")
      ->group(kGroup);
  command.add_option("--key", flags.key, "The key, or @FILE that holds it [COVE_API_KEY]")
      ->type_name("KEY")
      ->group(kGroup);
  command.add_option("--ca-file", flags.ca_file, "Trust the certificates in this PEM file")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("--insecure", flags.insecure, "Do not check the server's certificate")
      ->group(kGroup);
}

std::string stray_server_flag(const CLI::App& command) {
  // Words with --server never get here; if the parser found one, an option before it took none.
  if (command.count("--server") > 0) return "the option before --server has no value";
  for (const char* name : {"--key", "--ca-file", "--insecure"}) {
    if (command.count(name) > 0) return std::string(name) + " needs --server URL";
  }
  return "";
}

}  // namespace cove
