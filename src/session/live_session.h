#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

#include "session/branching.h"
#include "session/cell_run.h"
#include "session/turn.h"

namespace cove {

// What the branches of one session have in common beside their sandbox.
struct Family {
  std::string id;
  std::atomic<unsigned> next_place = 1;
};

// One session: an interpreter and its files, cells one after the other. Thread-safe. Ends for good
// with end(); until then an interpreter that is lost is replaced by a fresh one.
class LiveSession {
 public:
  LiveSession(std::shared_ptr<const SessionRecipe> recipe, std::shared_ptr<Family> family,
              StartedMember started, SessionInfo info, const SessionServiceOptions& options);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  Result<CellResult> execute(const Cell& cell, const std::stop_token& cancel, CellSink* sink);
  Result<> interrupt();
  Result<> reset();
  Result<std::shared_ptr<LiveSession>> fork(std::string id);

  Result<CheckpointInfo> checkpoint(std::string name);
  std::vector<CheckpointInfo> checkpoints() const;
  Result<> rollback(std::string_view checkpoint);
  Result<> remove_checkpoint(std::string_view checkpoint);

  // Ends it; the first reason stays. A running cell ends with it.
  void end(const std::string& reason);
  // How long nobody has used it; zero while somebody does.
  std::chrono::steady_clock::duration idle() const;

  SessionInfo info() const;
  // Its files, or Gone.
  Result<std::shared_ptr<const Place>> place() const;
  Error gone() const;
  bool ended() const;
  std::size_t processes() const;  // interpreters, checkpoints included
  void touch();

 private:
  struct Checkpoint {
    CheckpointInfo info;
    std::shared_ptr<Member> member;
    std::shared_ptr<Place> files;
  };

  // A turn, or why there is none.
  Result<Turn::Hold> take_turn(const std::stop_token& cancel = {});
  std::shared_ptr<Member> member() const;
  CellLimits limits_for(const Cell& cell, CellResult& notes) const;
  Result<> start_afresh();
  // After a cell: counts it, replaces a lost interpreter. `heard`: its caller is still there.
  void settle(CellResult& result, bool heard);
  void remember_loss(const CellResult& result, bool heard);
  void tell_loss(CellResult& result);  // what callers of earlier cells did not stay to hear
  Result<> move_back(const Branch& branch, const Checkpoint& checkpoint, unsigned number);
  Result<Checkpoint> find_checkpoint(std::string_view id) const;

  const std::shared_ptr<const SessionRecipe> recipe_;
  const std::shared_ptr<Family> family_;
  const SessionServiceOptions options_;
  mutable Turn turn_;

  mutable std::mutex mutex_;  // everything below
  SessionInfo info_;
  std::shared_ptr<Member> member_;
  std::shared_ptr<Place> place_;
  std::map<std::string, Checkpoint, std::less<>> checkpoints_;
  CellRun* running_ = nullptr;
  bool first_after_fork_ = false;
  bool being_reset_ = false;
  std::string loss_;  // when and why the last interpreter was lost; empty: none since a reset
  bool loss_untold_ = false;
  std::chrono::steady_clock::time_point last_used_;
};

}  // namespace cove
