// SPDX-License-Identifier: Apache-2.0
#include "studies/store/study_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "base/diagnostic.h"

namespace podsim::studies::store {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "podsim-store-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

plan::Study small_study() {
  plan::Study study;
  study.name = "small";
  study.title = "A small study";
  study.question = "Why?";
  study.text = "title = \"A small study\"\n";
  study.command = "run";
  study.axes = {{"slice", "", {{"slice", "2x2", {}}, {"slice", "4x4", {}}}, {}, 0},
                {"ici.link_rate", "B/s", {{"ici.link_rate", "328 Gb/s", 4.1e10}}, {}, 1}};
  study.derived = {{"global_batch", "batch_per_core * cores", {}}};
  study.metrics = {"step_time_s", "slice"};
  study.report.minimise = {"step_time_s"};
  return study;
}

PointRecord point_at(std::int64_t position) {
  PointRecord point;
  point.id = fmt::format("{:016x}", position * 7919 % 1009);  // not in the order of positions
  point.position = position;
  point.done = true;
  point.command = "podsim run resnet50";
  point.machine = position % 2 == 0 ? "[ici]\n" : "[hbm]\n";
  point.result = R"({"step_time_s":0.5})";
  point.axes = {{"slice", position == 0 ? "2x2" : "4x4", {}}, {"ici.link_rate", "328 Gb/s", 4.1e10}};
  point.derived = {{"global_batch", "64", 64.0}};
  point.metrics = {{"step_time_s", 0.5 + double(position)}, {"slice", 3.0}};
  point.host = {1.5, 0.5, 3, 4, "here", "build"};
  return point;
}

PointRecord failed_at(std::int64_t position) {
  PointRecord point = point_at(position);
  point.done = false;
  point.exit_code = 2;
  point.error = "error: no";
  point.result = "";
  point.metrics.clear();
  return point;
}

void write_store(const std::filesystem::path& file, const std::vector<PointRecord>& points) {
  StudyStore store(file, small_study(), "podsim 1", "base");
  for (const PointRecord& point : points) store.add(point);
}

std::string only_cell(const std::filesystem::path& file, const std::string& sql) {
  const SqliteDatabase database(file, SqliteDatabase::Access::read);
  SqliteStatement row = database.prepare(sql);
  EXPECT_TRUE(row.step()) << sql;
  return row.text(0);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StudyStore, KeepsWhatItIsGiven) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite";
  write_store(file, {point_at(0), failed_at(1)});
  auto cell = [&](const std::string& sql) { return only_cell(file, sql); };
  EXPECT_EQ(cell("SELECT value FROM study WHERE key = 'schema_version'"), "1");
  EXPECT_EQ(cell("SELECT value FROM study WHERE key = 'text'"), "title = \"A small study\"\n");
  EXPECT_EQ(cell("SELECT value FROM study WHERE key = 'baseline'"), "base");
  EXPECT_EQ(cell("SELECT count(*) FROM points"), "2");
  EXPECT_EQ(cell("SELECT error FROM points WHERE status = 'failed' AND exit_code = 2"), "error: no");
  EXPECT_EQ(cell("SELECT count(*) FROM points WHERE result IS NULL"), "1");
  EXPECT_EQ(cell("SELECT toml FROM machines JOIN points ON machine = hash WHERE position = 1"), "[hbm]\n");
  EXPECT_EQ(cell("SELECT number FROM axis_values WHERE kind = 'derived' AND axis = 'global_batch'"), "64.0");
  EXPECT_EQ(cell("SELECT op_hits + op_misses FROM host LIMIT 1"), "7");
  EXPECT_FALSE(std::filesystem::exists(folder / "s.sqlite-wal")) << "a closed database is one file";
}

TEST(StudyStore, HasAViewWithAColumnForEveryValue) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite";
  write_store(file, {point_at(1), point_at(0)});
  EXPECT_EQ(only_cell(file, "SELECT slice FROM results"), "2x2") << "by position";
  EXPECT_EQ(only_cell(file, R"sql(SELECT "ici.link_rate" FROM results)sql"), "41000000000.0");
  EXPECT_EQ(only_cell(file, "SELECT step_time_s FROM results WHERE slice = '4x4' AND global_batch = 64"), "1.5");
  EXPECT_EQ(only_cell(file, R"sql(SELECT "slice (metric)" FROM results)sql"), "3.0") << "of two names that are equal";
}

TEST(StudyStore, ReplacesAPointThatRanAgain) {
  const TemporaryFolder folder;
  write_store(folder / "a.sqlite", {failed_at(0), failed_at(1), point_at(0)});
  write_store(folder / "b.sqlite", {failed_at(1), point_at(0)});
  EXPECT_EQ(study_content(folder / "a.sqlite"), study_content(folder / "b.sqlite"));
  EXPECT_EQ(points_done(folder / "a.sqlite"), std::set<std::string>{point_at(0).id});
}

