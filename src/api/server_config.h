#pragma once
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/limits.h"

namespace cove {

inline constexpr std::string_view kNativeBackend = "native";

// Everything an operator decides. The keys, their defaults and what they are for: config_keys.cc.
struct ServerConfig {
  std::vector<std::string> listen;
  unsigned unix_mode = 0;
  std::string tls_certificate;
  std::string tls_key;
  std::string environment;
  std::string api_key;
  std::string keys_file;
  std::string data_dir;
  std::string log;

  std::chrono::milliseconds default_timeout{0};
  std::chrono::milliseconds max_timeout{0};
  std::chrono::milliseconds max_compile{0};
  unsigned max_concurrent_jobs = 0;
  unsigned max_queue = 0;

  std::vector<std::string> backends;
  std::string container_engine;
  std::string container_image;
  std::string container_runtime;
  unsigned container_pool_size = 0;
  std::string docker_host;
  std::string isolation;
  std::string policy;
  std::vector<std::string> policies;
  std::vector<std::string> policy_files;
  bool custom_policies = false;
  Bytes max_memory;
  double max_cpus = 0;
  unsigned max_processes = 0;
  Bytes max_disk;
  Bytes max_output;

  unsigned pool_size = 0;
  std::vector<std::string> pool_languages;
  std::vector<std::string> profile_files;

  unsigned max_sessions = 0;
  std::chrono::milliseconds session_idle_timeout{0};
  std::chrono::milliseconds session_max_idle_timeout{0};
  std::chrono::milliseconds session_interrupt_grace{0};

  std::chrono::milliseconds history_age{0};
  Bytes history_size;
  std::chrono::milliseconds file_age{0};
  Bytes file_size;

  unsigned max_connections = 0;
  unsigned io_threads = 0;
  unsigned worker_threads = 0;
  Bytes max_header;
  Bytes max_body;
  Bytes max_bodies;
  Bytes max_message;
  Bytes stream_buffer;
  std::chrono::milliseconds stream_keep_alive{0};
  std::chrono::milliseconds idle_timeout{0};
  std::chrono::milliseconds header_timeout{0};
  std::chrono::milliseconds body_timeout{0};
  std::chrono::milliseconds write_timeout{0};
  std::chrono::milliseconds shutdown_grace{0};
  std::chrono::milliseconds shutdown_delay{0};

  std::set<std::string, std::less<>> given;  // settings that somebody set, by name

  // development, dev, local, test: a key is not required there.
  bool is_development() const;
  // keys_file, or its place in data_dir; empty: there is no key file.
  std::string key_file_path() const;
  // The most that any run gets, whether it asks for it or its policy or language gives it.
  Limits most() const;
};

// native, local, container, docker, or image: and a name.
bool is_backend_name(std::string_view name);

// What would be unsafe or cannot work: no key outside development, another bind than loopback
// without one, times that contradict each other, backends that are none. `has_key`: the ring holds
// at least one.
Result<> check_server_config(const ServerConfig& config, bool has_key);

}  // namespace cove
