#include "docker/docker_run.h"

#include <string.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "docker/archive_collector.h"
#include "docker/container_language.h"
#include "docker/container_scripts.h"
#include "docker/tar_stream.h"
#include "executor/output_capture.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
using Stream = OutputFrames::Stream;

constexpr auto kCollectionBudget = std::chrono::seconds(2);
constexpr auto kKillPatience = std::chrono::seconds(5);
constexpr auto kGoingPatience = std::chrono::seconds(1);
constexpr auto kStagePatience = std::chrono::seconds(60);
constexpr std::size_t kMostFacts = 1U << 20U;  // counters and names of sockets

enum class End : unsigned char { Running, Exited, Timeout, Cancelled };

bool is_host_workspace(const FilesystemPolicy& policy) {
  return policy.kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
         policy.kind == FilesystemPolicy::Kind::WorkspaceReadWrite;
}

// No such container, or one that is not running.
bool is_gone(ErrorCode code) {
  return code == ErrorCode::NotFound || code == ErrorCode::Conflict;
}

// The directories of a name, outermost first: "a", "a/b" of "a/b/c".
std::vector<std::string> parents_of(const std::string& name) {
  std::vector<std::string> out;
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    out.push_back(name.substr(0, slash));
  }
  return out;
}

std::uint64_t number_after(std::string_view text, std::string_view word) {
  std::uint64_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = trim(line.substr(word.size()));
    std::uint64_t one = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), one);
    number = std::max(number, one);
  }
  return number;
}

// What holds where nobody asks: the container's, not the profile's.
Limits limits_of(const DockerOptions& options) {
  Limits limits;
  limits.processes = options.processes;
  limits.descriptors = options.descriptors;
  return limits;
}

class Run {
 public:
  Run(const DockerPlace& place, const LanguageProfile& profile, const ExecutionRequest& request,
      const ExecutionContext& context)
      : place_(place),
        profile_(profile),
        request_(request),
        context_(context),
        limits_(resolve_limits(request.limits, request.policy.limits, limits_of(place.options))),
        name_(random_id("run_")),
        user_(fmt::format("{}:{}", place.uid, place.uid)),
        out_(OutputCapture::Stream::Stdout, limits_.stdout_bytes, request.truncation, context.sink),
        err_(OutputCapture::Stream::Stderr, limits_.stderr_bytes, request.truncation,
             context.sink) {
    const std::string& base = place.options.work_dir;
    paths_.work = is_host_workspace(request.policy.filesystem) ? "/workspace" : base + "/" + name_;
    paths_.program = fmt::format("{}/{}.code/main.{}", base, name_, profile.extension);
    paths_.environment = place.options.environment;
  }

  Result<ExecutionResult> execute();

 private:
  std::string archive() const;
  Result<> stage(const std::vector<ContainerLanguage>& languages);
  Result<> run_program();
  bool watch();
  void kill();
  void outcome(int code);
  bool collect();
  bool died_with_container() const;
  void take_facts(std::string_view text);
  void clean_up();
  ExecSpec script(std::string_view text, std::vector<std::string> words) const;

  const DockerPlace& place_;
  const LanguageProfile& profile_;
  const ExecutionRequest& request_;
  const ExecutionContext& context_;
  ResolvedLimits limits_;
  std::string name_;
  std::string user_;
  ContainerPaths paths_;
  OutputCapture out_;
  OutputCapture err_;
  ContainerLanguage language_;
  std::string interpreter_;
  Clock::time_point began_;  // the program, as far as can be seen from here
  Clock::time_point deadline_;
  Clock::time_point killed_at_;
  End end_ = End::Running;
  ExecutionResult result_;
};

ExecSpec Run::script(std::string_view text, std::vector<std::string> words) const {
  ExecSpec spec;
  spec.argv = {"sh", "-c", std::string(text), "sh"};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.user = user_;
  return spec;
}

std::string Run::archive() const {
  TarWriter tar;
  const std::string code = name_ + ".code";
  tar.directory(name_);
  tar.directory(code);
  tar.file(fmt::format("{}/main.{}", code, profile_.extension), request_.code);
  std::set<std::string> made;
  for (const ExecFile& file : request_.files) {
    for (const std::string& parent : parents_of(file.name)) {
      if (made.insert(parent).second) tar.directory(fmt::format("{}/{}", name_, parent));
    }
    tar.file(fmt::format("{}/{}", name_, file.name), file.content);
    const std::string top = file.name.substr(0, file.name.find('/'));
    // Languages that look for modules beside the program find them there.
    if (profile_.link_files && top != "main." + profile_.extension &&
        made.insert("code/" + top).second) {
      tar.symbolic_link(fmt::format("{}/{}", code, top), fmt::format("{}/{}", paths_.work, top));
    }
  }
  return tar.finish();
}

