#include "client/event_decoder.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

using Format = EventDecoder::Format;

// The types of all events, whatever pieces the text arrives in.
std::string types(Format format, std::string_view text, std::size_t step) {
  EventDecoder decoder(format);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += step) {
    const auto events = decoder.feed(text.substr(at, step));
    if (!events) return "error: " + events.error().message();
    for (const json::object& event : *events) {
      out += std::string(event.at("type").get_string()) + " ";
    }
  }
  return out + (decoder.at_boundary() ? "." : "cut");
}

TEST(EventDecoder, ReadsLines) {
  const std::string text = "{\"type\":\"a\"}\n\n{\"type\":\"b\",\"data\":\"x\\n\"}\r\n";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    EXPECT_EQ(types(Format::Ndjson, text, step), "a b .");
  }
}

TEST(EventDecoder, ReadsServerSentEventsWithAnyLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = ": hello" + end + "event: a" + end + "data: {\"type\":" + end +
                             "data: \"a\"}" + end + end + "id: 7" + end + end +
                             "data:{\"type\":\"b\"}" + end + end;
    for (std::size_t step = 1; step <= text.size(); ++step) {
      EXPECT_EQ(types(Format::Sse, text, step), "a b .") << step;
    }
  }
}

TEST(EventDecoder, SaysWhenAnEventIsCut) {
  EXPECT_EQ(types(Format::Ndjson, "{\"type\":\"a\"}\n{\"ty", 100), "a cut");
  EXPECT_EQ(types(Format::Sse, "data: {\"type\":\"a\"}\n", 100), "cut");
}

TEST(EventDecoder, RefusesWhatIsNoEvent) {
  for (const char* text : {"x\n", "[]\n", "{}\n", "{\"type\":1}\n", "{\"type\":\"a\"} {}\n"}) {
    EventDecoder decoder(Format::Ndjson);
    EXPECT_FALSE(decoder.feed(text)) << text;
    EXPECT_FALSE(decoder.feed("{\"type\":\"a\"}\n")) << "a broken stream stays broken";
  }
}

TEST(EventDecoder, HoldsNoMoreThanOneEvent) {
  EventDecoder lines(Format::Ndjson, Bytes{100});
  EXPECT_TRUE(lines.feed(std::string(60, ' ')));
  EXPECT_FALSE(lines.feed(std::string(60, ' ')));
  EventDecoder sse(Format::Sse, Bytes{100});
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) refused = !sse.feed("data: 0123456789\n");
  EXPECT_TRUE(refused) << "data lines add up";
}

TEST(EventDecoder, GivesOutputAsBytes) {
  EXPECT_EQ(*event_bytes({{"type", "stdout"}, {"data", "h\n"}}), "h\n");
  EXPECT_EQ(*event_bytes({{"type", "stdout"}, {"data_base64", "/wA="}}), std::string("\xff\0", 2));
  EXPECT_FALSE(event_bytes({{"type", "stdout"}}));
  EXPECT_FALSE(event_bytes({{"type", "stdout"}, {"data_base64", "%"}}));
}

}  // namespace
}  // namespace cove
