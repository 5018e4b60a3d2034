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
#include "workloads/models/registry.h"

/// The forward pass that inference runs, and the numbers of parameters in closed form: layers times sizes of the
/// published architectures.
namespace podsim::workloads {
namespace {

using hlo::InstructionId;
using hlo::transform::ArgumentKind;

/// A dense layer or convolution with biases.
constexpr std::int64_t with_bias_of(std::int64_t inputs, std::int64_t outputs) { return (inputs + 1) * outputs; }

/// A perceptron with biases.
std::int64_t weights_of_perceptron(std::int64_t inputs, const std::vector<std::int64_t>& units) {
  std::int64_t count = 0;
  for (const std::int64_t outputs : units) {
    count += with_bias_of(inputs, outputs);
    inputs = outputs;
  }
  return count;
}

/// ResNet v1.5 with bottlenecks (He et al. 2015). A normalisation has `norm` numbers per channel: 2 in training, 1
/// folded into the kernel. 25,557,032 for ResNet-50, 44,549,160 for ResNet-101, 60,192,808 for ResNet-152 in training.
std::int64_t weights_of_resnet(const std::vector<std::int64_t>& blocks, std::int64_t norm) {
  std::int64_t count = 7 * 7 * 3 * 64 + norm * 64, inputs = 64;
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    const std::int64_t width = 64 << group;
    for (std::int64_t block = 0; block < blocks[group]; ++block) {
      count += inputs * width + 9 * width * width + width * 4 * width + norm * 6 * width;
      if (block == 0) count += inputs * 4 * width + norm * 4 * width;
      inputs = 4 * width;
    }
  }
  return count + with_bias_of(inputs, 1000);
}

/// SSD over ResNet-34's first three groups (MLPerf v0.5), heads of six scales for 81 classes and 4 coordinates.
std::int64_t weights_of_ssd(std::int64_t norm) {
  std::int64_t count = 7 * 7 * 3 * 64 + norm * 64, inputs = 64;
  const std::vector<std::int64_t> blocks{3, 4, 6};
  for (std::size_t group = 0; group < blocks.size(); ++group) {
    const std::int64_t width = 64 << group;
    for (std::int64_t block = 0; block < blocks[group]; ++block) {
      count += 9 * inputs * width + 9 * width * width + norm * 2 * width;
      if (inputs != width) count += inputs * width + norm * width;
      inputs = width;
    }
  }
  const std::vector<std::int64_t> channels{256, 512, 512, 256, 256, 256}, reduced{0, 256, 256, 128, 128, 128};
  const std::vector<std::int64_t> boxes{4, 6, 6, 6, 4, 4};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (i > 0) count += with_bias_of(channels[i - 1], reduced[i]) + with_bias_of(9 * reduced[i], channels[i]);
    count += with_bias_of(9 * channels[i], boxes[i] * (81 + 4));
  }
  return count;
}

/// A block of attention with all heads together `heads` wide, and one of feed-forward, `gates` products into it.
constexpr std::int64_t weights_of_attention(std::int64_t model, std::int64_t heads) { return 4 * model * heads; }
constexpr std::int64_t weights_of_feed_forward(std::int64_t model, std::int64_t hidden, std::int64_t gates = 1) {
  return (gates + 1) * model * hidden;
}

/// BERT-large with both heads of its pre-training, 336,226,108 as in the published checkpoint.
std::int64_t weights_of_bert_large() {
  const std::int64_t m = 1024, h = 4096, v = 30522;
  const std::int64_t layer = weights_of_attention(m, m) + 4 * m + weights_of_feed_forward(m, h) + h + m + 2 * 2 * m;
  const std::int64_t embedding = v * m + 512 * m + 2 * m + 2 * m;
  return embedding + 24 * layer + with_bias_of(m, m) + with_bias_of(m, m) + 2 * m + v + with_bias_of(m, 2);
}

/// MLPerf's GNMT: an LSTM has (inputs + H) 4 H weights and 4 H biases; additive attention with a normalised vector.
std::int64_t weights_of_gnmt() {
  const std::int64_t h = 1024, v = 32316;
  const auto lstm = [](std::int64_t inputs) { return (inputs + h) * 4 * h + 4 * h; };
  const std::int64_t encoder = 2 * lstm(h) + lstm(2 * h) + 2 * lstm(h);
  const std::int64_t attending = 2 * h * h + h + 1 + h;
  return 2 * v * h + encoder + lstm(2 * h) + attending + 3 * lstm(2 * h);
}

