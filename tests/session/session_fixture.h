#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "session/session_service.h"

namespace cove::session_tests {

// A service of its own for each test, with a short grace so that lost cells cost little time.
class Sessions : public ::testing::Test {
 protected:
  void SetUp() override;

  static SessionServiceOptions quick_options();
  void serve(const SessionServiceOptions& options);

  // Opens a session; fails the test if that does not work.
  SessionInfo open(const std::string& language = "python", const Limits& limits = {});
  // Runs a cell; an error of the service fails the test.
  CellResult run(std::string_view id, std::string code,
                 std::chrono::milliseconds timeout = std::chrono::seconds(10));
  // The value of the cell's last expression as text, or what went wrong.
  std::string value(std::string_view id, std::string code);

  std::unique_ptr<SessionService> service_;
};

// One form of a displayed value; empty if there is none.
std::string form(const RichData& data, std::string_view type);
std::string describe(const CellResult& result);

}  // namespace cove::session_tests
