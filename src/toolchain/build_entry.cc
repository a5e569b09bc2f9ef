#include "toolchain/build_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "base/unique_fd.h"
#include "base/write_json.h"
#include "model/diagnostic_codec.h"
#include "model/file_name.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "entry.json";
constexpr std::size_t kMostManifest = 16 << 20;

Result<> write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return Err(Error::from_errno("cannot make " + path));
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Err(Error::from_errno("cannot write " + path));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  // The umask may have taken what a guest needs.
  if (::fchmod(file.get(), mode) != 0 || ::fdatasync(file.get()) != 0) {
    return Err(Error::from_errno("cannot write " + path));
  }
  return {};
}

Result<std::string> read_file(int directory, const char* name) {
  const UniqueFd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts = {};
  if (!file || ::fstat(file.get(), &facts) != 0) return Err(Error::from_errno(name));
  if (static_cast<std::size_t>(facts.st_size) > kMostManifest) {
    return Err(Error(ErrorCode::Internal, fmt::format("{} is too large", name)));
  }
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + used, text.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Err(Error::from_errno(name));
    used += static_cast<std::size_t>(n);
  }
  return text;
}

// A crash of the machine can leave a file shorter than it was written.
Result<> check_file(int directory, const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, "files"));
  std::string name;
  std::optional<std::int64_t> size;
  COVE_TRY(fields.read("name", name));
  COVE_TRY(fields.read("size", size));
  COVE_TRY(validate_file_name(name, "name"));
  struct stat facts = {};
  const std::string path = fmt::format("{}/{}", kBuildFiles, name);
  if (::fstatat(directory, path.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(facts.st_mode) || facts.st_size != size) {
    return Err(Error(ErrorCode::Internal, path + " is not as it was written"));
  }
  return {};
}

}  // namespace

Result<> write_build_entry(const std::string& directory, const BuildOutput& output) {
  const std::string root = fmt::format("{}/{}", directory, kBuildFiles);
  if (::mkdir(root.c_str(), 0755) != 0) return Err(Error::from_errno("cannot make " + root));
  json::array files;
  for (const ExecFile& file : output.files) {
    if (const auto named = validate_file_name(file.name, "name"); !named) {
      return Err(Error(ErrorCode::TooLarge,
                       "what was built has a file whose name is too long or nested too deep"));
    }
    std::error_code error;
    const fs::path path = fs::path(root) / file.name;
    fs::create_directories(path.parent_path(), error);
    if (error) return Err(Error(ErrorCode::Internal, "cannot make " + path.parent_path().string()));
    COVE_TRY(write_file(path.string(), file.content, 0555));
    files.push_back(json::object{{"name", file.name}, {"size", file.content.size()}});
  }
  const json::object manifest{{"files", std::move(files)},
                              {"diagnostics", encode_diagnostics(output.diagnostics)},
                              {"compiler_output", sanitize_utf8(output.compiler_output)},
                              {"failed", output.failed}};
  const std::string text = write_json(manifest);
  if (text.size() > kMostManifest) {  // nobody could read it
    return Err(Error(ErrorCode::TooLarge, "what the compilers said is too much to keep"));
  }
  return write_file(fmt::format("{}/{}", directory, kManifest), text, 0444);
}

Result<BuildOutput> read_build_entry(int directory) {
  struct stat facts = {};
  if (::fstat(directory, &facts) != 0 || facts.st_uid != ::geteuid()) {
    return Err(Error(ErrorCode::Internal, "the entry is not ours"));
  }
  COVE_ASSIGN(const std::string text, read_file(directory, kManifest));
  COVE_ASSIGN(const json::value document, parse_json(text));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(document, ""));
  BuildOutput out;
  COVE_TRY(fields.read("compiler_output", out.compiler_output));
  COVE_TRY(fields.read("failed", out.failed));
  for (const char* name : {"files", "diagnostics"}) {
    const json::value* const value = fields.find(name);
    if (value == nullptr || !value->is_array()) return fields.error(name, "is missing");
  }
  for (const json::value& file : fields.find("files")->get_array()) {
    COVE_TRY(check_file(directory, file));
  }
  for (const json::value& value : fields.find("diagnostics")->get_array()) {
    COVE_ASSIGN(auto diagnostic, decode_diagnostic(value, "diagnostics"));
    out.diagnostics.push_back(std::move(diagnostic));
  }
  return out;
}

Result<> take_over(const std::string& directory) {
  const auto own = [](const std::string& path) -> Result<> {
    struct stat facts = {};
    if (::lstat(path.c_str(), &facts) != 0) return Err(Error::from_errno("cannot read " + path));
    if (::lchown(path.c_str(), ::geteuid(), ::getegid()) != 0) {
      return Err(Error::from_errno("cannot take over " + path));
    }
    if (S_ISLNK(facts.st_mode)) return {};
    // Group and others read and pass as the owner does; nobody else writes.
    const mode_t mode =
        (facts.st_mode & 0700U) | ((facts.st_mode & 0500U) >> 3U) | ((facts.st_mode & 0500U) >> 6U);
    if (::chmod(path.c_str(), mode) != 0) return Err(Error::from_errno("cannot take over " + path));
    return {};
  };
  COVE_TRY(own(directory));
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    COVE_TRY(own(it->path().string()));
  }
  if (error) return Err(Error(ErrorCode::Internal, "cannot take over " + directory));
  return {};
}

}  // namespace cove
