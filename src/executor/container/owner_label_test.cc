#include "executor/container/owner_label.h"

#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "base/strings.h"

namespace cove {
namespace {

std::string with_part(std::size_t index, const std::string& text) {
  const std::string label = owner_label();
  std::vector<std::string> parts;
  for (const auto part : split(label, '-')) parts.emplace_back(part);
  parts.at(index) = text;
  return join(parts, "-");
}

TEST(OwnerLabel, ThisProcessLives) {
  EXPECT_EQ(split(owner_label(), '-').size(), 5U);
  EXPECT_FALSE(owner_is_dead(owner_label()));
  EXPECT_EQ(owner_label().find_first_of("/:., "), std::string::npos);
}

TEST(OwnerLabel, AProcessThatEndedIsDeadAndSoIsAnotherWithItsNumber) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(owner_is_dead(with_part(3, std::to_string(child))));
  EXPECT_TRUE(owner_is_dead(with_part(4, "1")));
  EXPECT_TRUE(owner_is_dead(owner_label() + "9"));  // the same number, another start
  EXPECT_EQ(owner_is_dead(with_part(1, "anearlierboot")), !owner_label().starts_with("0-"));
}

TEST(OwnerLabel, WhoeverCannotBeSeenFromHereMayLive) {
  EXPECT_FALSE(owner_is_dead(with_part(0, "anothermachine")));
  EXPECT_FALSE(owner_is_dead(with_part(2, "1")));
  EXPECT_FALSE(owner_is_dead(with_part(3, "../self")));
  for (const char* label : {"", "x", "a-b-c", "-------", "----", "a-b-c-d-e"}) {
    EXPECT_FALSE(owner_is_dead(label)) << label;
  }
}

}  // namespace
}  // namespace cove
