#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cove::sandbox {

enum class Level : unsigned char { Namespaces, Landlock };

// A host path shown inside the sandbox.
struct HostMount {
  std::string source;
  std::string target;
  bool writable = false;
  bool optional = false;  // absent on the host: left out
};

// A small file of Cove's own, put into the read-only root.
struct OwnFile {
  std::string target;
  std::string bytes;
};

// A link in the root: /bin to usr/bin.
struct OwnLink {
  std::string target;
  std::string leads_to;
};

// How far memory can be limited here: by a cgroup over the tree, or by each process's data segment.
enum class MemoryControl : unsigned char { Cgroup, PerProcess };

// Everything that the containment of one guest needs to know; plain data. What it is called in a
// policy, or which language runs, is not known here.
struct SandboxSpec {
  Level level = Level::Namespaces;
  std::vector<HostMount> mounts;
  std::vector<OwnFile> own_files;
  std::vector<std::string> own_directories;
  std::vector<OwnLink> own_links;
  // Namespaces level: accounts and hosts are ours. False when a mount brings a whole /etc.
  bool own_etc = true;
  // Namespaces level: a host directory instead of the private /workspace.
  std::optional<HostMount> workspace;
  // Landlock level: the private host directories that stand in for /workspace, /tmp and /code.
  std::string scratch_dir;
  std::string working_directory = "/workspace";
  bool network = false;
  bool terminal = false;  // the standard streams are one pseudo-terminal

  std::uint64_t memory_bytes = 512ULL << 20U;
  MemoryControl memory_control = MemoryControl::Cgroup;
  std::uint32_t processes = 64;
  std::uint64_t disk_bytes = 64ULL << 20U;
  std::uint32_t inodes = 16384;
  std::uint32_t descriptors = 256;
  std::optional<std::uint64_t> cpu_seconds;

  int landlock_abi = 0;

  std::string executable;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  // Several processes of equal standing share the sandbox, with directories of their own below
  // /sessions; it lives until it is dropped. Namespaces level only.
  bool family = false;
  bool await_job = true;  // lock down first, then wait for the job before exec
  // Made, empty, in /code before the interpreter starts: some open their program before they wait.
  std::string program_file;

  // Outer ids of the guest. As an ordinary user: the user's own. Never 0.
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool can_change_ids = false;  // the Cove process is root
};

inline constexpr std::uint32_t kGuestUid = 65534;

}  // namespace cove::sandbox
