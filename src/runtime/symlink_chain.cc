#include "runtime/symlink_chain.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace cove {
namespace {

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr),
                                                             &std::free);
  return resolved ? std::string(resolved.get()) : path;
}

}  // namespace

std::vector<std::string> symlink_chain(const std::string& path) {
  constexpr std::size_t kMaxLinks = 40;
  std::vector<std::string> chain{std::filesystem::path(path).lexically_normal().string()};
  char target[PATH_MAX];
  while (chain.size() <= kMaxLinks) {
    const ssize_t n = ::readlink(chain.back().c_str(), target, sizeof target);
    if (n <= 0 || n == static_cast<ssize_t>(sizeof target)) break;
    // `..` in a link counts from where the link's directory really is, not from how it was named.
    const std::filesystem::path directory =
        real_path(std::filesystem::path(chain.back()).parent_path().string());
    chain.push_back(
        (directory / std::string(target, static_cast<std::size_t>(n))).lexically_normal().string());
  }
  // Directories on the way may be links as well.
  if (std::string real = real_path(chain.back()); real != chain.back()) {
    chain.push_back(std::move(real));
  }
  return chain;
}

}  // namespace cove
