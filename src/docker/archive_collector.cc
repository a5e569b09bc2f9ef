#include "docker/archive_collector.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "model/mime_type.h"

namespace cove {

namespace {

constexpr std::size_t kMaxSkipped = 100;
constexpr std::size_t kMaxPath = 4096;

// "./a/b/" as "a/b"; the directory itself becomes empty.
std::string normal_name(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  while (name.ends_with('/')) name.remove_suffix(1);
  return name == "." ? "" : std::string(name);
}

bool leaves_directory(std::string_view name) {
  if (name.starts_with('/') || name.find('\0') != std::string_view::npos) return true;
  const auto parts = split(name, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

const char* reason_of(TarEntry::Kind kind) {
  switch (kind) {
    case TarEntry::Kind::SymbolicLink:
      return "symbolic link";
    case TarEntry::Kind::HardLink:
      return "hard link";
    case TarEntry::Kind::Fifo:
      return "named pipe";
    case TarEntry::Kind::Device:
      return "device";
    default:
      return "not a regular file";
  }
}

}  // namespace

ArchiveCollector::ArchiveCollector(const CollectOptions& options, ExecutionResult& into)
    : options_(options),
      into_(into),
      reader_({.on_entry = [this](const TarEntry& told) { entry(told); },
               .on_content =
                   [this](std::string_view bytes) {
                     if (!in_file_) return;
                     Found& last = found_.back();
                     last.content += bytes.substr(0, last.wanted - last.content.size());
                   }}) {
  for (const ExecFile& file : options.request_files) baseline_[normal_name(file.name)] = &file;
}

void ArchiveCollector::skip(std::string_view name, std::string reason) {
  if (into_.skipped_files.size() < kMaxSkipped) {
    into_.skipped_files.push_back({escape_file_name(name), std::move(reason)});
  } else {
    into_.output_files_incomplete = true;
  }
}

void ArchiveCollector::add_socket(std::string_view name) {
  const std::string normal = normal_name(name);
  if (!normal.empty()) skip(std::string_view(normal).substr(0, kMaxPath), "socket");
}

void ArchiveCollector::entry(const TarEntry& told) {
  end_file();
  std::string name = normal_name(told.name);
  if (name.empty()) return;
  if (name.size() > kMaxPath) {
    into_.output_files_incomplete = true;
    skip(name.substr(0, 255), "path too long");
    return;
  }
  // No `tar` of a directory says so: somebody else has written this.
  if (leaves_directory(name)) {
    into_.output_files_incomplete = true;
    skip(name, "not below the working directory");
    return;
  }
  const auto depth = std::ranges::count(name, '/');
  const bool directory = told.kind == TarEntry::Kind::Directory;
  if (depth >= options_.max_depth) {
    into_.output_files_incomplete = true;
    if (directory && depth == options_.max_depth) skip(name, "directory too deep");
    return;
  }
  if (directory) return;
  if (told.kind == TarEntry::Kind::File) {
    file(told, std::move(name));
    return;
  }
  skip(name, reason_of(told.kind));
  if (told.kind != TarEntry::Kind::HardLink) return;
  // Its other name came before, as a file.
  const std::string other = normal_name(told.link);
  if (std::erase_if(found_, [&](const Found& found) { return found.raw_name == other; }) > 0) {
    skip(other, "hard link");
  }
}

void ArchiveCollector::file(const TarEntry& told, std::string name) {
  Found found;
  const auto original = baseline_.find(name);
  if (original != baseline_.end() && original->second->content.size() == told.size) {
    found.original = original->second;
  }
  if (found_.size() >= options_.max_files) {
    into_.output_files_incomplete = true;
    return;
  }
  found.file.name = escape_file_name(name);
  found.file.size = Bytes{told.size};
  found.file.mime_type = mime_type_of(found.file.name);
  // Without contents a file is only named, but one that may be unchanged must be compared.
  found.wanted = found.original != nullptr ? told.size : 0;
  if (options_.contents) {
    found.wanted =
        std::min({told.size, options_.max_file.value, options_.max_total.value - content_total_});
    content_total_ += found.wanted;
    if (found.wanted < told.size) found.original = nullptr;
  }
  found.raw_name = std::move(name);
  found_.push_back(std::move(found));
  in_file_ = true;
}

void ArchiveCollector::end_file() {
  if (!std::exchange(in_file_, false)) return;
  Found& last = found_.back();
  if (last.original != nullptr && last.content == last.original->content) {
    if (options_.contents) content_total_ -= last.wanted;
    found_.pop_back();
    return;
  }
  if (options_.contents) {
    last.file.truncated = last.content.size() < last.file.size.value;
    if (last.file.truncated) into_.output_files_incomplete = true;
    last.file.content = std::move(last.content);
  }
  last.content.clear();
}

void ArchiveCollector::finish() {
  end_file();
  if (!reader_.finish()) into_.output_files_incomplete = true;
  finish_without_archive();
}

void ArchiveCollector::finish_without_archive() {
  std::ranges::sort(found_, {}, &Found::raw_name);
  for (Found& found : found_) into_.output_files.push_back(std::move(found.file));
  std::ranges::sort(into_.skipped_files, {}, &SkippedFile::name);
}

}  // namespace cove
