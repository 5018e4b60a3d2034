// SPDX-License-Identifier: Apache-2.0
#include "studies/store/study_store.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/sha256.h"
#include "studies/store/study_schema.h"

namespace podsim::studies::store {
namespace {

constexpr std::size_t machine_digits = 16;

/// True for a database without tables, which a process leaves behind that ends before its first transaction does.
bool is_empty(const SqliteDatabase& database, const char* schema = "main") {
  SqliteStatement tables = database.prepare(fmt::format("SELECT count(*) FROM {}.sqlite_master", schema));
  tables.step();
  return tables.whole(0) == 0;
}

std::string fact(const SqliteDatabase& database, const std::string& key) {
  SqliteStatement row = database.select("study", "key, value", "WHERE key = ?1");
  return row.bind(key).step() ? row.text(1) : "";
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

}  // namespace

void require_study_of_this_schema(const SqliteDatabase& database) {
  require_study_table(database);
  require_known_schema(database);
}

StudyStore::StudyStore(const std::filesystem::path& file, const plan::Study& study, const std::string& program,
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
    require_study_of_this_schema(database_);
    upgrade();
    transaction.commit();
  }
}

/// Adds the column `build`, which databases of earlier versions of the program do not have.
void StudyStore::upgrade() {
  SqliteStatement column = database_.prepare("SELECT count(*) FROM pragma_table_info('host') WHERE name = 'build'");
  column.step();
  if (column.whole(0) == 0) database_.execute("ALTER TABLE host ADD COLUMN build TEXT NOT NULL DEFAULT ''");
}

void StudyStore::write_description(const plan::Study& study, const std::string& program, const std::string& baseline) {
  database_.execute(study_view(study));
  SqliteStatement row = database_.prepare("INSERT OR REPLACE INTO study VALUES (?1, ?2)");
  for (const auto& [key, value] : study_facts(study, program, baseline)) row.bind(key, value).run();
}

void StudyStore::describe(const plan::Study& study, const std::string& program, const std::string& baseline) {
  SqliteTransaction transaction(database_);
  write_description(study, program, baseline);
  transaction.commit();
}

bool StudyStore::is_of(const plan::Study& study) const { return fact(database_, "text") == study.text; }

void StudyStore::take_over(const plan::Study& study, const std::string& program, const std::string& baseline,
                           const std::function<PointRecord(PointRecord)>& renewed) {
  SqliteTransaction transaction(database_);
  for (const auto& [id, state] : points()) put(renewed(*run_of(id)));
  write_description(study, program, baseline);
  transaction.commit();
}

StudyStore::~StudyStore() {
  try {
    database_.prepare("PRAGMA journal_mode = DELETE").step();  // moves the log into the file
  } catch (const base::InputError&) {
    // Another process reads the database. The log file stays and is read when the database is next opened.
  }
}

std::map<std::string, PointState> StudyStore::points() const {
  std::map<std::string, PointState> found;
  SqliteStatement rows = database_.select("points", "id, status = 'done' AS status");
  while (rows.step()) found[rows.text(0)].done = rows.whole(1) != 0;
  SqliteStatement builds = database_.select("host", "point, build");
  while (builds.step()) {
    if (const auto point = found.find(builds.text(0)); point != found.end()) point->second.build = builds.text(1);
  }
  return found;
}

std::optional<PointRecord> StudyStore::run_of(const std::string& id) const { return store::run_of(database_, id); }

void StudyStore::remove_point(const std::string& id) {
  for (const char* table : {"axis_values", "metrics", "host"}) {
    database_.prepare(fmt::format("DELETE FROM {} WHERE point = ?1", table)).bind(id).run();
  }
  database_.prepare("DELETE FROM points WHERE id = ?1").bind(id).run();
}

void StudyStore::add(const PointRecord& point) {
  SqliteTransaction transaction(database_);
  put(point);
  transaction.commit();
}

void StudyStore::put(const PointRecord& point) {
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
  for (const plan::StudyValue& axis : point.axes) value.bind(point.id, axis.key, "axis", axis.text, axis.number).run();
  for (const plan::StudyValue& derived : point.derived) {
    value.bind(point.id, derived.key, "derived", derived.text, derived.number).run();
  }
  SqliteStatement metric = database_.prepare("INSERT INTO metrics VALUES (?1, ?2, ?3)");
  for (const auto& [name, number] : point.metrics) metric.bind(point.id, name, number).run();
  database_.prepare("INSERT INTO host VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(point.id, point.host.wall_s, point.host.compile_s, point.host.op_hits, point.host.op_misses,
            point.host.node, point.host.build)
      .run();
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
  SqliteStatement rows = database.select("points", "id", "WHERE status = 'done'");
  while (rows.step()) done.insert(rows.text(0));
  return done;
}

std::optional<PointRecord> run_of(const SqliteDatabase& database, const std::string& id) {
  SqliteStatement row =
      database.select("points", "id, status = 'done' AS status, exit_code, error, result", "WHERE id = ?1");
  if (!row.bind(id).step()) return std::nullopt;
  PointRecord point;
  point.id = id;
  point.done = row.whole(1) != 0;
  point.exit_code = int(row.whole(2));
  point.error = row.text(3);
  point.result = row.text_or_empty(4);
  if (point.done && !nlohmann::json::parse(point.result, nullptr, false).is_object()) row.reject(4, "a JSON object");
  SqliteStatement host =
      database.select("host", "point, wall_s, compile_s, op_hits, op_misses, node, build", "WHERE point = ?1");
  if (!host.bind(id).step()) return point;
  point.host = {
      host.number(1).value_or(0), host.number(2).value_or(0), host.whole(3), host.whole(4), host.text(5), host.text(6)};
  return point;
}

void require_study(const std::filesystem::path& file) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  if (!is_empty(database)) require_study_of_this_schema(database);
}

bool is_of_text(const std::filesystem::path& file, const plan::Study& study) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  if (is_empty(database)) return true;
  require_study_of_this_schema(database);
  return fact(database, "text") == study.text;
}

void require_same_text(const std::filesystem::path& file, const plan::Study& study) {
  if (is_of_text(file, study)) return;
  throw base::InputError(fmt::format("'{}' is of another text of the study", file.string()),
                         "a sweep without --shard, or --emit slurm, takes the change over; or choose another folder "
                         "with -o");
}

}  // namespace podsim::studies::store
