// SPDX-License-Identifier: Apache-2.0
// Shardings that a workload's sharding file gives to values which it does not name.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/propagate/propagation.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::workloads {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Checks every value of these sizes in a workload's step under the sharding file that ships with it.
void expect_shardings(const std::string& name, const std::map<Sizes, std::string>& expected) {
  Workload workload = models::build_workload(name, {});
  hlo::Module& module = workload.step.module;
  const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file(name, workload.sharding);
  hlo::spmd::mesh::annotate(module, *file.mesh, file);
  const hlo::spmd::propagate::ModuleShardings shardings = hlo::spmd::propagate::propagate(module, *file.mesh);
  std::map<Sizes, int> checked;
  const hlo::Computation& entry = module.entry_computation();
  for (std::size_t id = 0; id < entry.instructions.size(); ++id) {
    const auto found = expected.find(entry.instructions[id].shape.dimensions);
    if (found == expected.end()) continue;
    const hlo::spmd::mesh::AxisSharding& sharding = shardings.values[std::size_t(module.entry)][id].front();
    EXPECT_EQ(hlo::spmd::mesh::to_string(*file.mesh, sharding), found->second)
        << entry.instructions[id].name << " " << entry.instructions[id].op_name;
    ++checked[found->first];
  }
  EXPECT_EQ(checked.size(), expected.size());
}

// GSPMD (Xu et al. 2021), section 4.1, the finalized column of its table of shardings: activations BSM [x,-,y], BSH
// [x,-,y], BSND [x,-,y,-], so BNST [x,y,-,-]; weights MH [x,y], HM [y,x], MND [x,y,-]. Gradients have the sharding of
// their values, up to the new weights.
TEST(PropagatedSharding, OfADenseTransformerIsThatOfGspmd) {
  expect_shardings("dense_137b", {{{256, 1024, 8192}, "[x, -, y]"},
                                  {{256, 1024, 65536}, "[x, -, y]"},
                                  {{256, 1024, 128, 128}, "[x, -, y, -]"},
                                  {{256, 128, 1024, 1024}, "[x, y, -, -]"},
                                  {{256, 1024, 32000}, "[x, -, y]"},
                                  {{8192, 65536}, "[x, y]"},
                                  {{65536, 8192}, "[y, x]"},
                                  {{8192, 128, 128}, "[x, y, -]"}});
}

// GShard (Lepikhin et al. 2020), section 3.2: experts and the batch on one axis, all other weights whole; the inputs of
// experts are split along experts, [E,G,C,M] and its hidden form.
TEST(PropagatedSharding, OfAMixtureOfExpertsIsThatOfGshard) {
  expect_shardings("moe_decoder", {{{4096, 1024, 1024}, "[x, -, -]"},
                                   {{2048, 2048, 2, 8192}, "[x, -, -, -]"},
                                   {{2048, 1024, 8192}, "[x, -, -]"},
                                   {{2048, 8192, 1024}, "[x, -, -]"},
                                   {{1024, 8192}, "replicated"}});
}

}  // namespace
}  // namespace podsim::workloads
