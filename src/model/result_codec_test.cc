#include "model/result_codec.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "model/names.h"

namespace cove {
namespace {

ExecutionResult full_result() {
  ExecutionResult result;
  result.status = ExecutionStatus::Failed;
  result.exit_code = 3;
  result.signal = "SIGSEGV";
  result.stdout_data = "out";
  result.stderr_data = "err";
  result.stdout_truncated = true;
  result.output_files = {{"a.png", {5}, "image/png", false, std::string("\0\xFF", 2)},
                         {"b.txt", {7}, "text/plain", true, {}}};
  result.skipped_files = {{"fifo", "a FIFO"}};
  result.output_files_incomplete = true;
  result.output = json::value(nullptr);
  result.display_stdout = "shown";
  const DiagnosticSpan span{"main.rs", 1, 2, 3, 4, true, "here", {{"let", 3, 4}}};
  result.diagnostics = {{"error", "bad", "E1", {span}, {}, {}}};
  result.diagnostics_text = "main.rs:1:3: error[E1]: bad";
  const StepReport build{"build", std::chrono::microseconds(1200), std::chrono::microseconds(900),
                         Bytes{8192}};
  result.compile =
      CompileReport{true, {build, {"run", std::chrono::microseconds(300)}}, "raw", false};
  result.duration = std::chrono::microseconds(470);
  result.setup = std::chrono::microseconds(120);
  result.usage = {std::chrono::microseconds(1500), std::chrono::microseconds(2000), Bytes{4096}};
  result.killed = true;
  result.limits_hit = {LimitHit::Pids, LimitHit::Output};
  result.backend = "native";
  result.isolation = "namespaces";
  result.warm = true;
  result.execution_id = "exec_1";
  return result;
}

TEST(ResultCodec, HasTheFieldsCallersRelyOn) {
  EXPECT_EQ(
      encode_result_text(full_result()),
      R"({"status":"failed","exit_code":3,"signal":"SIGSEGV","stdout":"out","stderr":"err",)"
      R"("stdout_truncated":true,"stderr_truncated":false,"output_files":[)"
      R"({"name":"a.png","size":5,"mime_type":"image/png","truncated":false,"content":"AP8="},)"
      R"({"name":"b.txt","size":7,"mime_type":"text/plain","truncated":true}],)"
      R"("skipped_files":[{"name":"fifo","reason":"a FIFO"}],"output_files_incomplete":true,)"
      R"("output":null,"display_stdout":"shown","diagnostics":[{"level":"error",)"
      R"("message":"bad","code":"E1","spans":[{"file_name":"main.rs","line_start":1,)"
      R"("line_end":2,"column_start":3,"column_end":4,"is_primary":true,"label":"here",)"
      R"("text":[{"text":"let","highlight_start":3,"highlight_end":4}]}]}],)"
      R"("diagnostics_text":"main.rs:1:3: error[E1]: bad","compile":{"cached":true,)"
      R"("steps":[{"name":"build","duration_ms":1.2,"cpu_ms":0.9,"peak_memory_bytes":8192},)"
      R"({"name":"run","duration_ms":0.3}],"output":"raw","output_truncated":false},)"
      R"("duration_ms":0.47,"setup_ms":0.12,)"
      R"("usage":{"cpu_ms":1.5,"wall_ms":2.0,"peak_memory_bytes":4096},"killed":true,)"
      R"("oom":false,"limits_hit":["pids","output"],"backend":"native",)"
      R"("isolation":"namespaces","warm":true,"execution_id":"exec_1"})");
}

TEST(ResultCodec, WhatCouldNotBeDeterminedIsAbsent) {
  ExecutionResult result;
  result.status = ExecutionStatus::Timeout;
  const json::object object = encode_result(result);
  for (const auto* name : {"exit_code", "signal", "output", "display_stdout", "diagnostics_text",
                           "compile", "setup_ms"}) {
    EXPECT_FALSE(object.contains(name)) << name;
  }
  EXPECT_EQ(object.at("status").as_string(), "timeout");
  EXPECT_EQ(json::serialize(object.at("usage")), R"({"wall_ms":0E0})");
  const auto back = decode_result(object);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_FALSE(back->setup || back->usage.cpu || back->usage.peak_memory);
}

TEST(ResultCodec, InvalidUtf8BecomesReplacementCharacters) {
  ExecutionResult result;
  result.stdout_data = "a\xFF\xC0z";
  result.stderr_data = std::string("nul\0", 4);
  result.output_files = {{"\xFE", {0}, "", false, {}}};
  const std::string text = encode_result_text(result);
  EXPECT_TRUE(is_valid_utf8(text));
  EXPECT_NE(text.find("a\uFFFD\uFFFDz"), std::string::npos);
  EXPECT_EQ(decode_result_text(text)->stderr_data, result.stderr_data);
}

TEST(ResultCodec, ComesBackAsItWas) {
  const std::string text = encode_result_text(full_result());
  const auto decoded = decode_result_text(text);
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(encode_result_text(*decoded), text);
  EXPECT_EQ(decoded->output_files[0].content, std::string("\0\xFF", 2));
  EXPECT_FALSE(decoded->output_files[1].content);
  EXPECT_EQ(decoded->duration, std::chrono::microseconds(470));
}

TEST(ResultCodec, AClientToleratesNewFieldsAndNullButNotWrongTypes) {
  const auto decoded = decode_result_text(R"({"status":"success","exit_code":null,"new":{}})");
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->exit_code);
  EXPECT_EQ(decode_result_text(R"({"status":"fine"})").error().field(), "status");
  EXPECT_EQ(decode_result_text(R"({})").error().field(), "status");
  EXPECT_EQ(decode_result_text(R"({"status":"oom","exit_code":"1"})").error().field(), "exit_code");
  EXPECT_EQ(decode_result_text(R"({"status":"oom","exit_code":99999999999})").error().field(),
            "exit_code");
  EXPECT_EQ(decode_result_text(R"({"status":"oom","output_files":[{"size":-1}]})").error().field(),
            "output_files[0].size");
  EXPECT_EQ(decode_result_text(R"({"status":"oom","limits_hit":["x"]})").error().field(),
            "limits_hit[0]");
}

TEST(ExecutionResult, CombinedOutput) {
  ExecutionResult result;
  EXPECT_EQ(result.combined_output(), "");
  result.stdout_data = "out\n";
  EXPECT_EQ(result.combined_output(), "out\n");
  result.stderr_data = "err";
  EXPECT_EQ(result.combined_output(), "out\n\n--- stderr ---\nerr");
  result.stdout_data.clear();
  EXPECT_EQ(result.combined_output(), "err");
}

TEST(ExecutionResult, OutcomesForOlderClients) {
  EXPECT_EQ(name_of(outcome_of(ExecutionStatus::Success)), "OUTCOME_OK");
  EXPECT_EQ(name_of(outcome_of(ExecutionStatus::Timeout)), "OUTCOME_DEADLINE_EXCEEDED");
  for (const auto status :
       {ExecutionStatus::Failed, ExecutionStatus::Oom, ExecutionStatus::Cancelled,
        ExecutionStatus::CompileFailed, ExecutionStatus::Rejected}) {
    EXPECT_EQ(name_of(outcome_of(status)), "OUTCOME_FAILED");
  }
  EXPECT_EQ(name_of(Outcome::Unspecified), "OUTCOME_UNSPECIFIED");
}

TEST(Names, AreThoseOfTheSpecification) {
  EXPECT_EQ(allowed_names<ExecutionStatus>(),
            "success, failed, timeout, oom, cancelled, compile_failed, rejected");
  EXPECT_EQ(allowed_names<LimitHit>(), "memory, pids, disk, output, cpu");
  EXPECT_EQ(from_name<TruncationStyle>("notice"), TruncationStyle::Notice);
  EXPECT_FALSE(from_name<TruncationStyle>("Notice"));
}

}  // namespace
}  // namespace cove
