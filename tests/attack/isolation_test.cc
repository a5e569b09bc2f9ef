// Cases 64–73: isolation and secrets.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "attack_fixture.h"
#include "base/unique_fd.h"

namespace cove::attack {
namespace {

using namespace std::chrono_literals;

TEST_P(Attack, Case64Environment) {
  ::setenv("COVE_ATTACK_SECRET", "hunter2", 1);
  const auto result = attack("64_environment.py", "fresh environment; pid namespace or landlock");
  ::unsetenv("COVE_ATTACK_SECRET");
  const auto facts = seen(result);
  EXPECT_EQ(fact(facts, "own"), "[]");
  EXPECT_EQ(fact(facts, "others"), "[]");
  EXPECT_EQ(fact(facts, "readable"), "[]");
  expect_facts(result, {{"init", "EACCES"}});
}

// A socket of the host's without a path in the file system.
UniqueFd listen_on(const std::string& name, int type) {
  UniqueFd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(::listen(socket.get(), 1), 0);
  }
  return socket;
}

TEST_P(Attack, Case65AbstractSocket) {
  const std::string name = fmt::format("cove-attack-{}", ::getpid());
  const UniqueFd stream = listen_on(name + "stream", SOCK_STREAM);
  const UniqueFd datagram = listen_on(name + "datagram", SOCK_DGRAM);
  ExecutionRequest request = program("65_abstract_socket.py");
  request.args = {name};
  const auto result = attack(request, "network namespace ECONNREFUSED, or seccomp EAFNOSUPPORT");
  expect_facts(result, {{"stream", by_level("ECONNREFUSED", kNoSuchSocket)},
                        {"datagram", by_level("ECONNREFUSED", kNoSuchSocket)}});
  EXPECT_EQ(fact(seen(result), "listed"), "false");
  char byte = 0;
  EXPECT_EQ(::recv(datagram.get(), &byte, 1, MSG_DONTWAIT), -1) << "the guest's byte arrived";
}

TEST_P(Attack, Case66Network) {
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_GE(server.get(), 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  ExecutionRequest request = program("66_network.py");
  request.args = {std::to_string(ntohs(address.sin_port))};
  const auto result = attack(request, "seccomp EAFNOSUPPORT");
  expect_facts(result, {{"metadata", kNoSuchSocket},
                        {"localhost", kNoSuchSocket},
                        {"localhost6", kNoSuchSocket},
                        {"raw", kNoSuchSocket}});
  EXPECT_NE(fact(seen(result), "dns"), "OK");
}

// What a guest with mounts of its own sees of a path that the host may have.
std::string hidden_by_namespaces(const std::string& path, bool on_host) {
  constexpr std::array kMasked = {"/proc/kcore",         "/proc/kallsyms",   "/proc/keys",
                                  "/proc/timer_list",    "/proc/modules",    "/proc/cmdline",
                                  "/proc/sysrq-trigger", "/proc/interrupts", "/proc/config.gz"};
  constexpr std::array kClosed = {"/proc/kmsg", "/proc/kpagecount", "/proc/1/root/etc/shadow"};
  if (path == "/proc/fs") return "listing:";  // an empty directory covers it
  if (!on_host) return "ENOENT";
  if (std::ranges::find(kMasked, path) != kMasked.end()) return "";
  if (std::ranges::find(kClosed, path) != kClosed.end()) return "EACCES";
  return "ENOENT";  // not mounted
}

TEST_P(Attack, Case67HostFacts) {
  const auto result = attack("67_host_facts.py", "mounts; landlock EACCES");
  const auto facts = seen(result);
  for (const auto& [name, value] : facts) {
    if (!name.starts_with('/')) continue;
    const bool on_host = ::access(std::string(name).c_str(), F_OK) == 0 || errno != ENOENT;
    const std::string expected = landlock() ? (on_host ? "EACCES" : "ENOENT")
                                            : hidden_by_namespaces(std::string(name), on_host);
    EXPECT_EQ(fact(facts, name), expected) << name;
  }
  EXPECT_EQ(fact(facts, "release_agents"), "[]");
  if (namespaces()) {
    EXPECT_EQ(fact(facts, "hostname"), "sandbox");
  }
}

TEST_P(Attack, Case68LeftForTheNext) {
  ExecutionRequest leave = program("68_leaves.py");
  leave.args = {"leave"};
  const auto left = attack(leave, "a fresh tmpfs, or directory, a guest");
  const std::string written = fact(seen(left), "written");
  if (namespaces()) {
    EXPECT_EQ(written, R"(["/dev/shm","/tmp","/workspace"])");
  } else {
    EXPECT_EQ(written.find("\"/dev/shm\""), std::string::npos) << written;
    EXPECT_EQ(written.find("\"/tmp\""), std::string::npos) << written;
  }
  ExecutionRequest look = program("68_leaves.py");
  look.args = {"look"};
  EXPECT_EQ(fact(seen(attack(look, "a fresh tmpfs, or directory, a guest")), "found"), "[]");
}

// The private host directory of a guest that is running now; namespaces have none.
std::string guessed_directory() {
  const char* chosen = std::getenv("TMPDIR");
  const std::string parent = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(fmt::format("cove-{}-", ::getpid()))) return entry.path().string();
  }
  return "/nonexistent";
}

