// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "workloads/models/registry.h"

namespace podsim::app {
namespace {

// Published counts; 222,400 of Mask R-CNN's 44,401,393 are frozen, and Adam and LAMB have slots in addition.
TEST(RunDescribe, CountsTheNumbersThatTrainingChanges) {
  const std::map<std::string, std::int64_t> published{{"mask_rcnn", 44'401'393 - 222'400},
                                                      {"bert_large", 336'226'108},
                                                      {"bit_resnet50", 25'549'352},
                                                      {"ncf", 31'832'577},
                                                      {"vit", 86'567'656},
                                                      {"mixer", 59'880'472}};
  for (const auto& [name, numbers] : published) {
    const test::Folder folder;
    EXPECT_EQ(test::json_of(folder, {"run", name, "--describe", "--json"})["trained_numbers"], numbers) << name;
  }
}

TEST(RunDescribe, SaysWhatIsLeftOutAndWhichKeysThereAre) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "mask_rcnn", "--describe"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto& registry = workloads::models::workload_registry();
  const auto entry = std::ranges::find(registry, "mask_rcnn", &workloads::WorkloadEntry::name);
  EXPECT_NE(outcome.out.find(entry->left_out), std::string::npos);
  for (const workloads::ModelKey& key : entry->keys) EXPECT_NE(outcome.out.find(key.name), std::string::npos);
}

// Twice as many classes change the last layers alone: 1024 and 256 weights a class, and biases, with five numbers of a
// box.
TEST(RunDescribe, DescribesTheModelWithItsKeys) {
  const test::Folder folder;
  const auto numbers = [&](const std::string& classes) {
    return std::int64_t(test::json_of(
        folder, {"run", "mask_rcnn", "--describe", "--json", "--set", "model.classes=" + classes})["trained_numbers"]);
  };
  EXPECT_EQ(numbers("182") - numbers("91"), 91 * (5 * (1024 + 1) + 256 + 1));
}

TEST(RunDescribe, ANameThatIsNoWorkloadIsAnError) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "mask_rcn", "--describe"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'mask_rcnn'?"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim::app
