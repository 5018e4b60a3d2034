// SPDX-License-Identifier: Apache-2.0
#include "studies/store/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/diagnostic.h"

namespace podsim::studies::store {
namespace {

constexpr int patience_ms = 30'000;
constexpr int max_bytes = 64 << 20;  // of a value: a damaged or hostile file says any length
constexpr int max_shown = 60;        // characters of a row's first value in messages

[[noreturn]] void fail(const std::string& file, const std::string& reason, const std::string& hint = "") {
  throw base::InputError(fmt::format("cannot use the database '{}': {}", file, reason), hint);
}

[[noreturn]] void fail_with_error_of(sqlite3* connection, const std::string& file) {
  const bool too_big = sqlite3_errcode(connection) == SQLITE_TOOBIG;
  fail(file, sqlite3_errmsg(connection),
       too_big ? fmt::format("a value of a study's database has at most {} MiB", max_bytes >> 20) : "");
}

/// Makes a file that strangers wrote harmless: https://www.sqlite.org/security.html.
void restrict_schema(sqlite3* connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, max_bytes);
}

/// True if the last writer of the file was killed in a transaction: a connection that may not write cannot undo it.
bool needs_rollback(sqlite3* connection) {
  return sqlite3_exec(connection, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) == SQLITE_READONLY;
}

std::string type_name(int type) {
  switch (type) {
    case SQLITE_INTEGER:
      return "a whole number";
    case SQLITE_FLOAT:
      return "a number";
    case SQLITE_TEXT:
      return "a text";
    case SQLITE_BLOB:
      return "a blob";
    default:
      return "nothing (NULL)";
  }
}

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) result.append(c == quote ? 2 : 1, c);
  return result + quote;
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql, const std::string& file, std::string table)
    : connection_(connection), file_(file), table_(std::move(table)) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection, sql.data(), int(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) fail_with_error_of(connection_, file_);
}

void SqliteStatement::reset() {
  row_ = 0;
  sqlite3_reset(statement_.get());  // its code repeats the error of the last step, which was reported then
  check(sqlite3_clear_bindings(statement_.get()));
}

void SqliteStatement::bind_one(int position, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), position, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void SqliteStatement::bind_one(int position, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), position, value));
}

void SqliteStatement::bind_one(int position, double value) {
  check(sqlite3_bind_double(statement_.get(), position, value));
}

void SqliteStatement::bind_one(int position, const std::optional<double>& value) {
  if (value) return bind_one(position, *value);
  check(sqlite3_bind_null(statement_.get(), position));
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail_with_error_of(connection_, file_);
  row_ += code == SQLITE_ROW ? 1 : 0;
  return code == SQLITE_ROW;
}

void SqliteStatement::run() {
  while (step()) continue;
  reset();
}

void SqliteStatement::reject(int column, std::string_view wanted) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  const std::string name = column == 0 || is_blob(0) ? "" : fmt::format(" ('{:.{}}')", text_or_empty(0), max_shown);
  fail(file_, fmt::format("in the table '{}', row {}{}, the column '{}' holds {}, not {}", table_, row_, name,
                          sqlite3_column_name(statement_.get(), column), type_name(type), wanted));
}

std::string SqliteStatement::text(int column) const {
  if (is_null(column)) reject(column, "a text");
  return text_or_empty(column);
}

std::string SqliteStatement::text_or_empty(int column) const {
  if (is_blob(column)) reject(column, "a text");
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return begin == nullptr ? "" : std::string(begin, std::size_t(sqlite3_column_bytes(statement_.get(), column)));
}

std::int64_t SqliteStatement::whole(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) reject(column, "a whole number");
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> SqliteStatement::number(int column) const {
  if (is_null(column)) return std::nullopt;
  if (!is_number(column)) reject(column, "a number");
  return sqlite3_column_double(statement_.get(), column);
}

bool SqliteStatement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

bool SqliteStatement::is_blob(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_BLOB; }

bool SqliteStatement::is_number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

int SqliteStatement::columns() const { return sqlite3_column_count(statement_.get()); }

SqliteDatabase::SqliteDatabase(const std::filesystem::path& file, Access access) : file_(file.string()) {
  sqlite3* connection = nullptr;
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(file_.c_str(), &connection, flags, nullptr);
  connection_.reset(connection);  // must be closed even if opening failed
  if (code != SQLITE_OK) fail(file_, connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection));
  sqlite3_busy_timeout(connection, patience_ms);
  restrict_schema(connection);
  if (access == Access::read && needs_rollback(connection)) {
    SqliteDatabase(file, Access::write).prepare("SELECT count(*) FROM sqlite_master").step();
  }
}

void SqliteDatabase::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

void SqliteDatabase::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  fail_with_error_of(connection_.get(), file_);
}

SqliteStatement SqliteDatabase::select(const std::string& table, std::string_view columns,
                                       std::string_view rest) const {
  // Views and virtual tables, which may run anything, have no pages of their own.
  SqliteStatement known =
      prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1");
  known.bind(table).step();
  if (known.whole(0) == 0) fail(file_, fmt::format("it has no table '{}'", table));
  return {connection_.get(), fmt::format("SELECT {} FROM {} {}", columns, table, rest), file_, table};
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const base::InputError&) {
    // SQLite has already rolled back, as it does on some errors, or does so when the file is next opened.
  }
}

void SqliteTransaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

std::string sql_name(std::string_view name) { return doubled(name, '"'); }

std::string sql_text(std::string_view text) { return doubled(text, '\''); }

}  // namespace podsim::studies::store
