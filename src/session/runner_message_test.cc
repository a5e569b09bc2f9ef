#include "session/runner_message.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(RunnerMessage, ReadsAResult) {
  const auto message = parse_runner_message(
      R"({"type":"done","number":3,"ok":false,"value":{"text/plain":"1","text/html":"<b>"},)"
      R"("error":{"name":"E","value":"v","traceback":["a","b"]}})");
  ASSERT_TRUE(message) << message.error().message();
  const auto& done = std::get<RunnerDone>(*message);
  EXPECT_EQ(done.number, 3U);
  EXPECT_FALSE(done.ok);
  EXPECT_EQ(done.value->size(), 2U);
  EXPECT_EQ(done.error->traceback.size(), 2U);
}

TEST(RunnerMessage, ReadsTheOthers) {
  EXPECT_TRUE(std::holds_alternative<RunnerReady>(*parse_runner_message(R"({"type":"ready"})")));
  EXPECT_TRUE(
      std::holds_alternative<RunnerStarted>(*parse_runner_message(R"({"type":"started"})")));
  const auto display = parse_runner_message(R"({"type":"display","data":{"image/svg+xml":"x"}})");
  EXPECT_EQ(std::get<RunnerDisplay>(*display).data[0].first, "image/svg+xml");
  const auto forked = parse_runner_message(R"({"type":"forked","threads":["a"]})");
  EXPECT_EQ(std::get<RunnerForked>(*forked).lost_threads.size(), 1U);
  const auto refused = parse_runner_message(R"({"type":"refused","reason":"no"})");
  EXPECT_EQ(std::get<RunnerRefused>(*refused).reason, "no");
}

TEST(RunnerMessage, RefusesEverythingElse) {
  for (const char* text :
       {"", "[]", "1", "{}", R"({"type":1})", R"({"type":"exec"})", R"({"type":"ready","x":1})",
        R"({"type":"display"})", R"({"type":"display","data":{"plain":"x"}})",
        R"({"type":"display","data":{"text/plain":1}})", R"({"type":"done","number":"1"})",
        R"({"type":"done","number":1.5})", R"({"type":"done","error":"x"})",
        R"({"type":"display","data":{"text/plain\n":"x"}})",
        R"({"type":"done","value":[[[[[[[[[[[]]]]]]]]]]]})"}) {
    EXPECT_FALSE(parse_runner_message(text)) << text;
  }
}

TEST(RunnerMessage, BoundsListsOfTheGuest) {
  std::string lines = R"({"type":"done","number":1,"error":{"traceback":["x")";
  for (int i = 0; i < 2000; ++i) lines += R"(,"x")";
  const auto message = parse_runner_message(lines + "]}}");
  ASSERT_TRUE(message) << message.error().message();
  EXPECT_EQ(std::get<RunnerDone>(*message).error->traceback.size(), 500U);
  for (int i = 0; i < 5000; ++i) lines += R"(,"x")";
  EXPECT_FALSE(parse_runner_message(lines + "]}}"));
}

}  // namespace
}  // namespace cove
