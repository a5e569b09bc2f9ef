#include "api/event_codec.h"

#include <gtest/gtest.h>

#include "api/output_feed.h"
#include "base/write_json.h"

namespace cove {
namespace {

TEST(OutputEvents, ACharacterIsNotCut) {
  OutputEvents events("stdout");
  EXPECT_EQ(write_json(events.add("a\xC3")), R"({"type":"stdout","data":"a"})");
  EXPECT_EQ(write_json(events.add("\xA9z")), R"({"type":"stdout","data":"éz"})");
  EXPECT_TRUE(events.add("\xF0\x9F").empty());
  EXPECT_EQ(write_json(events.rest()), R"({"type":"stdout","data_base64":"8J8="})");
  EXPECT_TRUE(events.rest().empty());
}

TEST(OutputEvents, BytesThatAreNoTextAreBase64) {
  OutputEvents events("stderr");
  EXPECT_EQ(write_json(events.add("\xFF\xFE")), R"({"type":"stderr","data_base64":"//4="})");
}

TEST(OutputFeed, KeepsOrderAndSaysWhatItDropped) {
  std::vector<std::string> sent;
  bool full = false;
  OutputFeed feed([&](const json::object& event, bool must_keep) {
    if (full && !must_keep) return false;
    sent.push_back(write_json(event));
    return true;
  });
  feed.output(OutputStream::Stdout, "early");
  EXPECT_TRUE(sent.empty());
  feed.open(started_event("x"));
  full = true;
  feed.output(OutputStream::Stdout, "1234");
  full = false;
  feed.output(OutputStream::Stdout, "5");
  feed.close({{"type", "result"}});
  ASSERT_EQ(sent.size(), 5U);
  EXPECT_EQ(sent[0], R"({"type":"started","execution_id":"x"})");
  EXPECT_EQ(sent[1], R"({"type":"stdout","data":"early"})");
  EXPECT_EQ(sent[2], R"({"type":"dropped","stream":"stdout","bytes":4})");
  EXPECT_EQ(sent[3], R"({"type":"stdout","data":"5"})");
}

TEST(EventFormat, ByQueryOrAccept) {
  HttpRequest request;
  EXPECT_EQ(event_format_of(request), EventFormat::None);
  request.headers = {{"accept", "text/event-stream"}};
  EXPECT_EQ(event_format_of(request), EventFormat::Sse);
  request.query = {{"stream", "ndjson"}};
  EXPECT_EQ(event_format_of(request), EventFormat::Ndjson);
  request.query = {{"stream", "tape"}};
  EXPECT_FALSE(event_format_of(request));
  EXPECT_EQ(encode_event(EventFormat::Sse, {{"type", "x"}}),
            "event: x\ndata: {\"type\":\"x\"}\n\n");
}

}  // namespace
}  // namespace cove
