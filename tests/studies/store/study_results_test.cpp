// SPDX-License-Identifier: Apache-2.0
#include "studies/store/study_results.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>

#include "base/diagnostic.h"
#include "tests/studies/sample_study.h"

namespace podsim::studies::store {
namespace {

TEST(StudyResults, HaveWhatTheSweepWrote) {
  const SampleFile file(link_study());
  const StudyResults results = file.results();
  EXPECT_EQ(results.title, "Links <fast & slow>");
  EXPECT_EQ(results.question, "What would faster links buy?");
  ASSERT_EQ(results.axes.size(), 3U);
  EXPECT_EQ(results.axes[1].name, "ici.link_rate");
  EXPECT_EQ(results.axes[1].values, (std::vector<ResultValue>{{"328 Gb/s", 41e9}, {"656 Gb/s", 82e9}}));
  EXPECT_EQ(results.derived, std::vector<std::string>{"global_batch"});
  EXPECT_EQ(results.metrics, (std::vector<std::string>{"step_time_s", "samples_per_s", "utilization.mxu"}));
  ASSERT_EQ(results.points.size(), 16U);
  EXPECT_EQ(results.baseline, 2U);
  ASSERT_EQ(results.objectives.size(), 2U);
  EXPECT_EQ(results.name_of(results.objectives[1].variable), "samples_per_s");
  EXPECT_EQ(results.objectives[1].direction, Direction::maximise);
  EXPECT_EQ(results.host.points, 16);
  EXPECT_EQ(results.host.op_hits, 480);
  EXPECT_DOUBLE_EQ(results.host.wall_s, 4.0);
}

TEST(StudyResults, GiveEveryPointItsOwnValues) {
  const SampleFile file(link_study());
  const StudyResults results = file.results();
  for (const ResultPoint& point : results.points) {
    EXPECT_EQ(point.id,
              "p" + std::string(4 - std::to_string(point.position).size(), '0') + std::to_string(point.position));
    const double chips = *point.axes[0].number, link = *point.axes[1].number, batch = *point.axes[2].number;
    EXPECT_EQ(point.derived[0].number, 2 * chips * batch);
    EXPECT_EQ(point.done, !(chips == 32 && link == 41e9 && batch == 128));
    EXPECT_TRUE(results.machines.contains(point.machine));
    if (!point.done) {
      EXPECT_EQ(point.exit_code, 1);
      EXPECT_NE(point.error.find("17 GiB"), std::string::npos);
      EXPECT_EQ(point.metrics[0], std::nullopt);
      continue;
    }
    EXPECT_DOUBLE_EQ(*point.metrics[0], batch / 1000 + 0.8e9 / link + 0.001 * std::log2(chips));
  }
  // Points that differ in no machine key share one machine.
  EXPECT_EQ(results.machines.size(), 2U);
}

TEST(StudyResults, AreFoundInAFolder) {
  const SampleFile file(link_study());
  EXPECT_EQ(find_study_database(file.path()), file.path());
  EXPECT_EQ(find_study_database(file.path().parent_path()), file.path());
  const std::filesystem::path empty = file.path().parent_path() / "empty";
  std::filesystem::create_directory(empty);
  EXPECT_EQ(find_study_database(empty), std::nullopt);
  EXPECT_THROW(find_study_database(file.path().parent_path() / "nowhere"), base::InputError);
  std::filesystem::copy_file(file.path(), file.path().parent_path() / "other.sqlite");
  EXPECT_THROW(find_study_database(file.path().parent_path()), base::InputError);
}

TEST(StudyResults, RefuseWhatIsNoStudy) {
  const SampleFile file(link_study());
  const std::filesystem::path text = file.path().parent_path() / "text.sqlite";
  std::ofstream(text) << "This is no database, but a text that is long enough to be looked at.\n";
  EXPECT_THROW(read_study_results(text), base::InputError);
  EXPECT_THROW(read_study_results(file.path().parent_path() / "nowhere.sqlite"), base::InputError);
  SqliteDatabase other(file.path().parent_path() / "other.sqlite", SqliteDatabase::Access::write);
  other.execute("CREATE TABLE birds(name TEXT)");
  EXPECT_THROW(read_study_results(other.file()), base::InputError);
  SqliteDatabase newer(file.path(), SqliteDatabase::Access::write);
  newer.execute("UPDATE study SET value = '99' WHERE key = 'schema_version'");
  EXPECT_THROW(read_study_results(file.path()), base::InputError);
}

std::string refusal(const std::filesystem::path& file) {
  try {
    read_study_results(file);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

/// The error about the sample after these statements, which remove the table's types and constraints.
std::string refusal_after(const std::string& table, const std::string& statements) {
  const SampleFile file(link_study());
  SqliteDatabase database(file.path(), SqliteDatabase::Access::write);
  database.execute("PRAGMA synchronous = OFF; DROP VIEW results; CREATE TABLE copy AS SELECT * FROM " + table +
                   "; DROP TABLE " + table + "; ALTER TABLE copy RENAME TO " + table + "; " + statements);
  return refusal(file.path());
}

TEST(StudyResults, NameThePlaceOfADamagedValue) {
  for (const auto& [table, column, value, wanted] :
       {std::array{"points", "position", "'first'", "a text, not a whole number"},
        std::array{"points", "error", "x'00ff'", "a blob, not a text"},
        std::array{"points", "command", "NULL", "nothing (NULL), not a text"},
        std::array{"axis_values", "number", "'fast'", "a text, not a number"},
        std::array{"metrics", "value", "x'00'", "a blob, not a number"},
        std::array{"machines", "toml", "NULL", "nothing (NULL), not a text"},
        std::array{"host", "op_hits", "1.5", "a number, not a whole number"}}) {
    const std::string said = refusal_after(table, std::string("UPDATE ") + table + " SET " + column + " = " + value);
    EXPECT_NE(said.find(std::string("in the table '") + table + "', row 1"), std::string::npos) << said;
    EXPECT_NE(said.find(std::string("the column '") + column + "' holds " + wanted), std::string::npos) << said;
    EXPECT_NE(said.find(".sqlite"), std::string::npos) << said;
  }
}

TEST(StudyResults, NameTheDescriptionThatIsNotItsJson) {
  const SampleFile file(link_study());
  SqliteDatabase database(file.path(), SqliteDatabase::Access::write);
  database.execute("PRAGMA synchronous = OFF; CREATE TABLE whole AS SELECT * FROM study");
  for (const std::string key : {"axes", "derived", "metrics", "report"}) {
    for (const std::string json : {"", "{", "[3]", "null", R"({"minimise": 3})", R"([{"name": "x", "group": "y"}])"}) {
      database.execute("UPDATE study SET value = " + sql_text(json) + " WHERE key = " + sql_text(key));
      const std::string said = refusal(file.path());
      EXPECT_NE(said.find("in the table 'study', row '" + key + "'"), std::string::npos)
          << key << " " << json << " " << said;
      EXPECT_EQ(said.find("json.exception"), std::string::npos) << said;
    }
    database.execute("INSERT OR REPLACE INTO study SELECT * FROM whole");
  }
}

TEST(StudyResults, RunNothingThatTheFileBrings) {
  const std::string endless =
      "ALTER TABLE metrics RENAME TO old; CREATE VIEW metrics AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + "
      "1 FROM n) SELECT 'p0000' AS point, 'step_time_s' AS metric, i AS value FROM n";
  EXPECT_NE(refusal_after("metrics", endless).find("it has no table 'metrics'"), std::string::npos);
  EXPECT_NE(refusal_after("points", "DROP TABLE host").find("it has no table 'host'"), std::string::npos);
}

// A value of 65 MiB is one MiB beyond the limit of sqlite_database.cpp.
TEST(StudyResults, HaveNoHugeValues) {
  const SampleFile file(link_study());
  SqliteDatabase database(file.path(), SqliteDatabase::Access::write);
  EXPECT_THROW(database.execute("UPDATE points SET error = hex(zeroblob(34078720))"), base::InputError);
}

TEST(StudyResults, OfAFileThatWasCutShortAreRefused) {
  const SampleFile file(link_study());
  const std::uintmax_t size = std::filesystem::file_size(file.path());
  for (const std::uintmax_t kept : {size / 2, size / 4, std::uintmax_t(4096), std::uintmax_t(100)}) {
    std::filesystem::resize_file(file.path(), kept);
    EXPECT_NE(refusal(file.path()), "") << kept;
  }
}

}  // namespace
}  // namespace podsim::studies::store
