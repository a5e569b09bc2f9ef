#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/tar_header.h"

namespace cove {

// Writes a tar archive (with GNU long names) of directories, files and links into memory, for a
// `tar -x` inside a container. Names are relative and were validated: model/file_name.h.
class TarWriter {
 public:
  void directory(std::string_view name, unsigned mode = 0700);
  void file(std::string_view name, std::string_view content, unsigned mode = 0600);
  void symbolic_link(std::string_view name, std::string_view target);
  // The archive, padded and ended. The writer is empty afterwards.
  std::string finish();

 private:
  struct Meta {
    std::size_t size = 0;
    unsigned mode = 0;
    char type = '0';
    std::string_view link;
  };
  void entry(std::string_view name, const Meta& meta);
  void long_text(char type, std::string_view text);
  void pad();

  std::string archive_;
};

// One entry of an archive that is being read. `name` and `link` are raw bytes of whoever made it.
struct TarEntry {
  enum class Kind : unsigned char { File, Directory, SymbolicLink, HardLink, Fifo, Device, Other };
  Kind kind = Kind::Other;
  std::string name;
  std::string link;
  std::uint64_t size = 0;
};

struct TarLimits {
  std::size_t entries = 100'000;
  std::size_t name_bytes = 8192;  // of a long name, or of a pax header
};

// Reads a tar archive as it arrives, in any pieces: ustar, GNU long names and pax paths. Nothing is
// ever unpacked: entries and their bytes are handed to the callbacks. The archive is hostile: what
// is held is bounded by the limits, numbers that overflow and checksums that are wrong are errors,
// and after the first error every call gives one.
class TarStreamReader {
 public:
  struct Receiver {
    std::function<void(const TarEntry&)> on_entry;
    std::function<void(std::string_view)> on_content;  // of the entry that was last told
  };

  explicit TarStreamReader(Receiver receiver, TarLimits limits = {})
      : receiver_(std::move(receiver)), limits_(limits) {}

  Result<> feed(std::string_view bytes);
  // An error if the archive broke off. What follows its end is not looked at.
  Result<> finish() const;
  bool ended() const { return state_ == State::Ended; }

 private:
  enum class State : unsigned char { Header, Content, Extension, Padding, Ended, Broken };

  Err broken(std::string_view problem);
  Result<> header();
  Result<> extension_done();
  Result<> take_pax();
  void begin(State state, std::uint64_t size);

  Receiver receiver_;
  TarLimits limits_;
  State state_ = State::Header;
  std::array<char, kTarBlock> block_{};
  std::size_t filled_ = 0;
  std::uint64_t left_ = 0;   // of the content
  std::size_t padding_ = 0;  // after it
  char extension_type_ = 0;
  std::string extension_;
  std::string next_name_;  // from an extension, for the next entry
  std::string next_link_;
  bool has_next_size_ = false;
  std::uint64_t next_size_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace cove
