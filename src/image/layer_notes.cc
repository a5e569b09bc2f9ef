#include "image/layer_notes.h"

#include "base/base64.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/parse_json.h"
#include "image/read_count.h"

namespace cove {
namespace {

// Names are bytes; JSON is text.
json::array encode_paths(const std::set<std::string>& paths) {
  json::array out;
  for (const std::string& path : paths) out.emplace_back(base64_encode(path));
  return out;
}

Result<std::set<std::string>> decode_paths(JsonFields& fields, std::string_view name) {
  std::vector<std::string> texts;
  COVE_TRY(fields.read(name, texts));
  std::set<std::string> out;
  for (const std::string& text : texts) {
    COVE_ASSIGN(std::string path, base64_decode(text));
    out.insert(std::move(path));
  }
  return out;
}

}  // namespace

std::string encode_layer_notes(const LayerNotes& notes) {
  return json::serialize(json::object{{"whiteouts", encode_paths(notes.whiteouts)},
                                      {"opaque", encode_paths(notes.opaque)},
                                      {"implied", encode_paths(notes.implied)},
                                      {"bytes", notes.bytes},
                                      {"members", notes.members},
                                      {"skipped", notes.skipped},
                                      {"stripped", notes.stripped}});
}

Result<LayerNotes> decode_layer_notes(std::string_view text) {
  COVE_ASSIGN(const json::value value, parse_json(text));
  COVE_ASSIGN(JsonFields fields, JsonFields::of(value, ""));
  LayerNotes notes;
  COVE_ASSIGN(notes.whiteouts, decode_paths(fields, "whiteouts"));
  COVE_ASSIGN(notes.opaque, decode_paths(fields, "opaque"));
  COVE_ASSIGN(notes.implied, decode_paths(fields, "implied"));
  COVE_TRY(read_count(fields, "bytes", notes.bytes));
  COVE_TRY(read_count(fields, "members", notes.members));
  COVE_TRY(read_count(fields, "skipped", notes.skipped));
  COVE_TRY(read_count(fields, "stripped", notes.stripped));
  COVE_TRY(fields.no_others());
  return notes;
}

}  // namespace cove
