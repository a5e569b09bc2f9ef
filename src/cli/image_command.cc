#include "cli/image_command.h"

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/parse_size.h"
#include "base/strings.h"
#include "cli/console.h"
#include "cli/image_report.h"
#include "cli/installation.h"
#include "image/image_import.h"
#include "image/image_store.h"

namespace cove {

namespace {

struct ImageOptions {
  std::string source = "-";
  std::string image;
  std::vector<std::string> images;  // of rm
  std::optional<std::string> name;
  std::optional<std::string> most_size;
  std::uint64_t most_files = ImportOptions{}.most_files;
  bool rootfs = false;
  bool json = false;
};

void print_text(const std::string& text) {
  (void)write_fully(STDOUT_FILENO, text);
}

Result<> import_archive(const ImageOptions& options) {
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  ImportOptions import;
  import.source = options.source;
  import.name = options.name;
  import.rootfs = options.rootfs;
  import.most_files = options.most_files;
  if (options.most_size) {
    auto size = parse_size(*options.most_size);
    if (!size) return Err(std::move(size).error().with_context("--max-size"));
    import.most_bytes = size->value;
  }
  if (::isatty(STDERR_FILENO) == 1) import.tell = [](std::string_view text) { say(text); };
  COVE_ASSIGN(const ImageRecord record, import_image(store, import));
  print_text(options.json ? json::serialize(encode_image_record(record)) + "\n"
                          : describe_import(record));
  return {};
}

Result<> list_images(const ImageOptions& options) {
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  const auto records = store.list();
  if (!options.json) {
    print_text(describe_images(records));
    return {};
  }
  json::array array;
  for (const ImageRecord& record : records) array.push_back(encode_image_record(record));
  print_text(json::serialize(json::object{{"images", std::move(array)}}) + "\n");
  return {};
}

Result<> show_image(const ImageOptions& options) {
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  COVE_ASSIGN(const ImageRecord record, store.find(options.image));
  COVE_ASSIGN(ImageRoot root, store.open_root(options.image));
  COVE_ASSIGN(const Installation installation, load_installation());
  const auto languages = installation.catalog.with_path({root.command_path, root.path}).list();
  print_text(options.json ? json::serialize(encode_image_report(record, languages)) + "\n"
                          : describe_image(record, languages));
  return {};
}

Result<> remove_image(const ImageOptions& options) {
  COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
  json::array removed;
  std::optional<Error> problem;
  for (const std::string& name : options.images) {
    auto done = store.remove(name);
    if (done) {
      removed.emplace_back(sanitize_utf8(name));
    } else if (!problem) {
      problem = std::move(done).error();
    } else if (!options.json) {
      say(done.error().message());
    }
  }
  // One that cannot be removed does not keep the others; the first is the command's error.
  if (problem) return Err(std::move(*problem));
  if (options.json) {
    print_text(json::serialize(json::object{{"removed", std::move(removed)}}) + "\n");
  }
  return {};
}

// The library speaks of ImportOptions, who typed the command of options.
Error in_image_options(const Error& error) {
  std::string message = error.message();
  for (const auto& [field, option] :
       {std::pair("field \"name\"", "--name"), std::pair("(most_bytes)", "(--max-size)"),
        std::pair("(most_bytes, most_files)", "(--max-size, --max-files)"),
        std::pair("(rootfs)", "(--rootfs)")}) {
    const auto at = message.find(field);
    if (at != std::string::npos) message.replace(at, std::string_view(field).size(), option);
  }
  return {error.code(), std::move(message)};
}

void run_by(CLI::App& command, const std::shared_ptr<ImageOptions>& options, int& exit_code,
            Result<> (*action)(const ImageOptions&)) {
  command.callback([options, &exit_code, action] {
    const auto done = action(*options);
    exit_code = done ? 0
                     : report_error(options->json ? done.error() : in_image_options(done.error()),
                                    options->json);
  });
}

void add_import(CLI::App& images, const std::shared_ptr<ImageOptions>& options, int& exit_code) {
  CLI::App* const command =
      images.add_subcommand("import", "Bring in a `docker save` archive or an OCI layout");
  command->add_option("FILE", options->source, "A tar, tar.gz or layout directory; - is stdin")
      ->type_name("")
      ->capture_default_str();
  command->add_option("--name", options->name, "What to call it (default: as the archive does)")
      ->type_name("NAME[:TAG]");
  command->add_flag("--rootfs", options->rootfs,
                    "It is a plain root file system, as of `docker export`; needs --name");
  command->add_option("--max-size", options->most_size, "Most that it may unpack to (8 GiB)")
      ->type_name("SIZE");
  command->add_option("--max-files", options->most_files, "Most files that it may have")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  run_by(*command, options, exit_code, import_archive);
}

}  // namespace

void add_image_command(CLI::App& app, int& exit_code) {
  CLI::App* const command =
      app.add_subcommand("image", "Container images as root file systems, without a daemon");
  command->require_subcommand(1);
  const auto options = std::make_shared<ImageOptions>();
  add_import(*command, options, exit_code);

  CLI::App* const list_command = command->add_subcommand("list", "The images that are here");
  list_command->add_flag("--json", options->json, "Print one JSON object");
  run_by(*list_command, options, exit_code, list_images);

  CLI::App* const show_command =
      command->add_subcommand("show", "What an image is made of, and its languages");
  show_command->add_option("NAME", options->image, "NAME, NAME:TAG or the start of its id")
      ->required();
  show_command->add_flag("--json", options->json, "Print one JSON object");
  run_by(*show_command, options, exit_code, show_image);

  CLI::App* const remove_command = command->add_subcommand("rm", "Remove images");
  remove_command->add_option("NAME", options->images, "NAME, NAME:TAG or the start of its id")
      ->required();
  remove_command->add_flag("--json", options->json, "Print one JSON object");
  run_by(*remove_command, options, exit_code, remove_image);
}

}  // namespace cove
