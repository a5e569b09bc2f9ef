#include "engine/key_ring.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/strings.h"
#include "engine/key_file.h"
#include "engine/private_file.h"

namespace cove {
namespace {

constexpr Bytes kMaxFile = Bytes::mib(4);
constexpr std::chrono::seconds kPatience(10);  // with another `cove keys` at work
constexpr std::string_view kSecretPrefix = "cove_";

// Tells whether a file is still the one that was read.
struct FileStamp {
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const FileStamp&) const = default;
};

Result<FileStamp> stamp_of(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return FileStamp{};
    return Err(Error::from_errno("looking at " + path));
  }
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Err(
        Error(ErrorCode::InvalidRequest, path + " can be written by others: chmod 600 " + path));
  }
  return FileStamp{true,          about.st_dev,         about.st_ino,
                   about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

// Says whose the file is where that is the trouble.
Error explain_access(Error error, const std::string& path) {
  struct stat about{};
  if (::access(path.c_str(), R_OK) == 0 || errno != EACCES) return error;
  if (::stat(path.c_str(), &about) != 0) return error;
  return Error(error.code(),
               fmt::format("{}; it belongs to uid {} and the server is uid {}: run `cove keys` as "
                           "the server's user, and give the file to it (chown)",
                           error.message(), about.st_uid, ::geteuid()));
}

bool same_key(const StoredKey& a, const StoredKey& b) {
  const CallerLimits& x = a.info.limits;
  const CallerLimits& y = b.info.limits;
  return a.hash == b.hash && a.info.scopes == b.info.scopes && x.concurrency == y.concurrency &&
         x.rate == y.rate && x.policies == y.policies && x.languages == y.languages &&
         x.backends == y.backends;
}

KeyChange difference(const std::vector<StoredKey>& before, const std::vector<StoredKey>& after) {
  const auto find = [](const std::vector<StoredKey>& keys, const std::string& name) {
    return std::ranges::find(keys, name, [](const StoredKey& key) { return key.info.name; });
  };
  KeyChange out;
  for (const StoredKey& key : after) {
    const auto old = find(before, key.info.name);
    if (old == before.end()) {
      out.added.push_back(key.info.name);
    } else if (!same_key(*old, key)) {
      out.changed.push_back(key.info.name);
    }
  }
  for (const StoredKey& key : before) {
    if (find(after, key.info.name) == after.end()) out.removed.push_back(key.info.name);
  }
  return out;
}

std::string make_secret() {
  std::array<char, 32> random{};
  // Up to 256 bytes come at once, or not at all.
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    std::abort();
  }
  return std::string(kSecretPrefix) + to_hex({random.data(), random.size()});
}

class FileKeyRing final : public KeyRing {
 public:
  FileKeyRing(std::string file, const std::string& environment_key) : file_(std::move(file)) {
    if (!environment_key.empty()) environment_ = sha256(environment_key);
  }

  Result<> load() {
    const std::lock_guard lock(mutex_);
    refresh();
    if (problem_) return Err(*problem_);
    return {};
  }

  bool empty() const override {
    const std::lock_guard lock(mutex_);
    refresh();
    return !environment_ && keys_.empty() && !problem_;
  }

