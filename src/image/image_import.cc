#include "image/image_import.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/strings.h"
#include "image/archive_blobs.h"
#include "image/choose_manifest.h"
#include "image/layer_merge.h"
#include "image/layer_unpacker.h"

namespace cove {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

class Import {
 public:
  Import(const ImageStore& store, const ImportOptions& options)
      : store_(store), options_(options), budget_{options.most_bytes, options.most_files} {}

  Result<ImageRecord> run();

 private:
  Result<ImageRecord> run_archive();
  Result<ImageRecord> run_rootfs();
  Result<UniqueFd> open_source() const;
  Result<std::vector<std::string>> names_for(const std::vector<std::string>& own) const;
  Result<> add_layer(ByteSource& blob, const std::optional<std::string>& digest,
                     std::optional<std::string> diff_id);
  Result<> unpack(ByteSource& tar, const std::optional<std::string>& diff_id);
  Result<> merge_layers();
  Result<ImageRecord> finish(std::vector<std::string> names);
  void tell(std::string_view text) const {
    if (options_.tell) options_.tell(text);
  }

  const ImageStore& store_;
  const ImportOptions& options_;
  UnpackBudget budget_;
  ImageRecord record_;
  UniqueFd held_;
};

Result<UniqueFd> Import::open_source() const {
  const bool is_stdin = options_.source == "-";
  UniqueFd fd(is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                       : ::open(options_.source.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return Err(Error::from_errno("opening " + quoted(options_.source)));
  if (is_stdin && ::isatty(fd.get()) == 1) {
    return Err(
        Error(ErrorCode::InvalidRequest,
              "stdin is a terminal; name a file, or: docker save NAME | cove image import -"));
  }
  return fd;
}

Result<std::vector<std::string>> Import::names_for(const std::vector<std::string>& own) const {
  std::vector<std::string> names;
  if (options_.name) {
    COVE_ASSIGN(std::string full, full_image_name(*options_.name));
    return std::vector{std::move(full)};
  }
  for (const std::string& name : own) {
    if (auto full = full_image_name(name)) names.push_back(std::move(*full));
  }
  if (!names.empty()) return names;
  return Err(Error::invalid_field("name", options_.rootfs
                                              ? "must be given: a root file system has none"
                                              : "must be given: the archive does not name its "
                                                "image"));
}

// Unpacks into a directory of its own, which becomes the layer when its digest is right.
Result<> Import::unpack(ByteSource& tar, const std::optional<std::string>& diff_id) {
  COVE_ASSIGN(const std::string temporary, store_.make_temporary("layer-"));
  const std::string tree = temporary + "/tree";
  if (::mkdir(tree.c_str(), 0755) != 0) return Err(Error::from_errno("making " + tree));
  const UniqueFd directory(::open(tree.c_str(), kDirectory));
  if (!directory) return Err(Error::from_errno("opening " + tree));
  HashingSource hashed(tar);
  COVE_ASSIGN(const LayerNotes notes, unpack_layer(hashed, directory.get(), budget_));
  const std::string digest = hashed.digest();
  if (diff_id && digest != *diff_id) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("a layer's content has the digest sha256:{}, but the image's "
                                 "config says sha256:{}",
                                 digest, *diff_id)));
  }
  std::ofstream file(temporary + "/notes.json", std::ios::binary);
  file << encode_layer_notes(notes);
  file.close();
  if (!file) return Err(Error::from_errno("writing " + temporary));
  record_.layers.push_back(digest);
  const std::string path = store_.layer_path(digest);
  if (::rename(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST && errno != ENOTEMPTY) {
    return Err(Error::from_errno("making " + path));
  }
  return {};
}

Result<> Import::add_layer(ByteSource& blob, const std::optional<std::string>& digest,
                           std::optional<std::string> diff_id) {
  struct stat facts{};
  if (diff_id && ::stat(store_.layer_path(*diff_id).c_str(), &facts) == 0) {
    record_.layers.push_back(*diff_id);
    return {};
  }
  HashingSource compressed(blob);
  // Headers and padding besides the files.
  const std::uint64_t most = 2 * options_.most_bytes + 2048 * options_.most_files;
  COVE_ASSIGN(const auto plain, uncompressed(compressed, most));
  COVE_TRY(unpack(*plain, diff_id));
  if (!digest) return {};
  COVE_TRY(drain(compressed));
  if (const std::string found = compressed.digest(); found != *digest) {
    // The layer itself is what the config says; its archive is not what the manifest says.
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("a layer's file has the digest sha256:{}, but the manifest says "
                                 "sha256:{}",
                                 found, *digest)));
  }
  return {};
}

