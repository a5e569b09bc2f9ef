#include "toolchain/builder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/diagnostic_text.h"
#include "toolchain/diagnostics/explain_run.h"
#include "toolchain/diagnostics/linker_text.h"

namespace cove {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

microseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<microseconds>(Clock::now() - start);
}

// A limit that only a compiler's own child met, or a host's full disk at the landlock level, is
// known by what was printed of it.
bool speaks_of_room(std::string_view printed) {
  constexpr std::array<std::string_view, 5> kWords{"No space left on device", "File too large",
                                                   "File size limit exceeded",
                                                   "Disk quota exceeded", "Cannot allocate memory"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view words) { return printed.contains(words); });
}

// Whether the same would fail again: a compiler spoke of a place or missed `run`, or a linker spoke
// of a symbol, and no limit was in its way.
bool is_worth_keeping(const ExecutionResult& failure, const BuildOutput& output) {
  return failure.status == ExecutionStatus::CompileFailed && failure.limits_hit.empty() &&
         !speaks_of_room(output.compiler_output) &&
         std::ranges::any_of(output.diagnostics, [](const Diagnostic& diagnostic) {
           return diagnostic.is_error() &&
                  (!diagnostic.spans.empty() || is_linker_error(diagnostic) ||
                   diagnostic.code == kRunSignature);
         });
}

// The outcome with what came before it.
Built after(Built before, Built outcome) {
  const auto prepend = [](auto& list, auto& earlier) {
    list.insert(list.begin(), std::make_move_iterator(earlier.begin()),
                std::make_move_iterator(earlier.end()));
  };
  prepend(outcome.report.steps, before.report.steps);
  prepend(outcome.notes, before.notes);
  return outcome;
}

// Of a program that somebody else compiled, and that would fail in the same way again.
Built shared_failure(const FailedBuild& failed) {
  Built built;
  built.report.cached = true;
  built.report.output = failed.compiler_output;
  built.diagnostics = failed.diagnostics;
  built.failure = failed.result;
  return built;
}

// Keeps what was built, and lets those who wait for the same have what was not.
Result<> keep(Compilation& compilation, BuildCache& cache, const std::string& key,
              SingleFlight<FailedBuild>::Lead& lead, Built& built) {
  if (!compilation.failure) {
    // Without what a step had no time to find it is not what others should get for theirs.
    const std::string name = compilation.cut_short ? key + "-cut" : key;
    COVE_ASSIGN(built.build, cache.store(name, compilation.output));
    return {};
  }
  const ExecutionResult& failure = *compilation.failure;
  if (compilation.cut_short || failure.status == ExecutionStatus::Cancelled) return {};
  if (is_worth_keeping(failure, compilation.output)) {
    (void)cache.store(key, compilation.output);  // else it is compiled again
  }
  lead.share({failure, compilation.output.diagnostics, compilation.report.output});
  return {};
}

}  // namespace

ExecutionResult Builder::stopped(ExecutionStatus status, std::string note) const {
  const BackendCapabilities able = executor_.capabilities();
  ExecutionResult result;
  result.status = status;
  result.backend = able.backend;
  result.isolation = able.isolation;
  if (!note.empty()) result.notes.push_back(std::move(note));
  return result;
}

std::optional<Built> Builder::find(BuildCache& cache, const std::string& key) const {
  auto found = cache.find(key);
  if (!found) return std::nullopt;
  Built built;
  built.build = std::move(found);
  built.report.cached = true;
  built.report.output = built.build->compiler_output;
  built.diagnostics = std::move(built.build->diagnostics);
  if (built.build->failed) {
    built.failure = stopped(ExecutionStatus::CompileFailed, "");
    built.failure->stderr_data = render_diagnostics(built.diagnostics, DiagnosticStyle::Full);
  }
  return built;
}

Result<std::optional<std::string>> Builder::prepare(const BuildOrder& order, BuildCache& cache,
                                                    const Compiler& compiler, Built& built) const {
  const LanguageProfile& profile = order.runtime.profile;
  const ExecutionContext& context = order.context;
  if (profile.compile->prepare.empty()) return std::string();
  const std::string key =
      prepare_key(order.program, order.runtime, executor_.capabilities().isolation);
  if (context.sink != nullptr && !cache.is_prepared(key)) {
    context.sink->on_notice(fmt::format(
        "{} is being prepared, which happens once and can take a minute", profile.name));
  }
  const auto started = Clock::now();
  std::optional<Usage> used;
  const auto make = [&](const std::string& directory) -> Result<> {
    COVE_ASSIGN(used, compiler.prepare(directory));
    return {};
  };
  auto prepared = cache.prepare(key, make, context.cancel);
  if (!prepared && context.cancel.stop_requested()) return std::nullopt;
  if (!prepared) return Err(std::move(prepared).error());
  if (used) {
    built.report.steps.push_back({"prepare", since(started), used->cpu, used->peak_memory});
    built.notes.push_back(fmt::format("{} was prepared, which happens once: it took {:.1f} s",
                                      profile.name,
                                      std::chrono::duration<double>(since(started)).count()));
  }
  return std::move(*prepared);
}

Built Builder::not_my_turn(const BuildOrder& order, const Flights::Turn& turn,
                           const CompileBudget& budget) const {
  if (turn.outcome) return shared_failure(*turn.outcome);
  Built built;
  if (order.context.cancel.stop_requested()) {
    built.failure = stopped(ExecutionStatus::Cancelled, "cancelled while it was compiled");
  } else {
    built.failure = stopped(
        ExecutionStatus::Timeout,
        fmt::format("compiling takes at most {} (compile_timeout), and the same program, which "
                    "was being compiled for somebody else, was not ready by then",
                    budget.describe()));
  }
  return built;
}

Result<Built> Builder::build(const BuildOrder& order, BuildCache& cache) {
  const std::string key =
      build_key(order.program, order.runtime, executor_.capabilities().isolation);
  if (auto kept = find(cache, key)) return std::move(*kept);
  Built built;
  const std::stop_token& cancel = order.context.cancel;
  const Compiler compiler(executor_, order.runtime, cancel);
  COVE_ASSIGN(const auto prepared, prepare(order, cache, compiler, built));
  if (!prepared) {
    built.failure =
        stopped(ExecutionStatus::Cancelled,
                fmt::format("cancelled while {} was being prepared", order.runtime.profile.name));
    return built;
  }
  const CompileBudget budget(order.timeout);
  const auto waits_since = Clock::now();
  Flights::Turn turn = flights_.take(key, cancel, budget.until());
  std::optional<BuildCache::Lock> lock;
  if (turn.lead) lock = cache.lock_build(key, cancel, budget.until());
  if (turn.waited || (lock && lock->waited)) {
    built.report.steps.push_back({"wait", since(waits_since)});
  }
  if (!lock) return after(std::move(built), not_my_turn(order, turn, budget));
  if (auto kept = find(cache, key)) return after(std::move(built), std::move(*kept));
  COVE_ASSIGN(Compilation compilation, compiler.compile(order.program, *prepared, budget));
  Built made;
  COVE_TRY(keep(compilation, cache, key, *turn.lead, made));
  made.report = std::move(compilation.report);
  made.diagnostics = std::move(compilation.output.diagnostics);
  made.failure = std::move(compilation.failure);
  made.notes = std::move(compilation.notes);
  return after(std::move(built), std::move(made));
}

}  // namespace cove
