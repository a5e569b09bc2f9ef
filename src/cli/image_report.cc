#include "cli/image_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/parse_size.h"
#include "base/strings.h"
#include "image/image_root.h"

namespace cove {

namespace {

std::string joined_escaped(const std::vector<std::string>& texts) {
  std::vector<std::string> escaped;
  escaped.reserve(texts.size());
  for (const std::string& text : texts) escaped.push_back(escape_file_name(text));
  return join(escaped, " ");
}

std::string short_id(const ImageRecord& record) {
  return record.id.substr(0, 12);
}

std::string image_names(const ImageRecord& record) {
  return record.names.empty() ? "(no name)" : join(record.names, ", ");
}

void add_line(std::string& text, std::string_view label, const std::string& value) {
  if (!value.empty()) text += fmt::format("{:<12}{}\n", label, value);
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

// What was in the archive and is not in the root file system.
std::string left_out_of(const ImageRecord& record) {
  std::vector<std::string> parts;
  if (record.skipped > 0)
    parts.push_back(counted(record.skipped, "device or FIFO", "devices or FIFOs"));
  if (record.stripped > 0)
    parts.push_back(counted(record.stripped, "set-user-id bit", "set-user-id bits"));
  return join(parts, ", ");
}

}  // namespace

std::string describe_import(const ImageRecord& record) {
  std::string text =
      fmt::format("imported {} ({}): {} in {}, {}\n", image_names(record), short_id(record),
                  format_size(Bytes{record.bytes}), counted(record.members, "file", "files"),
                  counted(record.layers.size(), "layer", "layers"));
  if (const std::string out = left_out_of(record); !out.empty()) {
    text += fmt::format("left out: {}\n", out);
  }
  return text + fmt::format("run in it: cove run --backend image:{} FILE\n",
                            record.names.empty() ? short_id(record) : record.names.front());
}

std::string describe_images(const std::vector<ImageRecord>& records) {
  if (records.empty()) return "no images; to get one: docker save NAME | cove image import -\n";
  std::size_t width = 4;
  for (const ImageRecord& record : records) width = std::max(width, image_names(record).size());
  std::string text = fmt::format("{:<{}}  {:<12}  {:>10}  {:>6}  {}\n", "NAME", width, "ID", "SIZE",
                                 "LAYERS", "IMPORTED");
  for (const ImageRecord& record : records) {
    text += fmt::format("{:<{}}  {:<12}  {:>10}  {:>6}  {}\n", image_names(record), width,
                        short_id(record), format_size(Bytes{record.bytes}), record.layers.size(),
                        escape_file_name(record.imported));
  }
  return text;
}

std::string describe_image(const ImageRecord& record,
                           const std::vector<LanguageListing>& languages) {
  ImageRoot adopted;
  const auto ignored = adopt_env(record.config.env, adopted);
  std::string text;
  add_line(text, "names", image_names(record));
  add_line(text, "id", "sha256:" + record.id);
  add_line(text, "platform",
           escape_file_name(fmt::format("{}/{}", record.config.os, record.config.architecture)));
  add_line(text, "created", escape_file_name(record.config.created));
  add_line(text, "imported", escape_file_name(record.imported));
  add_line(text, "size",
           fmt::format("{} in {}", format_size(Bytes{record.bytes}),
                       counted(record.members, "file", "files")));
  add_line(text, "left out", left_out_of(record));
  for (const std::string& layer : record.layers) add_line(text, "layer", "sha256:" + layer);
  add_line(text, "PATH", joined_escaped({join(adopted.command_path, ":")}));
  for (const auto& [name, value] : adopted.env) {
    add_line(text, "env", escape_file_name(fmt::format("{}={}", name, value)));
  }
  add_line(text, "env ignored", joined_escaped(ignored));
  // Shown for people: a run has its own program, directory and user.
  add_line(text, "entrypoint", joined_escaped(record.config.entrypoint));
  add_line(text, "command", joined_escaped(record.config.command));
  add_line(text, "directory", escape_file_name(record.config.working_directory));
  add_line(text, "user", escape_file_name(record.config.user));
  for (const LanguageListing& listing : languages) {
    if (!listing.runtime) continue;
    add_line(text, "language",
             fmt::format("{} ({})", listing.profile.name,
                         escape_file_name(listing.runtime->interpreter)));
  }
  return text;
}

json::object encode_image_report(const ImageRecord& record,
                                 const std::vector<LanguageListing>& languages) {
  json::object report = encode_image_record(record);
  ImageRoot adopted;
  report["env_ignored"] = json::value_from(adopt_env(record.config.env, adopted));
  json::object usable;
  for (const LanguageListing& listing : languages) {
    if (listing.runtime) {
      usable[listing.profile.name] = sanitize_utf8(listing.runtime->interpreter);
    }
  }
  report["languages"] = std::move(usable);
  return report;
}

}  // namespace cove
