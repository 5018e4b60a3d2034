// SPDX-License-Identifier: Apache-2.0
#include "base/host/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/diagnostic.h"

namespace podsim::base::host {
namespace {

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("atomic_file_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
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

TEST_F(AtomicFileTest, AppearsWhenCommitted) {
  AtomicFile file(folder_ / "a.txt");
  file.stream() << "all of it";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.txt"));
  file.commit();
  EXPECT_EQ(content("a.txt"), "all of it");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, KeepsTheOldContentUntilCommitted) {
  write_file(folder_ / "a.txt", "old");
  {
    AtomicFile file(folder_ / "a.txt");
    file.stream() << "half";
  }
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_EQ(files(), 1U);
  write_file(folder_ / "a.txt", "new");
  EXPECT_EQ(content("a.txt"), "new");
}

TEST_F(AtomicFileTest, NamesAFolderThatDoesNotExist) {
  std::filesystem::path path = folder_ / "missing" / "a.txt";
  try {
    AtomicFile file(path);
    FAIL() << "opened";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "cannot write '" + path.string() + "': No such file or directory");
  }
}

TEST_F(AtomicFileTest, RefusesAFolderAsItsName) {
  EXPECT_THROW(AtomicFile{folder_}, InputError);
  EXPECT_THROW(AtomicFile{folder_ / ""}, InputError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(AtomicFileTest, LeavesNothingWhenAWriteFailed) {
  AtomicFile file(folder_ / "a.txt");
  file.stream() << "text";
  file.stream().setstate(std::ios::badbit);  // as after a full disk
  EXPECT_THROW(file.commit(), InputError);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace podsim::base::host
