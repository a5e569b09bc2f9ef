#include "runtime/mount_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/strings.h"
#include "runtime/symlink_chain.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

// Merged into /usr on most systems; the sandbox makes the links again where they are links.
constexpr const char* kSystemDirectories[] = {"/usr",   "/bin",   "/sbin",  "/lib",
                                              "/lib32", "/lib64", "/libx32"};

// What programs commonly read below /etc. Accounts, hosts and name resolution are absent: the
// sandbox makes its own.
constexpr const char* kSystemSettings[] = {
    "/etc/ld.so.cache",     "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
    "/etc/localtime",       "/etc/timezone",   "/etc/mime.types",   "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf", "/etc/protocols",  "/etc/services"};

bool exists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

bool is_in_base_system(const std::string& path) {
  return is_below(path, "/etc/alternatives") ||
         std::ranges::any_of(kSystemDirectories, [&](std::string_view directory) {
           return path == directory || is_below(path, directory);
         });
}

bool is_home(const fs::path& directory) {
  if (directory.parent_path() == "/home" || directory == "/root") return true;
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
  return home != nullptr && directory == home;
}

// Whether showing this directory would show much that has nothing to do with the program.
bool is_too_much(const fs::path& directory) {
  const fs::path parent = directory.parent_path();
  return parent == "/" || directory == "/" || is_home(directory) ||
         (directory.filename() == ".local" && is_home(parent));
}

// The installation that a program belongs to: /opt/x for /opt/x/bin/python. Stores that keep each
// package in a directory of its own are shown whole, because packages there need each other.
fs::path prefix_of(const fs::path& program) {
  for (const char* store : {"/nix/store", "/gnu/store"}) {
    if (is_below(program.string(), store)) return store;
  }
  const fs::path directory = program.parent_path();
  return directory.filename() == "bin" ? directory.parent_path() : directory;
}

// The directory of the interpreter that a Python virtual environment was made from.
std::string base_of_virtual_environment(const fs::path& prefix) {
  std::ifstream config(prefix / "pyvenv.cfg");
  std::string line;
  for (int lines = 0; lines < 100 && std::getline(config, line); ++lines) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view text(line);
    if (trim(text.substr(0, equals)) == "home") return std::string(trim(text.substr(equals + 1)));
  }
  return {};
}

void add_installation(const fs::path& program, std::vector<std::string>& paths) {
  if (is_in_base_system(program.string())) return;
  const fs::path prefix = prefix_of(program);
  if (!is_too_much(prefix)) {
    paths.push_back(prefix.string());
    return;
  }
  // The program alone, and the libraries that it may look for beside itself.
  paths.push_back(program.string());
  if (const fs::path libraries = prefix / "lib";
      program.parent_path().filename() == "bin" && !is_in_base_system(libraries.string())) {
    paths.push_back(libraries.string());
  }
}

void add_program(const std::string& program, std::vector<std::string>& paths) {
  for (const std::string& hop : symlink_chain(program)) {
    add_installation(hop, paths);
    const std::string base = base_of_virtual_environment(prefix_of(hop));
    if (base.starts_with('/')) {
      for (const std::string& base_hop : symlink_chain(base + "/python3")) {
        add_installation(base_hop, paths);
      }
    }
  }
}

// A link that would have to be shown as a lone file would cease to be a link, and an interpreter
// that finds its library by following it would be lost: start what it leads to instead.
std::string startable(const std::string& interpreter) {
  for (const std::string& hop : symlink_chain(interpreter)) {
    if (is_in_base_system(hop) || !is_too_much(prefix_of(hop))) return hop;
  }
  return interpreter;
}

}  // namespace

MountList list_mounts(const std::string& interpreter, std::span<const std::string> needed,
                      std::span<const std::string> extra) {
  MountList list{startable(interpreter), {}};
  std::vector<std::string> wanted(std::begin(kSystemDirectories), std::end(kSystemDirectories));
  wanted.insert(wanted.end(), std::begin(kSystemSettings), std::end(kSystemSettings));
  wanted.insert(wanted.end(), extra.begin(), extra.end());
  add_program(list.interpreter, wanted);
  for (const std::string& command : needed) add_program(command, wanted);

  // With the slash before all other characters, so that /opt/a comes directly before all below it.
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  std::ranges::sort(wanted, [&](const std::string& a, const std::string& b) {
    return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
  });
  for (std::string& path : wanted) {
    const bool is_shown =
        !list.paths.empty() && (path == list.paths.back() || is_below(path, list.paths.back()));
    if (!is_shown && exists(path)) list.paths.push_back(std::move(path));
  }
  return list;
}

}  // namespace cove
