#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace cove {

// One of equal works at a time: the first to come does it, and the others wait for what comes of
// it. Thread-safe; must outlive the leads it gave.
template <class Outcome>
class SingleFlight {
  struct Flight {
    bool over = false;
    std::shared_ptr<const Outcome> outcome;
  };

 public:
  using Time = std::chrono::steady_clock::time_point;

  // To have it is to do the work. Those who wait all get an outcome that is shared; where a lead
  // just goes, one of them leads next.
  class Lead {
   public:
    Lead(SingleFlight& owner, std::string key, std::shared_ptr<Flight> flight)
        : owner_(&owner), key_(std::move(key)), flight_(std::move(flight)) {}
    Lead(Lead&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          key_(std::move(other.key_)),
          flight_(std::move(other.flight_)) {}
    Lead& operator=(Lead&&) = delete;
    ~Lead() { end(nullptr); }

    void share(Outcome outcome) { end(std::make_shared<const Outcome>(std::move(outcome))); }

   private:
    void end(std::shared_ptr<const Outcome> outcome) {
      if (SingleFlight* const owner = std::exchange(owner_, nullptr)) {
        owner->land(key_, *flight_, std::move(outcome));
      }
    }

    SingleFlight* owner_;
    std::string key_;
    std::shared_ptr<Flight> flight_;
  };

  // With a lead: do it. With an outcome: somebody has. With neither: cancelled, or it is late.
  struct Turn {
    std::optional<Lead> lead = std::nullopt;
    std::shared_ptr<const Outcome> outcome = nullptr;
    bool waited = false;  // for somebody else
  };
  Turn take(const std::string& key, const std::stop_token& cancel,
            const std::optional<Time>& until) {
    Turn turn;
    std::unique_lock lock(mutex_);
    for (;;) {
      std::shared_ptr<Flight>& place = flights_[key];
      if (!place) {
        place = std::make_shared<Flight>();
        turn.lead.emplace(*this, key, place);
        return turn;
      }
      const std::shared_ptr<Flight> flight = place;
      const auto is_over = [&flight] { return flight->over; };
      turn.waited = true;
      const bool seen = until ? landed_.wait_until(lock, cancel, *until, is_over)
                              : landed_.wait(lock, cancel, is_over);
      if (!seen) return turn;
      turn.outcome = flight->outcome;
      if (turn.outcome) return turn;
    }
  }

 private:
  void land(const std::string& key, Flight& flight, std::shared_ptr<const Outcome> outcome) {
    const std::lock_guard lock(mutex_);
    flight.over = true;
    flight.outcome = std::move(outcome);
    flights_.erase(key);
    landed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any landed_;
  std::map<std::string, std::shared_ptr<Flight>, std::less<>> flights_;
};

}  // namespace cove
