#include "attack_fixture.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/data_dir.h"
#include "image/image_store.h"
#include "model/names.h"
#include "model/result_codec.h"

namespace cove::attack {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kWaitingGuests = 2;

std::string isolation() {
  const char* chosen = std::getenv("COVE_TEST_ISOLATION");
  return chosen != nullptr && *chosen != '\0' ? chosen : "namespaces";
}

Result<std::unique_ptr<NativeExecutor>> make_executor(Start start) {
  COVE_ASSIGN(const auto data, data_dir());
  COVE_ASSIGN(auto catalog, RuntimeCatalog::load(data + "/profiles"));
  COVE_TRY(catalog.add_profile_file(COVE_SUITE_DIR "/attacked_python.toml"));
  NativeOptions options;
  options.isolation = isolation();
  // tests/image: the same attacks from inside an image's root file system.
  if (const char* image = std::getenv("COVE_TEST_IMAGE"); image != nullptr && *image != '\0') {
    COVE_ASSIGN(const ImageStore store, ImageStore::of_user());
    COVE_ASSIGN(options.image, store.open_root(image));
  }
  if (start == Start::Warm) options.pool = {.size = kWaitingGuests, .languages = {"attacked"}};
  COVE_ASSIGN(auto executor, NativeExecutor::create(std::move(catalog), std::move(options)));
  COVE_TRY(executor->start());
  return executor;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Start start) {
  return out << (start == Start::Cold ? "cold" : "warm");
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool hit(const ExecutionResult& result, LimitHit limit) {
  return std::ranges::find(result.limits_hit, limit) != result.limits_hit.end();
}

std::string describe(const ExecutionResult& result) {
  std::string text = encode_result_text(result);
  if (text.size() > 3000) text = text.substr(0, 3000) + " …";
  return text;
}

void Attack::SetUp() {
  adopt_orphans();
  // What the process keeps for good (the sealed helper) is opened by its first run.
  static const bool opened = [] {
    auto first = make_executor(Start::Cold);
    return first && (*first)->execute(program("next_job.py")).has_value();
  }();
  ASSERT_TRUE(opened);
  before_ = Footprint::now();
  auto made = make_executor(GetParam());
  ASSERT_TRUE(made) << made.error().message();
  executor_ = std::move(*made);
  able_ = executor_->capabilities();
  ASSERT_TRUE(executor_->wait_until_warm(kPatience));
  // The one limitation that the level itself is: no waiting guests, and it says so.
  ASSERT_EQ(able_.warm, namespaces());
}

void Attack::TearDown() {
  if (!executor_) return;
  ExecutionRequest next = program("next_job.py");
  const auto result = execute(next);
  ASSERT_TRUE(result) << "the next job: " << result.error().message();
  EXPECT_EQ(result->stdout_data, "the next job works\n") << describe(*result);
  EXPECT_TRUE(result->is_success()) << describe(*result);
  executor_.reset();
  const Footprint after = Footprint::now();
  EXPECT_EQ(leftovers(before_, after), "");
  EXPECT_TRUE(::waitpid(-1, nullptr, WNOHANG | __WALL) == -1 && errno == ECHILD)
      << "a process of a guest outlived its executor";
}

ExecutionRequest Attack::program(std::string_view name) {
  ExecutionRequest request;
  request.language = "attacked";
  request.code = read_text(fmt::format("{}/guests/{}", COVE_SUITE_DIR, name));
  EXPECT_FALSE(request.code.empty()) << name;
  request.timeout = std::chrono::seconds(5);
  request.files.push_back({"kit.py", read_text(COVE_SUITE_DIR "/guests/kit.py"), {}});
  return request;
}

ExecutionResult Attack::attack(std::string_view name, std::string_view layer) {
  return attack(program(name), layer);
}

ExecutionResult Attack::attack(const ExecutionRequest& request, std::string_view layer) {
  RecordProperty("layer", std::string(layer));
  const auto result = execute(request);
  if (!result) {
    ADD_FAILURE() << "not a result but an error: " << result.error().message();
    return {};
  }
  EXPECT_EQ(result->isolation, able_.isolation);
  if (!may_run_cold_ && request.language == "attacked") {
    EXPECT_EQ(result->warm, warm()) << "the guest was not started as this test says";
  }
  if (GetParam() == Start::Cold) {
    EXPECT_EQ(Footprint::now().children, before_.children)
        << "processes are left when the job returns";
  }
  return *result;
}

Result<ExecutionResult> Attack::execute(const ExecutionRequest& request) {
  return executor_->execute(request);
}

json::object Attack::seen(const ExecutionResult& result) {
  std::string_view text = result.stdout_data;
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (const auto line = text.rfind('\n'); line != std::string_view::npos)
    text.remove_prefix(line + 1);
  boost::system::error_code failed;
  const auto value = json::parse({text.data(), text.size()}, failed);
  if (failed || !value.is_object()) {
    ADD_FAILURE() << "the guest reported nothing: " << describe(result);
    return {};
  }
  return value.get_object();
}

std::int64_t Attack::number(const json::object& facts, std::string_view name) {
  const auto* value = facts.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : -1;
}

std::string Attack::fact(const json::object& facts, std::string_view name) {
  const auto* value = facts.if_contains(name);
  if (value == nullptr) return "(not reported)";
  return value->is_string() ? json::value_to<std::string>(*value) : json::serialize(*value);
}

void Attack::expect_facts(const ExecutionResult& result, std::initializer_list<Fact> facts) {
  const auto object = seen(result);
  if (object.empty()) return;
  for (const auto& [name, value] : facts) EXPECT_EQ(fact(object, name), value) << "for " << name;
}

void Attack::expect_each(const ExecutionResult& result,
                         std::initializer_list<std::string_view> names, const std::string& value) {
  const auto object = seen(result);
  if (object.empty()) return;
  for (const auto name : names) EXPECT_EQ(fact(object, name), value) << "for " << name;
}

bool Attack::declared(std::string_view words) const {
  return std::ranges::any_of(
      able_.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

INSTANTIATE_TEST_SUITE_P(, Attack, ::testing::Values(Start::Cold, Start::Warm),
                         ::testing::PrintToStringParamName());

}  // namespace cove::attack
