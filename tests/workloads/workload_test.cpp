// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"
#include "hlo/build/verify.h"
#include "workloads/models/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"

namespace podsim::workloads {
namespace {

TEST(Workload, EveryRegisteredNameBuildsWhatItNames) {
  for (const WorkloadEntry& entry : models::workload_registry()) {
    SCOPED_TRACE(entry.name);
    const Workload workload = models::build_workload(entry.name, {});
    EXPECT_EQ(workload.name, entry.name);
    EXPECT_GT(workload.samples, 0);
    EXPECT_FALSE(entry.description.empty());
    EXPECT_NO_THROW(hlo::build::verify(workload.step.module));
  }
}

TEST(Workload, TheDefaultBatchOfResnet50Is128PerCore) {
  WorkloadOptions options;
  options.replicas = 4;
  EXPECT_EQ(models::build_workload("resnet50", options).samples, 4 * 128);
}

TEST(Workload, EveryRegisteredNameIsDocumented) {
  std::ifstream file(std::filesystem::path(PODSIM_SOURCE_DIR) / "docs" / "workloads.md");
  std::ostringstream text;
  text << file.rdbuf();
  for (const WorkloadEntry& entry : models::workload_registry()) {
    EXPECT_NE(text.str().find("`" + entry.name + "`"), std::string::npos) << entry.name;
  }
}

TEST(Workload, ABatchPerCoreIsThatOfEveryCore) {
  for (const char* name : {"resnet50", "transformer"}) {
    WorkloadOptions options;
    options.batch_per_core = 2;
    options.replicas = 8;
    EXPECT_EQ(models::build_workload(name, options).samples, 16);
  }
}

TEST(Workload, ABatchOfAllCoresAndOnePerCoreExcludeEachOther) {
  WorkloadOptions options;
  options.replicas = 8;
  options.model["model.batch"] = "12";
  EXPECT_EQ(models::build_workload("transformer", options).samples, 12);
  options.batch_per_core = 2;
  EXPECT_THROW(models::build_workload("transformer", options), base::InputError);
}

TEST(Workload, ParametersThatHoldTheBatchHaveItFirst) {
  for (const WorkloadEntry& entry : models::workload_registry()) {
    const Workload workload = models::build_workload(entry.name, {});
    const hlo::Computation& main = workload.step.module.entry_computation();
    for (const std::string& name : workload.batched) {
      const auto found =
          std::ranges::find_if(main.parameters, [&](hlo::InstructionId id) { return main[id].name == name; });
      ASSERT_NE(found, main.parameters.end()) << entry.name << " " << name;
      EXPECT_EQ(main[*found].shape.dimensions[0], workload.samples) << entry.name << " " << name;
    }
    EXPECT_EQ(workload.batched.empty(), !workload.global) << entry.name;
  }
}

TEST(Workload, SettingsReachTheModel) {
  WorkloadOptions options;
  options.batch_per_core = 1;
  options.model["model.classes"] = "7";
  const Workload workload = models::build_workload("resnet50", options);
  const hlo::Computation& entry = workload.step.module.entry_computation();
  const auto is_bias = [&](hlo::InstructionId id) { return entry[id].name == "head/bias"; };
  const auto bias = std::ranges::find_if(entry.parameters, is_bias);
  ASSERT_NE(bias, entry.parameters.end());
  EXPECT_EQ(entry[*bias].shape.dimensions, (std::vector<std::int64_t>{7}));
}

TEST(Workload, DataParallelCutsTheBatchByAllAxes) {
  Workload workload;
  workload.batched = {"tokens", "labels"};
  const std::vector<std::string> axes = {"x", "y"};
  EXPECT_EQ(data_parallel_sharding(workload, axes), "[sharding]\n\"tokens\" = [\"x+y\"]\n\"labels\" = [\"x+y\"]\n");
}

TEST(Workload, AnUnknownNameSuggestsTheNearest) {
  try {
    models::build_workload("resnet5O", {});
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].message, "'resnet5O' is not a workload");
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'resnet50'?");
  }
}

TEST(Workload, ABatchOrReplicaCountBelowOneIsRefused) {
  WorkloadOptions no_batch;
  no_batch.batch_per_core = 0;
  EXPECT_THROW(models::build_workload("resnet50", no_batch), base::InputError);
  WorkloadOptions no_replicas;
  no_replicas.replicas = 0;
  EXPECT_THROW(models::build_workload("resnet50", no_replicas), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads
