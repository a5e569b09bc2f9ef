#include "api/http_parser.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

// Feeds `text` in pieces of `step` bytes, as a connection does. Gives what was left over.
std::string feed_all(HttpRequestParser& parser, std::string_view text, std::size_t step) {
  std::string buffer;
  while (!parser.done() && !parser.error()) {
    buffer.append(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
    std::size_t used = 0;
    do {
      used = parser.feed(buffer);
      buffer.erase(0, used);
    } while (used > 0 && !parser.done() && !parser.error() && !buffer.empty());
    if (text.empty()) break;
  }
  return buffer + std::string(text);
}

int status_of(std::string_view text, HttpReadLimits limits = {}) {
  HttpRequestParser parser(limits);
  feed_all(parser, text, text.size());
  if (parser.error()) return parser.error()->status;
  return parser.done() ? 200 : 0;
}

constexpr std::string_view kPost =
    "POST /execute?a=1&b=x%20y HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nhello";

TEST(HttpParser, ReadsARequestInPiecesOfAnySize) {
  for (const std::size_t step : {1, 2, 3, 7, 1000}) {
    HttpRequestParser parser({});
    const std::string rest = feed_all(parser, std::string(kPost) + "GET /next", step);
    ASSERT_TRUE(parser.done()) << step;
    EXPECT_TRUE(rest.ends_with("GET /next")) << step << rest;
    EXPECT_EQ(parser.request().method, "POST");
    EXPECT_EQ(parser.request().path, "/execute");
    EXPECT_EQ(parser.request().query_value("b"), "x y");
    EXPECT_EQ(parser.request().header("host"), "here");
    EXPECT_EQ(parser.request().body, "hello");
    EXPECT_TRUE(parser.request().keep_alive);
  }
}

TEST(HttpParser, ReadsChunks) {
  HttpRequestParser parser({});
  const std::string rest = feed_all(parser,
                                    "\r\n\r\nPOST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
                                    "chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\nmore",
                                    1);
  ASSERT_TRUE(parser.done());
  EXPECT_EQ(parser.request().body, "abcde");
  EXPECT_TRUE(rest.ends_with("more")) << rest;
}

TEST(HttpParser, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(status_of(head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 1, 1\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: +1\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: -1\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length: 0x1\r\n\r\nx"), 400);
  EXPECT_EQ(status_of(head + "Content-Length:\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "X-A: b\r\n folded\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "X-A : b\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "X-A: b\nX-B: c\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + "X-A: b\rc\r\n\r\n"), 400);
  EXPECT_EQ(status_of(head + std::string("X-A: b\0c\r\n\r\n", 12)), 400);
  EXPECT_EQ(status_of(head + "no colon\r\n\r\n"), 400);
  EXPECT_GE(status_of(head + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 400);
  EXPECT_GE(status_of(head + "Transfer-Encoding: chunked, chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);                        // no host
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);  // two
}

TEST(HttpParser, RefusesBadTargetsAndVersions) {
  const std::string rest = " HTTP/1.1\r\nHost: h\r\n\r\n";
  EXPECT_EQ(status_of("OPTIONS *" + rest), 400);
  EXPECT_EQ(status_of("CONNECT host:443" + rest), 400);
  EXPECT_EQ(status_of("GET nothing" + rest), 400);
  EXPECT_EQ(status_of("GET /a?x=%zz" + rest), 400);
  EXPECT_EQ(status_of("GET /a?x=1&x=2" + rest), 400);
  EXPECT_EQ(status_of("GET http://h/a" + rest), 200);
  EXPECT_EQ(status_of("GET http:///a" + rest), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET /\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\x16\x03\x01\x02\r\n\r\n"), 400);
}

TEST(HttpParser, HoldsItsLimits) {
  HttpReadLimits limits;
  limits.header = Bytes{200};
  limits.body = Bytes{10};
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(status_of(head + "X: " + std::string(300, 'a'), limits), 431);
  EXPECT_EQ(status_of(head + "X: " + std::string(300, 'a') + "\r\n\r\n", limits), 431);
  EXPECT_EQ(status_of(head + "Content-Length: 11\r\n\r\n", limits), 413);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n", limits),
            413);
  EXPECT_EQ(
      status_of(head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(400, 'x'), limits),
      400);
  EXPECT_EQ(status_of(head + "Content-Length: 99999999999999999999\r\n\r\n", limits), 400);
}

TEST(HttpParser, KnowsUpgradesAndExpectations) {
  HttpRequestParser parser({});
  feed_all(parser,
           "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: "
           "WebSocket\r\nExpect: 100-continue\r\n\r\n",
           1000);
  ASSERT_TRUE(parser.head_done());
  EXPECT_TRUE(parser.request().wants_upgrade);
  EXPECT_TRUE(parser.expects_continue());
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\nExpect: cake\r\n\r\n"), 417);
}

}  // namespace
}  // namespace cove
