#include "sandbox/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

TEST(SealedMemory, HoldsWhatItWasGiven) {
  const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
  const auto file = sealed_memory("test", bytes, MemoryUse::Data);
  ASSERT_TRUE(file.has_value());
  std::string read(bytes.size() + 1, '\0');
  ASSERT_EQ(::pread(file->get(), read.data(), read.size(), 0), static_cast<ssize_t>(bytes.size()));
  read.pop_back();
  EXPECT_EQ(read, bytes);
}

TEST(SealedMemory, NobodyCanChangeIt) {
  for (const MemoryUse use : {MemoryUse::Data, MemoryUse::Program}) {
    const auto file = sealed_memory("test", "fixed", use);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(::pwrite(file->get(), "X", 1, 0), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::ftruncate(file->get(), 0), -1);
    EXPECT_EQ(::ftruncate(file->get(), 4096), -1);
    EXPECT_EQ(::mmap(nullptr, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file->get(), 0), MAP_FAILED);
    EXPECT_EQ(::fcntl(file->get(), F_ADD_SEALS, 0), -1) << "the seals themselves are sealed";
    // Nor through a new description of the same file.
    const std::string path = "/proc/self/fd/" + std::to_string(file->get());
    const UniqueFd again(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(::pwrite(again.get(), "X", 1, 0), -1);
  }
}

TEST(SealedMemory, AProgramCanBeExecutedAndIsNotInherited) {
  const auto file = sealed_memory("test", "#!", MemoryUse::Program);
  ASSERT_TRUE(file.has_value());
  struct stat facts = {};
  ASSERT_EQ(::fstat(file->get(), &facts), 0);
  EXPECT_NE(facts.st_mode & S_IXUSR, 0U);
  EXPECT_NE(::fcntl(file->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(SealedMemory, MayBeEmpty) {
  EXPECT_TRUE(sealed_memory("test", "", MemoryUse::Data));
}

}  // namespace
}  // namespace cove::sandbox
