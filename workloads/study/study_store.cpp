// SPDX-License-Identifier: Apache-2.0
#include "workloads/study/study_store.h"

#include <fmt/format.h>

#include <charconv>

#include "base/diagnostic.h"
#include "base/sha256.h"
#include "workloads/study/study_schema.h"

namespace podsim::workloads {
namespace {

constexpr std::size_t machine_digits = 16;

/// As a process leaves it that ends before its first transaction does.
bool is_empty(const SqliteDatabase& database, const char* schema = "main") {
  SqliteStatement tables = database.prepare(fmt::format("SELECT count(*) FROM {}.sqlite_master", schema));
  tables.step();
  return tables.whole(0) == 0;
}

std::string fact(const SqliteDatabase& database, const std::string& key) {
  SqliteStatement row = database.prepare("SELECT value FROM study WHERE key = ?1");
  return row.bind(key).step() ? row.text(0) : "";
}

void require_study_table(const SqliteDatabase& database) {
  SqliteStatement table = database.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'study'");
  table.step();
  if (table.whole(0) == 0) throw base::InputError(fmt::format("'{}' is not the database of a study", database.file()));
}

void require_known_schema(const SqliteDatabase& database) {
  const std::string text = fact(database, "schema_version");
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  if (version == study_schema_version) return;
  throw base::InputError(fmt::format("the database '{}' has schema version '{}', this program knows {}",
                                     database.file(), text, study_schema_version),
                         version > study_schema_version ? "it was made by a newer podsim" : "");
}

void require_same_text(const SqliteDatabase& database, const Study& study) {
  if (fact(database, "text") == study.text) return;
  throw base::InputError(
      fmt::format("the database '{}' holds another study, \"{}\"", database.file(), fact(database, "title")),
      "its file has another text, which it keeps in the table 'study'; choose another folder with -o");
}

void require_study(const SqliteDatabase& database, const Study& study) {
  require_study_table(database);
  require_known_schema(database);
  require_same_text(database, study);
}

}  // namespace

StudyStore::StudyStore(const std::filesystem::path& file, const Study& study, const std::string& program,
                       const std::string& baseline, Journal journal)
    : database_(file, SqliteDatabase::Access::write) {
  if (journal == Journal::log) {
    database_.prepare("PRAGMA journal_mode = WAL").step();
    database_.execute("PRAGMA synchronous = NORMAL");
  }
  SqliteTransaction transaction(database_);
  if (is_empty(database_)) {
    database_.execute(study_tables());
    write_description(study, program, baseline);
    transaction.commit();
  } else {
    require_study(database_, study);
  }
}

void StudyStore::write_description(const Study& study, const std::string& program, const std::string& baseline) {
  database_.execute(study_view(study));
  SqliteStatement row = database_.prepare("INSERT OR REPLACE INTO study VALUES (?1, ?2)");
  for (const auto& [key, value] : study_facts(study, program, baseline)) row.bind(key, value).run();
}

void StudyStore::describe(const Study& study, const std::string& program, const std::string& baseline) {
  SqliteTransaction transaction(database_);
  write_description(study, program, baseline);
  transaction.commit();
}

StudyStore::~StudyStore() {
  try {
    database_.prepare("PRAGMA journal_mode = DELETE").step();  // the log goes into the file
  } catch (const base::InputError&) {
    // Somebody reads: the log stays beside the file, and whoever opens it next finds all that is in it.
  }
}

std::map<std::string, bool> StudyStore::points() const {
  std::map<std::string, bool> found;
  SqliteStatement rows = database_.prepare("SELECT id, status = 'done' FROM points");
  while (rows.step()) found[rows.text(0)] = rows.whole(1) != 0;
  return found;
}

void StudyStore::remove_point(const std::string& id) {
  for (const char* table : {"axis_values", "metrics", "host"}) {
    database_.prepare(fmt::format("DELETE FROM {} WHERE point = ?1", table)).bind(id).run();
  }
  database_.prepare("DELETE FROM points WHERE id = ?1").bind(id).run();
}

void StudyStore::add(const PointRecord& point) {
  SqliteTransaction transaction(database_);
  remove_point(point.id);
  const std::string machine = point.machine.empty() ? "" : base::sha256(point.machine).substr(0, machine_digits);
  if (!machine.empty()) {
    database_.prepare("INSERT OR IGNORE INTO machines VALUES (?1, ?2)").bind(machine, point.machine).run();
  }
  database_.prepare("INSERT INTO points VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, ''), nullif(?8, ''))")
      .bind(point.id, point.position, point.done ? "done" : "failed", point.exit_code, point.error, point.command,
            machine, point.result)
      .run();
  SqliteStatement value = database_.prepare("INSERT INTO axis_values VALUES (?1, ?2, ?3, ?4, ?5)");
  for (const StudyValue& axis : point.axes) value.bind(point.id, axis.key, "axis", axis.text, axis.number).run();
  for (const StudyValue& derived : point.derived) {
    value.bind(point.id, derived.key, "derived", derived.text, derived.number).run();
  }
  SqliteStatement metric = database_.prepare("INSERT INTO metrics VALUES (?1, ?2, ?3)");
  for (const auto& [name, number] : point.metrics) metric.bind(point.id, name, number).run();
  database_.prepare("INSERT INTO host VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
      .bind(point.id, point.host.wall_s, point.host.compile_s, point.host.op_hits, point.host.op_misses,
            point.host.node)
      .run();
  transaction.commit();
}

void StudyStore::remove(const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  SqliteTransaction transaction(database_);
  for (const std::string& id : ids) remove_point(id);
  database_.execute("DELETE FROM machines WHERE hash NOT IN (SELECT machine FROM points WHERE machine IS NOT NULL)");
  transaction.commit();
}

void StudyStore::add_all(const std::filesystem::path& other) {
  database_.prepare("ATTACH ?1 AS other").bind(other.string()).run();
  if (!is_empty(database_, "other")) copy_attached();
  database_.execute("DETACH other");
}

void StudyStore::copy_attached() {
  SqliteTransaction transaction(database_);
  std::vector<std::string> ids;
  SqliteStatement rows = database_.prepare("SELECT id FROM other.points");
  while (rows.step()) ids.push_back(rows.text(0));
  for (const std::string& id : ids) remove_point(id);
  database_.execute("INSERT OR IGNORE INTO machines SELECT * FROM other.machines");
  for (const char* table : {"points", "axis_values", "metrics", "host"}) {
    database_.execute(fmt::format("INSERT INTO main.{0} SELECT * FROM other.{0}", table));
  }
  transaction.commit();
}

std::set<std::string> points_done(const std::filesystem::path& file) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  std::set<std::string> done;
  if (is_empty(database)) return done;
  SqliteStatement rows = database.prepare("SELECT id FROM points WHERE status = 'done'");
  while (rows.step()) done.insert(rows.text(0));
  return done;
}

void require_same_study(const std::filesystem::path& file, const Study& study) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  if (!is_empty(database)) require_study(database, study);
}

}  // namespace podsim::workloads
