#include "client/client_codec.h"

#include <gtest/gtest.h>

#include "base/parse_json.h"
#include "base/write_json.h"
#include "client/client.h"
#include "client/client_stream.h"
#include "model/request_codec.h"

namespace cove {
namespace {

TEST(ClientCodec, ARequestReadsBackAsItWas) {
  ExecutionRequest request;
  request.code = "print(1)";
  request.language = "python";
  request.stdin_data = "in";
  request.args = {"-x", "ä"};
  request.input = json::value{{"a", 1}};
  request.files = {{"d/f.bin", std::string("\0\xff", 2), "image/png"}};
  request.env = {{"NAME", "value"}};
  request.timeout = std::chrono::milliseconds(1500);
  request.compile_timeout = std::chrono::milliseconds(2500);
  request.limits.memory = Bytes::mib(64);
  request.truncation = TruncationStyle::Notice;
  request.collect_file_contents = true;
  const auto presets = [](std::string_view name) -> Result<SandboxPolicy> {
    SandboxPolicy policy;
    policy.name = std::string(name);
    return policy;
  };
  const auto text = write_json(encode_request(request, PolicyForm::ByName));
  const auto back = decode_request(text, presets);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->code, request.code);
  EXPECT_EQ(back->stdin_data, "in");
  EXPECT_EQ(back->args, request.args);
  EXPECT_EQ(*back->input, *request.input);
  EXPECT_EQ(back->files.at(0).content, request.files[0].content);
  EXPECT_EQ(back->files.at(0).mime_type, "image/png");
  EXPECT_EQ(back->env, request.env);
  EXPECT_EQ(back->timeout, request.timeout);
  EXPECT_EQ(back->compile_timeout, request.compile_timeout);
  EXPECT_EQ(back->limits.memory, request.limits.memory);
  EXPECT_EQ(back->truncation, TruncationStyle::Notice);
  EXPECT_TRUE(back->collect_file_contents);
  EXPECT_EQ(back->policy.name, "strict");
}

TEST(ClientCodec, ThePolicyTravelsAsAsked) {
  const ExecutionRequest request;
  EXPECT_EQ(encode_request(request, PolicyForm::ByName).at("policy"), "strict");
  EXPECT_TRUE(encode_request(request, PolicyForm::Whole).at("policy").is_object());
  EXPECT_FALSE(encode_request(request, PolicyForm::ServerDefault).contains("policy"));
}

TEST(ClientCodec, AnErrorKeepsItsCodeMessageAndField) {
  const Error error = error_of_answer(
      400, R"({"error":{"code":"invalid_request","message":"field \"a\": is bad","field":"a"}})",
      "");
  EXPECT_EQ(error.code(), ErrorCode::InvalidRequest);
  EXPECT_EQ(error.message(), "field \"a\": is bad");
  EXPECT_EQ(error.field(), "a");
  const Error busy = error_of_answer(429, R"({"error":{"code":"busy","message":"full"}})", "3");
  EXPECT_EQ(busy.code(), ErrorCode::Busy);
  EXPECT_EQ(busy.message(), "full (try again in 3 s)");
}

TEST(ClientCodec, AnAnswerOfSomebodyElseIsAnErrorByItsStatus) {
  EXPECT_EQ(error_of_answer(404, "<html>", "").code(), ErrorCode::NotFound);
  EXPECT_EQ(error_of_answer(503, "", "").code(), ErrorCode::BackendUnavailable);
  EXPECT_EQ(error_of_answer(302, "{}", "").code(), ErrorCode::Internal);
  EXPECT_EQ(error_of_answer(429, R"({"error":7})", "x\r\n").code(), ErrorCode::Internal);
}

TEST(ClientCodec, ReadsAnExecution) {
  const auto value = parse_json(
      R"({"id":"exec_1","state":"done","status":"success","exit_code":0,"new":[1],
          "result":{"status":"success","exit_code":0,"stdout":"hi"}})");
  const auto execution = decode_execution(*value);
  ASSERT_TRUE(execution) << execution.error().message();
  EXPECT_EQ(execution->id, "exec_1");
  EXPECT_EQ(execution->result->stdout_data, "hi");
  EXPECT_FALSE(decode_execution(*parse_json(R"({"state":"done"})")));
  EXPECT_FALSE(decode_execution(*parse_json(R"({"id":1})")));
  EXPECT_FALSE(decode_execution(*parse_json(R"({"id":"a","exit_code":9999999999})")));
}

TEST(ClientCodec, ReadsACell) {
  const auto value = parse_json(
      R"({"status":"failed","count":2,"stdout":"o","displays":[{"text/plain":"1"}],
          "error":{"name":"E","value":"v","traceback":["t"]},"duration_ms":1.5,"notes":["n"]})");
  const auto cell = decode_cell_result(*value);
  ASSERT_TRUE(cell) << cell.error().message();
  EXPECT_EQ(cell->status, ExecutionStatus::Failed);
  EXPECT_EQ(cell->count, 2U);
  EXPECT_EQ(cell->displays.at(0).at(0).second, "1");
  EXPECT_EQ(cell->error->name, "E");
  EXPECT_EQ(cell->duration, std::chrono::microseconds(1500));
  EXPECT_FALSE(decode_cell_result(*parse_json(R"({"status":"odd"})")));
  EXPECT_FALSE(decode_cell_result(*parse_json(R"({"status":"failed","displays":[{"a":1}]})")));
}

