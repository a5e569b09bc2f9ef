#include "image/image_manifest.h"

#include <sys/utsname.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/parse_json.h"
#include "base/strings.h"
#include "image/member_path.h"

namespace cove {
namespace {

Result<json::value> parse_limited(std::string_view text, std::string_view what) {
  auto value = parse_json(text, {.size = Bytes{kMaxManifest}, .depth = 32, .values = 100'000});
  if (!value) return Err(std::move(value).error().with_context(what));
  return value;
}

Error in_file(Error error, std::string_view what) {
  return std::move(error).with_context(what);
}

// A file of the archive by its own name; digests are part of names in some versions.
Result<BlobRef> file_in_archive(const std::string& name) {
  COVE_ASSIGN(std::string path, clean_member_path(name));
  if (path.empty()) return Err(Error(ErrorCode::InvalidRequest, "a file's name is empty"));
  BlobRef blob{std::move(path), std::nullopt};
  std::string_view base = base_of(blob.name);
  if (base.ends_with(".json")) base.remove_suffix(5);
  const bool is_digest =
      base.size() == 64 && base.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (is_digest) blob.digest = std::string(base);
  return blob;
}

Result<ImageParts> docker_image(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, "[0]"));
  std::string config;
  std::vector<std::string> layers;
  ImageParts parts;
  COVE_TRY(fields.require("Config"));
  COVE_TRY(fields.read("Config", config));
  COVE_TRY(fields.read("RepoTags", parts.names));
  COVE_TRY(fields.read("Layers", layers));
  COVE_ASSIGN(parts.config, file_in_archive(config));
  for (const std::string& layer : layers) {
    COVE_ASSIGN(BlobRef blob, file_in_archive(layer));
    parts.layers.push_back(std::move(blob));
  }
  return parts;
}

Result<std::string> read_digest(JsonFields& fields) {
  std::string text;
  COVE_TRY(fields.require("digest"));
  COVE_TRY(fields.read("digest", text));
  return parse_digest(text, fields.path_of("digest"));
}

Result<IndexEntry> index_entry(const json::value& value, const std::string& path) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, path));
  IndexEntry entry;
  COVE_ASSIGN(const std::string digest, read_digest(fields));
  entry.blob = oci_blob(digest);
  COVE_TRY(fields.read("mediaType", entry.media_type));
  if (const json::value* platform = fields.find("platform")) {
    COVE_ASSIGN(JsonFields where, JsonFields::of(*platform, fields.path_of("platform")));
    std::string os;
    std::string architecture;
    COVE_TRY(where.read("os", os));
    COVE_TRY(where.read("architecture", architecture));
    entry.platform = fmt::format("{}/{}", os, architecture);
  }
  if (const json::value* annotations = fields.find("annotations")) {
    COVE_ASSIGN(JsonFields notes, JsonFields::of(*annotations, fields.path_of("annotations")));
    COVE_TRY(notes.read("org.opencontainers.image.ref.name", entry.name));
    std::string whole;  // containerd: with the registry
    COVE_TRY(notes.read("io.containerd.image.name", whole));
    if (!whole.empty()) entry.name = whole;
  }
  return entry;
}

Result<> read_program(const json::value& value, ImageConfig& config) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, "config"));
  COVE_TRY(fields.read("Env", config.env));
  COVE_TRY(fields.read("Entrypoint", config.entrypoint));
  COVE_TRY(fields.read("Cmd", config.command));
  COVE_TRY(fields.read("WorkingDir", config.working_directory));
  return fields.read("User", config.user);
}

