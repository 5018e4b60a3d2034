// SPDX-License-Identifier: Apache-2.0
#include "app/serve/weight_bytes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/serve/step_programs.h"
#include "hlo/graph.h"
#include "hlo/shape.h"
#include "workloads/models/registry.h"

namespace podsim::app::serve {
namespace {

/// Whether rows of a value are all that its users take of it, also in another type or shape.
std::vector<char> values_taken_by_rows(const hlo::Computation& entry) {
  std::vector<char> by_rows(entry.instructions.size(), 1);
  for (std::size_t i = entry.instructions.size(); i-- > 0;) {
    const hlo::Instruction& user = entry.instructions[i];
    const bool same = user.opcode == hlo::Opcode::convert || user.opcode == hlo::Opcode::reshape;
    const bool takes_rows = user.opcode == hlo::Opcode::gather || user.opcode == hlo::Opcode::dynamic_slice ||
                            user.opcode == hlo::Opcode::slice || (same && by_rows[i] != 0);
    if (takes_rows) continue;
    for (const hlo::InstructionId operand : user.operands) by_rows[std::size_t(operand)] = 0;
  }
  return by_rows;
}

constexpr std::int64_t keys_of_one = 128;

/// A decoder of one sequence on one core, whose sizes do not depend on the slice. As in the programs of a server, a
/// model with fewer positions than the keys has more.
workloads::WorkloadOptions decoder_of_one(const run::RunOptions& options) {
  workloads::WorkloadOptions one = options.build;
  one.inference = one.decode = true;
  one.replicas = 1;
  for (const char* key : {"model.tensor_parallel", "model.shard_weights"}) one.model.erase(key);
  one.model["model.batch"] = "1";
  one.model["decode.cached"] = std::to_string(keys_of_one - 1);  // the new token is among the keys
  const StepPrograms programs(options, true, base::Duration(0));
  one.model["model.sequence"] = std::to_string(std::max(programs.sequence(), keys_of_one));
  return one;
}

}  // namespace

WeightBytes weight_bytes(const run::RunOptions& options) {
  const workloads::Workload workload = workloads::models::build_workload(options.workload, decoder_of_one(options));
  const hlo::Computation& entry = workload.step.module.entry_computation();
  const std::vector<char> by_rows = values_taken_by_rows(entry);
  WeightBytes bytes;
  for (const std::int64_t number : workload.step.frozen) {
    const hlo::InstructionId id = entry.parameters[std::size_t(number)];
    const base::Bytes of = hlo::logical_bytes(entry[id].shape);
    bytes.all += of;
    if (by_rows[std::size_t(id)] == 0) bytes.read += of;
  }
  return bytes;
}

}  // namespace podsim::app::serve