  Result<Caller> authenticate(std::string_view secret) const override {
    const Sha256Digest given = sha256(secret);
    const std::lock_guard lock(mutex_);
    refresh();
    // Every key is compared, whichever matches, and each in constant time.
    std::size_t found = keys_.size();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (CRYPTO_memcmp(given.data(), keys_[i].hash.data(), given.size()) == 0) found = i;
    }
    static constexpr Sha256Digest kNobody{};
    const Sha256Digest& environment = environment_ ? *environment_ : kNobody;
    const bool same = CRYPTO_memcmp(given.data(), environment.data(), given.size()) == 0;
    if (same && environment_) {
      return Caller{"env", {Scope::Execute, Scope::Sessions, Scope::Admin}, {}};
    }
    if (found < keys_.size()) {
      const KeyInfo& key = keys_[found].info;
      return Caller{key.name, key.scopes, key.limits};
    }
    if (problem_) {
      return Err(Error(ErrorCode::BackendUnavailable,
                       "the server's keys cannot be read at the moment; its log says why"));
    }
    return Err(Error(ErrorCode::Unauthorized,
                     secret.empty() ? "a key is required" : "the key is not known here"));
  }

  std::optional<Error> problem() const override {
    const std::lock_guard lock(mutex_);
    refresh();
    return problem_;
  }

  void on_change(std::function<void(const KeyChange&)> observer) override {
    const std::lock_guard lock(mutex_);
    observer_ = std::move(observer);
  }

  Result<std::string> add(const KeyInfo& key) override {
    COVE_TRY(validate_key(key));
    std::string secret = make_secret();
    COVE_TRY(change([&](std::vector<StoredKey>& keys) -> Result<> {
      if (std::ranges::any_of(keys, [&](const auto& k) { return k.info.name == key.name; })) {
        return Err(Error(ErrorCode::Conflict,
                         fmt::format("there is a key {} already: revoke it first, or choose "
                                     "another name",
                                     quoted(key.name))));
      }
      keys.push_back({key, sha256(secret)});
      if (key.created == std::chrono::system_clock::time_point()) {
        keys.back().info.created = std::chrono::system_clock::now();
      }
      return {};
    }));
    return secret;
  }

  Result<> revoke(std::string_view name) override {
    return change([&](std::vector<StoredKey>& keys) -> Result<> {
      if (std::erase_if(keys, [&](const auto& key) { return key.info.name == name; }) > 0) {
        return {};
      }
      std::vector<std::string> names;
      names.reserve(keys.size());
      for (const auto& key : keys) names.push_back(key.info.name);
      return Err(Error(ErrorCode::NotFound,
                       fmt::format("there is no key {} in {}; there {}", quoted(name), file_,
                                   names.empty() ? "are none" : "are " + join(names, ", "))));
    });
  }

  std::vector<KeyInfo> list() const override {
    const std::lock_guard lock(mutex_);
    refresh();
    std::vector<KeyInfo> out;
    out.reserve(keys_.size());
    for (const auto& key : keys_) out.push_back(key.info);
    return out;
  }

 private:
  // Reads the file again if it is another one than last time. Any problem leaves no key of the file
  // in force.
  void refresh() const {
    if (file_.empty()) return;
    auto stamp = stamp_of(file_);
    if (stamp && stamp_ == *stamp && !transient_) return;
    keys_.clear();
    problem_.reset();
    transient_ = false;
    if (!stamp) {
      stamp_.reset();
      problem_ = std::move(stamp).error();
      return;
    }
    stamp_ = *stamp;
    auto text = read_private_file(file_, kMaxFile);
    if (!text) {
      problem_ = explain_access(std::move(text).error(), file_);
      transient_ = true;  // lack of descriptors, say: try again next time
      return;
    }
    if (!*text) return tell_change();
    auto keys = parse_key_file(**text, file_);
    if (keys) {
      keys_ = std::move(*keys);
      tell_change();
    } else {
      problem_ = std::move(keys).error();
    }
  }

  void tell_change() const {
    const KeyChange change = difference(known_, keys_);
    known_ = keys_;
    if (observer_ && !change.empty()) observer_(change);
  }

  // Reads, changes and replaces the file, with other processes that do the same kept out.
  template <class Change>
  Result<> change(Change apply) {
    const std::lock_guard lock(mutex_);
    if (file_.empty()) {
      return Err(Error(ErrorCode::InvalidRequest, "there is no key file: name one"));
    }
    COVE_ASSIGN(const UniqueFd turn, lock_directory(directory_of(file_), kPatience));
    COVE_TRY(stamp_of(file_));
    COVE_ASSIGN(const auto text, read_private_file(file_, kMaxFile));
    std::vector<StoredKey> keys;
    if (text) {
      COVE_ASSIGN(keys, parse_key_file(*text, file_));
    }
    COVE_TRY(apply(keys));
    COVE_TRY(write_private_file(file_, encode_key_file(keys)));
    stamp_.reset();
    refresh();
    return {};
  }

  const std::string file_;
  std::optional<Sha256Digest> environment_;
  mutable std::mutex mutex_;
  mutable std::optional<FileStamp> stamp_;
  mutable std::vector<StoredKey> keys_;
  mutable std::vector<StoredKey> known_;  // those of the last file that could be read
  std::function<void(const KeyChange&)> observer_;
  mutable std::optional<Error> problem_;
  mutable bool transient_ = false;
};

}  // namespace

Result<std::unique_ptr<KeyRing>> KeyRing::open(std::string file, std::string environment_key) {
  auto ring = std::make_unique<FileKeyRing>(std::move(file), environment_key);
  COVE_TRY(ring->load());
  return ring;
}

}  // namespace cove
