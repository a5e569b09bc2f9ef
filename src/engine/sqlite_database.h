#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cove {

class SqliteDatabase;

// One prepared statement. bind() in the order of the question marks, then step() until it gives
// false; reset() makes it ready for the next values. Belongs to one thread at a time.
class SqliteStatement {
 public:
  SqliteStatement() = default;  // nothing prepared yet: only to be assigned to
  SqliteStatement(SqliteStatement&& other) noexcept;
  SqliteStatement& operator=(SqliteStatement&& other) noexcept;
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;
  ~SqliteStatement();

  SqliteStatement& bind(std::string_view text);
  SqliteStatement& bind(const std::string& text) { return bind(std::string_view(text)); }
  SqliteStatement& bind(const char* text) { return bind(std::string_view(text)); }
  SqliteStatement& bind(std::int64_t number);
  SqliteStatement& bind(const std::optional<std::int64_t>& number);

  Result<bool> step();  // true: a row is there
  Result<> run();       // step() to the end, then reset()
  void reset();

  std::string text(int column) const;
  std::int64_t integer(int column) const;
  bool is_null(int column) const;

 private:
  friend class SqliteDatabase;
  SqliteStatement(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
  int failed_ = 0;  // the first bind that failed; step() reports it
};

// A connection to a SQLite file, or to memory (":memory:"). Statements must not outlive it. To be
// used by one thread at a time.
class SqliteDatabase {
 public:
  static Result<SqliteDatabase> open(const std::string& path);
  SqliteDatabase(SqliteDatabase&& other) noexcept;
  SqliteDatabase& operator=(SqliteDatabase&&) = delete;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;
  ~SqliteDatabase();

  Result<> execute(const char* sql);  // one or more statements without values
  Result<SqliteStatement> prepare(std::string_view sql);
  Result<std::int64_t> number(std::string_view sql);  // of the first column of the first row
  std::int64_t changes() const;                       // rows that the last statement touched

 private:
  explicit SqliteDatabase(sqlite3* database) : database_(database) {}
  sqlite3* database_ = nullptr;
};

}  // namespace cove
