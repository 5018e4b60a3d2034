// SPDX-License-Identifier: Apache-2.0
#include "studies/store/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/diagnostic.h"

namespace podsim::studies::store {
namespace {

constexpr int patience_ms = 30'000;

[[noreturn]] void fail(const std::string& file, const std::string& reason) {
  throw base::InputError(fmt::format("cannot use the database '{}': {}", file, reason));
}

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (char c : text) result.append(c == quote ? 2 : 1, c);
  return result + quote;
}

}  // namespace

SqliteStatement::SqliteStatement(sqlite3* connection, std::string_view sql, const std::string& file)
    : connection_(connection), file_(file) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection, sql.data(), int(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void SqliteStatement::check(int code) const {
  if (code != SQLITE_OK) fail(file_, sqlite3_errmsg(connection_));
}

void SqliteStatement::reset() {
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
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(file_, sqlite3_errmsg(connection_));
  return false;
}

void SqliteStatement::run() {
  while (step()) continue;
  reset();
}

std::string SqliteStatement::text(int column) const {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return begin == nullptr ? "" : std::string(begin, std::size_t(sqlite3_column_bytes(statement_.get(), column)));
}

std::int64_t SqliteStatement::whole(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::optional<double> SqliteStatement::number(int column) const {
  if (is_null(column)) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

bool SqliteStatement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

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
}

void SqliteDatabase::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

void SqliteDatabase::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return;
  fail(file_, sqlite3_errmsg(connection_.get()));
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
