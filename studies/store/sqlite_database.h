// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

/// The part of SQLite that studies need. Errors of SQLite (no such file, not a database, a full disk, a lock held for
/// more than half a minute) are InputErrors that name the file.
namespace podsim::studies::store {

/// A prepared statement, used by binding values and then stepping through rows.
class SqliteStatement {
 public:
  SqliteStatement(sqlite3* connection, std::string_view sql, const std::string& file);

  /// Resets the statement and binds these values, parameter ?1 first.
  template <class... Values>
  SqliteStatement& bind(const Values&... values) {
    reset();
    int position = 0;
    (bind_one(++position, values), ...);
    return *this;
  }
  /// Steps to the next row; false after the last one.
  bool step();
  /// Runs a statement without result rows.
  void run();

  /// Values of the current row, with columns counted from 0. NULL reads as an empty text, 0 and std::nullopt.
  std::string text(int column) const;
  std::int64_t whole(int column) const;
  std::optional<double> number(int column) const;
  bool is_null(int column) const;
  bool is_number(int column) const;
  int columns() const;

 private:
  void reset();
  void bind_one(int position, std::string_view text);
  void bind_one(int position, const char* text) { bind_one(position, std::string_view(text)); }
  void bind_one(int position, std::int64_t value);
  void bind_one(int position, int value) { bind_one(position, std::int64_t(value)); }
  void bind_one(int position, double value);
  void bind_one(int position, const std::optional<double>& value);
  void check(int code) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* connection_;
  std::string file_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDatabase {
 public:
  enum class Access { read, write };  ///< write creates the file if it does not exist

  SqliteDatabase(const std::filesystem::path& file, Access access);

  /// Runs statements, separated by semicolons, that have neither parameters nor result rows.
  void execute(const std::string& sql);
  SqliteStatement prepare(std::string_view sql) const { return {connection_.get(), sql, file_}; }
  const std::string& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A transaction: rolled back on destruction unless commit() was called. The database must outlive it.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteDatabase& database_;
  bool open_ = true;
};

/// `name` quoted as an SQL identifier, whatever characters it has.
std::string sql_name(std::string_view name);
/// `text` as an SQL string literal.
std::string sql_text(std::string_view text);

}  // namespace podsim::studies::store
