// SPDX-License-Identifier: Apache-2.0
#include "studies/search/visited_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/diagnostic.h"
#include "base/host/exit_code.h"
#include "base/text/json_text.h"

namespace podsim::studies::search {
namespace {

constexpr int schema_version = 1;

}  // namespace

VisitedStore::VisitedStore(const std::filesystem::path& file, const SearchIdentity& identity)
    : database_(file, store::SqliteDatabase::Access::write) {
  database_.execute(
      "CREATE TABLE IF NOT EXISTS search (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS points (command TEXT PRIMARY KEY, position INTEGER NOT NULL,"
      "  description TEXT NOT NULL, estimate_s REAL, exit_code INTEGER NOT NULL, error TEXT NOT NULL, figures TEXT);");
  check(identity);
  read();
}

void VisitedStore::check(const SearchIdentity& identity) {
  std::map<std::string, std::string> wanted{
      {"schema_version", std::to_string(schema_version)}, {"command", identity.command}, {"content", identity.content}};
  std::map<std::string, std::string> found;
  store::SqliteStatement rows = database_.select("search", "key, value");
  while (rows.step()) found[rows.text(0)] = rows.text(1);
  if (found.empty()) {
    store::SqliteStatement insert = database_.prepare("INSERT INTO search VALUES (?1, ?2)");
    for (const auto& [key, value] : wanted) insert.bind(key, value).run();
    return;
  }
  if (found == wanted) return;
  const bool same_command = found["command"] == identity.command;
  base::SourceLocation where;
  where.file = database_.file();
  std::string message = same_command ? "it has a search of the same step with another machine, file or build of podsim"
                                     : fmt::format("it has a search of '{}'", found["command"]);
  throw base::InputError({base::Diagnostic::Severity::error, std::move(message), where,
                          "give another folder with -o, or remove this file"});
}

void VisitedStore::read() {
  store::SqliteStatement rows = database_.select("points", "command, exit_code, error, figures");
  while (rows.step()) {
    if (rows.whole(1) == base::host::out_of_time) continue;
    sweep::Trial& trial = visited_[rows.text(0)];
    trial.exit_code = int(rows.whole(1));
    trial.error = rows.text(2);
    if (rows.is_null(3)) continue;
    trial.figures = nlohmann::ordered_json::parse(rows.text(3), nullptr, false);
    if (trial.figures.is_discarded()) rows.reject(3, "JSON");
    trial.done = true;
  }
}

const sweep::Trial* VisitedStore::find(const std::string& command) const {
  const auto at = visited_.find(command);
  return at == visited_.end() ? nullptr : &at->second;
}

void VisitedStore::add(std::int64_t position, const std::string& command, const std::string& description,
                       std::optional<double> estimate_s, sweep::Trial trial) {
  if (trial.done) {
    for (const char* host : {"wall_s", "compile_s", "partition_s", "op_cache"}) trial.figures.erase(host);
  }
  store::SqliteStatement insert =
      database_.prepare("INSERT OR REPLACE INTO points VALUES (?2, ?1, ?3, ?4, ?5, ?6, NULLIF(?7, ''))");
  insert
      .bind(position, command, description, estimate_s, trial.exit_code, trial.error,
            trial.done ? base::text::json_text(trial.figures) : "")
      .run();
  visited_.insert_or_assign(command, std::move(trial));
}

}  // namespace podsim::studies::search
