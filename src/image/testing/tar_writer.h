#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cove::testing {

// Writes tar archives for tests, sound or not: every field of a header can be wrong.
class TarWriter {
 public:
  struct Member {
    // g++ 12 wants them for designated initialisers.
    // NOLINTBEGIN(readability-redundant-member-init)
    std::string path;
    std::string content = {};
    char type = '0';
    std::string link = {};
    std::uint32_t mode = 0644;
    std::string size = {};  // the raw field instead of the content's size
    std::uint64_t mtime = 1'600'000'000;
    // NOLINTEND(readability-redundant-member-init)
  };

  TarWriter& add(const Member& member) {
    std::array<char, 512> header{};
    put(header, 0, member.path.substr(0, 100));
    put(header, 100, fmt::format("{:07o}", member.mode));
    put(header, 108, "0000000");
    put(header, 116, "0000000");
    put(header, 124,
        member.size.empty() ? fmt::format("{:011o}", member.content.size()) : member.size);
    put(header, 136, fmt::format("{:011o}", member.mtime));
    header[156] = member.type;
    put(header, 157, member.link.substr(0, 100));
    put(header, 257,
        std::string_view("ustar\0"
                         "00",
                         8));
    seal(header);
    bytes_.append(header.data(), header.size());
    bytes_ += member.content;
    bytes_.append((512 - member.content.size() % 512) % 512, '\0');
    return *this;
  }
  TarWriter& file(const std::string& path, const std::string& content) {
    return add({.path = path, .content = content});
  }
  TarWriter& directory(const std::string& path) {
    return add({.path = path, .type = '5', .mode = 0755});
  }
  TarWriter& symlink(const std::string& path, const std::string& to) {
    return add({.path = path, .type = '2', .link = to, .mode = 0777});
  }
  TarWriter& hard_link(const std::string& path, const std::string& to) {
    return add({.path = path, .type = '1', .link = to});
  }
  TarWriter& pax(const std::string& records) {
    return add({.path = "PaxHeaders/x", .content = records, .type = 'x'});
  }
  TarWriter& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  static std::string pax_record(const std::string& key, const std::string& value) {
    std::size_t size = key.size() + value.size() + 3;
    while (fmt::format("{} {}={}\n", size, key, value).size() != size) ++size;
    return fmt::format("{} {}={}\n", size, key, value);
  }
  // The archive with its end marker.
  std::string finish() const { return bytes_ + std::string(1024, '\0'); }
  const std::string& unfinished() const { return bytes_; }

  static void seal(std::array<char, 512>& header) {
    for (std::size_t i = 148; i < 156; ++i) header[i] = ' ';
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(header, 148, fmt::format("{:06o}", sum));
    header[154] = '\0';
  }

 private:
  static void put(std::array<char, 512>& header, std::size_t at, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) header[at + i] = text[i];
  }
  std::string bytes_;
};

}  // namespace cove::testing
