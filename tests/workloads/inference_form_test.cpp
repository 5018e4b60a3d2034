// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/forward_part.h"
#include "hlo/weights/folded_weights.h"
#include "hlo/weights/typed_weights.h"
#include "tests/hlo/weights/dequantised.h"
#include "tests/workloads/inference_cases.h"
#include "workloads/models/registry.h"

/// The forward pass that inference runs, and its numbers of parameters.
namespace podsim::workloads {
namespace {

using hlo::InstructionId;
using hlo::transform::ArgumentKind;
using testing::inference_cases;
using testing::InferenceCase;
using testing::weights_of_resnet;

/// The numbers that a step reads, by kind; compared for a step and its forward part.
struct ArgumentCounts {
  std::int64_t parameters = 0, slots = 0;
};

ArgumentCounts counts_of(const hlo::Module& module, const std::vector<ArgumentKind>& kinds) {
  const hlo::Computation& entry = module.entry_computation();
  ArgumentCounts sums;
  for (std::size_t number = 0; number < kinds.size(); ++number) {
    const std::int64_t count = entry[entry.parameters[number]].shape.element_count();
    if (kinds[number] == ArgumentKind::parameter) sums.parameters += count;
    if (kinds[number] == ArgumentKind::slot) sums.slots += count;
  }
  return sums;
}

std::vector<ArgumentKind> kinds_of(const TrainingStep& step) {
  return hlo::transform::argument_kinds(step.module, step.donations,
                                        hlo::transform::forward_results(step.module, step.donations), step.frozen);
}

/// What inference runs of a workload.
struct Inference {
  hlo::Module module;
  std::vector<ArgumentKind> kinds;
};

Inference inference_of(const InferenceCase& wanted) {
  WorkloadOptions options;
  options.model = wanted.settings;
  options.inference = true;
  TrainingStep step = models::build_workload(wanted.name, options).step;
  Inference inference{.module = {}, .kinds = kinds_of(step)};
  if (!step.donations.empty()) {
    EXPECT_FALSE(step.predictions.empty());
    hlo::transform::ForwardPart forward = hlo::transform::forward_part(std::move(step.module), step.predictions);
    std::vector<ArgumentKind> kept;
    for (const std::int64_t number : forward.parameters) kept.push_back(inference.kinds[std::size_t(number)]);
    inference.kinds = kept;
    step.module = std::move(forward.module);
  }
  inference.module = std::move(step.module);
  return inference;
}

TEST(InferenceForm, HasTheParametersOfTheArchitectureAndNothingOfTraining) {
  for (const InferenceCase& wanted : inference_cases()) {
    SCOPED_TRACE(wanted.name);
    const Inference inference = inference_of(wanted);
    EXPECT_NO_THROW(hlo::build::verify(inference.module));
    const ArgumentCounts arguments = counts_of(inference.module, inference.kinds);
    EXPECT_EQ(arguments.parameters, wanted.inference);
    EXPECT_EQ(arguments.slots, 0);
    for (const hlo::Instruction& instruction : inference.module.entry_computation().instructions) {
      for (const char* word : {"gradients/", "optimizer/", "loss", "all_reduce/", "momentum", "moment", "label"}) {
        EXPECT_EQ(instruction.op_name.find(word), std::string::npos) << instruction.op_name;
        EXPECT_EQ(instruction.name.find(word), std::string::npos) << instruction.name;
      }
    }
  }
}

TEST(InferenceForm, OfTrainingTheParametersAreThoseOfTheArchitecture) {
  for (const InferenceCase& wanted : inference_cases()) {
    if (wanted.training == 0) continue;
    SCOPED_TRACE(wanted.name);
    WorkloadOptions options;
    options.model = wanted.settings;
    const TrainingStep step = models::build_workload(wanted.name, options).step;
    EXPECT_EQ(counts_of(step.module, kinds_of(step)).parameters, wanted.training);
  }
}

TEST(InferenceForm, EveryWorkloadHasAClosedForm) {
  const std::vector<InferenceCase> all = inference_cases();
  for (const WorkloadEntry& entry : models::workload_registry()) {
    EXPECT_NE(std::ranges::find(all, entry.name, &InferenceCase::name), all.end()) << entry.name;
  }
}

/// Numbers and bytes of the network's parameters, and of the scales among them.
struct TypedCounts {
  std::int64_t numbers = 0, quantised = 0, scales = 0;
  double bytes = 0;
};

std::vector<std::int64_t> numbers_of(const std::vector<ArgumentKind>& kinds) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == ArgumentKind::parameter) numbers.push_back(std::int64_t(i));
  }
  return numbers;
}

