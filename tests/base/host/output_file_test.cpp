// SPDX-License-Identifier: Apache-2.0
#include "base/host/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("output_file_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::size_t files() const {
    return std::size_t(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

TEST_F(OutputFileTest, AppearsWhenCommitted) {
  OutputFile file(folder_ / "a.txt");
  file.stream() << "all of it";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.txt"));
  file.commit();
  EXPECT_EQ(content("a.txt"), "all of it");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, KeepsTheOldContentUntilCommitted) {
  write_file(folder_ / "a.txt", "old");
  {
    OutputFile file(folder_ / "a.txt");
    file.stream() << "half";
  }
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_EQ(files(), 1U);
  write_file(folder_ / "a.txt", "new");
  EXPECT_EQ(content("a.txt"), "new");
}

TEST_F(OutputFileTest, NamesAFolderThatDoesNotExist) {
  std::filesystem::path path = folder_ / "missing" / "a.txt";
  try {
    OutputFile file(path);
    FAIL() << "opened";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "cannot write '" + path.string() + "': No such file or directory");
  }
}

TEST_F(OutputFileTest, RefusesAFolderAsItsName) {
  EXPECT_THROW(OutputFile{folder_}, InputError);
  EXPECT_THROW(OutputFile{folder_ / ""}, InputError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, LeavesNothingWhenAWriteFailed) {
  OutputFile file(folder_ / "a.txt");
  file.stream() << "text";
  file.stream().setstate(std::ios::badbit);  // as after a full disk
  EXPECT_THROW(file.commit(), InputError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, SaysWhyADiskIsFull) {
  // Writing to /dev/full fails with ENOSPC.
  OutputFile file("/dev/full");
  file.stream() << std::string(100'000, 'x');
  try {
    file.commit();
    FAIL() << "written";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "cannot write '/dev/full': No space left on device");
  }
}

TEST_F(OutputFileTest, WritesThroughADevice) {
  write_file("/dev/null", "text");
  struct stat found {};
  ASSERT_EQ(stat("/dev/null", &found), 0);
  EXPECT_TRUE(S_ISCHR(found.st_mode));
  EXPECT_FALSE(is_replaceable("/dev/null"));
}

TEST_F(OutputFileTest, WritesIntoAPipeAndLeavesItThere) {
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content("pipe"); });
  write_file(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, ReplacesWhatALinkLeadsTo) {
  std::filesystem::create_directory(folder_ / "inner");
  write_file(folder_ / "inner/a.txt", "old");
  std::filesystem::create_symlink("inner/a.txt", folder_ / "link");
  std::filesystem::create_symlink("inner/new.txt", folder_ / "dangling");
  write_file(folder_ / "link", "new");
  write_file(folder_ / "dangling", "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(content("inner/a.txt"), "new");
  EXPECT_EQ(content("inner/new.txt"), "made");
  EXPECT_EQ(files(), 3U);
}

TEST_F(OutputFileTest, EndsWhereLinksGoInACircle) {
  std::filesystem::create_symlink("b", folder_ / "a");
  std::filesystem::create_symlink("a", folder_ / "b");
  EXPECT_THROW(write_file(folder_ / "a", "text"), InputError);
  EXPECT_EQ(files(), 2U);
}

TEST_F(OutputFileTest, KeepsThePermissionsOfAFile) {
  write_file(folder_ / "a.txt", "old");
  std::filesystem::permissions(folder_ / "a.txt", std::filesystem::perms(0640));
  write_file(folder_ / "a.txt", "new");
  EXPECT_EQ(std::filesystem::status(folder_ / "a.txt").permissions(), std::filesystem::perms(0640));
}

// Another user of the folder could plant links under names that can be foreseen.
TEST_F(OutputFileTest, HasUnpredictableTemporaryNames) {
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    OutputFile file(folder_ / "a.txt");
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.insert(entry.path().filename());
  }
  EXPECT_EQ(names.size(), 20U);
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, ContinuesStandardOutputWhereItIs) {
  const std::string file = (folder_ / "out").string();
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(file.c_str(), "w", stdout) == nullptr) _exit(1);
    std::printf("printed before, ");
    write_file("/dev/stdout", "written, ");
    std::printf("printed after");
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content("out"), "printed before, written, printed after");
}

}  // namespace
}  // namespace podsim::base::host
