// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/app/program.h"

namespace podsim {
namespace {

// What the advice names first fits, and twice of the batch does not: it is the largest of the halves.
TEST(MemoryAdvice, NamesFlagsThatFit) {
  const test::Folder folder;
  const auto run_with_batch = [&](const std::string& batch) {
    return folder.run({"run", "perceptron", "--slice", "1x1", "--detail", "replay", "--optimizer", "adam", "--set",
                       "hbm.capacity_per_core=2 GiB", "--batch-per-core", batch});
  };
  const test::Outcome refused = run_with_batch("200000");
  EXPECT_EQ(refused.code, 2);
  for (const char* part : {"weights", "slots", "activations", "largest buffers", "what would fit"}) {
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << '\n' << refused.err;
  }
  const std::string flag = "--batch-per-core ";
  const std::size_t begin = refused.err.find(flag, refused.err.find("what would fit")) + flag.size();
  const int fits = std::stoi(refused.err.substr(begin));
  EXPECT_EQ(run_with_batch(std::to_string(fits)).code, 0);
  EXPECT_EQ(run_with_batch(std::to_string(2 * fits)).code, 2);
}

}  // namespace
}  // namespace podsim
