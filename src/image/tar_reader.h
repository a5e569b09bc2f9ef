#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "image/byte_source.h"

namespace cove {

enum class TarKind : unsigned char { File, Directory, SymLink, HardLink, Device, Fifo };

// One member as the archive names it: nothing of it has been checked against a file system.
struct TarMember {
  std::string path;
  std::string link;  // of SymLink and HardLink
  TarKind kind = TarKind::File;
  std::uint32_t mode = 0;
  std::int64_t mtime = 0;
  std::uint64_t size = 0;  // of a File; what others claim is refused
};

// Reads ustar, GNU and PAX archives, in order and in bounded memory. What two readers could
// understand differently is refused: sizes of members that have no content, repeated extension
// headers, sparse files, unknown member types. Does not own the source.
class TarReader {
 public:
  // Names and links as long as the kernel takes them, and headers that carry them.
  static constexpr std::size_t kMaxName = 4096;
  static constexpr std::size_t kMaxExtension = 1 << 20;

  explicit TarReader(ByteSource& source) : source_(source) {}

  // The next member, or nothing at the end. What was not read of the one before is skipped.
  Result<std::optional<TarMember>> next();
  // Content of the member that next() gave; 0 at its end.
  Result<std::size_t> read(std::span<char> into);

 private:
  struct Extensions {
    std::optional<std::string> path;
    std::optional<std::string> link;
    std::optional<std::uint64_t> size;
    std::optional<std::int64_t> mtime;
    bool from_pax = false;
    bool from_gnu_name = false;
    bool from_gnu_link = false;
  };
  struct Header;

  Result<bool> read_header(Header& header);
  Result<bool> read_headers(Header& header, Extensions& extensions);
  Result<TarKind> kind_of(char type, const std::string& path) const;
  Result<> read_extension(const Header& header, Extensions& extensions);
  Result<> read_pax(std::string_view text, Extensions& extensions);
  Result<> skip_content();
  Error wrong(std::string_view problem) const;

  ByteSource& source_;
  std::uint64_t left_ = 0;     // of the current member
  std::uint64_t padding_ = 0;  // after it
  std::uint64_t members_ = 0;
  bool over_ = false;
};

}  // namespace cove
