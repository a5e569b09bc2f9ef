#include "docker/docker_host.h"

#include <map>

#include <gtest/gtest.h>

namespace cove {
namespace {

using Variables = std::map<std::string, std::string>;

Result<DockerHost> find(std::string_view address, const Variables& variables = {}) {
  return find_docker_host(address, [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(DockerHost, TakesTheOptionThenTheVariableThenTheUsualSocket) {
  EXPECT_EQ(find("unix:///a.sock", {{"DOCKER_HOST", "unix:///b.sock"}})->url.unix_path, "/a.sock");
  EXPECT_EQ(find("", {{"DOCKER_HOST", "unix:///b.sock"}})->url.unix_path, "/b.sock");
  EXPECT_EQ(find("", {{"DOCKER_HOST", ""}})->url.unix_path, "/var/run/docker.sock");
}

TEST(DockerHost, TcpIsPlainUnlessTlsIsAskedFor) {
  const auto plain = find("tcp://10.0.0.1");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->url.port, 2375);
  EXPECT_FALSE(plain->url.tls);
  const auto tls =
      find("tcp://docker.example/", {{"DOCKER_TLS_VERIFY", "1"}, {"DOCKER_CERT_PATH", "/certs"}});
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->url.port, 2376);
  EXPECT_TRUE(tls->url.tls);
  EXPECT_TRUE(tls->transport.verify_certificate);
  EXPECT_EQ(tls->transport.ca_file, "/certs/ca.pem");
  EXPECT_EQ(tls->transport.certificate_file, "/certs/cert.pem");
  EXPECT_EQ(tls->transport.key_file, "/certs/key.pem");
  EXPECT_EQ(find("tcp://[::1]:1234")->url.port, 1234);
  EXPECT_EQ(find("tcp://[::1]")->url.port, 2375);
  EXPECT_EQ(find("tcp://h", {{"DOCKER_TLS_VERIFY", "1"}, {"HOME", "/home/u"}})->transport.ca_file,
            "/home/u/.docker/ca.pem");
}

TEST(DockerHost, RefusesWhatItCannotReach) {
  for (const char* address :
       {"ssh://host", "npipe:////./pipe/docker", "http://host", "unix://rel", "unix://", "tcp://",
        "tcp://host:0", "tcp://host:99999", "tcp://h/x", "docker"}) {
    const auto host = find(address);
    ASSERT_FALSE(host) << address;
    EXPECT_EQ(host.error().code(), ErrorCode::InvalidRequest);
  }
  const auto secret = find("tcp://user:secret@host:1");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message().find("secret"), std::string::npos);
  EXPECT_FALSE(find("tcp://h", {{"DOCKER_TLS_VERIFY", "1"}}));
}

}  // namespace
}  // namespace cove
