// SPDX-License-Identifier: Apache-2.0
#include "base/host/record_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "base/diagnostic.h"
#include "tests/base/scratch_file.h"

namespace podsim::base::host {
namespace {

constexpr std::size_t record_bytes = 16, slot_bytes = record_bytes + 8;

std::string record(std::uint64_t writer, std::uint64_t number) {
  std::string bytes(record_bytes, '\0');
  std::memcpy(bytes.data(), &writer, 8);
  std::memcpy(bytes.data() + 8, &number, 8);
  return bytes;
}

struct LogFile : test::ScratchFile {
  LogFile() : test::ScratchFile("log") {}
  RecordLog open() const { return {path(), "test records", record_bytes}; }
};

std::vector<std::string> read(RecordLog& log) {
  std::vector<std::string> records;
  log.read_new([&](std::string_view record) { records.emplace_back(record); });
  return records;
}

bool append(RecordLog& log, const std::string& records) {
  return log.append([](std::string_view) {}, [&] { return records; });
}

/// Fills a file with `count` records of writer 0.
void fill(const LogFile& file, std::uint64_t count) {
  RecordLog log = file.open();
  std::string records;
  for (std::uint64_t i = 0; i < count; ++i) records += record(0, i);
  ASSERT_TRUE(append(log, records));
}

TEST(RecordLog, GivesBackWhatWasAppendedAndNothingTwice) {
  const LogFile file;
  RecordLog writer = file.open();
  EXPECT_TRUE(append(writer, record(1, 1) + record(1, 2)));
  RecordLog reader = file.open();
  EXPECT_EQ(read(reader), (std::vector{record(1, 1), record(1, 2)}));
  EXPECT_TRUE(append(writer, record(1, 3)));
  EXPECT_EQ(read(reader), std::vector{record(1, 3)});
  EXPECT_EQ(read(reader), std::vector<std::string>{});
  EXPECT_EQ(read(writer), std::vector<std::string>{}) << "what it appended itself";
}

TEST(RecordLog, ReadsWhatIsNewBeforeItAppends) {
  const LogFile file;
  RecordLog one = file.open(), other = file.open();
  append(one, record(1, 1));
  std::vector<std::string> seen;
  other.append([&](std::string_view record) { seen.emplace_back(record); },
               [&] { return seen.empty() ? record(2, 0) : record(2, 1); });
  EXPECT_EQ(seen, std::vector{record(1, 1)});
  EXPECT_EQ(read(one), std::vector{record(2, 1)});
}

TEST(RecordLog, LosesNothingOfEightWritersAtOnce) {
  constexpr std::uint64_t writers = 8, appends = 200;
  const LogFile file;
  for (std::uint64_t writer = 0; writer < writers; ++writer) {
    if (fork() != 0) continue;
    RecordLog log = file.open();
    bool good = true;
    for (std::uint64_t i = 0; i < appends; ++i)
      good = append(log, record(writer, 2 * i) + record(writer, 2 * i + 1)) && good;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  for (std::uint64_t i = 0; i < writers; ++i) {
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  RecordLog log = file.open();
  std::map<std::uint64_t, std::uint64_t> next;  // by writer
  for (const std::string& read : read(log)) {
    std::uint64_t writer = 0;
    std::memcpy(&writer, read.data(), 8);
    EXPECT_EQ(read, record(writer, next[writer]++));
  }
  for (std::uint64_t writer = 0; writer < writers; ++writer) EXPECT_EQ(next[writer], 2 * appends);
  EXPECT_EQ(log.damaged(), 0U);
}

TEST(RecordLog, OutlivesWritersThatAreKilled) {
  const LogFile file;
  for (std::uint64_t writer = 0; writer < 20; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      RecordLog log = file.open();
      for (std::uint64_t i = 0;; i += 2) append(log, record(writer, i) + record(writer, i + 1));
    }
    usleep(2000 + 500 * useconds_t(writer));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    RecordLog log = file.open();
    EXPECT_TRUE(append(log, record(100, writer)));
  }
  RecordLog log = file.open();
  std::map<std::uint64_t, std::uint64_t> next;
  for (const std::string& read : read(log)) {
    std::uint64_t writer = 0;
    std::memcpy(&writer, read.data(), 8);
    EXPECT_EQ(read, record(writer, next[writer]++));
  }
  EXPECT_EQ(next[100], 20U);
  EXPECT_EQ(log.damaged(), 0U);
}

RC_GTEST_PROP(RecordLog, LosesTheRecordThatWasChangedAndNoOther, ()) {
  const LogFile file;
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 20);
  fill(file, count);
  std::string text = file.text();
  const std::size_t header = text.size() - count * slot_bytes;
  const auto at = *rc::gen::inRange<std::size_t>(0, count * slot_bytes);
  text[header + at] = char(text[header + at] ^ *rc::gen::inRange(1, 256));
  file.write(text);
  RecordLog log = file.open();
  std::vector<std::string> expected;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != at / slot_bytes) expected.push_back(record(0, i));
  }
  RC_ASSERT(read(log) == expected);
  RC_ASSERT(log.damaged() == 1U);
}

RC_GTEST_PROP(RecordLog, GoesOnBehindATornRecord, ()) {
  const LogFile file;
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 10);
  fill(file, count);
  const std::size_t header = file.size() - count * slot_bytes;
  const auto left = *rc::gen::inRange<std::size_t>(0, count * slot_bytes + 1);
  std::filesystem::resize_file(file.path(), header + left);
  RecordLog log = file.open();
  std::vector<std::string> expected;
  for (std::uint64_t i = 0; i < left / slot_bytes; ++i) expected.push_back(record(0, i));
  RC_ASSERT(read(log) == expected);
  RC_ASSERT(append(log, record(7, 7)));
  expected.push_back(record(7, 7));
  RecordLog again = file.open();
  RC_ASSERT(read(again) == expected);
  RC_ASSERT(again.damaged() == 0U);
}

TEST(RecordLog, FinishesAHeaderThatItsMakerDidNot) {
  const LogFile file;
  fill(file, 1);
  const std::string whole = file.text();
  for (std::size_t left = 0; left < whole.size() - slot_bytes; left += 7) {
    file.write(whole.substr(0, left));
    fill(file, 1);
    EXPECT_EQ(file.text(), whole) << left;
  }
}

TEST(RecordLog, LeavesOtherFilesAlone) {
  const LogFile file;
  file.write("a letter that somebody wrote, longer than any header of a log of records would be");
  const std::string before = file.text();
  RecordLog log = file.open();
  EXPECT_FALSE(log.usable());
  EXPECT_EQ(read(log), std::vector<std::string>{});
  EXPECT_FALSE(append(log, record(0, 0)));
  EXPECT_EQ(file.text(), before);
  RecordLog other(file.path(), "other records", record_bytes);
  EXPECT_FALSE(other.usable());
}

TEST(RecordLog, OfOtherRecordsIsAnotherFile) {
  const LogFile file;
  fill(file, 1);
  EXPECT_FALSE(RecordLog(file.path(), "other records", record_bytes).usable());
  EXPECT_FALSE(RecordLog(file.path(), "test records", 2 * record_bytes).usable());
  EXPECT_TRUE(file.open().usable());
}

TEST(RecordLog, NeedsAFolder) {
  try {
    RecordLog("no/such/folder/log", "test records", record_bytes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/folder/log"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace podsim::base::host