TypedCounts typed_counts(const InferenceCase& wanted, const char* type) {
  Inference inference = inference_of(wanted);
  hlo::weights::FoldedWeights folded =
      hlo::weights::with_folded_weights(std::move(inference.module), numbers_of(inference.kinds));
  std::vector<ArgumentKind> kinds;
  for (const std::int64_t number : folded.parameters) {
    kinds.push_back(number < 0 ? ArgumentKind::parameter : inference.kinds[std::size_t(number)]);
  }
  inference.kinds = std::move(kinds);
  const std::size_t before = inference.kinds.size();
  const hlo::weights::TypedWeights typed = hlo::weights::with_typed_weights(
      std::move(folded.module), numbers_of(inference.kinds), hlo::weights::parse_weight_type(type));
  EXPECT_NO_THROW(hlo::build::verify(typed.module));
  inference.kinds.resize(typed.module.entry_computation().parameters.size(), ArgumentKind::parameter);
  TypedCounts counts;
  const hlo::Computation& entry = typed.module.entry_computation();
  for (std::size_t i = 0; i < inference.kinds.size(); ++i) {
    if (inference.kinds[i] != ArgumentKind::parameter) continue;
    const hlo::Shape& shape = entry[entry.parameters[i]].shape;
    counts.bytes += double(hlo::logical_bytes(shape).value());
    if (i >= before) {
      counts.scales += shape.element_count();
      continue;
    }
    counts.numbers += shape.element_count();
    if (shape.element_type != hlo::ElementType::bf16) counts.quantised += shape.element_count();
  }
  return counts;
}

/// Numbers that folding saves: GNMT's attention multiplies a vector of length 1 by a number.
std::int64_t folded_in(const InferenceCase& wanted) { return wanted.name == "gnmt" ? 1 : 0; }

// Two bytes for every number of the architecture.
TEST(TypedInference, InBf16HasTwoBytesForEachNumber) {
  for (const InferenceCase& wanted : inference_cases()) {
    SCOPED_TRACE(wanted.name);
    const TypedCounts counts = typed_counts(wanted, "bf16");
    EXPECT_EQ(counts.numbers, wanted.inference - folded_in(wanted));
    EXPECT_EQ(counts.bytes, 2.0 * double(wanted.inference - folded_in(wanted)));
  }
}

// What is multiplied takes one byte or half of one, all else and the scales two.
TEST(TypedInference, WithScalesHasAByteForEachWeightThatIsMultiplied) {
  for (const InferenceCase& wanted : inference_cases()) {
    SCOPED_TRACE(wanted.name);
    for (const auto& [type, bytes] : {std::pair("int8", 1.0), std::pair("int4", 0.5), std::pair("fp8", 1.0)}) {
      const TypedCounts counts = typed_counts(wanted, type);
      EXPECT_EQ(counts.numbers, wanted.inference - folded_in(wanted));
      const auto others = double(counts.numbers - counts.quantised + counts.scales);
      EXPECT_NEAR(counts.bytes, bytes * double(counts.quantised) + 2 * others, 64) << "odd numbers fill a byte";
      EXPECT_GT(double(counts.quantised), 0.98 * double(wanted.inference));
      EXPECT_LT(double(counts.scales), 0.01 * double(wanted.inference));
    }
  }
}

InferenceCase case_of(const std::string& name) {
  const std::vector<InferenceCase> all = inference_cases();
  return *std::ranges::find(all, name, &InferenceCase::name);
}