Result<ImageConfig> config_of(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  ImageConfig config;
  COVE_TRY(fields.read("os", config.os));
  COVE_TRY(fields.read("architecture", config.architecture));
  COVE_TRY(fields.read("created", config.created));
  if (const json::value* program = fields.find("config")) COVE_TRY(read_program(*program, config));
  COVE_TRY(fields.require("rootfs"));
  COVE_ASSIGN(JsonFields root, JsonFields::of(*fields.find("rootfs"), "rootfs"));
  std::vector<std::string> texts;
  COVE_TRY(root.read("diff_ids", texts));
  if (texts.size() > kMaxLayers) {
    return root.error("diff_ids", fmt::format("at most {} layers are allowed", kMaxLayers));
  }
  for (const std::string& text : texts) {
    COVE_ASSIGN(std::string digest, parse_digest(text, "rootfs.diff_ids"));
    config.diff_ids.push_back(std::move(digest));
  }
  return config;
}

Result<ImageParts> oci_manifest_of(const json::value& value) {
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  COVE_TRY(fields.require("config"));
  COVE_TRY(fields.require("layers"));
  ImageParts parts;
  COVE_ASSIGN(JsonFields config, JsonFields::of(*fields.find("config"), "config"));
  COVE_ASSIGN(const std::string digest, read_digest(config));
  parts.config = oci_blob(digest);
  COVE_ASSIGN(const json::array* layers, json_array(*fields.find("layers"), "layers"));
  for (std::size_t i = 0; i < layers->size() && i <= kMaxLayers; ++i) {
    COVE_ASSIGN(JsonFields layer, JsonFields::of((*layers)[i], fmt::format("layers[{}]", i)));
    COVE_ASSIGN(const std::string layer_digest, read_digest(layer));
    parts.layers.push_back(oci_blob(layer_digest));
  }
  return parts;
}

}  // namespace

Result<std::string> parse_digest(std::string_view text, const std::string& field) {
  constexpr std::string_view kAlgorithm = "sha256:";
  const bool sound =
      text.starts_with(kAlgorithm) && text.size() == kAlgorithm.size() + 64 &&
      text.find_first_not_of("0123456789abcdef", kAlgorithm.size()) == std::string_view::npos;
  if (sound) return std::string(text.substr(kAlgorithm.size()));
  return Err(Error::invalid_field(
      field, fmt::format("must be sha256: and 64 lower-case digits, got {}", quoted(text))));
}

BlobRef oci_blob(const std::string& digest) {
  return {"blobs/sha256/" + digest, digest};
}

Result<ImageParts> parse_docker_manifest(std::string_view text) {
  constexpr std::string_view kFile = "manifest.json";
  COVE_ASSIGN(const json::value value, parse_limited(text, kFile));
  COVE_ASSIGN(const json::array* images, json_array(value, ""));
  if (images->size() != 1) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("manifest.json: the archive has {} images; one is imported at a "
                                 "time: docker save NAME | cove image import -",
                                 images->size())));
  }
  auto parts = docker_image((*images)[0]);
  if (!parts) return Err(in_file(std::move(parts).error(), kFile));
  return parts;
}

Result<std::vector<IndexEntry>> parse_oci_index(std::string_view text) {
  constexpr std::string_view kFile = "index.json";
  COVE_ASSIGN(const json::value value, parse_limited(text, kFile));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  COVE_TRY(fields.require("manifests"));
  COVE_ASSIGN(const json::array* manifests, json_array(*fields.find("manifests"), "manifests"));
  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < manifests->size() && i < 1000; ++i) {
    auto entry = index_entry((*manifests)[i], fmt::format("manifests[{}]", i));
    if (!entry) return Err(in_file(std::move(entry).error(), kFile));
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<ImageParts> parse_oci_manifest(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_limited(text, "the manifest"));
  auto parts = oci_manifest_of(value);
  if (!parts) return Err(in_file(std::move(parts).error(), "the manifest"));
  return parts;
}

Result<ImageConfig> parse_image_config(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_limited(text, "the image's config"));
  auto config = config_of(value);
  if (!config) return Err(in_file(std::move(config).error(), "the image's config"));
  return config;
}

std::string host_architecture() {
  utsname name{};
  ::uname(&name);
  std::string machine = name.machine;
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return machine;
}

}  // namespace cove
