#include "image/image_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kShortestId = 6;

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end;
       it.increment(problem)) {
    names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

void remove_all(const std::string& path) {
  std::error_code ignored;  // what stays is swept next time
  fs::remove_all(path, ignored);
}

std::optional<ImageRecord> load_record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto record = decode_image_record(text);
  if (!file || !record) return std::nullopt;
  return std::move(*record);
}

bool is_called(const ImageRecord& record, const std::string& name) {
  return std::ranges::find(record.names, name) != record.names.end();
}

bool is_id_prefix(std::string_view text) {
  if (text.starts_with("sha256:")) text.remove_prefix(7);
  return text.size() >= kShortestId && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Result<ImageStore> ImageStore::of_user() {
  const auto variable = [](const char* name) {
    const char* value = ::secure_getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string chosen = variable("COVE_IMAGE_DIR"); !chosen.empty()) {
    if (chosen.starts_with('/')) return ImageStore(chosen);
    return Err(
        Error(ErrorCode::InvalidRequest,
              fmt::format("COVE_IMAGE_DIR must be an absolute path, got {}", quoted(chosen))));
  }
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) {
    return ImageStore(data + "/cove/images");
  }
  if (const std::string home = variable("HOME"); home.starts_with('/')) {
    return ImageStore(home + "/.local/share/cove/images");
  }
  return Err(Error(ErrorCode::DependencyNotFound,
                   "there is no home directory for images; set COVE_IMAGE_DIR to a directory"));
}

std::string ImageStore::layer_path(const std::string& digest) const {
  return fmt::format("{}/layers/{}", directory_, digest);
}

std::string ImageStore::root_path(const std::string& id) const {
  return fmt::format("{}/roots/{}", directory_, id);
}

std::string ImageStore::record_path(const std::string& id) const {
  return fmt::format("{}/images/{}.json", directory_, id);
}

Result<> ImageStore::prepare() const {
  std::error_code problem;
  fs::create_directories(fs::path(directory_).parent_path(), problem);
  // Private: what is in an image may be nobody else's business, and nobody else may change it.
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
    return Err(Error::from_errno("making the image store " + directory_));
  }
  struct stat facts{};
  if (::stat(directory_.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
    return Err(Error::from_errno("opening the image store " + directory_));
  }
  if (facts.st_uid != ::geteuid() || (facts.st_mode & 022U) != 0) {
    return Err(Error(ErrorCode::Forbidden,
                     fmt::format("the image store {} must belong to you and be writable by nobody "
                                 "else",
                                 directory_)));
  }
  for (const char* part : {"layers", "roots", "images", "tmp"}) {
    const std::string path = fmt::format("{}/{}", directory_, part);
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      return Err(Error::from_errno("making " + path));
    }
  }
  return {};
}

Result<UniqueFd> ImageStore::lock() const {
  COVE_TRY(prepare());
  const std::string path = directory_ + "/lock";
  UniqueFd held(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!held) return Err(Error::from_errno("opening " + path));
  while (::flock(held.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return Err(Error::from_errno("locking " + path));
  }
  collect_garbage();
  return held;
}

std::vector<ImageRecord> ImageStore::list() const {
  std::vector<ImageRecord> records;
  const std::string directory = directory_ + "/images";
  for (const std::string& name : names_in(directory)) {
    if (!name.ends_with(".json")) continue;
    if (auto record = load_record(fmt::format("{}/{}", directory, name))) {
      records.push_back(std::move(*record));
    }
  }
  std::ranges::sort(records, {}, [](const ImageRecord& record) {
    return record.names.empty() ? record.id : record.names.front();
  });
  return records;
}

Result<ImageRecord> ImageStore::find(std::string_view name) const {
  COVE_ASSIGN(const std::string full, full_image_name(name));
  std::vector<std::string> known;
  std::vector<ImageRecord> by_id;
  const std::string_view digits = name.starts_with("sha256:") ? name.substr(7) : name;
  for (ImageRecord& record : list()) {
    if (is_called(record, full)) return std::move(record);
    known.insert(known.end(), record.names.begin(), record.names.end());
    if (is_id_prefix(name) && record.id.starts_with(digits)) by_id.push_back(std::move(record));
  }
  if (by_id.size() == 1) return std::move(by_id.front());
  if (by_id.size() > 1) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("{} is the beginning of several images' ids", quoted(name))));
  }
  return Err(Error(
      ErrorCode::NotFound,
      fmt::format("there is no image {}; {}. To get one: docker save NAME | cove image "
                  "import -",
                  quoted(name),
                  known.empty() ? "none has been imported" : "there are " + join(known, ", "))));
}

