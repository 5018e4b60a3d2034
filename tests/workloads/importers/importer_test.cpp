// SPDX-License-Identifier: Apache-2.0
#include "workloads/importers/importer.h"

#include <gtest/gtest.h>

#include <set>

namespace podsim::workloads::importers {
namespace {

/// How docs/your_model.md and docs/guide.md write programs, and whether they are networks, have keys and become steps.
struct Word {
  std::string program, file;
  bool is_net, has_keys, is_step;
};

TEST(Importers, TakeProgramsByHowTheyAreWritten) {
  const std::vector<Word> words{{"net.toml", "net.toml", true, true, true},
                                {"lib/libnet.so", "lib/libnet.so", true, true, true},
                                {"nets/net.py:resnet", "nets/net.py", false, true, true},
                                {"layers.csv", "layers.csv", false, false, false},
                                {"LAYERS.CSV", "LAYERS.CSV", false, false, false},
                                {"step.hlo", "step.hlo", false, false, true},
                                {"module.pb", "module.pb", false, false, true},
                                {"./step", "./step", false, false, true},
                                {"resnet50", "resnet50", false, false, true}};
  for (const Word& word : words) {
    EXPECT_EQ(file_of(word.program), word.file);
    EXPECT_EQ(is_net(word.program), word.is_net) << word.program;
    EXPECT_EQ(has_keys(word.program), word.has_keys) << word.program;
    EXPECT_EQ(is_step(word.program), word.is_step) << word.program;
  }
  EXPECT_EQ(importer_of("resnet50"), nullptr);
}

// A network's text is its step for one core, which its `net` makes too.
TEST(Importers, AllReadTextAndHaveNames) {
  std::set<std::string_view> names;
  for (const Importer& importer : importers()) {
    EXPECT_NE(importer.text, nullptr) << importer.what;
    EXPECT_NE(importer.file, nullptr) << importer.what;
    EXPECT_TRUE(names.insert(importer.what).second) << importer.what;
    EXPECT_TRUE(importer.net == nullptr || importer.has_keys) << importer.what;
  }
}

}  // namespace
}  // namespace podsim::workloads::importers