// The kernels of ResNet-50 are multiplied. They have 26,560 channels, and 1000 classes; each has a shift too.
TEST(TypedInference, OfResnetQuantisesTheKernels) {
  const TypedCounts counts = typed_counts(case_of("resnet50"), "int8");
  EXPECT_EQ(counts.quantised, weights_of_resnet({3, 4, 6, 3}, 0) - 1000);
  EXPECT_EQ(counts.scales, 26'560 + 1000);
}

// The decoder has both tables, 6 products of 4096 x 4096 and 4096 x 16384 in a layer, and otherwise norms alone. A
// look-up has the 4096 columns of its table as output channels.
TEST(TypedInference, OfALargeDecoderQuantisesAllButNorms) {
  const TypedCounts counts = typed_counts(case_of("gpt_6b"), "int8");
  const std::int64_t norms = (28 + 1) * 2 * 4096;
  EXPECT_EQ(counts.quantised, case_of("gpt_6b").inference - norms);
  EXPECT_EQ(counts.scales, 4096 + 50400 + 28 * (4 * 4096 + 16384 + 4096));
}

/// A small network with weights and inputs of random numbers, as the training program reads them and with typed
/// weights.
struct SmallNetwork {
  std::string name;
  ModelSettings settings;
};

std::vector<SmallNetwork> small_networks() {
  const ModelSettings coder{{"model.layers", "2"}, {"model.d_model", "8"}, {"model.d_ff", "16"},
                            {"model.heads", "2"},  {"model.d_head", "4"},  {"model.vocabulary", "16"},
                            {"model.batch", "2"},  {"model.sequence", "4"}};
  ModelSettings bert = coder;
  bert.emplace("model.predictions", "2");
  ModelSettings decoder = coder;
  decoder.emplace("model.accumulate", "1");
  return {{"bert_large", bert},
          {"transformer", coder},
          {"gpt_6b", decoder},
          {"gnmt",
           {{"model.batch", "2"},
            {"model.length", "3"},
            {"model.units", "8"},
            {"model.layers", "3"},
            {"model.vocabulary", "16"}}}};
}

hlo::Literal as_f32(const hlo::Literal& value) { return value.elements.empty() ? value : value.elements.front(); }

/// The largest difference of two results relative to the largest of their elements.
double difference(const hlo::Literal& x, const hlo::Literal& y) {
  const hlo::Literal a = as_f32(x), b = as_f32(y);
  EXPECT_EQ(a.values.size(), b.values.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    largest = std::max(largest, std::abs(b.values[i]));
    difference = std::max(difference, std::abs(a.values[i] - b.values[i]));
  }
  return difference / largest;
}

/// Results of the forward part on the numbers of the narrow type, of the typed program, and of the forward part on the
/// numbers that it was trained to.
struct SmallResults {
  hlo::Literal rounded, typed, trained;
};

SmallResults results_of(const SmallNetwork& network, const char* text) {
  const Inference inference = inference_of({network.name, 0, 0, network.settings});
  const hlo::weights::WeightType type = hlo::weights::parse_weight_type(text);
  std::vector<std::int64_t> numbers;
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = inference.module.entry_computation();
  for (std::size_t i = 0; i < inference.kinds.size(); ++i) {
    const hlo::Shape& shape = entry[entry.parameters[i]].shape;
    if (inference.kinds[i] == ArgumentKind::parameter) numbers.push_back(std::int64_t(i));
    const bool whole = hlo::is_integer(shape.element_type);
    arguments.push_back(hlo::testing::random_literal(shape, unsigned(i), whole ? 0 : -1, whole ? 2 : 1));
  }
  const hlo::weights::TypedWeights typed = hlo::weights::with_typed_weights(inference.module, numbers, type);
  const hlo::testing::TypedArguments both = hlo::testing::typed_arguments(arguments, typed, type);
  return {.rounded = hlo::eval::evaluate(inference.module, both.before),
          .typed = hlo::eval::evaluate(typed.module, both.after),
          .trained = hlo::eval::evaluate(inference.module, arguments)};
}

TEST(TypedInference, InBf16ComputesTheForwardPartBitByBit) {
  for (const SmallNetwork& network : small_networks()) {
    SCOPED_TRACE(network.name);
    const SmallResults results = results_of(network, "bf16");
    EXPECT_TRUE(hlo::same_values(results.typed, results.rounded));
  }
}

// The products of the networks round to bf16. What a type loses beyond that grows with the steps of its grid: a
// 254th of the largest weight in s8, a 14th in s4.
TEST(TypedInference, WithScalesComputesTheForwardPartUpToRounding) {
  for (const SmallNetwork& network : small_networks()) {
    SCOPED_TRACE(network.name);
    for (const char* type : {"int8", "int4", "fp8", "int4:group=4"}) {
      const SmallResults results = results_of(network, type);
      EXPECT_LT(difference(results.typed, results.rounded), 0.05) << type;
      if (std::string(type) == "int8") {
        EXPECT_LT(difference(results.typed, results.trained), 0.1);
      }
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
