// SPDX-License-Identifier: Apache-2.0
#include "base/host/appended_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/diagnostic.h"
#include "base/host/output_file.h"

namespace podsim::base::host {
namespace {

TEST(AppendedFile, GrowsByWhatIsAppended) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "appended_file_grows.txt";
  write_file(path, "first\n");
  AppendedFile file(path);
  file.append("second\n");
  std::ifstream read(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(read), {}), "first\nsecond\n");
  std::filesystem::remove(path);
}

TEST(AppendedFile, OfAFullDiskSaysSo) {
  AppendedFile full("/dev/full");  // full(4): every write fails with ENOSPC
  try {
    full.append("text");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "cannot write '/dev/full': No space left on device");
  }
}

TEST(AppendedFile, MustExist) {
  EXPECT_THROW(AppendedFile(std::filesystem::path(::testing::TempDir()) / "appended_file_missing.txt"), InputError);
}

}  // namespace
}  // namespace podsim::base::host
