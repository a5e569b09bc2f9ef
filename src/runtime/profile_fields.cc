#include "runtime/profile_fields.h"

#include <algorithm>
#include <cctype>

namespace cove {
namespace {

constexpr std::size_t kMaxString = 4096;
constexpr std::string_view kProgram = "{program}";

bool is_variable_name(std::string_view text) {
  return is_word(text, 256, "_") && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

bool mentions_program(const Strings& args) {
  return std::ranges::any_of(
      args, [](const std::string& arg) { return arg.find(kProgram) != std::string::npos; });
}

// Strings become arguments, paths and variables, none of which can hold a NUL.
Result<> check_text(const JsonFields& fields, std::string_view name, std::string_view text) {
  if (text.size() > kMaxString) {
    return fields.error(name, fmt::format("must be at most {} bytes long", kMaxString));
  }
  if (text.find('\0') != std::string_view::npos) {
    return fields.error(name, "must not contain a NUL character");
  }
  return {};
}

}  // namespace

bool is_word(std::string_view text, std::size_t max, std::string_view punctuation) {
  return !text.empty() && text.size() <= max && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || punctuation.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_plain_absolute_path(std::string_view path) {
  if (path.size() < 2 || path[0] != '/') return false;
  return std::ranges::none_of(split(path.substr(1), '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

bool is_command(std::string_view text) {
  return is_plain_absolute_path(text) ||
         (!text.empty() && text.find('/') == std::string_view::npos && text != "." && text != "..");
}

Result<> read_text(JsonFields& fields, std::string_view name, std::string& out) {
  COVE_TRY(fields.read(name, out));
  return check_text(fields, name, out);
}

Result<> read_strings(JsonFields& fields, std::string_view name, Strings& out) {
  if (fields.find(name) == nullptr) return {};
  Strings values;
  COVE_TRY(fields.read(name, values));
  if (values.size() > kMaxProfileEntries) {
    return fields.error(name, fmt::format("must have at most {} entries", kMaxProfileEntries));
  }
  for (const std::string& value : values) COVE_TRY(check_text(fields, name, value));
  out = std::move(values);
  return {};
}

Result<> read_strings(JsonFields& fields, std::string_view name, std::optional<Strings>& out) {
  if (fields.find(name) == nullptr) return {};
  return read_strings(fields, name, out.emplace());
}

Result<> read_program_args(JsonFields& fields, std::string_view name, Strings& out) {
  if (fields.find(name) == nullptr) return {};
  Strings args;
  COVE_TRY(read_strings(fields, name, args));
  if (!args.empty() && !mentions_program(args)) {
    return fields.error(name, "must contain {program}, the place of the program's path");
  }
  out = std::move(args);
  return {};
}

Result<> read_program_args(JsonFields& fields, std::string_view name, std::optional<Strings>& out) {
  if (fields.find(name) == nullptr) return {};
  return read_program_args(fields, name, out.emplace());
}

Result<> read_variables(JsonFields& fields, std::string_view name, Variables& out) {
  const json::value* value = fields.find(name);
  if (value == nullptr) return {};
  COVE_ASSIGN(JsonFields inner, JsonFields::of(*value, fields.path_of(name)));
  Variables variables;
  for (const auto& [key, entry] : value->as_object()) {
    if (!is_variable_name(key)) {
      return fields.error(
          name, fmt::format("{} is not the name of a variable", quoted(std::string(key))));
    }
    std::string text;
    COVE_TRY(read_text(inner, key, text));
    variables.emplace_back(std::string(key), std::move(text));
  }
  if (variables.size() > kMaxProfileEntries) {
    return fields.error(name, fmt::format("must have at most {} entries", kMaxProfileEntries));
  }
  out = std::move(variables);
  return {};
}

}  // namespace cove
