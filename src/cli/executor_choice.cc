#include "cli/executor_choice.h"

#include <utility>

#include <fmt/format.h>

#include "executor/local/local_executor.h"

namespace cove {

Result<ExecutorChoice> choose_executor(const BackendOptions& options, RuntimeCatalog catalog) {
  ExecutorChoice choice;
  if (options.isolation && options.backend != "native") {
    return Err(Error(
        ErrorCode::InvalidRequest,
        fmt::format("--isolation is an option of --backend native, not of {}", options.backend)));
  }
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
  if (options.isolation) native_options.isolation = *options.isolation;
  COVE_ASSIGN(std::shared_ptr<NativeExecutor> native,
              NativeExecutor::create(catalog, std::move(native_options)));
  choice.native = native.get();
  COVE_ASSIGN(auto compiling, CompilingExecutor::create(std::move(native), std::move(catalog)));
  choice.compiling = compiling.get();
  choice.executor = std::move(compiling);
  return choice;
}

Result<std::string> explain_steps(const ExecutorChoice& choice, const ExecutionRequest& request) {
  if (choice.native != nullptr) {
    COVE_ASSIGN(const auto compiler, choice.compiling->compiler_of(request));
    return choice.native->explain(request, compiler ? &*compiler : nullptr);
  }
  if (choice.container == nullptr) return "";
  COVE_ASSIGN(const auto words, choice.container->build_run_args(request));
  const ContainerEngine& engine = choice.container->engine();
  // An option and its value are one step; so are the image and the words behind it.
  std::string text = fmt::format("{:>3}  {}", 1, engine.command.path);
  int number = 1;
  bool takes_value = true;
  bool behind_image = false;
  for (const std::string& word : words) {
    const bool option = !behind_image && word.starts_with('-');
    if (!option && !takes_value) {
      if (!behind_image) text += fmt::format("\n{:>3} ", ++number);
      behind_image = true;
    } else if (option) {
      text += fmt::format("\n{:>3} ", ++number);
    }
    text += " " + word;
    takes_value = option;
  }
  return text + "\n";
}

}  // namespace cove
