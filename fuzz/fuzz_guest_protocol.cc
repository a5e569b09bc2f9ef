// What crosses the border between Cove and its guests, or comes from the kernel as text: the body
// of a job, which is read without a C library, and the lists of mounts and control groups.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/cgroup_files.h"
#include "sandbox/guest.h"
#include "sandbox/raw/job_reader.h"

namespace {

using cove::sandbox::JobReader;

constexpr std::size_t kHeader = 8;

// Both lists, as an interpreter takes them; false where the job is malformed.
bool read_pieces(JobReader& reader, cove::sandbox::Job& job) {
  for (auto* list : {&job.args, &job.env}) {
    const std::uint32_t count = reader.number();
    for (std::uint32_t i = 0; i < count && reader.ok; ++i) {
      std::uint32_t size = 0;
      const char* bytes = reader.piece(size);
      if (bytes != nullptr) list->emplace_back(bytes, size);
    }
  }
  return reader.ok;
}

// The same job, as the helper copies it for exec: never more bytes than the job has.
void copy_texts(std::string_view body, const cove::sandbox::Job& job) {
  std::vector<char> copies(body.size() + 1);
  char* into = copies.data();
  JobReader reader = {body.data(), body.data() + body.size()};
  for (const auto* list : {&job.args, &job.env}) {
    if (reader.number() != list->size()) std::abort();
    for (const auto& expected : *list) {
      const char* text = reader.text(into);
      if (text == nullptr || expected != std::string_view(text, expected.size())) std::abort();
      if (text[expected.size()] != '\0') std::abort();
    }
  }
  if (into > copies.data() + copies.size()) std::abort();
}

void check_job(std::string_view body) {
  JobReader reader = {body.data(), body.data() + body.size()};
  cove::sandbox::Job job;
  if (!read_pieces(reader, job)) return;
  copy_texts(body, job);
  // What was understood is what would have been sent; bytes behind it are nobody's.
  const std::string again = cove::sandbox::encode_job(job).substr(kHeader);
  if (!body.starts_with(again)) std::abort();
}

// The text is cut in two: mounts before the first empty line, groups behind it.
void check_groups(std::string_view text) {
  const auto cut = text.find("\n\n");
  if (cut == std::string_view::npos) return;
  for (const auto& group : cove::sandbox::parse_groups(text.substr(0, cut), text.substr(cut + 2))) {
    if (group.v2 != group.controllers.empty()) std::abort();
  }
  static_cast<void>(cove::sandbox::keyed_number(text, "oom_kill"));
  static_cast<void>(cove::sandbox::is_leftover(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_job(bytes);
  check_groups(bytes);
  return 0;
}