/// Layers with a norm in front of each block; half of them, if there are experts, with 2048 of them.
std::int64_t weights_of_translator(std::int64_t layers, std::int64_t vocabulary, std::int64_t heads,
                                   std::int64_t hidden, std::int64_t experts) {
  const std::int64_t m = 1024, norm = 2 * m, dense = weights_of_feed_forward(m, hidden);
  const std::int64_t mixtures = experts > 0 ? layers / 2 : 0, mixture = experts * dense + m * experts;
  const std::int64_t coder =
      layers * (weights_of_attention(m, heads) + 2 * norm) + (layers - mixtures) * dense + mixtures * mixture + norm;
  return vocabulary * m + 2 * coder + layers * (weights_of_attention(m, heads) + norm);
}

std::int64_t weights_of_moe_decoder() {
  const std::int64_t m = 1024, dense = weights_of_feed_forward(m, 8192);
  return 32768 * m + 36 * (weights_of_attention(m, 16 * 128) + 2 * 2 * m) + 18 * dense +
         18 * (2048 * dense + m * 2048) + 2 * m;
}

/// Facebook's DLRM with rows of 128: all 27 x 27 products go into the top perceptron.
std::int64_t weights_of_dlrm(const std::vector<std::int64_t>& rows) {
  std::int64_t all = 0;
  for (const std::int64_t table : rows) all += table;
  return 128 * all + weights_of_perceptron(13, {512, 256, 128}) +
         weights_of_perceptron(128 + 27 * 27, {1024, 1024, 512, 256, 1});
}

/// Rows of Criteo's tables in MLPerf's reference; those of at most 8192 rows are on every core.
const std::vector<std::int64_t> small_tables{7420, 3, 7120, 1543, 63, 10, 2208, 155, 4, 976, 14, 108, 36};
const std::vector<std::int64_t> large_tables{39884406, 39043,    17289,    20263,    38532951, 2953546, 403346,
                                             11938,    39979771, 25641295, 39664984, 585935,   12972};

std::vector<std::int64_t> all_tables_of() {
  std::vector<std::int64_t> rows = small_tables;
  rows.insert(rows.end(), large_tables.begin(), large_tables.end());
  return rows;
}

/// AmoebaNet-D with 6 normal cells of 256, 512 and 1024 filters, of Real et al. 2018: `norm` numbers a channel of a
/// norm. To bring both inputs of a cell to F channels takes as many weights whether or not they are halved.
std::int64_t weights_of_amoebanet(std::int64_t norm, bool auxiliary) {
  const auto conv = [norm](std::int64_t in, std::int64_t out, std::int64_t taps = 1) {
    return in * out * taps + norm * out;
  };
  const auto narrow_pair = [&](std::int64_t f) {  // 1 x 1, 1 x 7, 7 x 1, 1 x 1
    return conv(f, f / 4) + 2 * conv(f / 4, f / 4, 7) + conv(f / 4, f);
  };
  const auto normal = [&](std::int64_t before, std::int64_t last, std::int64_t f) {
    return conv(before, f) + conv(last, f) + 3 * conv(f, f) + 2 * narrow_pair(f);
  };
  const auto reduction = [&](std::int64_t state1, std::int64_t last, std::int64_t f) {
    const std::int64_t square = conv(state1, f / 4) + conv(f / 4, f / 4, 9) + conv(f / 4, f);
    return conv(last, f) + square + narrow_pair(f) + conv(f, f);
  };
  std::int64_t sum = conv(3, 32, 9) + reduction(32, 32, 64) + conv(32, 64);  // a pool of the stem's 32 channels
  sum += conv(32, 128) + reduction(128, 192, 128) + normal(192, 384, 256) + normal(384, 1024, 256);
  sum += conv(1024, 512) + reduction(512, 1024, 512) + normal(1024, 1536, 512) + normal(1536, 2048, 512);
  sum += conv(2048, 1024) + reduction(1024, 2048, 1024) + normal(2048, 3072, 1024) + normal(3072, 4096, 1024);
  if (auxiliary) sum += conv(2048, 51) + conv(51, 307, 16) + with_bias_of(307, 1001);
  return sum + with_bias_of(4096, 1001);
}