TEST_P(Attack, Case69SpiesOnAnother) {
  std::thread other([this] {
    const auto kept = execute(program("69_keeps_secret.py"));
    ASSERT_TRUE(kept);
    EXPECT_TRUE(kept->is_success()) << describe(*kept);
    EXPECT_EQ(kept->output_files.size(), 1U) << describe(*kept);
  });
  std::this_thread::sleep_for(500ms);
  ExecutionRequest request = program("69_spies.py");
  request.args = {guessed_directory()};
  const auto result = execute(request);
  other.join();
  ASSERT_TRUE(result);
  RecordProperty("layer", "mount and pid namespaces ENOENT, or landlock EACCES");
  EXPECT_EQ(request.args[0] == "/nonexistent", namespaces());
  expect_facts(*result, {{"read", by_level("ENOENT", "EACCES")},
                         {"listing", by_level("ENOENT", "EACCES")},
                         {"unlink", by_level("ENOENT", "EACCES")},
                         {"make", by_level("ENOENT", "EACCES")},
                         {"append", by_level("ENOENT", "EACCES")}});
  EXPECT_NE(fact(seen(*result), "rename"), "OK");
  EXPECT_NE(fact(seen(*result), "chmod"), "OK");
  EXPECT_EQ(fact(seen(*result), "found"), "[]");
}

TEST_P(Attack, Case70StartUpVariables) {
  for (const char* name :
       {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME",
        "NODE_OPTIONS", "BASH_ENV", "ENV", "GLIBC_TUNABLES", "PERL5OPT", "RUBYOPT", "COVE_NATIVE",
        "COVE_PRELOAD", "GCONV_PATH"}) {
    ExecutionRequest request = program("next_job.py");
    request.env = {{name, "/workspace/evil.so"}};
    const auto refused = execute(request);
    ASSERT_FALSE(refused) << name << " was accepted";
    EXPECT_EQ(refused.error().code(), ErrorCode::InvalidRequest) << name;
    EXPECT_NE(refused.error().message().find(name), std::string::npos) << refused.error().message();
  }
  for (const char* name : {"", "A=B"}) {
    ExecutionRequest request = program("next_job.py");
    request.env = {{name, "x"}};
    EXPECT_FALSE(execute(request)) << name;
  }
}

TEST_P(Attack, Case71VariablesAreData) {
  ExecutionRequest request = program("71_environment_data.py");
  const std::vector<std::pair<std::string, std::string>> data = {
      {"DATA_QUOTES", R"("'`$(id)`'")"},
      {"DATA_LINES", "one\nLD_PRELOAD=/x\ntwo"},
      {"DATA_PYTHON", "'); import os; os._exit(9)  # "},
      {"DATA_EQUALS", "a=b=c"},
      {"DATA_UNICODE", "žluťoučký 🐎"},
      {"DATA_EMPTY", ""}};
  request.env = data;
  const auto result = attack(request, "length-prefixed strings");
  for (const auto& [name, value] : data) expect_facts(result, {{name, value}});
}

TEST_P(Attack, Case72OverwritesEtc) {
  const auto result = attack("72_overwrites_etc.py", "read-only root EROFS, or landlock EACCES");
  expect_each(
      result,
      {"passwd", "group", "hosts", "resolv.conf", "nsswitch.conf", "ld.so.preload", "ld.so.cache"},
      by_level("EROFS", "EACCES"));
}

TEST_P(Attack, Case73DifferentRandomBytes) {
  const auto one = seen(attack("73_random.py", "reseeded after the fork"));
  const auto two = seen(attack("73_random.py", "reseeded after the fork"));
  for (const char* name : {"urandom", "random", "secrets", "uuid", "temporary"}) {
    EXPECT_NE(fact(one, name), fact(two, name)) << name;
  }
}

}  // namespace
}  // namespace cove::attack
