// The tool code_exec in a program of one's own, as an agent would use it: the model's function
// calls go in as JSON, the answers go back to it. Here the model is a list of two attempts: the
// first program does not compile, and the text of the diagnostics says how to mend it.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <cove/cove.h>

namespace {

using cove::json::object;

// What a model would have written.
const object kFirstAttempt{
    {"language", "c"},
    {"code", "#include <stdio.h>\nint main(void) {\n  printf(\"%d\\n\", 6 * sevn);\n}\n"}};
const object kSecondAttempt{{"language", "c"},
                            {"code",
                             "#include <stdio.h>\nint main(void) {\n  int seven = 7;\n  "
                             "printf(\"%d\\n\", 6 * seven);\n}\n"}};

std::string text_of(const object& answer, const char* field) {
  return std::string(answer.at(field).as_string());
}

cove::Result<cove::CodeTool> make_tool() {
  COVE_ASSIGN(const std::string data, cove::data_dir());
  COVE_ASSIGN(const auto catalog, cove::RuntimeCatalog::load(data + "/profiles"));
  COVE_ASSIGN(std::shared_ptr<cove::CodeExecutor> native,
              cove::NativeExecutor::create(catalog, {}));
  COVE_ASSIGN(std::shared_ptr<cove::CodeExecutor> executor,
              cove::CompilingExecutor::create(std::move(native), catalog));
  return cove::CodeTool(std::move(executor), catalog);
}

bool work(cove::CodeTool& tool) {
  // What is sent to the model provider with the conversation: name, description, JSON schema.
  std::printf("tool: %s\n", std::string(tool.name()).c_str());

  cove::ToolContext context;
  context.scopes = {"code:execute", "code:execute:c"};  // what this model may do, and no more

  object answer = tool.call(kFirstAttempt, context);
  std::printf("first attempt: %s\n%s", text_of(answer, "status").c_str(),
              text_of(answer, "diagnostics_text").c_str());
  answer = tool.call(kSecondAttempt, context);
  std::printf("second attempt: %s, it printed %s", text_of(answer, "status").c_str(),
              text_of(answer, "stdout").c_str());

  // A language that was not granted: an answer, too, and nothing ran.
  answer = tool.call(object{{"language", "sh"}, {"code", "true"}}, context);
  std::printf("%s: %s\n", text_of(answer, "status").c_str(), text_of(answer, "stderr").c_str());
  return text_of(answer, "status") == "error";
}

}  // namespace

int main() {
  auto tool = make_tool();
  if (!tool) {
    std::fprintf(stderr, "%s\n", tool.error().message().c_str());
    return 1;
  }
  return work(*tool) ? 0 : 1;
}
