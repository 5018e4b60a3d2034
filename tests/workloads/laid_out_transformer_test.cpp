// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "hlo/eval/evaluator.h"
#include "sw/compiler/memory_account.h"
#include "sw/compiler/recompute.h"
#include "sw/driver/compile.h"
#include "tests/hlo/literals.h"
#include "tests/sw/target_machines.h"
#include "workloads/models/bert.h"
#include "workloads/models/transformer.h"

/// Layouts of whole Transformers, and ops of them that run twice.
namespace podsim::workloads {
namespace {

hlo::Module bert_large() {
  models::BertOptions options;
  options.batch = 32;
  return sw::driver::fused(models::bert_training_step(options).module, sw::tpu_v3());
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

std::string order_text(const hlo::Shape& shape) {
  std::string text;
  for (int i = 0; i < shape.rank(); ++i) text += (i == 0 ? "{" : ",") + std::to_string(shape.minor_dimension(i));
  return text + "}";
}

// Arrays of at least two dimensions that the step and the profile have in common, by their bytes.
TEST(LaidOutTransformer, ArraysOfBertHaveTheLayoutsOfSilicon) {
  const std::map<std::string, std::set<std::string>> silicon = layouts_of_silicon("bert.csv");
  if (silicon.empty()) GTEST_SKIP() << "no measured profile to compare with";
  const hlo::Module module = bert_large();
  double common = 0, same = 0;
  std::set<std::string> others;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.shape.is_tuple() || instruction.shape.rank() < 2) continue;
    hlo::Shape plain = instruction.shape;
    plain.minor_to_major.clear();
    const auto found = silicon.find(hlo::to_string(plain));
    if (found == silicon.end()) continue;
    const auto bytes = double(hlo::logical_bytes(plain).value());
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
  const hlo::Module module = bert_large();
  double stored = 0, counted = 0;
  for (const hlo::InstructionId id : module.entry_computation().parameters) {
    const hlo::Shape& shape = module.entry_computation()[id].shape;
    stored += double(hlo::padded_bytes(shape).value());
    counted += double(hlo::logical_bytes(shape).value());
  }
  EXPECT_NEAR(counted, 4.04e9, 0.01 * 4.04e9);
  EXPECT_LT(stored, 1.01 * counted);
}

std::vector<hlo::Literal> step_arguments(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  for (const hlo::InstructionId id : module.entry_computation().parameters) {
    const hlo::Shape& shape = module.entry_computation()[id].shape;
    const bool tokens = shape.element_type == hlo::ElementType::s32;
    arguments.push_back(
        hlo::testing::random_literal(shape, unsigned(arguments.size()), tokens ? 0 : 0.1, tokens ? 15 : 1));
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
  const std::vector<hlo::Literal> arguments = step_arguments(step.module);
  const hlo::Literal expected = hlo::eval::evaluate(step.module, arguments);
  const hlo::Module fused = sw::driver::fused(step.module, sw::tpu_v3());
  const sw::compiler::RecomputedModule again =
      sw::compiler::recompute_to_fit(fused, base::Bytes(0), base::Bytes(0), step.donations);
  EXPECT_GT(again.ops, 0);
  EXPECT_LT(sw::compiler::account_memory(again.module, step.donations).peak,
            sw::compiler::account_memory(fused, step.donations).peak);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(again.module, arguments), expected));
}

}  // namespace
}  // namespace podsim::workloads