TEST(ClientCodec, PathsAreEscaped) {
  EXPECT_EQ(percent_encode("a/b ?%ä"), "a%2Fb%20%3F%25%C3%A4");
  EXPECT_EQ(percent_encode("a/b#", true), "a/b%23");
}

TEST(Client, AKeyCannotCarryAHeader) {
  ClientOptions options;
  options.key = "a\r\nX: y";
  EXPECT_FALSE(Client::connect(options));
  options.key = "good-key";
  EXPECT_TRUE(Client::connect(options));
}

class PlainSink final : public OutputSink {
 public:
  void on_stdout(std::string_view bytes) override { text += bytes; }
  void on_stderr(std::string_view bytes) override { text += bytes; }
  std::string text;
};

TEST(EventReader, GivesOutputAndResult) {
  struct Sink final : OutputSink {
    void on_stdout(std::string_view bytes) override { out += bytes; }
    void on_stderr(std::string_view bytes) override { err += bytes; }
    std::string out;
    std::string err;
  } sink;
  RemoteContext context;
  context.sink = &sink;
  std::uint64_t dropped = 0;
  context.on_dropped = [&dropped](std::uint64_t bytes) { dropped = bytes; };
  EventReader reader(context, Bytes::mib(1));
  EXPECT_FALSE(reader.open("text/html"));
  ASSERT_TRUE(reader.open("application/x-ndjson"));
  ASSERT_TRUE(
      reader.take("{\"type\":\"started\",\"execution_id\":\"exec_1\"}\n"
                  "{\"type\":\"stdout\",\"data\":\"a\"}\n{\"type\":\"later\"}\n"
                  "{\"type\":\"stderr\",\"data_base64\":\"/w==\"}\n"
                  "{\"type\":\"dropped\",\"stream\":\"stdout\",\"bytes\":7}\n"));
  EXPECT_EQ(reader.id(), "exec_1");
  EXPECT_EQ(sink.out, "a");
  EXPECT_EQ(sink.err, "\xff");
  EXPECT_EQ(dropped, 7U);
  ASSERT_TRUE(reader.take("{\"type\":\"result\",\"result\":{\"status\":\"success\"}}\n"));
  EXPECT_TRUE(reader.finish());
}

TEST(EventReader, WhatACompilerSaidIsShownOnce) {
  struct Sink final : OutputSink {
    void on_stdout(std::string_view /*bytes*/) override {}
    void on_stderr(std::string_view bytes) override { err += bytes; }
    bool on_diagnostics(const std::vector<Diagnostic>& diagnostics) override {
      for (const Diagnostic& each : diagnostics) err += "<" + each.message + ">";
      return takes;
    }
    bool takes = true;
    std::string err;
  };
  const auto shown = [](std::string_view level, bool takes) {
    Sink sink;
    sink.takes = takes;
    RemoteContext context;
    context.sink = &sink;
    EventReader reader(context, Bytes::mib(1));
    reader.open("application/x-ndjson");
    EXPECT_TRUE(reader.take(R"({"type":"diagnostics","diagnostics":[{"level":")" +
                            std::string(level) + R"(","message":"m","spans":[]}]})" +
                            "\n{\"type\":\"stderr\",\"data\":\"rest\"}\n"));
    return sink.err;
  };
  EXPECT_EQ(shown("error", true), "<m>");  // stderr would be the same once more
  EXPECT_EQ(shown("error", false), "<m>rest");
  EXPECT_EQ(shown("warning", true), "<m>rest");  // the program's own
}

TEST(EventReader, ANoticeReachesTheSink) {
  struct Sink final : OutputSink {
    void on_stdout(std::string_view /*bytes*/) override {}
    void on_stderr(std::string_view /*bytes*/) override {}
    void on_notice(std::string_view message) override { said += message; }
    std::string said;
  };
  Sink sink;
  RemoteContext context;
  context.sink = &sink;
  EventReader reader(context, Bytes::mib(1));
  reader.open("application/x-ndjson");
  EXPECT_TRUE(
      reader.take("{\"type\":\"notice\",\"message\":\"wait\"}\n{\"type\":\"notice\"}\n"
                  "{\"type\":\"notice\",\"message\":3}\n"));
  EXPECT_EQ(sink.said, "wait");
}

TEST(EventReader, DiagnosticsOfAServerAreChecked) {
  PlainSink sink;
  RemoteContext context;
  context.sink = &sink;
  for (const char* event :
       {R"({"type":"diagnostics","diagnostics":1})", R"({"type":"diagnostics","diagnostics":[1]})",
        R"({"type":"diagnostics","diagnostics":[{"message":2}]})"}) {
    EventReader reader(context, Bytes::mib(1));
    reader.open("application/x-ndjson");
    EXPECT_FALSE(reader.take(std::string(event) + "\n")) << event;
  }
}

TEST(EventReader, AnEndWithoutAResultIsAnError) {
  const RemoteContext context;
  EventReader reader(context, Bytes::mib(1));
  reader.open("text/event-stream");
  EXPECT_FALSE(reader.finish());
}

}  // namespace
}  // namespace cove
