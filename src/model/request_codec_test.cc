#include "model/request_codec.h"

#include <gtest/gtest.h>

#include "base/write_json.h"

namespace cove {
namespace {

Result<SandboxPolicy> resolve(std::string_view name) {
  if (name != "house") return Err(Error(ErrorCode::InvalidRequest, "there is no such policy"));
  SandboxPolicy policy;
  policy.name = "house";
  return policy;
}

Result<ExecutionRequest> decode(std::string_view text, const RequestSizeLimits& limits = {}) {
  return decode_request(text, resolve, limits);
}

std::string problem_of(std::string_view text, const RequestSizeLimits& limits = {}) {
  const auto request = decode(text, limits);
  if (request) return "accepted";
  EXPECT_EQ(request.error().code(), ErrorCode::InvalidRequest);
  return request.error().message();
}

std::string field_of(std::string_view text, const RequestSizeLimits& limits = {}) {
  const auto request = decode(text, limits);
  return request ? "accepted" : request.error().field();
}

TEST(RequestCodec, CodeAloneIsEnough) {
  const auto request = decode(R"({"code":"pass"})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->code, "pass");
  EXPECT_EQ(request->language, "python");
  EXPECT_EQ(request->policy.name, "strict");
  EXPECT_EQ(request->policy.network, NetworkPolicy::Disabled);
  EXPECT_FALSE(request->timeout);
  EXPECT_FALSE(request->input);
  EXPECT_EQ(request->truncation, TruncationStyle::Head);
}

TEST(RequestCodec, EveryFieldArrives) {
  const auto request = decode(R"({
    "code": "x", "language": "bash", "stdin": "in\u0000put", "args": ["-a", "b c"],
    "input": {"n": [1, null]}, "files": [{"name": "d/a.bin", "content": "AP8=", "mime_type": "x/y"}],
    "env": {"A": "line\nline \"q\""}, "timeout_ms": 1500,
    "limits": {"memory": "256m", "cpus": 0.5}, "policy": "house", "truncation": "head_tail",
    "collect_file_contents": true, "execution_id": "e1", "identity": "someone"})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->language, "bash");
  EXPECT_EQ(request->stdin_data, std::string("in\0put", 6));
  EXPECT_EQ(request->args, (std::vector<std::string>{"-a", "b c"}));
  EXPECT_EQ(write_json(*request->input), R"({"n":[1,null]})");
  ASSERT_EQ(request->files.size(), 1U);
  EXPECT_EQ(request->files[0].name, "d/a.bin");
  EXPECT_EQ(request->files[0].content, std::string("\0\xFF", 2));
  EXPECT_EQ(request->files[0].mime_type, "x/y");
  ASSERT_EQ(request->env.size(), 1U);
  EXPECT_EQ(request->env[0].second, "line\nline \"q\"");
  EXPECT_EQ(request->timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(request->limits.memory, Bytes::mib(256));
  EXPECT_EQ(request->policy.name, "house");
  EXPECT_EQ(request->truncation, TruncationStyle::HeadTail);
  EXPECT_TRUE(request->collect_file_contents);
  EXPECT_EQ(request->execution_id, "e1");
  EXPECT_EQ(request->identity, "someone");
}

TEST(RequestCodec, NullIsAbsentButForInput) {
  const auto request = decode(R"({"code":"x","stdin":null,"files":null,"limits":null,"policy":null,
                                  "timeout_ms":null,"input":null})");
  ASSERT_TRUE(request) << request.error().message();
  ASSERT_TRUE(request->input);
  EXPECT_TRUE(request->input->is_null());
  EXPECT_EQ(field_of(R"({"code":null})"), "code");
}

TEST(RequestCodec, TimeoutAsText) {
  EXPECT_EQ(decode(R"({"code":"","timeout":"10s"})")->timeout, std::chrono::seconds(10));
  EXPECT_EQ(field_of(R"({"code":"","timeout":"soon"})"), "timeout");
  EXPECT_EQ(field_of(R"({"code":"","timeout":10})"), "timeout");
  EXPECT_EQ(field_of(R"({"code":"","timeout":"1s","timeout_ms":1})"), "timeout");
  EXPECT_EQ(decode(R"({"code":"","compile_timeout":"5s"})")->compile_timeout,
            std::chrono::seconds(5));
  EXPECT_EQ(decode(R"({"code":"","compile_timeout_ms":7})")->compile_timeout,
            std::chrono::milliseconds(7));
  EXPECT_EQ(field_of(R"({"code":"","compile_timeout":5})"), "compile_timeout");
  EXPECT_EQ(field_of(R"({"code":"","compile_timeout_ms":0})"), "compile_timeout_ms");
  EXPECT_EQ(field_of(R"({"code":"","timeout_ms":0})"), "timeout_ms");
  EXPECT_EQ(field_of(R"({"code":"","timeout_ms":-5})"), "timeout_ms");
  EXPECT_EQ(field_of(R"({"code":"","timeout_ms":1.5})"), "timeout_ms");
  EXPECT_EQ(field_of(R"({"code":"","timeout_ms":9223372036854775807})"), "timeout_ms");
}

TEST(RequestCodec, AWrongTypeNamesItsField) {
  EXPECT_EQ(problem_of(R"({"code":1})"), "field \"code\": must be a string, got a number");
  EXPECT_EQ(field_of(R"({"code":"","args":"x"})"), "args");
  EXPECT_EQ(field_of(R"({"code":"","args":["a",2]})"), "args[1]");
  EXPECT_EQ(field_of(R"({"code":"","files":{}})"), "files");
  EXPECT_EQ(field_of(R"({"code":"","files":[1]})"), "files[0]");
  EXPECT_EQ(field_of(R"({"code":"","env":["A"]})"), "env");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A":1}})"), "env.A");
  EXPECT_EQ(field_of(R"({"code":"","env":{"":"x"}})"), "env");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A=B":"x"}})"), "env.A=B");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A\nB":"x"}})"), "env.A\\x0aB");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A\u0000B":"x"}})"), "env.A\\x00B");
  EXPECT_EQ(field_of(R"({"code":"","limits":[]})"), "limits");
  EXPECT_EQ(field_of(R"({"code":"","policy":7})"), "policy");
  EXPECT_EQ(field_of(R"({"code":"","collect_file_contents":"yes"})"), "collect_file_contents");
  EXPECT_EQ(field_of(R"({"code":"","truncation":"middle"})"), "truncation");
  EXPECT_EQ(problem_of("[]"), "must be a JSON object, got an array");
}

