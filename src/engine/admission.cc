#include "engine/admission.h"

#include <algorithm>

namespace cove {
namespace {

using Seconds = std::chrono::duration<double>;

double burst(const CallerLimits& limits) {
  return std::max(1.0, limits.rate);
}

double refilled_tokens(double tokens, const CallerLimits& limits, Seconds since) {
  return std::min(burst(limits), tokens + std::max(0.0, since.count()) * limits.rate);
}

}  // namespace

bool Admission::take_token(Seat& seat, Time now) const {
  if (seat.limits.rate <= 0) return true;
  seat.tokens = refilled_tokens(seat.tokens, seat.limits, now - seat.refilled);
  seat.refilled = now;
  // A hair's breadth of tolerance: one second at 1/s must give one token, whatever the rounding.
  if (seat.tokens < 1 - 1e-9) return false;
  seat.tokens = std::max(0.0, seat.tokens - 1);
  return true;
}

std::optional<Admission::Refusal> Admission::submit(const std::string& id, const Caller& caller,
                                                    Time now) {
  const auto [place, is_new] = seats_.try_emplace(caller.name);
  Seat& seat = place->second;
  // Limits come with the caller each time: a key may have been changed meanwhile.
  const bool fresh_bucket = is_new || seat.limits.rate <= 0;
  seat.limits = caller.limits;
  if (fresh_bucket) {
    seat.tokens = burst(seat.limits);
    seat.refilled = now;
  }
  const bool starts_at_once = running_ < max_jobs_ && seat.may_run() && seat.waiting.empty();
  const bool has_room = waiting_ < max_queue_ || (seat.waiting.empty() && waiting_ > 0);
  if (!starts_at_once && !has_room) {
    forget_if_idle(caller.name);
    return Refusal::QueueFull;
  }
  if (!take_token(seat, now)) return Refusal::Rate;
  if (seat.waiting.empty()) turns_.push_back(caller.name);
  seat.waiting.push_back(id);
  ++waiting_;
  owners_[id] = caller.name;
  promote();
  return std::nullopt;
}

void Admission::promote() {
  auto turn = turns_.begin();
  while (running_ < max_jobs_ && turn != turns_.end()) {
    Seat& seat = seats_.find(*turn)->second;
    if (!seat.may_run()) {
      ++turn;  // keeps its place for when one of its jobs ends
      continue;
    }
    ready_.push_back(std::move(seat.waiting.front()));
    seat.waiting.pop_front();
    --waiting_;
    ++running_;
    ++seat.running;
    if (seat.waiting.empty()) {
      turns_.erase(turn);
    } else {
      turns_.splice(turns_.end(), turns_, turn);
    }
    turn = turns_.begin();
  }
}

std::optional<std::string> Admission::next() {
  if (ready_.empty()) return std::nullopt;
  std::string id = std::move(ready_.front());
  ready_.pop_front();
  return id;
}

void Admission::finish(std::string_view id) {
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return;
  const std::string caller = owner->second;
  owners_.erase(owner);
  --seats_.find(caller)->second.running;
  --running_;
  promote();
  forget_if_idle(caller);
}

bool Admission::remove(std::string_view id) {
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return false;
  const std::string caller = owner->second;
  if (const auto ready = std::ranges::find(ready_, id); ready != ready_.end()) {
    ready_.erase(ready);
    finish(id);
    return true;
  }
  Seat& seat = seats_.find(caller)->second;
  const auto waiting = std::ranges::find(seat.waiting, id);
  if (waiting == seat.waiting.end()) return false;
  seat.waiting.erase(waiting);
  --waiting_;
  owners_.erase(owner);
  if (seat.waiting.empty()) turns_.remove(caller);
  forget_if_idle(caller);
  return true;
}

Seconds Admission::rate_wait(std::string_view caller, Time now) const {
  const auto place = seats_.find(caller);
  if (place == seats_.end() || place->second.limits.rate <= 0) return Seconds(0);
  const Seat& seat = place->second;
  const double tokens = refilled_tokens(seat.tokens, seat.limits, now - seat.refilled);
  return Seconds(std::max(0.0, (1 - tokens) / seat.limits.rate));
}

void Admission::forget_if_idle(const std::string& caller) {
  const auto place = seats_.find(caller);
  if (place == seats_.end()) return;
  const Seat& seat = place->second;
  // With a rate, what is left of it must not be forgotten.
  if (seat.waiting.empty() && seat.running == 0 && seat.limits.rate <= 0) seats_.erase(place);
}

}  // namespace cove
