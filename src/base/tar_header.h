#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cove {

inline constexpr std::size_t kTarBlock = 512;

// Where a field lies in a header.
struct TarField {
  std::size_t at;
  std::size_t size;
};
inline constexpr TarField kTarName{0, 100};
inline constexpr TarField kTarMode{100, 8};
inline constexpr TarField kTarOwner{108, 8};
inline constexpr TarField kTarGroup{116, 8};
inline constexpr TarField kTarSize{124, 12};
inline constexpr TarField kTarTime{136, 12};
inline constexpr TarField kTarChecksum{148, 8};
inline constexpr std::size_t kTarType = 156;
inline constexpr TarField kTarLink{157, 100};
inline constexpr TarField kTarMagic{257, 6};
inline constexpr TarField kTarPrefix{345, 155};

// One header of a tar archive, ustar or GNU: a view of kTarBlock bytes that somebody else holds.
// The bytes are hostile; nothing is believed but the layout.
class TarHeader {
 public:
  // `block` has kTarBlock bytes.
  explicit TarHeader(std::string_view block) : block_(block) {}

  bool is_zero() const;   // the end of an archive
  bool is_sound() const;  // its checksum is right
  char type() const { return block_[kTarType]; }
  // Of GNU (L, K) or pax (x, g): its content is about the member that follows.
  bool is_extension() const;
  std::string text(TarField field) const;  // up to the first NUL
  std::string name() const;                // with the prefix that POSIX has
  // Nothing when it is no number, is negative or does not fit.
  std::optional<std::uint64_t> number(TarField field) const;

 private:
  std::string_view raw(TarField field) const { return block_.substr(field.at, field.size); }

  std::string_view block_;
};

// The sum of a header's bytes, those of the sum itself taken as blanks.
std::uint64_t tar_checksum(std::string_view block);

// Bytes from the end of a content of this size to the next header.
std::size_t tar_padding(std::uint64_t size);

// A record "LENGTH KEY=VALUE\n" of a pax header, where the length counts itself.
struct PaxRecord {
  std::string_view key;
  std::string_view value;
};
// Takes the first record off `text`, which is not empty. Nothing: it is malformed.
std::optional<PaxRecord> take_pax_record(std::string_view& text);

// All of the text as a decimal number.
std::optional<std::uint64_t> pax_number(std::string_view text);

}  // namespace cove
