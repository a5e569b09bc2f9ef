#include "http/server_url.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(ServerUrl, ReadsHostAndPort) {
  const auto url = parse_server_url("http://127.0.0.1:8700");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8700);
  EXPECT_FALSE(url->tls);
  EXPECT_TRUE(url->is_local());
  EXPECT_EQ(url->host_header(), "127.0.0.1:8700");
}

TEST(ServerUrl, KnowsTheUsualPortsAndATrailingSlash) {
  EXPECT_EQ(parse_server_url("http://cove.example/")->port, 80);
  const auto url = parse_server_url("https://cove.example");
  EXPECT_EQ(url->port, 443);
  EXPECT_TRUE(url->tls);
  EXPECT_FALSE(url->is_local());
}

TEST(ServerUrl, ReadsAnAddressInBrackets) {
  const auto url = parse_server_url("https://[::1]:9000");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->host_header(), "[::1]:9000");
  EXPECT_TRUE(url->is_local());
}

TEST(ServerUrl, ReadsAUnixSocket) {
  const auto url = parse_server_url("unix:/run/cove/cove.sock");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->unix_path, "/run/cove/cove.sock");
  EXPECT_EQ(url->host_header(), "localhost");
}

TEST(ServerUrl, RefusesWhatItCannotMean) {
  for (const char* text : {"",
                           "cove.example:80",
                           "ftp://a:1",
                           "http://",
                           "http://:80",
                           "http://a:",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:1x",
                           "http://a:-1",
                           "http://a/path",
                           "http://a?x",
                           "http://a#x",
                           "http://[::1",
                           "http://[::1]x",
                           "http://[zz]:1",
                           "http://a b",
                           "http://a\r\nX: y",
                           "unix:",
                           "http:///",
                           "https://user:secret@a:1"}) {
    const auto url = parse_server_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code(), ErrorCode::InvalidRequest);
  }
  EXPECT_FALSE(parse_server_url("unix:" + std::string(200, 'a')));
}

TEST(ServerUrl, DoesNotRepeatAKeyFromTheUrl) {
  const auto url = parse_server_url("http://me:secret@host:1");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace cove
