#include "toolchain/guest_file.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/data_dir.h"

namespace cove {

Result<std::string> read_guest_file(const std::string& name) {
  COVE_ASSIGN(const std::string data, data_dir());
  const std::string path = fmt::format("{}/guest/{}", data, name);
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream && !text.empty()) return text;
  return Err(Error(ErrorCode::DependencyNotFound, "cannot read Cove's own file " + path));
}

}  // namespace cove
