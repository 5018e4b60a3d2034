// SPDX-License-Identifier: Apache-2.0
// Every built-in workload with --fault (app/options/fault_option.h).
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "workloads/models/registry.h"

namespace podsim::app::run {
namespace {

/// The slice and what else a workload needs there, where that is not 2x2 chips.
std::vector<std::string> flags_of(const std::string& workload) {
  static const std::map<std::string, std::vector<std::string>> known{
      {"dense_137b", {"--slice", "8x8", "--mesh", "x=8,y=16", "--set", "model.layers=1"}},
      {"gpt_6b", {"--slice", "2x2", "--mesh", "data=1,model=8", "--set", "model.layers=1"}},
      {"moe_decoder", {"--slice", "8x8", "--mesh", "x=128", "--set", "model.layers=2"}}};
  const auto found = known.find(workload);
  return found == known.end() ? std::vector<std::string>{"--slice", "2x2"} : found->second;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const workloads::WorkloadEntry& entry : workloads::models::workload_registry()) names.push_back(entry.name);
  return names;
}

class FaultyWorkload : public ::testing::TestWithParam<std::string> {};

TEST_P(FaultyWorkload, EndsInFiguresOrAVerdict) {
  const test::Folder folder;
  std::vector<std::string> words{"run", GetParam()};
  for (const std::string& word : flags_of(GetParam())) words.push_back(word);
  for (const char* fault : {"dead-link:(0,0)x+", "dead-link:(0,1)y-", "slow-chip:(1,0):0.7"}) {
    words.insert(words.end(), {"--fault", fault});
  }
  const test::Outcome outcome = folder.run(words);
  if (GetParam() == "gshard") {
    // Its 512 experts need more chips.
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("out of memory"), std::string::npos) << outcome.err;
    return;
  }
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("what the faults cost"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, FaultyWorkload, ::testing::ValuesIn(built_in_names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace podsim::app::run
