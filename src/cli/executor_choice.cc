#include "cli/executor_choice.h"

#include <utility>

#include <fmt/format.h>

#include "executor/local/local_executor.h"

namespace cove {

Result<ExecutorChoice> choose_executor(const BackendOptions& options, RuntimeCatalog catalog) {
  ExecutorChoice choice;
  if (options.backend == "local") {
    choice.executor = std::make_unique<LocalExecutor>(std::move(catalog));
    return choice;
  }
  if (options.backend == "container") {
    COVE_ASSIGN(auto container, ContainerExecutor::create(std::move(catalog), options.container));
    choice.container = container.get();
    choice.executor = std::move(container);
    return choice;
  }
  NativeOptions native_options;
  native_options.isolation = options.isolation;
  COVE_ASSIGN(auto native, NativeExecutor::create(std::move(catalog), std::move(native_options)));
  choice.native = native.get();
  choice.executor = std::move(native);
  return choice;
}

Result<std::string> explain_steps(const ExecutorChoice& choice, const ExecutionRequest& request) {
  if (choice.native != nullptr) return choice.native->explain(request);
  if (choice.container == nullptr) return "";
  COVE_ASSIGN(const auto words, choice.container->build_run_args(request));
  const ContainerEngine& engine = choice.container->engine();
  std::string text = fmt::format("{:>3}  {}", 1, engine.command.path);
  int number = 1;
  for (const std::string& word : words) {
    // An option with its value is one step.
    if (word.starts_with('-') && word != "-") {
      text += fmt::format("\n{:>3}  {}", ++number, word);
    } else {
      text += " " + word;
    }
  }
  return text + "\n";
}

}  // namespace cove
