// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/run/compiled_step.h"
#include "app/run/run_options.h"
#include "hlo/graph.h"
#include "hlo/transform/forward_part.h"
#include "hlo/weights/typed_weights.h"
#include "sw/target_machine.h"
#include "tests/workloads/inference_cases.h"
#include "workloads/workload.h"

/// What a step of inference reads of its weights: each number once, rows of tables that are looked up, and nothing
/// twice because of a conversion or another layout.
namespace podsim::app {
namespace {

using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

/// Elements of parameters that the ops of a step read, by parameter.
class Reads {
 public:
  explicit Reads(const hlo::Module& module) : module_(module), entry_(module.entry_computation()) {
    for (InstructionId id = 0; id < InstructionId(entry_.instructions.size()); ++id) {
      const Instruction& op = entry_[id];
      if (is_view(op) || op.opcode == Opcode::parameter || op.opcode == Opcode::tuple) continue;
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const InstructionId source = origin(op.operands[i]);
        if (entry_[source].opcode == Opcode::parameter) read_[source] += elements(op, i);
      }
    }
  }

  const std::map<InstructionId, std::int64_t>& by_parameter() const { return read_; }

 private:
  static bool is_view(const Instruction& op) {
    return op.opcode == Opcode::bitcast || op.opcode == Opcode::get_tuple_element;
  }
  InstructionId origin(InstructionId id) const {
    while (entry_[id].opcode == Opcode::bitcast) id = entry_[id].operands[0];
    return id;
  }
  /// That an op reads of an operand: the rows of a look-up, a slice, or all.
  std::int64_t elements(const Instruction& op, std::size_t operand) const {
    const std::int64_t all = entry_[op.operands[operand]].shape.element_count();
    if (op.opcode != Opcode::fusion) return of_reader(op, operand, all);
    const hlo::Computation& body = module_.computations[std::size_t(op.called.front())];
    const InstructionId parameter = body.parameters[operand];
    std::int64_t most = 0;
    for (const Instruction& reader : body.instructions) {
      for (std::size_t i = 0; i < reader.operands.size(); ++i) {
        if (reader.operands[i] == parameter) most = std::max(most, of_reader(reader, i, all));
      }
    }
    return most;
  }
  static std::int64_t of_reader(const Instruction& reader, std::size_t operand, std::int64_t all) {
    const bool reads_some = operand == 0 && (reader.opcode == Opcode::gather || reader.opcode == Opcode::slice ||
                                             reader.opcode == Opcode::dynamic_slice);
    return reads_some ? std::min(all, reader.shape.element_count()) : all;
  }

  const hlo::Module& module_;
  const hlo::Computation& entry_;
  std::map<InstructionId, std::int64_t> read_;
};

/// A network, and what its step reads of weights other than each number of its kernels once.
struct ReadCase {
  std::string name;
  std::int64_t more = 0;  ///< numbers
  std::string slice = "1x1";
  std::int64_t shards = 1;  ///< of each kernel
  workloads::ModelSettings settings = {};
};

/// For one sample a core. Kernels are all weights but vectors.
std::vector<ReadCase> read_cases() {
  const std::int64_t small_rows = [] {
    std::int64_t rows = 0;
    for (const std::int64_t table : workloads::testing::small_tables) rows += table;
    return rows;
  }();
  const std::int64_t users = 138493, items = 26744;
  return {
      {"resnet50"},
      {"resnet101"},
      {"resnet152"},
      {"resnet50_global"},
      {"ssd"},
      {"vit"},
      {"mixer"},
      {"bit_resnet50"},
      {"wide_resnet"},
      {"inception_v3"},
      {"amoebanet_d"},
      {"mbconv"},
      {"perceptron"},
      {"transformer", 32000 * 768},                 // one-hot rows are a product with the table, as logits are
      {"transformer_mlperf", 2 * 33708 * 1024},     // that of both languages, looked up twice
      {"bert_large", 512 * 1024},                   // rows of 512 tokens; logits read the table
      {"dlrm", (13 - small_rows) * 128},            // of 13 tables a row each
      {"ncf", (2 - users - items) * (64 + 128)},    // of 4 tables a row each
      {"mask_rcnn", 4 * (9 * 256 + 3 + 12) * 256},  // five levels of the pyramid have one network of proposals
      // On 32 cores in groups of eight that share words, heads and hidden units; look-ups are products with the table.
      {"gpt_6b", 0, "4x4", 8, {{"model.accumulate", "1"}}},
  };
}

/// Names of the arguments that are no weights.
std::set<std::string> names_of_inputs(const workloads::TrainingStep& step) {
  const std::vector<hlo::transform::ArgumentKind> kinds = hlo::transform::argument_kinds(
      step.module, step.donations, hlo::transform::forward_results(step.module, step.donations), step.frozen);
  const hlo::Computation& entry = step.module.entry_computation();
  std::set<std::string> names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == hlo::transform::ArgumentKind::input) names.insert(entry[entry.parameters[i]].name);
  }
  return names;
}

// Two bytes for each number of a kernel once, closed form by closed form; vectors are read by one op or several.
TEST(WeightsRead, AreTheBytesOfTheArchitecture) {
  const std::vector<workloads::testing::InferenceCase> all = workloads::testing::inference_cases();
  for (const ReadCase& wanted : read_cases()) {
    SCOPED_TRACE(wanted.name);
    run::RunOptions options;
    options.workload = wanted.name;
    options.slice = wanted.slice;
    options.build.model = wanted.settings;
    options.build.inference = true;
    options.build.batch_per_core = 1;
    options.weights = hlo::weights::parse_weight_type("bf16");
    const sw::TargetMachine machine = sw::read_target(options.machine.load());
    const std::set<std::string> inputs = names_of_inputs(run::StepCompiler(options, machine).take_workload()->step);
    const hlo::Module module = run::StepCompiler(options, machine).compile().step.module;
    const Reads reads(module);
    std::int64_t kernels = 0, vectors = 0;
    for (const InstructionId id : module.entry_computation().parameters) {
      const Instruction& parameter = module.entry_computation()[id];
      if (inputs.contains(parameter.name)) continue;
      EXPECT_EQ(parameter.shape.element_type, hlo::ElementType::bf16) << parameter.name;
      const auto read = reads.by_parameter().find(id);
      ASSERT_NE(read, reads.by_parameter().end()) << parameter.name;
      if (parameter.shape.rank() > 1) {
        kernels += read->second;
      } else {
        EXPECT_GE(read->second, parameter.shape.element_count());
        vectors += parameter.shape.element_count();
      }
    }
    const auto form = std::ranges::find(all, wanted.name, &workloads::testing::InferenceCase::name);
    ASSERT_NE(form, all.end());
    EXPECT_EQ(wanted.shards * kernels + vectors, form->inference + wanted.more);
  }
}

}  // namespace
}  // namespace podsim::app
