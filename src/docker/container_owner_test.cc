#include "docker/container_owner.h"

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
  for (const auto part : split(label, ':')) parts.emplace_back(part);
  parts.at(index) = text;
  return join(parts, ":");
}

TEST(ContainerOwner, ThisProcessLives) {
  EXPECT_EQ(split(owner_label(), ':').size(), 5U);
  EXPECT_FALSE(owner_is_dead(owner_label()));
}

TEST(ContainerOwner, AProcessThatEndedIsDeadAndSoIsAnotherWithItsNumber) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(owner_is_dead(with_part(3, std::to_string(child))));
  EXPECT_TRUE(owner_is_dead(with_part(4, "1")));
  EXPECT_EQ(owner_is_dead(with_part(1, "an-earlier-boot")), !owner_label().starts_with("-:"));
}

TEST(ContainerOwner, WhoeverCannotBeSeenFromHereMayLive) {
  EXPECT_FALSE(owner_is_dead(with_part(0, "another-machine")));
  EXPECT_FALSE(owner_is_dead(with_part(2, "1")));
  EXPECT_FALSE(owner_is_dead(with_part(3, "../self")));
  for (const char* label : {"", "x", "a:b:c", ":::::::", "::::"}) {
    EXPECT_FALSE(owner_is_dead(label)) << label;
  }
}

}  // namespace
}  // namespace cove