Result<> Run::stage(const std::vector<ContainerLanguage>& languages) {
  const std::string bytes = archive();
  std::vector<std::string> words{place_.options.work_dir, std::to_string(bytes.size())};
  for (const ContainerLanguage& language : languages) words.push_back(language.command);
  std::string found;
  std::string complaint;
  const auto deadline = Clock::now() + kStagePatience;
  ExecTalk talk;
  talk.input = bytes;
  talk.on_output = [&](Stream stream, std::string_view piece) {
    std::string& into = stream == Stream::Stdout ? found : complaint;
    into += piece.substr(0, 4096 - std::min<std::size_t>(into.size(), 4096));
  };
  talk.give_up = [&] { return context_.cancel.stop_requested() || Clock::now() >= deadline; };
  const auto ran =
      place_.api.run(place_.container.id(), script(kStageScript, std::move(words)), talk);
  if (!ran && is_gone(ran.error().code())) {
    (void)place_.container.remove();
    return Err(
        Error(ErrorCode::BackendUnavailable, "the container is gone: " + ran.error().message()));
  }
  if (!ran) return Err(ran.error());
  const int code = *ran;
  if (code == kStageNoInterpreter) {
    std::vector<std::string> tried;
    tried.reserve(languages.size());
    for (const ContainerLanguage& language : languages) tried.push_back(language.command);
    return Err(Error(ErrorCode::UnsupportedLanguage,
                     fmt::format("the image {} has no {}: looked for {}",
                                 quoted(place_.options.image), profile_.name, join(tried, ", "))));
  }
  if (code == kStageDiskFull) {
    return Err(Error::invalid_field("files", "program and files do not fit the disk limit"));
  }
  if (code != 0) {
    return Err(Error(ErrorCode::ExecutionFailed,
                     fmt::format("putting the program into the container failed ({}): {}", code,
                                 escape_file_name(trim(complaint)))));
  }
  interpreter_ = std::string(trim(found));
  const std::string command = interpreter_.substr(interpreter_.rfind('/') + 1);
  for (const ContainerLanguage& language : languages) {
    if (language.command == command) {
      language_ = language;
      return {};
    }
  }
  return Err(
      Error(ErrorCode::Internal, "the container named an interpreter that nobody asked for"));
}

// Once a slice while the program runs. True: the conversation has no more to give.
bool Run::watch() {
  const auto now = Clock::now();
  if (end_ == End::Running) {
    if (context_.cancel.stop_requested()) {
      end_ = End::Cancelled;
    } else if (now >= deadline_) {
      end_ = End::Timeout;
    } else {
      return false;
    }
    kill();
    killed_at_ = Clock::now();
    return false;
  }
  return now >= killed_at_ + kKillPatience;
}

// Ends all processes of this execution, and nothing else. What cannot be ended so goes with the
// container.
void Run::kill() {
  const auto deadline = Clock::now() + kKillPatience;
  ExecTalk talk;
  talk.give_up = [deadline] { return Clock::now() >= deadline; };
  const auto done = place_.api.run(place_.container.id(), script(kKillScript, {}), talk);
  if (!done) (void)place_.container.remove();
}

Result<> Run::run_program() {
  ExecSpec spec = script(
      kRunScript, {std::to_string(limits_.processes + 1), std::to_string(limits_.descriptors),
                   std::to_string(request_.stdin_data.size())});
  const auto argv = program_arguments(language_, interpreter_, request_, paths_);
  spec.argv.insert(spec.argv.end(), argv.begin(), argv.end());
  spec.env = program_environment(profile_, language_, request_, paths_);
  spec.working_directory = paths_.work;
  if (const auto& below = request_.policy.working_directory; below && !below->empty()) {
    spec.working_directory += "/" + *below;
  }
  ExecTalk talk;
  talk.input = request_.stdin_data;
  talk.on_output = [this](Stream stream, std::string_view piece) {
    (stream == Stream::Stdout ? out_ : err_).consume(piece);
  };
  talk.give_up = [this] { return watch(); };
  began_ = Clock::now();
  deadline_ = began_ + request_.timeout.value_or(request_.policy.timeout);
  auto code = place_.api.run(place_.container.id(), spec, talk);
  if (end_ == End::Timeout || end_ == End::Cancelled) {
    // Whatever still held the output open after all was killed is not this execution's any more.
    if (!code) (void)place_.container.remove();
    result_.status = end_ == End::Timeout ? ExecutionStatus::Timeout : ExecutionStatus::Cancelled;
    result_.killed = true;
    return {};
  }
  end_ = End::Exited;
  if (!code) {
    const auto running = place_.api.is_running(place_.container.id());
    if (running && *running) kill();
    if (running && !*running) {
      (void)place_.container.remove();
      return Err(Error(ErrorCode::BackendUnavailable,
                       "the container ended while the program ran: " + code.error().message()));
    }
    return Err(std::move(code).error());
  }
  outcome(*code);
  return {};
}

