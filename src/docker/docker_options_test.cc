#include "docker/docker_options.h"

#include <gtest/gtest.h>

#include "base/write_json.h"

namespace cove {
namespace {

json::object request_of(const DockerOptions& options) {
  return container_request(options, {{"cove.owner", "me"}});
}

const json::object& host_of(const json::object& request) {
  return request.at("HostConfig").as_object();
}

TEST(DockerOptions, ByDefaultEverythingIsClosed) {
  const json::object request = request_of(DockerOptions::python());
  EXPECT_EQ(request.at("Image"), "python:3.12-slim");
  EXPECT_EQ(request.at("User"), "65534:65534");
  EXPECT_EQ(request.at("Labels").at("cove.owner"), "me");
  EXPECT_EQ(request.at("Healthcheck").at("Test").at(0), "NONE");
  EXPECT_TRUE(request.at("StdinOnce").as_bool());
  const json::object& host = host_of(request);
  EXPECT_EQ(host.at("NetworkMode"), "none");
  EXPECT_TRUE(host.at("ReadonlyRootfs").as_bool());
  EXPECT_EQ(host.at("CapDrop"), (json::array{"ALL"}));
  EXPECT_EQ(host.at("SecurityOpt"), (json::array{"no-new-privileges"}));
  EXPECT_FALSE(host.at("Privileged").as_bool());
  EXPECT_TRUE(host.at("AutoRemove").as_bool());
  EXPECT_EQ(host.at("Memory").to_number<std::uint64_t>(), 512U << 20U);
  EXPECT_EQ(host.at("MemorySwap"), host.at("Memory"));
  EXPECT_EQ(host.at("NanoCpus").to_number<std::int64_t>(), 1'000'000'000);
  EXPECT_EQ(host.at("PidsLimit").to_number<std::uint64_t>(), 4U * 65U + 32U);
  EXPECT_EQ(host.at("Tmpfs").at("/tmp"),
            "rw,exec,nosuid,nodev,size=67108864,nr_inodes=16384,mode=1777");
  EXPECT_EQ(host.at("Tmpfs").at("/workspace"),
            "rw,exec,nosuid,nodev,size=67108864,nr_inodes=16384,mode=1777");
  EXPECT_TRUE(host.at("Mounts").as_array().empty());
  EXPECT_FALSE(host.contains("Runtime"));
}

TEST(DockerOptions, PresetsHaveTheirImagesAndNames) {
  EXPECT_EQ(DockerOptions::node().image, "node:20-slim");
  EXPECT_EQ(DockerOptions::node().container_name_prefix, "cove-node");
  EXPECT_EQ(DockerOptions::custom("alpine:3").image, "alpine:3");
  EXPECT_EQ(DockerOptions::custom("alpine:3").container_name_prefix, "cove-custom");
  EXPECT_EQ(DockerOptions::python().work_dir, "/workspace");
}

TEST(DockerOptions, OpensWhatIsAskedFor) {
  DockerOptions options = DockerOptions::custom("x");
  options.with_network().bind_mount({"/data", "/data", false}).env("A", "1").env("A", "2");
  options.runtime = "runsc";
  const json::object request = request_of(options);
  EXPECT_EQ(request.at("Env"), (json::array{"A=2"}));
  const json::object& host = host_of(request);
  EXPECT_EQ(host.at("NetworkMode"), "default");
  EXPECT_EQ(host.at("Runtime"), "runsc");
  EXPECT_EQ(write_json(host.at("Mounts")),
            R"([{"Type":"bind","Source":"/data","Target":"/data","ReadOnly":false}])");
}

TEST(DockerOptions, PackagesGoIntoAVolumeOfTheContainerAndTheirNamesAreNoShellCode) {
  DockerOptions options = DockerOptions::python();
  options.setup_command("first").pip_install({"numpy==1.2", "a'; touch /tmp/x; '"});
  ASSERT_EQ(options.setup_commands.size(), 2U);
  EXPECT_EQ(options.setup_commands[0], "first");
  EXPECT_TRUE(options.setup_commands[1].ends_with(
      R"(--target /packages/python -- 'numpy==1.2' 'a'\''; touch /tmp/x; '\''')"))
      << options.setup_commands[1];
  const json::object request = request_of(options);
  EXPECT_EQ(request.at("Env"), (json::array{"PYTHONPATH=/packages/python"}));
  EXPECT_EQ(write_json(host_of(request).at("Mounts")),
            R"([{"Type":"volume","Target":"/packages"}])");
  DockerOptions node = DockerOptions::node();
  node.npm_install({"lodash"});
  EXPECT_TRUE(node.setup_commands[0].ends_with("--prefix /packages/node -- 'lodash'"));
}

TEST(DockerOptions, WrongValuesAreNamed) {
  const auto field_of = [](const auto& change) {
    DockerOptions options = DockerOptions::python();
    change(options);
    const auto checked = validate_docker_options(options);
    return checked ? std::string("none") : checked.error().field();
  };
  EXPECT_EQ(field_of([](auto&) {}), "none");
  EXPECT_EQ(field_of([](auto& o) { o.image.clear(); }), "image");
  EXPECT_EQ(field_of([](auto& o) { o.work_dir = "rel"; }), "work_dir");
  EXPECT_EQ(field_of([](auto& o) { o.work_dir = "/"; }), "work_dir");
  EXPECT_EQ(field_of([](auto& o) { o.bind_mount({"rel", "/x"}); }), "bind_mounts[0].source");
  EXPECT_EQ(field_of([](auto& o) { o.bind_mount({"/x", "/proc"}); }), "bind_mounts[0].target");
  EXPECT_EQ(field_of([](auto& o) { o.bind_mount({"/x", "/workspace"}); }), "bind_mounts[0].target");
  EXPECT_EQ(field_of([](auto& o) { o.env("A=B", "x"); }), "environment");
  EXPECT_EQ(field_of([](auto& o) { o.memory = Bytes{5}; }), "limits.memory");
  EXPECT_EQ(field_of([](auto& o) { o.max_concurrent = 0; }), "max_concurrent");
  EXPECT_EQ(field_of([](auto& o) { o.user = 0; }), "user");
}

}  // namespace
}  // namespace cove
