#include "model/mime_type.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(MimeType, ComesFromTheExtension) {
  EXPECT_EQ(mime_type_of("plot.png"), "image/png");
  EXPECT_EQ(mime_type_of("dir.d/DATA.CSV"), "text/csv");
  EXPECT_EQ(mime_type_of("a.tar.gz"), "application/gzip");
}

TEST(MimeType, TheUnknownIsBytes) {
  for (const auto* name : {"", "README", "x.unknown", "x.", ".png", "dir.png/file", "dir/.json"}) {
    EXPECT_EQ(mime_type_of(name), "application/octet-stream") << name;
  }
}

}  // namespace
}  // namespace cove