TEST(RequestCodec, FilesNameThePlaceInTheList) {
  const std::string two = R"({"name":"a","content":""},{"name":"b","content":""})";
  const auto third = [&](std::string_view file) {
    return field_of(R"({"code":"","files":[)" + two + "," + std::string(file) + "]}");
  };
  EXPECT_EQ(third(R"({"name":"c","content":"!"})"), "files[2].content");
  EXPECT_EQ(third(R"({"name":"c","content":5})"), "files[2].content");
  EXPECT_EQ(third(R"({"name":"c"})"), "files[2].content");
  EXPECT_EQ(third(R"({"content":""})"), "files[2].name");
  EXPECT_EQ(third(R"({"name":"../c","content":""})"), "files[2].name");
  EXPECT_EQ(third(R"({"name":"a","content":""})"), "files[2].name");
  EXPECT_EQ(third(R"({"name":"c\u0000","content":""})"), "files[2].name");
  EXPECT_EQ(third(R"({"name":"c","content":"","mode":7})"), "files[2].mode");
}

TEST(RequestCodec, UnknownFieldsAreRefusedEverywhere) {
  EXPECT_NE(problem_of(R"({"code":"","timeoutms":5})").find("\"timeoutms\": is not known here"),
            std::string::npos);
  EXPECT_EQ(field_of(R"({"code":"","limits":{"ram":1}})"), "limits.ram");
  EXPECT_EQ(field_of(R"({"code":"","policy":{"net":1}})"), "policy.net");
  EXPECT_EQ(field_of(R"({"code":"","policy":{"filesystem":{"kind":"none","root":"/"}}})"),
            "policy.filesystem.root");
}

TEST(RequestCodec, PolicyByNameOrWrittenOut) {
  EXPECT_EQ(problem_of(R"({"code":"","policy":"nope"})"),
            "field \"policy\": there is no such policy");
  const auto request = decode(R"({"code":"","policy":{"network":"enabled","timeout":"5s"}})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->policy.network, NetworkPolicy::Enabled);
  EXPECT_EQ(request->policy.filesystem.kind, FilesystemPolicy::Kind::None);
  EXPECT_EQ(request->policy.timeout, std::chrono::seconds(5));
  EXPECT_FALSE(decode_request(R"({"code":"","policy":"strict"})", nullptr));
}

TEST(RequestCodec, VariablesThatSteerTheLoaderAreRefused) {
  EXPECT_EQ(field_of(R"({"code":"","env":{"LD_PRELOAD":"/x.so"}})"), "env.LD_PRELOAD");
  EXPECT_EQ(field_of(R"({"code":"","env":{"":"x"}})"), "env");
  EXPECT_EQ(field_of(R"({"code":"","args":["a\u0000b"]})"), "args[0]");
  EXPECT_EQ(field_of(R"({"code":"","identity":"a\nb"})"), "identity");
  EXPECT_EQ(field_of(R"({"code":"","language":""})"), "language");
}

TEST(RequestCodec, TooLargeNamesTheField) {
  RequestSizeLimits limits;
  limits.code = {3};
  limits.stdin_bytes = {3};
  limits.files = 1;
  limits.files_total = {2};
  limits.args = 2;
  limits.args_total = {8};
  limits.env = 1;
  limits.env_total = {6};
  EXPECT_EQ(problem_of(R"({"code":"abc"})", limits), "accepted");
  EXPECT_EQ(problem_of(R"({"code":"abcd"})", limits),
            "field \"code\": must not be larger than 3 B, got 4 B");
  EXPECT_EQ(field_of(R"({"code":"","stdin":"abcd"})", limits), "stdin");
  EXPECT_EQ(field_of(R"({"code":"","args":["","",""]})", limits), "args");
  EXPECT_EQ(field_of(R"({"code":"","args":["abcdefgh"]})", limits), "args");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A":"","B":""}})", limits), "env");
  EXPECT_EQ(field_of(R"({"code":"","env":{"A":"abcdef"}})", limits), "env");
  EXPECT_EQ(field_of(R"({"code":"","files":[{"name":"a","content":"YWJj"}]})", limits), "files");
  EXPECT_EQ(field_of(R"({"code":"","files":[{"name":"a","content":""},{"name":"b","content":""}]})",
                     limits),
            "files");
  limits.total = {10};
  EXPECT_NE(problem_of(R"({"code":"abc"})", limits).find("larger than 10 B"), std::string::npos);
}

TEST(RequestCodec, TooDeepIsRefused) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_NE(problem_of(R"({"code":"","input":)" + deep + "}").find("deeper than 64"),
            std::string::npos);
}

TEST(RequestCodec, ALargeProgramIsFine) {
  const std::string code(std::size_t{300} << 10U, 'x');
  EXPECT_EQ(decode(R"({"code":")" + code + "\"}")->code.size(), code.size());
}

}  // namespace
}  // namespace cove
