#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "executor/code_executor.h"
#include "model/truncate.h"

namespace cove {

// One output stream of a run, as both executors handle it: everything is taken from the pipe, what
// lies within the cap goes to the sink at once, and what the result shall hold is kept, so that a
// program never blocks on a full pipe and never costs more memory than its cap. One thread at a
// time.
class OutputCapture {
 public:
  enum class Stream : unsigned char { Stdout, Stderr };

  // `sink` may be null; it must outlive the capture.
  OutputCapture(Stream stream, Bytes cap, TruncationStyle style, OutputSink* sink)
      : stream_(stream), kept_(cap, style), sink_(sink) {}

  void consume(std::string_view chunk);

  bool truncated() const { return kept_.exceeded(); }
  std::uint64_t total() const { return kept_.total(); }  // bytes that the program wrote

  // Puts text and the truncation mark into the result, with `output` among the limits that were
  // hit. Ends the capture.
  void finish(ExecutionResult& into);

 private:
  Stream stream_;
  CappedOutput kept_;
  OutputSink* sink_;
};

}  // namespace cove
