#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "api/worker_pool.h"

namespace cove {

// Calls that need a session's interpreter: one of each session at a time is with a worker, the
// others wait here in the order in which they came, without a thread. Thread-safe; must outlive the
// pool's threads.
class SessionLines {
 public:
  // `longest`: how many may wait for one session.
  SessionLines(WorkerPool& pool, std::size_t longest) : pool_(pool), longest_(longest) {}
  SessionLines(const SessionLines&) = delete;
  SessionLines& operator=(const SessionLines&) = delete;

  struct Entry {
    const void* ticket = nullptr;  // for leave(): the call's address
    std::function<void()> run;     // on a worker, when its turn has come
    std::function<void()> left;    // instead, if it was taken out
  };
  // False: the line is full, or the session is free and every worker busy.
  bool join(const std::string& session, Entry entry);
  // Takes out a call that still waits and tells it. Nothing happens to one that runs.
  void leave(std::string_view session, const void* ticket);
  // Of one session: with a worker or in the line.
  std::size_t calls(std::string_view session) const;

 private:
  void serve(const std::string& session, std::function<void()> run);

  WorkerPool& pool_;
  const std::size_t longest_;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<Entry>, std::less<>> lines_;  // of sessions in use: who waits
};

}  // namespace cove