Result<> Import::merge_layers() {
  COVE_ASSIGN(const std::string temporary, store_.make_temporary("root-"));
  const UniqueFd root(::open(temporary.c_str(), kDirectory));
  if (!root || ::fchmod(root.get(), 0755) != 0)
    return Err(Error::from_errno("opening " + temporary));
  for (const std::string& digest : record_.layers) {
    const std::string path = store_.layer_path(digest);
    std::ifstream file(path + "/notes.json", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    COVE_ASSIGN(const LayerNotes notes, decode_layer_notes(text));
    const UniqueFd tree(::open((path + "/tree").c_str(), kDirectory));
    if (!tree) return Err(Error::from_errno("opening " + path));
    COVE_TRY(merge_layer(tree.get(), notes, root.get()));
    record_.bytes += notes.bytes;
    record_.members += notes.members;
    record_.skipped += notes.skipped;
    record_.stripped += notes.stripped;
  }
  // The end of a pipe whose other command failed, most likely: it must not replace an image.
  if (record_.members == 0) {
    return Err(Error(ErrorCode::InvalidRequest, "there is no file in it: nothing was imported"));
  }
  if (record_.bytes > options_.most_bytes || record_.members > options_.most_files) {
    return Err(Error(ErrorCode::TooLarge,
                     "the image has more files or bytes than is allowed "
                     "(most_bytes, most_files)"));
  }
  COVE_TRY(prepare_root(root.get()));
  ImageRoot entries;
  COVE_TRY(list_root_entries(root.get(), entries));
  // On disk before it counts: after a crash a digest that was checked should still be true.
  if (::syncfs(root.get()) != 0) return Err(Error::from_errno("writing the image"));
  const std::string path = store_.root_path(record_.id);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return Err(Error::from_errno("making " + path));
  }
  return {};
}

Result<ImageRecord> Import::finish(std::vector<std::string> names) {
  for (const ImageRecord& known : store_.list()) {
    if (known.id != record_.id) continue;
    record_ = known;  // the same image again: only its names may be new, and they come first
    std::erase_if(record_.names, [&names](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    });
    record_.names.insert(record_.names.begin(), names.begin(), names.end());
    COVE_TRY(store_.save(record_));
    COVE_TRY(store_.take_names(names, record_.id));
    return record_;
  }
  tell("merging the layers");
  COVE_TRY(merge_layers());
  record_.names = std::move(names);
  record_.imported = now_text();
  COVE_TRY(store_.save(record_));
  COVE_TRY(store_.take_names(record_.names, record_.id));
  return record_;
}

Result<ImageRecord> Import::run_archive() {
  const bool layout = options_.source != "-" && is_directory(options_.source);
  std::unique_ptr<ArchiveBlobs> blobs;
  UniqueFd spool;
  if (layout) {
    COVE_ASSIGN(blobs, open_layout(options_.source));
  } else {
    COVE_ASSIGN(UniqueFd source, open_source());
    {
      // Not held while the archive comes: that may take long.
      COVE_ASSIGN(const UniqueFd made, store_.lock());
      spool.reset(::open((store_.directory() + "/tmp").c_str(), kDirectory));
    }
    if (!spool) return Err(Error::from_errno("opening the image store"));
    tell("reading the archive");
    FdSource archive(std::move(source));
    COVE_ASSIGN(blobs, read_archive(archive, spool.get(), 2 * options_.most_bytes));
  }
  COVE_ASSIGN(const ImageParts parts, choose_image(*blobs));
  COVE_ASSIGN(const std::string text, read_blob(*blobs, parts.config));
  COVE_ASSIGN(record_.config, parse_image_config(text));
  COVE_TRY(check_fits_host(record_.config, parts));
  record_.id = Sha256Stream::of(text);
  COVE_ASSIGN(std::vector<std::string> names, names_for(parts.names));
  COVE_ASSIGN(held_, store_.lock());
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    tell(fmt::format("layer {} of {}", i + 1, parts.layers.size()));
    COVE_ASSIGN(const auto blob, blobs->open(parts.layers[i].name));
    // A layer.tar of docker save may have a digest in its name that is another's.
    const auto& digest = parts.layers[i].digest;
    COVE_TRY(add_layer(*blob, digest, record_.config.diff_ids[i]));
  }
  return finish(std::move(names));
}

// One layer, no config.
Result<ImageRecord> Import::run_rootfs() {
  if (options_.source != "-" && is_directory(options_.source)) {
    return Err(Error(ErrorCode::InvalidRequest,
                     "is a directory, and a root file system comes as a tar archive; to make one: "
                     "tar -C DIRECTORY -cf rootfs.tar ."));
  }
  COVE_ASSIGN(std::vector<std::string> names, names_for({}));
  COVE_ASSIGN(UniqueFd file, open_source());
  FdSource source(std::move(file));
  COVE_ASSIGN(held_, store_.lock());
  tell("reading the root file system");
  COVE_TRY(add_layer(source, std::nullopt, std::nullopt));
  record_.config.os = "linux";
  record_.config.architecture = host_architecture();
  record_.id = Sha256Stream::of("rootfs:" + record_.layers.front());
  return finish(std::move(names));
}

Result<ImageRecord> Import::run() {
  auto record = options_.rootfs ? run_rootfs() : run_archive();
  // Whatever was begun and is not part of an image.
  if (held_) store_.collect_garbage();
  if (!record && options_.source != "-") {
    return Err(std::move(record).error().with_context(options_.source));
  }
  return record;
}

}  // namespace

Result<ImageRecord> import_image(const ImageStore& store, const ImportOptions& options) {
  return Import(store, options).run();
}

}  // namespace cove
