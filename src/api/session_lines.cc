#include "api/session_lines.h"

#include <algorithm>
#include <utility>

namespace cove {

bool SessionLines::join(const std::string& session, Entry entry) {
  const std::lock_guard lock(mutex_);
  const auto [line, is_free] = lines_.try_emplace(session);
  if (!is_free) {
    if (line->second.size() >= longest_) return false;
    line->second.push_back(std::move(entry));
    return true;
  }
  if (pool_.run([this, session, run = std::move(entry.run)] { serve(session, run); })) return true;
  lines_.erase(line);
  return false;
}

// The next one goes to the back of the pool's own queue, so that a session with a long line does
// not keep a worker from everybody else. If the pool takes nothing more, this thread goes on.
void SessionLines::serve(const std::string& session, std::function<void()> run) {
  for (;;) {
    run();
    const std::lock_guard lock(mutex_);
    const auto line = lines_.find(session);
    if (line->second.empty()) {
      lines_.erase(line);
      return;
    }
    run = std::move(line->second.front().run);
    line->second.pop_front();
    if (pool_.run([this, session, run] { serve(session, run); })) return;
  }
}

void SessionLines::leave(std::string_view session, const void* ticket) {
  Entry gone;
  {
    const std::lock_guard lock(mutex_);
    const auto line = lines_.find(session);
    if (line == lines_.end()) return;
    const auto place = std::ranges::find(line->second, ticket, &Entry::ticket);
    if (place == line->second.end()) return;
    gone = std::move(*place);
    line->second.erase(place);
  }
  gone.left();
}

std::size_t SessionLines::calls(std::string_view session) const {
  const std::lock_guard lock(mutex_);
  const auto line = lines_.find(session);
  return line == lines_.end() ? 0 : 1 + line->second.size();
}

}  // namespace cove
