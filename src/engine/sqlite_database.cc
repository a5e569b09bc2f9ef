#include "engine/sqlite_database.h"

#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace cove {
namespace {

Error sqlite_error(sqlite3* database, std::string_view doing) {
  return {ErrorCode::Internal, fmt::format("{}: {} (SQLite {})", doing, sqlite3_errmsg(database),
                                           sqlite3_extended_errcode(database))};
}

constexpr int kBusyMilliseconds = 5000;

}  // namespace

SqliteStatement::SqliteStatement(SqliteStatement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      next_(other.next_),
      failed_(other.failed_) {}

SqliteStatement& SqliteStatement::operator=(SqliteStatement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(statement_, other.statement_);
  std::swap(next_, other.next_);
  std::swap(failed_, other.failed_);
  return *this;
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(statement_);
}

SqliteStatement& SqliteStatement::bind(std::string_view text) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* data = text.empty() ? "" : text.data();
  const int code =
      sqlite3_bind_text64(statement_, next_++, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK && failed_ == 0) failed_ = code;
  return *this;
}

SqliteStatement& SqliteStatement::bind(std::int64_t number) {
  const int code = sqlite3_bind_int64(statement_, next_++, number);
  if (code != SQLITE_OK && failed_ == 0) failed_ = code;
  return *this;
}

SqliteStatement& SqliteStatement::bind(const std::optional<std::int64_t>& number) {
  if (number) return bind(*number);
  const int code = sqlite3_bind_null(statement_, next_++);
  if (code != SQLITE_OK && failed_ == 0) failed_ = code;
  return *this;
}

Result<bool> SqliteStatement::step() {
  if (failed_ != 0) {
    return Err(Error(ErrorCode::Internal, fmt::format("binding a value: {} (SQLite {})",
                                                      sqlite3_errstr(failed_), failed_)));
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Err(sqlite_error(database_, "running a statement"));
}

Result<> SqliteStatement::run() {
  for (;;) {
    auto more = step();
    if (more && *more) continue;
    reset();
    if (!more) return Err(std::move(more).error());
    return {};
  }
}

void SqliteStatement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  next_ = 1;
  failed_ = 0;
}

std::string SqliteStatement::text(int column) const {
  const auto* data = sqlite3_column_text(statement_, column);
  if (data == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return {reinterpret_cast<const char*>(data), size};
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool SqliteStatement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Result<SqliteDatabase> SqliteDatabase::open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  SqliteDatabase database(raw);  // closed also when opening failed
  if (code != SQLITE_OK) return Err(sqlite_error(raw, "opening " + path));
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  return database;
}

SqliteDatabase::SqliteDatabase(SqliteDatabase&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

SqliteDatabase::~SqliteDatabase() {
  sqlite3_close(database_);
}

Result<> SqliteDatabase::execute(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Err(sqlite_error(database_, sql));
}

Result<SqliteStatement> SqliteDatabase::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) == SQLITE_OK) {
    return SqliteStatement(database_, statement);
  }
  return Err(sqlite_error(database_, sql));
}

Result<std::int64_t> SqliteDatabase::number(std::string_view sql) {
  COVE_ASSIGN(auto statement, prepare(sql));
  COVE_ASSIGN(const bool found, statement.step());
  if (!found) return Err(Error(ErrorCode::Internal, std::string(sql) + ": no row"));
  return statement.integer(0);
}

std::int64_t SqliteDatabase::changes() const {
  return sqlite3_changes64(database_);
}

}  // namespace cove
