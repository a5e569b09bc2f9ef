#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "image/image_record.h"
#include "image/image_root.h"

namespace cove {

// Images on disk, in one directory:
//
//   layers/DIGEST/{tree/,notes.json}   unpacked layers, shared by images
//   roots/ID/                          an image's layers merged, as hard links: what guests see
//   images/ID.json                     names and config
//   tmp/                               unfinished work; what a crash leaves is swept
//
// Changes are made under a lock, between processes too, and appear by renaming. A value that names
// the directory; thread-safe.
class ImageStore {
 public:
  explicit ImageStore(std::string directory) : directory_(std::move(directory)) {}

  // COVE_IMAGE_DIR, else XDG_DATA_HOME/cove/images, else ~/.local/share/cove/images.
  static Result<ImageStore> of_user();

  const std::string& directory() const { return directory_; }

  std::vector<ImageRecord> list() const;  // by name
  // By name, NAME:TAG, or the first six or more digits of an id. NotFound says which there are.
  Result<ImageRecord> find(std::string_view name) const;
  // Its root file system, which then stays until the result is dropped.
  Result<ImageRoot> open_root(std::string_view name) const;
  // Takes the name away, and the image with its last name (or by id): then layers that no other
  // image has go, too. Conflict while a program runs in it.
  Result<> remove(std::string_view name) const;

  // For importing: see image_import.h.
  Result<UniqueFd> lock() const;  // makes the directories; sweeps; held until closed
  Result<> save(const ImageRecord& record) const;
  // Gives these names to the image and to no other. Those that lose their last one are removed,
  // unless a program runs in them.
  Result<> take_names(const std::vector<std::string>& names, const std::string& id) const;
  void collect_garbage() const;
  Result<std::string> make_temporary(std::string_view prefix) const;  // a new directory in tmp/
  std::string layer_path(const std::string& digest) const;
  std::string root_path(const std::string& id) const;

 private:
  Result<> prepare() const;
  Result<> remove_image(const ImageRecord& record) const;
  std::string record_path(const std::string& id) const;

  std::string directory_;
};

}  // namespace cove
