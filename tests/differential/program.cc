#include "differential/program.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace cove::differential {
namespace {

constexpr std::string_view kMark = "#:";

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The TOML of the leading "#:" lines.
std::string header_of(const std::string& code) {
  std::istringstream lines(code);
  std::string header;
  for (std::string line; std::getline(lines, line) && line.starts_with(kMark);) {
    line.erase(0, kMark.size());
    if (line.starts_with(' ')) line.erase(0, 1);
    header += line + "\n";
  }
  return header;
}

std::string repeated(const std::string& text, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += text;
  return out;
}

void apply(const toml::table& header, Program& program) {
  for (const char* key : {"args", "mask"}) {
    const auto* list = header[key].as_array();
    if (list == nullptr) continue;
    for (const auto& item : *list) {
      const std::string text = item.value_or(std::string());
      if (std::string_view(key) == "args") {
        program.args.push_back(text);
      } else {
        program.masks.emplace_back(text);
      }
    }
  }
  program.stdin_data =
      repeated(header["stdin"].value_or(std::string()), header["stdin_times"].value_or(1));
  program.code +=
      repeated(header["append"].value_or(std::string()), header["append_times"].value_or(1));
  const std::string only = header["only"].value_or(std::string());
  program.guests_only = only == "guests";
  program.cold_only = only == "cold";
  if (const auto* env = header["env"].as_table()) {
    for (const auto& [name, value] : *env) {
      program.env.emplace_back(std::string(name.str()), value.value_or(std::string()));
    }
  }
  if (const auto* files = header["files"].as_table()) {
    for (const auto& [name, value] : *files) {
      program.files.push_back({std::string(name.str()), value.value_or(std::string()), {}});
    }
  }
}

}  // namespace

std::string Program::masked(std::string text) const {
  static const std::regex address("0x[0-9a-f]{6,}");  // of an object; the kernel chooses it
  text = std::regex_replace(text, address, "0x...");
  for (const auto& mask : masks) text = std::regex_replace(text, mask, "<masked>");
  return text;
}

Result<Program> load_program(const std::filesystem::path& file, const std::string& group) {
  Program program;
  program.name = group + "/" + file.stem().string();
  program.code = read(file);
  try {
    apply(toml::parse(header_of(program.code)), program);
  } catch (const toml::parse_error& error) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("header of {}: {}", file.string(), error.description())));
  } catch (const std::regex_error& error) {
    return Err(Error(ErrorCode::InvalidRequest,
                     fmt::format("mask of {}: {}", file.string(), error.what())));
  }
  return program;
}

}  // namespace cove::differential
