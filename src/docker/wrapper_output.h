#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cove {

// Takes apart what the wrapper of one execution (container_scripts.h) writes to its standard
// output:
//
//   TIMES "+" OUTPUT NUL MARK LF TIMES FACTS NUL (SOCKET NUL)* NUL ARCHIVE
//
// or, when the program cannot be started, "!" and why. TIMES is what the shell's `times` prints.
// OUTPUT is the program's own and goes on as it comes; of the rest everything but the archive is
// held, within bounds. A program that learns the mark can say it too soon: what it then writes is
// read as its own files and facts, which are its own anyway. Any split of the bytes gives the same.
class WrapperOutput {
 public:
  struct Receiver {
    std::function<void()> on_ready;  // the program is about to start
    std::function<void(std::string_view)> on_output;
    std::function<void()> on_end;  // the program has ended
    std::function<void(std::string_view)> on_archive;
  };
  enum class From : unsigned char { Start, Program };  // where the wrapper begins to speak

  WrapperOutput(std::string_view mark, From from, Receiver receiver);

  void feed(std::string_view bytes);
  // Nothing more comes: what looked like the beginning of the mark was output.
  void finish();

  bool ready() const { return part_ != Part::Head && part_ != Part::Complaint; }
  bool ended() const { return part_ == Part::Tail || part_ == Part::Archive; }
  // Facts and sockets are all here; the archive, if any, has its own end.
  bool told_all() const { return part_ == Part::Archive; }
  bool has_archive() const { return has_archive_; }

  std::string_view complaint() const { return held_; }
  std::string_view facts() const;
  std::vector<std::string_view> sockets() const;
  // Of the processor, by the program and by what it has waited for. Nothing when it is not known.
  std::optional<std::chrono::microseconds> cpu() const;

 private:
  enum class Part : unsigned char { Head, Complaint, Program, Tail, Archive };

  std::string_view take_head(std::string_view bytes);
  std::string_view take_program(std::string_view bytes);
  std::string_view take_tail(std::string_view bytes);

  Receiver receiver_;
  std::string mark_;
  Part part_;
  std::string head_;         // the first TIMES
  std::string held_;         // the complaint, or all between mark and archive
  std::size_t matched_ = 0;  // bytes of the mark that were the last
  bool last_was_nul_ = false;
  bool has_archive_ = false;
};

}  // namespace cove
