#include "tool/tool.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace cove {
namespace {

class Throwing final : public Tool {
 public:
  std::string_view name() const override { return "throwing"; }
  std::string description() const override { return "Fails"; }
  json::object parameters() const override { return {{"type", "object"}}; }
  std::vector<std::string> required_scopes() const override { return {"a:b"}; }

 private:
  json::object run(const json::value& /*arguments*/, const ToolContext& /*context*/) override {
    throw std::runtime_error("no memory");
  }
};

TEST(Tool, AnswersInsteadOfThrowing) {
  Throwing tool;
  const json::object answer = tool.call(json::object(), {});
  EXPECT_EQ(answer.at("status"), "error");
  EXPECT_EQ(answer.at("stderr"), "no memory");
  EXPECT_EQ(answer.at("error").at("code"), "internal");
}

TEST(Tool, IsDescribedWithItsSchemaAndScopes) {
  const json::object shown = describe_tool(Throwing());
  EXPECT_EQ(shown.at("name"), "throwing");
  EXPECT_EQ(shown.at("parameters").at("type"), "object");
  EXPECT_EQ(shown.at("required_scopes"), json::array({"a:b"}));
}

TEST(Tool, AnErrorNamesItsField) {
  const json::object answer = tool_error(Error::invalid_field("code", "must be a string"));
  EXPECT_EQ(answer.at("error").at("field"), "code");
  EXPECT_EQ(answer.at("error").at("code"), "invalid_request");
  EXPECT_EQ(answer.at("stderr"), answer.at("error").at("message"));
}

TEST(Scopes, AreGrantedByNameOrForAllBelow) {
  EXPECT_TRUE(require_scope({"code:execute"}, "code:execute"));
  EXPECT_FALSE(require_scope({"code:execute"}, "code:execute:rust"));
  EXPECT_TRUE(require_scope({"code:execute:*"}, "code:execute:rust"));
  EXPECT_FALSE(require_scope({"code:execute:*"}, "code:execute"));
  EXPECT_FALSE(require_scope({"code:execute:rus"}, "code:execute:rust"));
  EXPECT_FALSE(require_scope({"*"}, "code:execute"));
  EXPECT_FALSE(require_scope({}, "code:execute"));
}

TEST(Scopes, ARefusalNamesWhatIsNeededAndWhatThereIs) {
  const auto refused = require_scope({"code:execute", "code:execute:c"}, "code:execute:rust");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::Forbidden);
  EXPECT_EQ(refused.error().message(),
            "the scope \"code:execute:rust\" is needed; granted: code:execute, code:execute:c");
}

}  // namespace
}  // namespace cove
