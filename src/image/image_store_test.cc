#include "image/image_store.h"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "image/image_import.h"
#include "image/testing/archives.h"
#include "image/testing/scratch_store.h"

namespace cove {
namespace {

namespace fs = std::filesystem;
using testing::docker_archive;
using testing::gzip;
using testing::oci_archive;
using testing::oci_files;
using testing::ScratchDirectory;
using testing::TarWriter;
using testing::TestImage;

TestImage two_layers() {
  return {{TarWriter()
               .file("usr/bin/tool", "1")
               .file("usr/old", "1")
               .symlink("bin", "usr/bin")
               .directory("srv")
               .file(".dockerenv", "")
               .finish(),
           TarWriter().file("usr/.wh.old", "").file("opt/new", "2").finish()}};
}

class ImageStoreTest : public ::testing::Test {
 protected:
  Result<ImageRecord> import(const std::string& archive, std::optional<std::string> name = {},
                             bool rootfs = false) {
    const std::string file = here_.inner("archive.tar");
    ScratchDirectory::write(file, archive);
    return import_image(store_, {.source = file, .name = std::move(name), .rootfs = rootfs});
  }
  std::size_t count(const std::string& part) const {
    const std::string path = store_.directory() + "/" + part;
    if (!fs::exists(path)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }
  void expect_refused(const std::string& archive, std::string_view why) {
    const auto record = import(archive);
    ASSERT_FALSE(record);
    EXPECT_NE(record.error().message().find(why), std::string::npos) << record.error().message();
    // All or nothing.
    for (const char* part : {"layers", "roots", "images", "tmp"})
      EXPECT_EQ(count(part), 0U) << part;
    EXPECT_TRUE(here_.outside_is_untouched());
  }

  ScratchDirectory here_;
  ImageStore store_{here_.inner("store")};
};

TEST_F(ImageStoreTest, ImportsADockerArchive) {
  const auto record = import(docker_archive(two_layers()));
  ASSERT_TRUE(record) << record.error().message();
  EXPECT_EQ(record->names, std::vector<std::string>{"test/image:1"});
  const std::string root = store_.root_path(record->id);
  EXPECT_EQ(ScratchDirectory::read(root + "/usr/bin/tool"), "1");
  EXPECT_FALSE(fs::exists(root + "/usr/old"));
  EXPECT_EQ(ScratchDirectory::read(root + "/opt/new"), "2");
  EXPECT_EQ(count("layers"), 2U);
  EXPECT_EQ(count("tmp"), 0U);
  const auto opened = store_.open_root("test/image:1");
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(opened->trees, (std::vector<std::string>{"etc", "opt", "usr"}));
  EXPECT_EQ(opened->empty, std::vector<std::string>{"srv"});
  EXPECT_EQ(opened->links.size(), 1U);
  EXPECT_EQ(opened->command_path, (std::vector<std::string>{"/usr/bin", "/bin"}));
  ASSERT_EQ(opened->env.size(), 1U) << "LD_PRELOAD is not taken over";
  EXPECT_EQ(opened->env.front().first, "COLOUR");
}

TEST_F(ImageStoreTest, ImportsAnOciLayoutAsArchiveCompressedAndAsDirectory) {
  const auto archive = import(oci_archive(two_layers()));
  ASSERT_TRUE(archive) << archive.error().message();
  const auto compressed = import(gzip(oci_archive(two_layers())), "other");
  ASSERT_TRUE(compressed) << compressed.error().message();
  EXPECT_EQ(compressed->id, archive->id);
  EXPECT_EQ(compressed->names, (std::vector<std::string>{"other:latest", "test/image:1"}));
  for (const auto& [name, bytes] : oci_files(two_layers())) {
    const fs::path path = here_.inner("layout/" + name);
    fs::create_directories(path.parent_path());
    ScratchDirectory::write(path.string(), bytes);
  }
  const auto directory = import_image(store_, {.source = here_.inner("layout"), .name = "third:x"});
  ASSERT_TRUE(directory) << directory.error().message();
  EXPECT_EQ(directory->id, archive->id);
  EXPECT_EQ(count("images"), 1U);
}

TEST_F(ImageStoreTest, ImportsARootFileSystem) {
  const auto record = import(TarWriter().file("./bin/sh", "x").finish(), "plain", true);
  ASSERT_TRUE(record) << record.error().message();
  EXPECT_TRUE(store_.open_root("plain"));
  EXPECT_FALSE(import(TarWriter().file("./bin/sh", "x").finish(), {}, true)) << "needs a name";
}

TEST_F(ImageStoreTest, RemovingFreesLayersThatNobodyElseHas) {
  TestImage first = two_layers();
  TestImage second = first;
  second.layers.push_back(TarWriter().file("opt/third", "3").finish());
  second.tag = "second:1";
  ASSERT_TRUE(import(docker_archive(first)));
  ASSERT_TRUE(import(docker_archive(second)));
  EXPECT_EQ(count("layers"), 3U) << "two are shared";
  ASSERT_TRUE(store_.remove("test/image:1"));
  EXPECT_EQ(count("layers"), 3U);
  ASSERT_TRUE(store_.remove(store_.find("second:1")->id.substr(0, 12)));
  for (const char* part : {"layers", "roots", "images", "tmp"}) EXPECT_EQ(count(part), 0U) << part;
  EXPECT_EQ(store_.remove("second:1").error().code(), ErrorCode::NotFound);
}

TEST_F(ImageStoreTest, ANameMovesToTheNewestImage) {
  ASSERT_TRUE(import(docker_archive(two_layers())));
  TestImage newer = two_layers();
  newer.layers.pop_back();
  const auto record = import(docker_archive(newer));
  ASSERT_TRUE(record) << record.error().message();
  EXPECT_EQ(count("images"), 1U) << "the old one has no name left";
  EXPECT_EQ(store_.find("test/image:1")->id, record->id);
}

TEST_F(ImageStoreTest, AnImageInUseStays) {
  ASSERT_TRUE(import(docker_archive(two_layers())));
  {
    const auto root = store_.open_root("test/image:1");
    ASSERT_TRUE(root);
    EXPECT_EQ(store_.remove("test/image:1").error().code(), ErrorCode::Conflict);
    EXPECT_TRUE(fs::exists(root->path + "/usr/bin/tool"));
  }
  EXPECT_TRUE(store_.remove("test/image:1"));
}

TEST_F(ImageStoreTest, LeftoversOfACrashAreSwept) {
  ASSERT_TRUE(import(docker_archive(two_layers())));
  fs::create_directories(store_.directory() + "/tmp/layer-x/tree/deep");
  fs::create_directories(store_.layer_path(std::string(64, 'a')) + "/tree");
  fs::create_directories(store_.root_path(std::string(64, 'b')));
  ASSERT_TRUE(store_.lock());
  EXPECT_EQ(count("tmp"), 0U);
  EXPECT_EQ(count("layers"), 2U);
  EXPECT_EQ(count("roots"), 1U);
}

TEST_F(ImageStoreTest, ManyImportsAtOnce) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      TestImage image = two_layers();
      image.layers.push_back(TarWriter().file("opt/n", std::to_string(i % 4)).finish());
      image.tag = "n:" + std::to_string(i);
      const std::string file = here_.inner("archive" + std::to_string(i));
      ScratchDirectory::write(file, docker_archive(image));
      const auto record = import_image(store_, {.source = file, .name = {}});
      EXPECT_TRUE(record) << record.error().message();
    });
  }
  threads.clear();
  EXPECT_EQ(count("images"), 4U);
  EXPECT_EQ(count("layers"), 6U);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(store_.open_root("n:" + std::to_string(i)));
}

