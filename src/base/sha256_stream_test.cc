#include "base/sha256_stream.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(Sha256Stream, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(Sha256Stream::of(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Stream::of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Stream::of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256Stream, AMillionLettersInPiecesOfAnySize) {
  for (const std::size_t piece : {1UL, 7UL, 63UL, 64UL, 65UL, 1000UL, 1000000UL}) {
    Sha256Stream stream;
    const std::string text(piece, 'a');
    std::size_t left = 1'000'000;
    while (left > 0) {
      const std::size_t n = std::min(left, piece);
      stream.update(std::string_view(text).substr(0, n));
      left -= n;
    }
    EXPECT_EQ(stream.finish(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        << piece;
  }
}

}  // namespace
}  // namespace cove
