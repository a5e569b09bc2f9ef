#include "sandbox/guest.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

namespace cove::sandbox {
namespace {

std::string number(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST(Job, IsTwoListsBehindAHeader) {
  const std::string body = number(2) + number(1) + "a" + number(0) + number(1) + number(3) + "K=V";
  EXPECT_EQ(encode_job({.args = {"a", ""}, .env = {"K=V"}}),
            number(kJobMagic) + number(static_cast<std::uint32_t>(body.size())) + body);
}

TEST(Job, MayBeEmpty) {
  EXPECT_EQ(encode_job({}), number(kJobMagic) + number(8) + number(0) + number(0));
}

TEST(Job, ReachesAWaitingGuestWholeAndThenItsSourceEnds) {
  Guest guest;
  const auto ends = make_streams(guest);
  ASSERT_TRUE(ends.has_value());
  const Job job{.args = {"--x"}, .env = {"A=1"}};
  ASSERT_TRUE(guest.start(job).has_value());
  std::array<char, 4096> buffer{};
  const ssize_t n = ::read(ends->job.get(), buffer.data(), buffer.size());
  ASSERT_GT(n, 0);
  EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(n)), encode_job(job));
  EXPECT_EQ(::read(ends->job.get(), buffer.data(), buffer.size()), 0);
}

TEST(Job, TooManyArgumentsAreTheCallersMistake) {
  Guest guest;
  const auto refused = guest.start({.args = {std::string(3U << 20U, 'x')}, .env = {}});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidRequest);
  EXPECT_EQ(refused.error().field(), "args");
}

// Plays the part of the helper.
class AwaitReady : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = make_status_pair();
    ASSERT_TRUE(pair.has_value());
    guest_.status = std::move(pair->read);
    child_ = std::move(pair->write);
    plan_.add({.kind = StepKind::Hello});
    plan_.add({.kind = StepKind::Chdir, .text = "/workspace"});
  }
  void report(ReportKind kind, std::uint32_t step = 0, std::int32_t error = 0) const {
    Report report = {};
    report.kind = kind;
    report.step = step;
    report.error = error;
    ASSERT_EQ(::send(child_.get(), &report, sizeof report, 0), static_cast<ssize_t>(sizeof report));
  }
  Result<> wait() { return await_ready(guest_, plan_, nullptr); }

  Guest guest_;
  SetupPlan plan_;
  UniqueFd child_;
};

TEST_F(AwaitReady, TheSenderIsKnownFromTheKernel) {
  report(ReportKind::Ready);
  ASSERT_TRUE(wait().has_value());
  EXPECT_EQ(guest_.main_pid, ::getpid());
}

TEST_F(AwaitReady, AFailedStepIsNamed) {
  report(ReportKind::Failed, 1, ENOENT);
  const auto result = wait();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), ErrorCode::Sandbox);
  EXPECT_NE(result.error().message().find("step 1 (chdir"), std::string::npos);
  EXPECT_NE(result.error().message().find("No such file"), std::string::npos);
}

TEST_F(AwaitReady, AHelperThatIsGoneIsAnError) {
  child_.reset();
  const auto result = wait();
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message().find("ended during set-up"), std::string::npos);
}

TEST_F(AwaitReady, AnEndBeforeTheStartIsAnError) {
  report(ReportKind::Exited);
  EXPECT_FALSE(wait().has_value());
}

TEST_F(AwaitReady, AMessageOfAnotherSizeIsAnError) {
  ASSERT_EQ(::send(child_.get(), "short", 5, 0), 5);
  const auto result = wait();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message(), "malformed report");
}

TEST(GuestStreams, OursDoNotBlock) {
  Guest guest;
  const auto ends = make_streams(guest);
  ASSERT_TRUE(ends.has_value());
  char byte = 0;
  EXPECT_EQ(::read(guest.stdout_read.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
  ASSERT_EQ(::write(ends->output.get(), "o", 1), 1);
  EXPECT_EQ(::read(guest.stdout_read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'o');
  ASSERT_EQ(::write(guest.stdin_write.get(), "i", 1), 1);
  EXPECT_EQ(::read(ends->input.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'i');
}

}  // namespace
}  // namespace cove::sandbox