void Run::outcome(int code) {
  const char* const signal = code > 128 ? ::sigabbrev_np(code - 128) : nullptr;
  result_.status = code == 0 ? ExecutionStatus::Success : ExecutionStatus::Failed;
  if (signal != nullptr) {
    result_.signal = fmt::format("SIG{}", signal);
  } else {
    result_.exit_code = code;
  }
}

void Run::take_facts(std::string_view text) {
  const std::size_t disk = text.find("\ndisk\n");
  const std::string_view memory = text.substr(0, std::min(disk, text.size()));
  const std::uint64_t kills = place_.container.new_oom_kills(number_after(memory, "oom_kill "));
  // In company, the counter does not tell whose process it was; the way the program ended does.
  const bool ours = place_.was_alone() || result_.signal == "SIGKILL";
  if (kills > 0 && ours && end_ == End::Exited) {
    result_.status = ExecutionStatus::Oom;
    result_.oom = true;
    result_.exit_code.reset();
    result_.signal.reset();
    result_.limits_hit.push_back(LimitHit::Memory);
  }
  if (disk == std::string_view::npos) return;
  for (const std::string_view line : split(text.substr(disk + 6), '\n')) {
    const auto words = split(trim(line), ' ');
    if (words.size() == 2 && (words[0] == "0" || words[1] == "0")) {
      result_.limits_hit.push_back(LimitHit::Disk);
      return;
    }
  }
}

// False when the container did not answer to the end.
bool Run::collect() {
  const bool wanted = !is_host_workspace(request_.policy.filesystem);
  CollectOptions options;
  options.request_files = request_.files;
  options.contents = request_.collect_file_contents;
  ArchiveCollector collector(options, result_);
  std::string facts;
  const auto deadline = Clock::now() + kCollectionBudget;
  Result<> fed;
  ExecTalk talk;
  talk.on_output = [&](Stream stream, std::string_view piece) {
    if (stream == Stream::Stderr) {
      facts += piece.substr(0, kMostFacts - facts.size());
    } else if (fed && wanted) {
      fed = collector.feed(piece);
    }
  };
  talk.give_up = [&] { return !fed || Clock::now() >= deadline; };
  const auto done = place_.api.run(
      place_.container.id(),
      script(kCollectScript, {place_.options.work_dir, name_, wanted ? "yes" : ""}), talk);
  std::string_view rest = facts;
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  take_facts(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  for (const std::string_view name : split(rest, '\0')) collector.add_socket(name);
  if (wanted) collector.finish();
  if (done && fed) return *done < 128;
  result_.output_files_incomplete = true;
  clean_up();
  return done.has_value();
}

// A container that is ended takes its processes along, each by SIGKILL, and the engine may tell of
// the program first.
bool Run::died_with_container() const {
  const auto deadline = Clock::now() + kGoingPatience;
  while (place_.container.alive() && Clock::now() < deadline) {
    const auto running = place_.api.is_running(place_.container.id());
    if (!running || !*running) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return !place_.container.alive();
}

void Run::clean_up() {
  const auto deadline = Clock::now() + kKillPatience;
  ExecTalk talk;
  talk.give_up = [deadline] { return Clock::now() >= deadline; };
  const auto done = place_.api.run(place_.container.id(),
                                   script(kCleanScript, {place_.options.work_dir, name_}), talk);
  if (!done) (void)place_.container.remove();
}

Result<ExecutionResult> Run::execute() {
  const auto started = Clock::now();
  COVE_ASSIGN(const auto languages, container_languages(profile_));
  if (auto staged = stage(languages); !staged) {
    if (!context_.cancel.stop_requested()) {
      if (place_.container.alive()) clean_up();
      return Err(std::move(staged).error());
    }
    result_.status = ExecutionStatus::Cancelled;
    result_.killed = true;
    end_ = End::Cancelled;
    clean_up();
  } else {
    if (auto ran = run_program(); !ran) {
      if (place_.container.alive()) clean_up();
      return Err(std::move(ran).error());
    }
    result_.setup = std::chrono::duration_cast<std::chrono::microseconds>(began_ - started);
    const bool collected = place_.container.alive() && collect();
    if (!collected && result_.signal == "SIGKILL" && died_with_container()) {
      (void)place_.container.remove();
      return Err(
          Error(ErrorCode::BackendUnavailable, "the container was ended while the program ran"));
    }
    if (!collected) result_.output_files_incomplete = true;
  }
  out_.finish(result_);
  err_.finish(result_);
  result_.backend = "docker";
  result_.execution_id = request_.execution_id.empty() ? random_id("exec_") : request_.execution_id;
  result_.duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started);
  result_.usage.wall = result_.duration;
  return std::move(result_);
}

}  // namespace

Result<ExecutionResult> run_in_container(const DockerPlace& place, const LanguageProfile& profile,
                                         const ExecutionRequest& request,
                                         const ExecutionContext& context) {
  return Run(place, profile, request, context).execute();
}

}  // namespace cove
