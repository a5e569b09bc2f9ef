#include "docker/docker_run.h"

#include <string.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/strings.h"
#include "docker/archive_collector.h"
#include "docker/container_language.h"
#include "docker/container_scripts.h"
#include "docker/execution_cleaner.h"
#include "docker/program_archive.h"
#include "docker/wrapper_output.h"
#include "executor/output_capture.h"

namespace cove {

namespace {

using Clock = std::chrono::steady_clock;
using Stream = OutputFrames::Stream;

constexpr auto kCollectionBudget = std::chrono::seconds(2);
constexpr auto kKillPatience = std::chrono::seconds(5);
constexpr auto kGoingPatience = std::chrono::seconds(1);
constexpr auto kStagePatience = std::chrono::seconds(60);
constexpr int kMostTries = 3;

enum class End : unsigned char { Starting, Running, Exited, Timeout, Cancelled };

bool is_host_workspace(const FilesystemPolicy& policy) {
  return policy.kind == FilesystemPolicy::Kind::WorkspaceReadOnly ||
         policy.kind == FilesystemPolicy::Kind::WorkspaceReadWrite;
}

// No such container, or one that is not running.
bool is_gone(ErrorCode code) {
  return code == ErrorCode::NotFound || code == ErrorCode::Conflict;
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

CollectOptions collect_options(const ExecutionRequest& request) {
  CollectOptions options;
  options.request_files = request.files;
  options.contents = request.collect_file_contents;
  return options;
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
        remains_{place.options.work_dir, random_id("run_"), place.uid},
        wants_files_(!is_host_workspace(request.policy.filesystem)),
        out_(OutputCapture::Stream::Stdout, limits_.stdout_bytes, request.truncation, context.sink),
        err_(OutputCapture::Stream::Stderr, limits_.stderr_bytes, request.truncation, context.sink),
        collect_options_(collect_options(request)),
        collector_(collect_options_, result_) {
    const std::string& base = place.options.work_dir;
    paths_.work = wants_files_ ? base + "/" + remains_.name : "/workspace";
    paths_.program = fmt::format("{}/{}.code/main.{}", base, remains_.name, profile.extension);
    paths_.environment = place.options.environment;
  }

  Result<ExecutionResult> execute();

 private:
  Result<> find_interpreter();
  ExecSpec run_spec(std::size_t archive_bytes) const;
  Result<> run_program();
  Result<> not_started(std::string_view complaint);
  Result<> lost(const Error& error);
  bool watch();
  void kill();
  void outcome(int code);
  Result<> take_the_rest();
  bool collect();
  WrapperOutput wrapper_output(WrapperOutput::From from);
  void take(const WrapperOutput& told);
  bool died_with_container() const;
  void take_facts(std::string_view text);
  void clean_up();
  ExecSpec script(std::string text, const std::vector<std::string>& words) const;
  std::vector<std::string> place_words() const;

  const DockerPlace& place_;
  const LanguageProfile& profile_;
  const ExecutionRequest& request_;
  const ExecutionContext& context_;
  ResolvedLimits limits_;
  ExecutionRemains remains_;
  bool wants_files_;  // otherwise the host has them already
  ContainerPaths paths_;
  OutputCapture out_;
  OutputCapture err_;
  FoundLanguage language_;
  const std::string mark_ = random_id("");
  Clock::time_point began_;     // the program
  Clock::time_point deadline_;  // of what is going on
  Clock::time_point killed_at_;
  End end_ = End::Starting;
  Result<> collected_;
  bool told_all_ = false;  // by the program's own wrapper
  CollectOptions collect_options_;
  ExecutionResult result_;
  ArchiveCollector collector_;
};

ExecSpec Run::script(std::string text, const std::vector<std::string>& words) const {
  ExecSpec spec;
  spec.argv = {"sh", "-c", std::move(text), "sh"};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.user = remains_.user();
  return spec;
}

std::vector<std::string> Run::place_words() const {
  return {remains_.work_dir, remains_.name, wants_files_ ? "yes" : "",
          std::to_string(remains_.uid)};
}

// Asked once for each language: the container's programs stay as they are.
Result<> Run::find_interpreter() {
  if (auto known = place_.container.known_language(profile_.name)) {
    language_ = std::move(*known);
    return {};
  }
  COVE_ASSIGN(const auto languages, container_languages(profile_));
  std::vector<std::string> commands;
  commands.reserve(languages.size());
  for (const ContainerLanguage& language : languages) commands.push_back(language.command);
  std::string said;
  const auto deadline = Clock::now() + kStagePatience;
  ExecTalk talk;
  talk.on_output = [&](Stream stream, std::string_view piece) {
    if (stream == Stream::Stdout)
      said += piece.substr(0, 8192 - std::min<std::size_t>(said.size(), 8192));
  };
  talk.give_up = [&] { return context_.cancel.stop_requested() || Clock::now() >= deadline; };
  const auto code =
      place_.api.run(place_.container.id(), script(std::string(kFindScript), commands), talk);
  if (!code) return lost(code.error());
  if (*code == kNoInterpreter) {
    return Err(
        Error(ErrorCode::UnsupportedLanguage,
              fmt::format("the image {} has no {}: looked for {}", quoted(place_.options.image),
                          profile_.name, join(commands, ", "))));
  }
  const auto lines = split(said, '\n');
  const std::string_view path = lines.size() > 2 ? trim(lines[2]) : std::string_view();
  const auto found =
      std::ranges::find(languages, path.substr(path.rfind('/') + 1), &ContainerLanguage::command);
  if (*code != 0 || found == languages.end()) {
    return Err(
        Error(ErrorCode::Internal, "the container named an interpreter that nobody asked for"));
  }
  language_ = {*found, std::string(path), std::string(lines[0]), std::string(lines[1])};
  place_.container.remember_language(profile_.name, language_);
  return {};
}

// Once a slice while the wrapper is there. True: the conversation has no more to give.
bool Run::watch() {
  const auto now = Clock::now();
  if (end_ == End::Exited) return !collected_ || now >= deadline_;
  if (end_ == End::Timeout || end_ == End::Cancelled) return now >= killed_at_ + kKillPatience;
  if (context_.cancel.stop_requested()) {
    end_ = End::Cancelled;
  } else if (now < deadline_) {
    return false;
  } else if (end_ == End::Starting) {
    return true;
  } else {
    end_ = End::Timeout;
  }
  kill();
  killed_at_ = Clock::now();
  return false;
}

// Ends all processes of this execution, and nothing else. What cannot be ended so goes with the
// container.
void Run::kill() {
  const auto deadline = Clock::now() + kKillPatience;
  ExecTalk talk;
  talk.give_up = [deadline] { return Clock::now() >= deadline; };
  const auto done =
      place_.api.run(place_.container.id(), script(std::string(kKillScript), {}), talk);
  if (!done) (void)place_.container.remove();
}

ExecSpec Run::run_spec(std::size_t archive_bytes) const {
  std::string directory = paths_.work;
  if (const auto& below = request_.policy.working_directory; below && !below->empty()) {
    directory += "/" + *below;
  }
  std::vector<std::string> words = place_words();
  for (const std::string& word :
       {language_.search_path, std::to_string(archive_bytes),
        std::to_string(request_.stdin_data.size()), std::to_string(limits_.processes + 1),
        std::to_string(limits_.descriptors), directory}) {
    words.push_back(word);
  }
  const auto argv = program_arguments(language_.language, language_.interpreter, request_, paths_);
  words.insert(words.end(), argv.begin(), argv.end());
  ExecSpec spec = script(run_script(), words);
  spec.argv[0] = language_.shell;
  spec.env = program_environment(profile_, language_.language, request_, paths_);
  return spec;
}

WrapperOutput Run::wrapper_output(WrapperOutput::From from) {
  WrapperOutput::Receiver receiver;
  receiver.on_ready = [this] {
    if (end_ == End::Starting) end_ = End::Running;
    began_ = Clock::now();
    deadline_ = began_ + request_.timeout.value_or(request_.policy.timeout);
  };
  receiver.on_output = [this](std::string_view piece) { out_.consume(piece); };
  receiver.on_end = [this] {
    if (end_ == End::Running) end_ = End::Exited;
    deadline_ = Clock::now() + kCollectionBudget;
  };
  receiver.on_archive = [this](std::string_view piece) {
    if (collected_) collected_ = collector_.feed(piece);
  };
  return {mark_, from, std::move(receiver)};
}

Result<> Run::lost(const Error& error) {
  if (!is_gone(error.code())) return Err(error);
  (void)place_.container.remove();
  return Err(Error(ErrorCode::BackendUnavailable, "the container is gone: " + error.message()));
}

Result<> Run::not_started(std::string_view complaint) {
  if (complaint == "disk") {
    return Err(Error::invalid_field("files", "program and files do not fit the disk limit"));
  }
  if (complaint == "directory") {
    return Err(
        Error::invalid_field("policy.working_directory", "is no directory of the workspace"));
  }
  return Err(Error(ErrorCode::ExecutionFailed,
                   fmt::format("putting the program into the container failed: {}",
                               escape_file_name(trim(complaint)))));
}

Result<> Run::run_program() {
  const std::string files = program_archive(remains_.name, paths_.work, profile_, request_);
  const std::string input = mark_ + "\n" + files;
  WrapperOutput told = wrapper_output(WrapperOutput::From::Start);
  bool handed_over = false;
  ExecTalk talk;
  talk.input = input;
  // Not before the archive was read: what reads that may take more than its share.
  talk.more_input = [&]() -> std::string_view {
    if (!told.ready() || std::exchange(handed_over, true)) return {};
    return request_.stdin_data;
  };
  talk.on_output = [&](Stream stream, std::string_view piece) {
    if (stream == Stream::Stdout) {
      told.feed(piece);
    } else {
      err_.consume(piece);
    }
  };
  talk.give_up = [this] { return watch(); };
  deadline_ = Clock::now() + kStagePatience;
  const auto code = place_.api.run(place_.container.id(), run_spec(files.size()), talk);
  told.finish();
  if (end_ == End::Timeout || end_ == End::Cancelled) {
    // Whatever still held the output open after all was killed is not this execution's any more.
    if (!code) (void)place_.container.remove();
    result_.status = end_ == End::Timeout ? ExecutionStatus::Timeout : ExecutionStatus::Cancelled;
    result_.killed = true;
    return {};
  }
  if (!code && told.ended()) {  // it ended; its files were too much
    result_.output_files_incomplete = true;
    collected_ = Err(code.error());
  } else if (!code) {
    const auto running = place_.api.is_running(place_.container.id());
    if (running && *running) kill();
    if (running && !*running && told.ready()) {
      (void)place_.container.remove();
      return Err(Error(ErrorCode::BackendUnavailable,
                       "the container ended while the program ran: " + code.error().message()));
    }
    return lost(code.error());
  } else if (!told.ready()) {
    return not_started(told.complaint());
  }
  end_ = End::Exited;
  outcome(code ? *code : static_cast<int>(number_after(told.facts(), "code ")));
  if (told.ended()) take(told);
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
    result_.killed = true;
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

// What a wrapper said after the program's end.
void Run::take(const WrapperOutput& told) {
  take_facts(told.facts());
  result_.usage.cpu = told.cpu();
  for (const std::string_view name : told.sockets()) collector_.add_socket(name);
  if (told.has_archive()) {
    collector_.finish();
  } else {
    collector_.finish_without_archive();
  }
  told_all_ = told.told_all() && collected_.has_value();
  if (!told_all_) result_.output_files_incomplete = true;
}

// For a program whose wrapper did not live to do it. False when the container did not answer to the
// end.
bool Run::collect() {
  WrapperOutput told = wrapper_output(WrapperOutput::From::Program);
  const std::string input = mark_ + "\n";
  for (int tries = 0; tries < kMostTries && place_.container.alive(); ++tries) {
    deadline_ = Clock::now() + kCollectionBudget;
    ExecTalk talk;
    talk.input = input;
    talk.on_output = [&](Stream stream, std::string_view piece) {
      if (stream == Stream::Stdout) told.feed(piece);
    };
    talk.give_up = [this] { return !collected_ || Clock::now() >= deadline_; };
    const auto done =
        place_.api.run(place_.container.id(), script(collect_script(), place_words()), talk);
    if (!told.ended() && done && *done >= 128) continue;  // killed by what is left of the program
    if (told.ended()) take(told);
    return told.ended();
  }
  return false;
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
  if (!place_.container.alive()) return;
  if (!clean_execution(place_.api, place_.container.id(), remains_)) {
    (void)place_.container.remove();
  }
}

// After the program: its files, and that nothing of it stays.
Result<> Run::take_the_rest() {
  if (!told_all_ && collected_ && !collect()) {
    result_.output_files_incomplete = true;
    if (result_.signal == "SIGKILL" && died_with_container()) {
      (void)place_.container.remove();
      return Err(
          Error(ErrorCode::BackendUnavailable, "the container was ended while the program ran"));
    }
  }
  // A wrapper runs as the program's own user: its word that all is clean is checked, but nobody has
  // to wait for that, unless the next one is the same user.
  if (told_all_ && !place_.options.user) {
    place_.container.clean_later(remains_);
  } else {
    clean_up();
  }
  return {};
}

Result<ExecutionResult> Run::execute() {
  const auto started = Clock::now();
  auto ran = find_interpreter();
  if (ran) ran = run_program();
  if (!ran) {
    clean_up();
    if (!context_.cancel.stop_requested()) return Err(std::move(ran).error());
    result_.status = ExecutionStatus::Cancelled;
    result_.killed = true;
  } else {
    if (began_ != Clock::time_point()) {
      result_.setup = std::chrono::duration_cast<std::chrono::microseconds>(began_ - started);
    }
    COVE_TRY(take_the_rest());
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
