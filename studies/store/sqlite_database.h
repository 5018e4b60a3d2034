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
/// more than half a minute) are InputErrors that name the file. A file may come from anywhere: its triggers do not run,
/// and a value of the wrong type is an InputError that names table, row and column.
namespace podsim::studies::store {

/// A prepared statement, used by binding values and then stepping through rows.
class SqliteStatement {
 public:
  /// `table` is the table that the rows are of, for messages.
  SqliteStatement(sqlite3* connection, std::string_view sql, const std::string& file, std::string table = "");

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

  /// Values of the current row, with columns counted from 0. InputError for a value of another type.
  std::string text(int column) const;           ///< of a number too, as SQLite writes it
  std::string text_or_empty(int column) const;  ///< NULL is empty
  std::int64_t whole(int column) const;
  std::optional<double> number(int column) const;  ///< std::nullopt for NULL
  /// Throws the InputError for the current row's value: "... is not `wanted`".
  [[noreturn]] void reject(int column, std::string_view wanted) const;
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
  bool is_blob(int column) const;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* connection_;
  std::string file_, table_;
  std::int64_t row_ = 0;  ///< of the current row, from 1
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDatabase {
 public:
  enum class Access { read, write };  ///< write creates the file if it does not exist

  SqliteDatabase(const std::filesystem::path& file, Access access);

  /// Runs statements, separated by semicolons, that have neither parameters nor result rows.
  void execute(const std::string& sql);
  SqliteStatement prepare(std::string_view sql) const { return {connection_.get(), sql, file_}; }
  /// SELECT `columns` FROM `table` `rest`. InputError unless the database has this table, as one and not as a view.
  SqliteStatement select(const std::string& table, std::string_view columns, std::string_view rest = "") const;
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
