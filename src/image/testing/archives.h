#pragma once
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/sha256_stream.h"
#include "image/image_manifest.h"
#include "image/testing/gzip.h"
#include "image/testing/tar_writer.h"

namespace cove::testing {

// An image as tests build it: layers are finished tars.
struct TestImage {
  std::vector<std::string> layers;
  std::string config_part = R"("Env":["PATH=/usr/bin:/bin","COLOUR=blue","LD_PRELOAD=/x.so"])";
  std::string tag = "test/image:1";
  std::string architecture = host_architecture();

  std::string config() const {
    std::string ids;
    for (const auto& layer : layers) {
      ids += fmt::format(R"({}"sha256:{}")", ids.empty() ? "" : ",", Sha256Stream::of(layer));
    }
    return fmt::format(
        R"({{"os":"linux","architecture":"{}","config":{{{}}},"rootfs":{{"type":"layers","diff_ids":[{}]}}}})",
        architecture, config_part, ids);
  }
};

// As `docker save` writes it.
inline std::string docker_archive(const TestImage& image) {
  TarWriter tar;
  const std::string config_name = Sha256Stream::of(image.config()) + ".json";
  std::string names;
  for (std::size_t i = 0; i < image.layers.size(); ++i) {
    tar.file(fmt::format("{}/layer.tar", i), image.layers[i]);
    names += fmt::format(R"({}"{}/layer.tar")", names.empty() ? "" : ",", i);
  }
  tar.file(config_name, image.config());
  tar.file("manifest.json", fmt::format(R"([{{"Config":"{}","RepoTags":["{}"],"Layers":[{}]}}])",
                                        config_name, image.tag, names));
  return tar.finish();
}

// The files of an OCI layout with gzip layers.
inline std::vector<std::pair<std::string, std::string>> oci_files(const TestImage& image) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto blob = [&files](const std::string& bytes) {
    const std::string digest = Sha256Stream::of(bytes);
    files.emplace_back("blobs/sha256/" + digest, bytes);
    return fmt::format(R"("digest":"sha256:{}","size":{})", digest, bytes.size());
  };
  std::string layers;
  for (const auto& layer : image.layers) {
    layers += fmt::format(R"({}{{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip",{}}})",
                          layers.empty() ? "" : ",", blob(gzip(layer)));
  }
  const std::string manifest = fmt::format(R"({{"schemaVersion":2,"config":{{{}}},"layers":[{}]}})",
                                           blob(image.config()), layers);
  const std::string entry = blob(manifest);
  files.emplace_back(
      "index.json",
      fmt::format(
          R"({{"schemaVersion":2,"manifests":[{{"mediaType":"application/vnd.oci.image.manifest.v1+json",{},"platform":{{"os":"linux","architecture":"{}"}},"annotations":{{"org.opencontainers.image.ref.name":"{}"}}}},{{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:{}","size":1,"platform":{{"os":"unknown","architecture":"unknown"}}}}]}})",
          entry, image.architecture, image.tag, std::string(64, '0')));
  files.emplace_back("oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
  return files;
}

inline std::string oci_archive(const TestImage& image) {
  TarWriter tar;
  for (const auto& [name, bytes] : oci_files(image)) tar.file(name, bytes);
  return tar.finish();
}

}  // namespace cove::testing
