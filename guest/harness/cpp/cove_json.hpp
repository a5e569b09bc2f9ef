// cove::json: a JSON value for harnessed C++ programs. It is included before the program's first line.
//
//   cove::json run(const cove::json& input) {
//     double total = 0;
//     for (const auto& item : input["items"]) total += item["price"].get<double>();
//     return {{"total", total}, {"count", input["items"].size()}};
//   }
#ifndef COVE_JSON_HPP
#define COVE_JSON_HPP
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cove {

class json {
 public:
  using array_type = std::vector<json>;
  using object_type = std::map<std::string, json>;

  json() = default;
  json(std::nullptr_t) {}
  json(bool value) : value_(value) {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  json(T value) : value_(whole(value)) {}
  template <class T>
    requires std::is_floating_point_v<T>
  json(T value) : value_(static_cast<double>(value)) {}
  json(const char* text) : value_(std::string(text)) {}
  json(std::string_view text) : value_(std::string(text)) {}
  json(std::string text) : value_(std::move(text)) {}
  json(array_type items) : value_(std::move(items)) {}
  json(object_type members) : value_(std::move(members)) {}
  template <class T>
    requires std::is_constructible_v<json, T>
  json(const std::vector<T>& items) : value_(array_type(items.begin(), items.end())) {}
  template <class T>
    requires std::is_constructible_v<json, T>
  json(const std::map<std::string, T>& members)
      : value_(object_type(members.begin(), members.end())) {}
  // {{"a", 1}, {"b", 2}} is an object; anything else in braces is an array.
  json(std::initializer_list<json> items) {
    bool pairs = items.size() > 0;
    for (const json& item : items) {
      pairs = pairs && item.is_array() && item.size() == 2 && item[0].is_string();
    }
    if (!pairs) {
      value_ = array_type(items);
      return;
    }
    object_type members;
    for (const json& item : items) members[item[0].string()] = item[1];
    value_ = std::move(members);
  }
  static json array(std::initializer_list<json> items = {}) { return json(array_type(items)); }
  static json object() { return json(object_type{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
  }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<array_type>(value_); }
  bool is_object() const { return std::holds_alternative<object_type>(value_); }

  // The value as what it is; another kind is an exception.
  bool boolean() const { return get_as<bool>("true or false"); }
  std::int64_t integer() const { return integer_as<std::int64_t>(); }
  std::uint64_t unsigned_integer() const { return integer_as<std::uint64_t>(); }
  double number() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
    if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
    return get_as<double>("a number");
  }
  const std::string& string() const { return get_as<std::string>("a string"); }
  const array_type& items() const { return get_as<array_type>("an array"); }
  const object_type& members() const { return get_as<object_type>("an object"); }
  // The same by type, also of all that is inside: bool, integers, floating point, std::string, json, and
  // containers of these, which for an object are maps from std::string.
  template <class T>
  T get() const {
    if constexpr (std::is_same_v<T, json>) {
      return *this;
    } else if constexpr (std::is_same_v<T, bool>) {
      return boolean();
    } else if constexpr (std::is_integral_v<T>) {
      return integer_as<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(number());
    } else if constexpr (std::is_same_v<T, std::string>) {
      return string();
    } else if constexpr (requires {
                           typename T::mapped_type;
                           requires std::is_same_v<typename T::key_type, std::string>;
                         }) {
      T out;
      for (const auto& [name, member] : members()) out.emplace(name, member.template get<typename T::mapped_type>());
      return out;
    } else if constexpr (requires(T out) {
                           out.insert(out.end(), std::declval<typename T::value_type>());
                         }) {
      T out;
      for (const json& item : items()) out.insert(out.end(), item.template get<typename T::value_type>());
      return out;
    } else {
      static_assert(!sizeof(T),
                    "get<T>() gives bool, integers, floating point, std::string, cove::json, and std::vector<T> or "
                    "std::map<std::string, T> of these");
      std::abort();  // or there would be a warning behind the error
    }
  }

  std::size_t size() const {
    if (is_array()) return items().size();
    return is_object() ? members().size() : 0;
  }
  // Null, an array or object without anything in it, or an empty string.
  bool empty() const {
    if (is_string()) return string().empty();
    return is_null() || ((is_array() || is_object()) && size() == 0);
  }
  bool contains(const std::string& name) const { return is_object() && members().contains(name); }
  // Absent members are null; in a value that may change they are made.
  const json& operator[](const std::string& name) const {
    static const json nothing;
    const auto found = members().find(name);
    return found == members().end() ? nothing : found->second;
  }
  const json& operator[](const char* name) const { return (*this)[std::string(name)]; }
  json& operator[](const std::string& name) {
    if (is_null()) value_ = object_type{};
    (void)members();
    return std::get<object_type>(value_)[name];
  }
  json& operator[](const char* name) { return (*this)[std::string(name)]; }
  template <class I>
    requires std::is_integral_v<I>
  const json& operator[](I index) const {
    // What is below 0 is past the end as well.
    if (static_cast<std::size_t>(index) < items().size()) return items()[static_cast<std::size_t>(index)];
    throw std::runtime_error("an array of " + std::to_string(size()) + " has no item " + std::to_string(index));
  }
  template <class I>
    requires std::is_integral_v<I>
  json& operator[](I index) {
    return const_cast<json&>(std::as_const(*this)[index]);
  }
  // As [] does it, but what is absent is an exception.
  const json& at(const std::string& name) const {
    if (const auto found = members().find(name); found != members().end()) return found->second;
    std::string names;
    for (const auto& [other, member] : members()) names += (names.empty() ? "" : ", ") + json(other).dump();
    throw std::runtime_error("an object has no member " + json(name).dump() + ": it has " +
                             (names.empty() ? "none" : shortened(names)));
  }
  json& at(const std::string& name) { return const_cast<json&>(std::as_const(*this).at(name)); }
  template <class I>
    requires std::is_integral_v<I>
  const json& at(I index) const {
    return (*this)[index];
  }
  template <class I>
    requires std::is_integral_v<I>
  json& at(I index) {
    return (*this)[index];
  }
  // A member, or what is given for one that is absent or null.
  template <class T>
  T value(const std::string& name, const T& fallback) const {
    const json& member = std::as_const(*this)[name];
    return member.is_null() ? fallback : member.get<T>();
  }
  std::string value(const std::string& name, const char* fallback) const {
    return value(name, std::string(fallback));
  }
  void push_back(json item) {
    if (is_null()) value_ = array_type{};
    (void)items();
    std::get<array_type>(value_).push_back(std::move(item));
  }
  auto begin() const { return items().begin(); }
  auto end() const { return items().end(); }
  bool operator==(const json&) const = default;

  std::string dump() const {
    std::string out;
    write(out);
    return out;
  }
  static json parse(std::string_view text) {
    Reader reader{text};
    json value = reader.value(0);
    reader.space();
    if (!reader.rest.empty()) throw std::runtime_error("JSON: more than one value");
    return value;
  }

 private:
  using value_type =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, array_type, object_type>;

  // An integer has one form: unsigned only where signed is too small, a double where both are.
  template <class T>
  static value_type whole(T value) {
    const auto small = static_cast<std::int64_t>(value);
    if (static_cast<T>(small) == value && (small < 0) == (value < T(0))) return small;
    const auto large = static_cast<std::uint64_t>(value);
    if (static_cast<T>(large) == value && !(value < T(0))) return large;
    return static_cast<double>(value);
  }

  // Of a number that has a fraction, the part before the point.
  template <class T>
  T integer_as() const {
    if (const auto* small = std::get_if<std::int64_t>(&value_)) {
      if (fits<T>(*small)) return static_cast<T>(*small);
    } else if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
      if (fits<T>(*large)) return static_cast<T>(*large);
    } else {
      // The bounds are exact as doubles: the upper one is a power of two, one past the largest.
      const double past = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const double real = std::trunc(get_as<double>("a number"));
      if (real >= (std::is_signed_v<T> ? -past : 0.0) && real < past) return static_cast<T>(real);
    }
    throw std::runtime_error(dump() + " does not fit into " + std::to_string(sizeof(T) * 8) + " bits" +
                             (std::is_signed_v<T> ? " with a sign" : " without a sign"));
  }
  // Whether `from` is the same as a T.
  template <class T, class From>
  static bool fits(From from) {
    const T to = static_cast<T>(from);
    return static_cast<From>(to) == from && (to < T(0)) == (from < From(0));
  }

  template <class T>
  const T& get_as(const char* what) const {
    if (const T* value = std::get_if<T>(&value_)) return *value;
    throw std::runtime_error(std::string(what) + " was asked for, but the value is " + kind() +
                             (std::is_same_v<T, array_type> && is_object() ? " (members() has an object's)" : ""));
  }
  // For messages: what is there.
  std::string kind() const {
    if (is_null()) return "null, as an absent member is";
    if (is_bool()) return dump();
    const char* const name = is_number() ? "the number "
                             : is_string() ? "the string "
                             : is_array()  ? "the array "
                                           : "the object ";
    return name + shortened(dump());
  }
  // At most 100 bytes, cut between characters.
  static std::string shortened(std::string text) {
    if (text.size() <= 100) return text;
    std::size_t end = 100;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
  }

  static void write_string(std::string& out, const std::string& text) {
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
        out += escape;
      } else {
        out += c;
      }
    }
    out += '"';
  }
  static void write_number(std::string& out, double number) {
    if (!std::isfinite(number)) throw std::runtime_error("JSON has no infinity and no NaN");
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    out.append(digits, end.ptr);
  }
  void write(std::string& out) const {
    if (is_null()) {
      out += "null";
    } else if (is_bool()) {
      out += boolean() ? "true" : "false";
    } else if (const auto* small = std::get_if<std::int64_t>(&value_)) {
      out += std::to_string(*small);
    } else if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
      out += std::to_string(*large);
    } else if (is_number()) {
      write_number(out, std::get<double>(value_));
    } else if (is_string()) {
      write_string(out, string());
    } else if (is_array()) {
      const char* separator = "[";
      for (const json& item : items()) {
        out += separator;
        item.write(out);
        separator = ",";
      }
      out += items().empty() ? "[]" : "]";
    } else {
      const char* separator = "{";
      for (const auto& [name, member] : members()) {
        out += separator;
        write_string(out, name);
        out += ':';
        member.write(out);
        separator = ",";
      }
      out += members().empty() ? "{}" : "}";
    }
  }

  struct Reader {
    std::string_view rest;

    void space() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size())); }
    bool take(std::string_view text) {
      if (!rest.starts_with(text)) return false;
      rest.remove_prefix(text.size());
      return true;
    }
    [[noreturn]] static void fail() { throw std::runtime_error("the input is not JSON"); }

    json value(int depth) {
      if (depth > 500) fail();
      space();
      if (take("null")) return {};
      if (take("true")) return true;
      if (take("false")) return false;
      if (rest.starts_with('"')) return string();
      if (take("[")) return array(depth);
      if (take("{")) return object(depth);
      return number();
    }
    json array(int depth) {
      array_type items;
      space();
      if (take("]")) return items;
      do {
        items.push_back(value(depth + 1));
        space();
      } while (take(","));
      if (!take("]")) fail();
      return items;
    }
    json object(int depth) {
      object_type members;
      space();
      if (take("}")) return members;
      do {
        space();
        std::string name = string();
        space();
        if (!take(":")) fail();
        members[std::move(name)] = value(depth + 1);
        space();
      } while (take(","));
      if (!take("}")) fail();
      return members;
    }
    json number() {
      const auto length = std::min(rest.find_first_not_of("+-.0123456789eE"), rest.size());
      const std::string_view digits = rest.substr(0, length);
      rest.remove_prefix(length);
      std::int64_t small = 0;
      if (read(digits, small)) return small;
      std::uint64_t large = 0;
      if (read(digits, large)) return large;
      double real = 0;
      const char* const end = digits.data() + digits.size();
      const auto [at, error] = std::from_chars(digits.data(), end, real);
      if (at != end || error == std::errc::invalid_argument) fail();
      // Too small a number is 0; from_chars does not say which of both it was.
      if (error == std::errc::result_out_of_range) real = std::strtod(std::string(digits).c_str(), nullptr);
      if (!std::isfinite(real)) throw std::runtime_error("a number is too large: " + std::string(digits));
      return real;
    }
    template <class T>
    static bool read(std::string_view digits, T& out) {
      const char* const end = digits.data() + digits.size();
      const auto [at, error] = std::from_chars(digits.data(), end, out);
      return error == std::errc() && at == end;
    }
    unsigned hex() {
      unsigned code = 0;
      if (rest.size() < 4) fail();
      const auto [at, error] = std::from_chars(rest.data(), rest.data() + 4, code, 16);
      if (error != std::errc() || at != rest.data() + 4) fail();
      rest.remove_prefix(4);
      return code;
    }
    static void utf8(std::string& out, unsigned code) {
      const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((code >> shift) & 63)); };
      if (code < 0x80) {
        out += static_cast<char>(code);
      } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        tail(0);
      } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        tail(6);
        tail(0);
      } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        tail(12);
        tail(6);
        tail(0);
      }
    }
    std::string string() {
      if (!take("\"")) fail();
      std::string out;
      while (!rest.starts_with('"')) {
        if (rest.empty()) fail();
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
          out += c;
          continue;
        }
        if (rest.empty()) fail();
        const char escaped = rest.front();
        rest.remove_prefix(1);
        constexpr std::string_view kFrom = "bfnrt";
        if (escaped == 'u') {
          unsigned code = hex();
          if (code >= 0xD800 && code < 0xDC00 && take("\\u")) {
            code = 0x10000 + ((code - 0xD800) << 10) + ((hex() - 0xDC00) & 0x3FF);
          }
          utf8(out, code);
        } else if (const auto at = kFrom.find(escaped); at != std::string_view::npos) {
          out += "\b\f\n\r\t"[at];
        } else {
          out += escaped;
        }
      }
      rest.remove_prefix(1);
      return out;
    }
  };

  value_type value_;
};

}  // namespace cove

#endif
