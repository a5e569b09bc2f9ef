#pragma once
#include <chrono>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "executor/native/native_executor.h"
#include "footprint.h"
#include "model/execution_request.h"
#include "model/execution_result.h"

namespace cove::attack {

// What the profile attacked_python.toml allows.
inline constexpr int kProcesses = 24;
inline constexpr std::uint64_t kMemory = 128ULL << 20U;
inline constexpr std::uint64_t kDisk = 8ULL << 20U;
inline constexpr int kInodes = 1024;

// What seccomp answers to a kind of socket that is not given.
inline constexpr const char* kNoSuchSocket = "EAFNOSUPPORT";

// How the guest under attack was started.
enum class Start : unsigned char { Cold, Warm };
std::ostream& operator<<(std::ostream& out, Start start);

// A fact that the guest must have reported, by name: {"unshare", "EPERM"}.
struct Fact {
  std::string name;
  std::string value;
};

// One attack a test, each on an executor of its own: first the attack, then, in TearDown, a job on
// the same executor that must work, and a look at what is left: see footprint.h. Every case runs
// cold and warm. COVE_TEST_ISOLATION chooses the level; the test's own user says the rest.
class Attack : public ::testing::TestWithParam<Start> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // The program guests/NAME as a request: five seconds, guest language, and guests/kit.py beside
  // it.
  static ExecutionRequest program(std::string_view name);
  // Runs it; the layer that must stop it goes into the test's record.
  ExecutionResult attack(std::string_view name, std::string_view layer);
  ExecutionResult attack(const ExecutionRequest& request, std::string_view layer);
  // Without the assertions of attack(); may be called from another thread.
  Result<ExecutionResult> execute(const ExecutionRequest& request);

  // What the guest itself saw: the JSON object on its last line of stdout.
  static json::object seen(const ExecutionResult& result);
  // A number that it reported; -1: none.
  static std::int64_t number(const json::object& facts, std::string_view name);
  // Any fact, as text.
  static std::string fact(const json::object& facts, std::string_view name);
  // The same value for many facts.
  static void expect_each(const ExecutionResult& result,
                          std::initializer_list<std::string_view> names, const std::string& value);
  static void expect_facts(const ExecutionResult& result, std::initializer_list<Fact> facts);

  // For limits that a waiting guest cannot take on any more.
  void may_run_cold() { may_run_cold_ = true; }

  bool warm() const { return GetParam() == Start::Warm && able_.warm; }
  bool landlock() const { return able_.isolation == "landlock"; }
  bool namespaces() const { return able_.isolation == "namespaces"; }
  // True where a control group bounds the whole tree.
  bool cgroup() const { return able_.memory == LimitReach::Tree; }
  bool can_limit_processes() const { return able_.processes != LimitReach::None; }
  bool can_limit_disk() const { return able_.disk != LimitReach::None; }
  // The errno of the layer that stops it at this level.
  std::string by_level(const char* namespaces, const char* landlock) const {
    return this->namespaces() ? namespaces : landlock;
  }
  bool declared(std::string_view words) const;  // a note of the capabilities says so

  BackendCapabilities able_;
  std::unique_ptr<NativeExecutor> executor_;

 private:
  Footprint before_;
  bool may_run_cold_ = false;
};

std::string read_text(const std::string& path);
bool hit(const ExecutionResult& result, LimitHit limit);
std::string describe(const ExecutionResult& result);  // for messages of failed assertions

}  // namespace cove::attack