TEST_F(ImageStoreTest, Attack41WrongDigestsAreRefused) {
  const TestImage image = two_layers();
  // A layer that is not what the config says.
  TestImage other = image;
  other.layers[0] = TarWriter().file("usr/bin/tool", "evil").finish();
  std::string archive = docker_archive(image);
  const auto at = archive.find(image.layers[0]);
  ASSERT_NE(at, std::string::npos);
  archive.replace(at, other.layers[0].size(), other.layers[0]);
  expect_refused(archive, "digest");
  // A config that is not what its name says.
  archive = docker_archive(image);
  archive.replace(archive.find("COLOUR=blue"), 11, "COLOUR=evil");
  expect_refused(archive, "digest");
}

TEST_F(ImageStoreTest, Attack41HostileArchives) {
  expect_refused(docker_archive({{TarWriter().file("../../../../outside", "x").finish()}}), "..");
  expect_refused(TarWriter().file("manifest.json", "[]").file("manifest.json", "[]").finish(),
                 "two files");
  expect_refused(TarWriter().file("manifest.json", "{}").finish(), "array");
  expect_refused(TarWriter().file("manifest.json", std::string(100, '[')).finish(),
                 "manifest.json");
  expect_refused(TarWriter().file("x", "1").finish(), "(rootfs)");
  expect_refused("not a tar at all", "tar");
  expect_refused(TarWriter().symlink("manifest.json", "/etc/passwd").finish(), "neither");
  expect_refused(TarWriter().symlink("manifest.json", "manifest.json").finish(), "neither");
  expect_refused(TarWriter().file("manifest.json", R"([{"Config":"../x","Layers":[]}])").finish(),
                 "..");
  TestImage foreign = two_layers();
  foreign.architecture = "vax";
  expect_refused(docker_archive(foreign), "this host is");
  TestImage bare = two_layers();
  bare.layers.clear();
  expect_refused(docker_archive(bare), "layers");
}

TEST_F(ImageStoreTest, Attack41LimitsHoldOverAllLayers) {
  const std::string file = here_.inner("archive.tar");
  TestImage image{{TarWriter().file("a", std::string(60'000, 'x')).finish(),
                   TarWriter().file("b", std::string(60'000, 'x')).finish()}};
  ScratchDirectory::write(file, docker_archive(image));
  const auto large = import_image(store_, {.source = file, .name = {}, .most_bytes = 100'000});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::TooLarge);
  const auto many = import_image(store_, {.source = file, .name = {}, .most_files = 1});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code(), ErrorCode::TooLarge);
  EXPECT_EQ(count("layers"), 0U);
}

TEST_F(ImageStoreTest, NamesAreChecked) {
  EXPECT_EQ(*full_image_name("python"), "python:latest");
  EXPECT_EQ(*full_image_name("localhost:5000/a/b"), "localhost:5000/a/b:latest");
  for (const char* name : {"", "-x", "/x", "a b", "a:b:c", "x:", "a/", "../x\n"}) {
    EXPECT_FALSE(full_image_name(name)) << name;
  }
}

TEST_F(ImageStoreTest, MountPointsThatAnImageBlocksAreRefused) {
  ASSERT_TRUE(import(docker_archive(two_layers())));
  const auto root = store_.open_root("test/image:1");
  ASSERT_TRUE(root);
  EXPECT_TRUE(root->check_mount_point("/data/in"));
  EXPECT_TRUE(root->check_mount_point("/srv/in")) << "empty in the image";
  EXPECT_FALSE(root->check_mount_point("/bin/tool")) << "a link in the image";
  EXPECT_FALSE(root->check_mount_point("/opt/data")) << "nothing can be made in it";
}

}  // namespace
}  // namespace cove