TEST(StudyStore, ContentDoesNotDependOnOrderNorHost) {
  const TemporaryFolder folder;
  constexpr unsigned seed = 3;
  std::mt19937 random(seed);
  write_store(folder / "sorted.sqlite", {point_at(0), point_at(1), point_at(2), point_at(3)});
  for (int round = 0; round < 10; ++round) {
    std::vector<PointRecord> points;
    for (std::int64_t position : {0, 1, 2, 3, int(random() % 4)}) points.push_back(point_at(position));
    std::ranges::shuffle(points, random);
    for (PointRecord& point : points) point.host.wall_s = double(random() % 100);
    const auto shuffled = folder / fmt::format("{}.sqlite", round);
    write_store(shuffled, points);
    EXPECT_EQ(study_content(shuffled), study_content(folder / "sorted.sqlite")) << "seed " << seed;
    EXPECT_EQ(study_lines(shuffled), study_lines(folder / "sorted.sqlite")) << "seed " << seed;
  }
}

TEST(StudyStore, ContentTellsDifferentPointsApart) {
  const TemporaryFolder folder;
  write_store(folder / "a.sqlite", {point_at(0)});
  const std::string content = study_content(folder / "a.sqlite");
  const std::vector<std::function<void(PointRecord&)>> changes = {
      [](PointRecord& p) { p.position = 5; },       [](PointRecord& p) { p.machine = "[core]\n"; },
      [](PointRecord& p) { p.axes[0].text = "x"; }, [](PointRecord& p) { p.metrics[0].second += 1e-12; },
      [](PointRecord& p) { p.result = "{}"; },      [](PointRecord& p) { p.error = "e"; }};
  int files = 0;
  for (const auto& change : changes) {
    PointRecord point = point_at(0);
    change(point);
    const auto file = folder / fmt::format("{}.sqlite", ++files);
    write_store(file, {point});
    EXPECT_NE(study_content(file), content) << files;
  }
}

TEST(StudyStore, TakesInTheDatabaseOfAShard) {
  const TemporaryFolder folder;
  write_store(folder / "whole.sqlite", {failed_at(0), point_at(1), point_at(2)});
  write_store(folder / "shard.sqlite", {point_at(0), failed_at(3)});
  write_store(folder / "all.sqlite", {point_at(0), point_at(1), point_at(2), failed_at(3)});
  std::ofstream(folder / "empty.sqlite").close();
  {
    StudyStore store(folder / "whole.sqlite", small_study(), "podsim 1", "base", StudyStore::Journal::rollback);
    store.add_all(folder / "shard.sqlite");
    store.add_all(folder / "empty.sqlite");
  }
  EXPECT_EQ(study_content(folder / "whole.sqlite"), study_content(folder / "all.sqlite"));
  EXPECT_EQ(study_lines(folder / "whole.sqlite"), study_lines(folder / "all.sqlite"));
}

TEST(StudyStore, RemovesPointsAndMachinesThatNobodyHas) {
  const TemporaryFolder folder;
  write_store(folder / "a.sqlite", {point_at(0), point_at(1), point_at(2)});
  StudyStore(folder / "a.sqlite", small_study(), "podsim 1", "base").remove({point_at(1).id});
  write_store(folder / "b.sqlite", {point_at(0), point_at(2)});
  EXPECT_EQ(study_content(folder / "a.sqlite"), study_content(folder / "b.sqlite"));
  EXPECT_EQ(only_cell(folder / "a.sqlite", "SELECT count(*) FROM machines"), "1");
}

TEST(StudyStore, WritesALineOfJsonForEveryPoint) {
  const TemporaryFolder folder;
  write_store(folder / "a.sqlite", {failed_at(1), point_at(0)});
  std::istringstream lines(study_lines(folder / "a.sqlite"));
  std::string first, second, none;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, none));
  EXPECT_EQ(first + "\n", point_line(point_at(0)));
  const auto json = nlohmann::json::parse(first);
  EXPECT_EQ(json["position"], 0);
  EXPECT_EQ(json["axes"]["slice"], "2x2");
  EXPECT_EQ(json["axes"]["ici.link_rate"], 4.1e10);
  EXPECT_EQ(json["metrics"]["step_time_s"], 0.5);
  EXPECT_EQ(nlohmann::json::parse(second)["error"], "error: no");
}

TEST(StudyStore, RefusesWhatIsNotThisStudy) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite";
  write_store(file, {point_at(0)});
  const std::string before = study_content(file);
  plan::Study other = small_study();
  other.text += "# other\n";
  EXPECT_NE(message_of([&] { require_same_text(file, other); }).find("is of another text of the study"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { require_same_text(file, small_study()); }), "");
  EXPECT_EQ(message_of([&] { require_study(file); }), "");
  EXPECT_EQ(study_content(file), before);
}

