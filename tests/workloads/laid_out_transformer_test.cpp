// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sw/compiler/memory_account.h"
#include "sw/compiler/recompute.h"
#include "sw/driver/compile.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/ir/literals.h"
#include "workloads/models/bert.h"
#include "workloads/models/transformer.h"

/// Layouts of whole Transformers, and ops of them that run twice.
namespace podsim::workloads {
namespace {

sw::ir::Module bert_large() {
  models::BertOptions options;
  options.batch = 32;
  return sw::driver::fused(models::bert_training_step(options).module, hw::tpu_v3());
}

/// The layouts, "{1,3,2,0}", of every array "bf16[32,512,16,64]" in a profile of silicon.
std::map<std::string, std::set<std::string>> layouts_of_silicon(const std::string& profile) {
  std::ifstream file(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles" / profile);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string whole = text.str();
  static const std::regex array(R"(([a-z]+[0-9]+\[[0-9]+(?:,[0-9]+)+\])(\{[0-9,]+))");
  std::map<std::string, std::set<std::string>> layouts;
  for (std::sregex_iterator found(whole.begin(), whole.end(), array), end; found != end; ++found) {
    layouts[(*found)[1]].insert((*found)[2].str() + "}");
  }
  return layouts;
}

std::string order_text(const sw::ir::Shape& shape) {
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) text += (i == 0 ? "{" : ",") + std::to_string(shape.minor_dimension(i));
  return text + "}";
}

// Arrays of at least two dimensions that the step and the profile have in common, by their bytes.
TEST(LaidOutTransformer, ArraysOfBertHaveTheLayoutsOfSilicon) {
  const std::map<std::string, std::set<std::string>> silicon = layouts_of_silicon("bert.csv");
  if (silicon.empty()) GTEST_SKIP() << "no measured profile to compare with";
  const sw::ir::Module module = bert_large();
  double common = 0, same = 0;
  std::set<std::string> others;
  for (const sw::ir::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.shape.is_tuple() || instruction.shape.rank() < 2) continue;
    sw::ir::Shape plain = instruction.shape;
    plain.minor_to_major.clear();
    const auto found = silicon.find(sw::ir::to_string(plain));
    if (found == silicon.end()) continue;
    const auto bytes = double(sw::ir::logical_bytes(plain).value());
    const std::string order = order_text(instruction.shape);
    common += bytes;
    if (found->second.contains(order)) {
      same += bytes;
    } else {
      others.insert(found->first + order);
    }
  }
  EXPECT_GT(common, 1e9);
  EXPECT_GE(same / common, 0.95) << ::testing::PrintToString(others);
}

// 336 million weights and two slots for each, 12 bytes: padding is less than a hundredth.
TEST(LaidOutTransformer, WeightsAndSlotsOfBertAreHardlyPadded) {
  const sw::ir::Module module = bert_large();
  double stored = 0, counted = 0;
  for (const sw::ir::InstructionId id : module.entry_computation().parameters) {
    const sw::ir::Shape& shape = module.entry_computation()[id].shape;
    stored += double(sw::ir::padded_bytes(shape).value());
    counted += double(sw::ir::logical_bytes(shape).value());
  }
  EXPECT_NEAR(counted, 4.04e9, 0.01 * 4.04e9);
  EXPECT_LT(stored, 1.01 * counted);
}

std::vector<sw::ir::Literal> step_arguments(const sw::ir::Module& module) {
  std::vector<sw::ir::Literal> arguments;
  for (const sw::ir::InstructionId id : module.entry_computation().parameters) {
    const sw::ir::Shape& shape = module.entry_computation()[id].shape;
    const bool tokens = shape.element_type == sw::ir::ElementType::s32;
    arguments.push_back(
        sw::ir::testing::random_literal(shape, unsigned(arguments.size()), tokens ? 0 : 0.1, tokens ? 15 : 1));
  }
  return arguments;
}

TEST(LaidOutTransformer, TrainsToTheSameBitsWithEveryOpThatMayRunTwice) {
  models::TransformerOptions options;
  options.layers = 3;
  options.batch = 2;
  options.sequence = 4;
  options.vocabulary = 16;
  options.model = 8;
  options.attention = {2, 4};
  options.feed_forward = {32, layers::Activation::gelu, false};
  options.optimizer.kind = OptimizerKind::sgd_momentum;
  const TrainingStep step = models::transformer_training_step(options);
  const std::vector<sw::ir::Literal> arguments = step_arguments(step.module);
  const sw::ir::Literal expected = sw::ir::eval::evaluate(step.module, arguments);
  const sw::ir::Module fused = sw::driver::fused(step.module, hw::tpu_v3());
  const sw::compiler::RecomputedModule again =
      sw::compiler::recompute_to_fit(fused, base::Bytes(0), base::Bytes(0), step.donations);
  EXPECT_GT(again.ops, 0);
  EXPECT_LT(sw::compiler::account_memory(again.module, step.donations).peak,
            sw::compiler::account_memory(fused, step.donations).peak);
  EXPECT_TRUE(sw::ir::same_values(sw::ir::eval::evaluate(again.module, arguments), expected));
}

}  // namespace
}  // namespace podsim::workloads
