#include "api/refusal_audit.h"

namespace cove {

namespace {

constexpr std::chrono::seconds kEvery{10};

}  // namespace

RefusalAudit::~RefusalAudit() {
  const std::lock_guard lock(mutex_);
  if (count_ > 0) write_locked();
}

void RefusalAudit::add(const std::string& peer, const std::string& request_id) {
  const std::lock_guard lock(mutex_);
  ++count_;
  peer_ = peer;
  request_id_ = request_id;
  if (std::chrono::steady_clock::now() >= not_before_) write_locked();
}

void RefusalAudit::write_locked() {
  // A failure is counted and told by the engine.
  (void)engine_->audit("unknown", "auth.refused",
                       {{"count", count_}, {"peer", peer_}, {"request_id", request_id_}});
  count_ = 0;
  not_before_ = std::chrono::steady_clock::now() + kEvery;
}

}  // namespace cove