/// Results of runs stay; all that the study defines is new.
TEST(StudyStore, FilesPointsAnewForAnotherText) {
  const TemporaryFolder folder;
  write_store(folder / "s.sqlite", {point_at(0), failed_at(1)});
  plan::Study other = small_study();
  other.text += "# other\n";
  other.title = "Another title";
  other.metrics = {"step_time_s", "twice"};
  const auto renewed = [](PointRecord run) {
    PointRecord point = point_at(run.id == point_at(0).id ? 0 : 1);
    point.position += 5;
    point.axes.front().text = "8x8";
    point.metrics = {{"step_time_s", 0.5}, {"twice", 1.0}};
    point.done = run.done;
    point.exit_code = run.exit_code;
    point.error = run.error;
    point.result = run.result;
    point.host = run.host;
    if (!run.done) point.metrics.clear();
    return point;
  };
  {
    StudyStore store(folder / "s.sqlite", other, "podsim 1", "base");
    EXPECT_FALSE(store.is_of(other));
    store.take_over(other, "podsim 1", "base", renewed);
    EXPECT_TRUE(store.is_of(other));
  }
  {
    StudyStore store(folder / "new.sqlite", other, "podsim 1", "base");
    store.add(renewed(failed_at(1)));
    store.add(renewed(point_at(0)));
  }
  EXPECT_EQ(study_content(folder / "s.sqlite"), study_content(folder / "new.sqlite"));
  EXPECT_EQ(only_cell(folder / "s.sqlite", "SELECT wall_s || node || build FROM host LIMIT 1"), "1.5herebuild");
}

TEST(StudyStore, ThatIsInterruptedFilesNothingAnew) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite";
  write_store(file, {point_at(0), point_at(1)});
  const std::string before = study_content(file);
  plan::Study other = small_study();
  other.text += "# other\n";
  {
    StudyStore store(file, other, "podsim 1", "base");
    int renewed = 0;
    EXPECT_NE(message_of([&] {
                store.take_over(other, "podsim 1", "base", [&](PointRecord run) {
                  if (++renewed == 2) throw base::InputError("stop");
                  run.position = 9;
                  return run;
                });
              }),
              "");
  }
  EXPECT_EQ(study_content(file), before);
}

TEST(StudyStore, RefusesANewerSchema) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite";
  write_store(file, {});
  SqliteDatabase(file, SqliteDatabase::Access::write)
      .execute("UPDATE study SET value = '99' WHERE key = 'schema_version'");
  const std::string message = message_of([&] { StudyStore(file, small_study(), "podsim 1", "base"); });
  EXPECT_NE(message.find("schema version '99', this program knows 1"), std::string::npos) << message;
}

TEST(StudyStore, RefusesFilesThatAreNoDatabase) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.sqlite") << std::string(4096, 'x');
  EXPECT_NE(message_of([&] { write_store(folder / "text.sqlite", {}); }).find("not a database"), std::string::npos);
  SqliteDatabase(folder / "foreign.sqlite", SqliteDatabase::Access::write).execute("CREATE TABLE t(x)");
  EXPECT_NE(message_of([&] { write_store(folder / "foreign.sqlite", {}); }).find("is not the database of a study"),
            std::string::npos);
  EXPECT_NE(message_of([&] { study_content(folder / "none.sqlite"); }).find("none.sqlite"), std::string::npos);
}

/// A kill at any moment leaves the first n points, each complete.
/// A writer that is killed in a transaction leaves a journal from which the next process restores the file, here one
/// that only reads.
TEST(StudyStore, IsReadAfterAWriterWasKilledInATransaction) {
  const TemporaryFolder folder;
  const auto file = folder / "s.sqlite", killed = folder / "killed.sqlite";
  std::vector<PointRecord> points;
  for (std::int64_t position = 0; position < 50; ++position) points.push_back(point_at(position));
  write_store(file, points);
  {
    SqliteDatabase writer(file, SqliteDatabase::Access::write);
    writer.execute("PRAGMA cache_size = 1");  // pages are written before the transaction ends
    SqliteTransaction transaction(writer);
    writer.execute("DELETE FROM metrics; UPDATE points SET error = 'half written', result = hex(randomblob(4000))");
    std::filesystem::copy_file(file, killed);
    std::filesystem::copy_file(file.string() + "-journal", killed.string() + "-journal");
  }
  EXPECT_EQ(study_content(killed), study_content(file));
}

TEST(StudyStore, AKilledWriterLeavesWholePoints) {
  constexpr unsigned seed = 20;
  std::mt19937 random(seed);
  RecordProperty("seed", seed);
  for (int round = 0; round < 10; ++round) {
    const TemporaryFolder folder;
    const auto file = folder / "s.sqlite";
    const pid_t child = fork();
    if (child == 0) {
      StudyStore store(file, small_study(), "podsim 1", "base");
      for (std::int64_t position = 0;; ++position) store.add(point_at(position % 1000));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + random() % 60));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!std::filesystem::exists(file)) continue;
    std::vector<PointRecord> expected;
    {
      StudyStore store(file, small_study(), "podsim 1", "base");
      for (std::int64_t position = 0; std::size_t(position) < store.points().size(); ++position) {
        expected.push_back(point_at(position));
      }
    }
    EXPECT_EQ(only_cell(file, "PRAGMA integrity_check"), "ok");
    write_store(folder / "expected.sqlite", expected);
    EXPECT_EQ(study_content(file), study_content(folder / "expected.sqlite")) << "seed " << seed << " round " << round;
  }
}

}  // namespace
}  // namespace podsim::studies::store
