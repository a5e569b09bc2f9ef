#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "model/execution_request.h"

namespace cove {

struct TruncatedText {
  std::string text;
  bool truncated = false;
};

// `text` shortened to at most `budget` bytes, marker included, without splitting a UTF-8 character.
//   Head:     the start.
//   HeadTail: 70 % of the budget from the start, the rest from the end, a marker line between.
//   Notice:   the start, and one line that says how much is shown.
// A budget too small for the marker or the notice gives the start alone.
TruncatedText truncate_output(std::string_view text, Bytes budget, TruncationStyle style);

// The same while a program runs: holds a bounded part of a stream however long it becomes. One
// owner, one thread.
class CappedOutput {
 public:
  CappedOutput(Bytes budget, TruncationStyle style) : budget_(budget.value), style_(style) {}

  // Takes the next bytes. Returns the part of `bytes` that is within the budget: what may be
  // streamed to a caller now.
  std::string_view append(std::string_view bytes);

  std::uint64_t total() const { return total_; }
  bool exceeded() const { return total_ > budget_; }
  // What to hand out. Ends the collection.
  TruncatedText finish();

 private:
  std::uint64_t budget_;
  TruncationStyle style_;
  std::string head_;  // the first budget_ bytes
  std::string tail_;  // the last bytes (HeadTail only), trimmed when it doubles
  std::uint64_t total_ = 0;
};

}  // namespace cove