Result<ImageRoot> ImageStore::open_root(std::string_view name) const {
  COVE_ASSIGN(const ImageRecord record, find(name));
  ImageRoot root;
  root.name = record.names.empty() ? record.id.substr(0, 12) : record.names.front();
  root.id = record.id;
  root.path = root_path(record.id);
  auto lease = std::make_shared<UniqueFd>(::open(root.path.c_str(), kDirectory));
  // Shared: many run in it; whoever removes it wants it alone. Removed before we had it: gone.
  struct stat held{};
  struct stat there{};
  const bool same = *lease && ::flock(lease->get(), LOCK_SH | LOCK_NB) == 0 &&
                    ::fstat(lease->get(), &held) == 0 && ::stat(root.path.c_str(), &there) == 0 &&
                    held.st_ino == there.st_ino;
  if (!same) {
    return Err(Error(ErrorCode::Gone, fmt::format("image {} is being removed", quoted(name))));
  }
  COVE_TRY(list_root_entries(lease->get(), root));
  adopt_env(record.config.env, root);
  root.lease = std::move(lease);
  return root;
}

Result<> ImageStore::save(const ImageRecord& record) const {
  const std::string fresh = fmt::format("{}/tmp/{}", directory_, random_id("record-"));
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  file << json::serialize(encode_image_record(record));
  file.close();
  if (!file || ::rename(fresh.c_str(), record_path(record.id).c_str()) != 0) {
    return Err(Error::from_errno("writing " + record_path(record.id)));
  }
  return {};
}

// The lock is held by the caller.
Result<> ImageStore::remove_image(const ImageRecord& record) const {
  const std::string path = root_path(record.id);
  const UniqueFd root(::open(path.c_str(), kDirectory));
  if (root && ::flock(root.get(), LOCK_EX | LOCK_NB) != 0) {
    return Err(Error(ErrorCode::Conflict,
                     fmt::format("image {} is in use; end what runs in it first",
                                 record.names.empty() ? record.id : record.names.front())));
  }
  // Out of sight first, then taken apart.
  const std::string away = fmt::format("{}/tmp/{}", directory_, random_id("root-"));
  if (root && ::rename(path.c_str(), away.c_str()) != 0) {
    return Err(Error::from_errno("removing " + path));
  }
  if (::unlink(record_path(record.id).c_str()) != 0 && errno != ENOENT) {
    return Err(Error::from_errno("removing " + record_path(record.id)));
  }
  return {};
}

Result<> ImageStore::remove(std::string_view name) const {
  COVE_ASSIGN(const UniqueFd held, lock());
  COVE_ASSIGN(ImageRecord record, find(name));
  COVE_ASSIGN(const std::string full, full_image_name(name));
  if (is_called(record, full) && record.names.size() > 1) {
    std::erase(record.names, full);
    return save(record);
  }
  COVE_TRY(remove_image(record));
  collect_garbage();
  return {};
}

Result<> ImageStore::take_names(const std::vector<std::string>& names,
                                const std::string& id) const {
  for (ImageRecord& record : list()) {
    if (record.id == id) continue;
    const auto lost = std::erase_if(record.names, [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    });
    if (lost == 0) continue;
    if (record.names.empty() && remove_image(record)) continue;
    COVE_TRY(save(record));
  }
  return {};
}

Result<std::string> ImageStore::make_temporary(std::string_view prefix) const {
  std::string path = fmt::format("{}/tmp/{}", directory_, random_id(prefix));
  if (::mkdir(path.c_str(), 0700) != 0) return Err(Error::from_errno("making " + path));
  return path;
}

void ImageStore::collect_garbage() const {
  std::set<std::string> layers;
  std::set<std::string> ids;
  for (const std::string& name : names_in(directory_ + "/images")) {
    const auto record = load_record(fmt::format("{}/images/{}", directory_, name));
    if (!record) return;  // unreadable: what belongs to it is not known, so nothing goes
    ids.insert(record->id);
    layers.insert(record->layers.begin(), record->layers.end());
  }
  for (const std::string& name : names_in(directory_ + "/tmp")) {
    remove_all(fmt::format("{}/tmp/{}", directory_, name));
  }
  for (const std::string& id : names_in(directory_ + "/roots")) {
    if (!ids.contains(id)) remove_all(root_path(id));
  }
  for (const std::string& digest : names_in(directory_ + "/layers")) {
    if (!layers.contains(digest)) remove_all(layer_path(digest));
  }
}

}  // namespace cove