struct InferenceCase {
  std::string name;
  std::int64_t inference, training;  ///< parameters of the network; 0: there is no training
  ModelSettings settings = {};
};

std::vector<InferenceCase> inference_cases() {
  const std::int64_t m = 768, h = 3072;
  const std::int64_t transformer =
      32000 * m + 512 * m + 12 * (weights_of_attention(m, m) + weights_of_feed_forward(m, h) + 4 * m) + 2 * m;
  const std::int64_t dense_137b =
      32000 * 8192L +
      64 * (weights_of_attention(8192, 128 * 128) + weights_of_feed_forward(8192, 65536, 2) + 2 * 8192 + 32 * 128) +
      8192;
  const std::int64_t gpt_6b =
      2 * 50400 * 4096L + 28 * (weights_of_attention(4096, 4096) + weights_of_feed_forward(4096, 16384) + 2 * 4096) +
      2 * 4096;
  const std::int64_t ncf =
      (138493 + 26744) * (64 + 128) + weights_of_perceptron(256, {256, 128, 64}) + with_bias_of(64 + 64, 1);
  // The published Mask R-CNN has 44,401,393 weights and biases; its norms, a scale and a shift for each of ResNet-50's
  // 26,560 channels, are frozen.
  const std::int64_t mask_rcnn = 44'401'393 + 2 * 26'560;
  const std::int64_t mlp = 4096L * 4096;
  return {
      {"resnet50", weights_of_resnet({3, 4, 6, 3}, 1), weights_of_resnet({3, 4, 6, 3}, 2)},
      {"resnet101", weights_of_resnet({3, 4, 23, 3}, 1), weights_of_resnet({3, 4, 23, 3}, 2)},
      {"resnet152", weights_of_resnet({3, 8, 36, 3}, 1), weights_of_resnet({3, 8, 36, 3}, 2)},
      {"resnet50_global", weights_of_resnet({3, 4, 6, 3}, 1), weights_of_resnet({3, 4, 6, 3}, 2)},
      {"pipelined_mlp", 4 * mlp, 4 * mlp},  // of a core: one of four stages
      {"pipelined_mlp", 16 * mlp, 16 * mlp, {{"model.form", "vectorised"}}},
      {"transformer", transformer, transformer},
      {"transformer_mlperf", weights_of_translator(6, 33708, 1024, 4096, 0),
       weights_of_translator(6, 33708, 1024, 4096, 0)},
      {"gnmt", weights_of_gnmt(), weights_of_gnmt()},
      {"dense_137b", dense_137b, dense_137b},
      {"gpt_6b", gpt_6b, gpt_6b},
      {"gshard", weights_of_translator(18, 32000 + 64000, 16 * 128, 8192, 2048),
       weights_of_translator(18, 32000 + 64000, 16 * 128, 8192, 2048)},
      {"moe_decoder", weights_of_moe_decoder(), weights_of_moe_decoder()},
      {"bert_large", weights_of_bert_large(), weights_of_bert_large()},
      {"dlrm", weights_of_dlrm(small_tables), weights_of_dlrm(small_tables)},
      {"dlrm_global", weights_of_dlrm(all_tables_of()), weights_of_dlrm(all_tables_of())},
      {"ncf", ncf, ncf},
      {"ssd", weights_of_ssd(1), weights_of_ssd(2)},
      {"mask_rcnn", mask_rcnn, mask_rcnn},
      {"vit", 86'567'656, 86'567'656},           // the published checkpoint of ViT-B/16
      {"mixer", 59'880'472, 59'880'472},         // of Mixer-B/16
      {"bit_resnet50", 25'549'352, 25'549'352},  // of BiT-R50x1 with 1000 classes
      // As Keras and PyTorch count them; at inference the second norm of a block is in the kernel before it and a bias.
      {"wide_resnet", 36'479'194 - 4 * (160 + 320 + 640), 36'479'194},
      // Keras's trainable parameters without a scale in batch norms; torchvision's with its auxiliary classifier.
      {"inception_v3", 23'817'352, 27'161'264},
      {"amoebanet_d", weights_of_amoebanet(1, false), weights_of_amoebanet(2, true)},
      {"mbconv", 5'288'548, 0},  // of EfficientNet-B0
      {"perceptron", weights_of_perceptron(2000, {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 1000}),
       weights_of_perceptron(2000, {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 1000})},
  };
}

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
