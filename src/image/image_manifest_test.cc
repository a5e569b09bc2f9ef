#include "image/image_manifest.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

const std::string kDigits(64, 'a');

TEST(ImageManifest, ReadsWhatDockerSaves) {
  const auto parts =
      parse_docker_manifest(R"([{"Config":"blobs/sha256/)" + kDigits +
                            R"(","RepoTags":null,"Layers":["x/layer.tar"],"LayerSources":{}}])");
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_EQ(parts->config.digest, kDigits);
  EXPECT_FALSE(parts->layers.at(0).digest);
  EXPECT_TRUE(parts->names.empty());
}

TEST(ImageManifest, ErrorsNameFileAndField) {
  EXPECT_NE(parse_docker_manifest(R"([{"Config":5}])").error().message().find("Config"),
            std::string::npos);
  EXPECT_NE(parse_docker_manifest("[1,2]").error().message().find("2 images"), std::string::npos);
  EXPECT_NE(parse_oci_index(R"({"manifests":[{"digest":"md5:x"}]})")
                .error()
                .message()
                .find("manifests[0].digest"),
            std::string::npos);
  EXPECT_NE(parse_image_config(R"({"rootfs":{"diff_ids":["sha256:XYZ"]}})")
                .error()
                .message()
                .find("64 lower-case"),
            std::string::npos);
  EXPECT_FALSE(parse_oci_manifest("{}"));
  EXPECT_FALSE(parse_image_config("[]"));
}

TEST(ImageManifest, TooManyLayersAreRefused) {
  std::string ids;
  for (std::size_t i = 0; i <= kMaxLayers; ++i) {
    ids += (i == 0 ? "\"sha256:" : ",\"sha256:") + kDigits + "\"";
  }
  EXPECT_FALSE(parse_image_config(R"({"rootfs":{"diff_ids":[)" + ids + "]}}"));
}

}  // namespace
}  // namespace cove
