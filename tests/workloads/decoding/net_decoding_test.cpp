// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/forward_part.h"
#include "tests/workloads/decoding/decoder_run.h"
#include "workloads/nets/net_graph.h"
#include "workloads/nets/net_reader.h"
#include "workloads/nets/net_workload.h"

/// Steps of decoding of pages of layers against the networks that are trained.
namespace podsim::workloads::nets {
namespace {

using testing::Tensors;

constexpr const char* head = R"(
name = "page"
batch_per_core = 2
program = "machine"
[precision]
activations = "f32"
[inputs]
words = { sizes = [6], type = "s32" }
targets = { sizes = [6], type = "s32" }
)";

constexpr const char* language_model = R"(
[[layer]]
kind = "embedding"
name = "embed"
vocabulary = 9
width = 8
positions = true
[[layer]]
kind = "repeat"
name = "layer"
times = 2
[[layer.layer]]
kind = "attention"
heads = 4
key_heads = 2
head_size = 3
causal = true
[[layer.layer]]
kind = "feed_forward"
hidden = 7
[[layer]]
kind = "norm"
[[layer]]
kind = "logits"
table = "embed"
[[layer]]
kind = "cross_entropy"
name = "loss"
labels = "targets"
)";

TEST(NetDecoding, GivesTheLogitsOfTheWholePage) {
  const Net net = read_net("page.toml", std::string(head) + language_model, {});
  const hlo::Literal tokens = testing::random_tokens(2, 6, 9, 1);
  TrainingStep training = net_training_step(net, {.batch = 2, .fed = false, .inference = true});
  const hlo::transform::ForwardPart forward =
      hlo::transform::forward_part(std::move(training.module), training.predictions);
  const hlo::Literal whole =
      testing::results_of(forward.module, {{"words", tokens}, {"targets", tokens}}).elements.front();
  Tensors caches;
  std::int64_t cached = 0;
  for (const std::int64_t fresh : {3, 1, 2}) {
    DecodeOptions decode;
    decode.cached = cached;
    decode.new_tokens = fresh;
    decode.capacity = 8;
    decode.logits = decode.all_next = true;
    const TrainingStep step = net_decode_step(net, {.batch = 2, .inference = true}, decode);
    const hlo::Computation& entry = step.module.entry_computation();
    Tensors given = caches;
    given["words"] = testing::tokens_between(tokens, cached, cached + fresh);
    given["position"] = hlo::testing::make_literal(hlo::ElementType::s32, {1}, {double(cached)});
    const hlo::Literal results = testing::results_of(step.module, given);
    testing::expect_logits(results.elements.front(), whole, cached, 1e-4);  // in f32
    for (const hlo::Donation& donation : step.donations) {
      caches[entry[entry.parameters[std::size_t(donation.parameter)]].name] =
          results.elements[std::size_t(donation.output)];
    }
    cached += fresh;
  }
}

/// Next tokens of `steps` steps in one launch, behind one token of each sequence and as many random keys as are cached.
hlo::Literal tokens_made(const Net& net, std::int64_t cached, std::int64_t steps, const hlo::Literal& tokens,
                         Tensors& caches) {
  DecodeOptions decode;
  decode.cached = cached;
  decode.capacity = 8;
  decode.steps = steps;
  const TrainingStep step = net_decode_step(net, {.batch = 2, .inference = true}, decode);
  const hlo::Computation& entry = step.module.entry_computation();
  Tensors given = caches;
  given["words"] = tokens;
  given["position"] = hlo::testing::make_literal(hlo::ElementType::s32, {1}, {double(cached)});
  const hlo::Literal results = testing::results_of(step.module, given);
  for (const hlo::Donation& donation : step.donations) {
    caches[entry[entry.parameters[std::size_t(donation.parameter)]].name] =
        results.elements[std::size_t(donation.output)];
  }
  return results.elements.front();
}

TEST(NetDecoding, ALoopFeedsTokensBackWhateverTheirName) {
  const Net net = read_net("page.toml", std::string(head) + language_model, {});
  const hlo::Literal first = testing::random_tokens(2, 1, 9, 4);
  Tensors by_loop, by_launch;
  const hlo::Literal together = tokens_made(net, 2, 3, first, by_loop);
  hlo::Literal next = first;
  for (std::int64_t trip = 0; trip < 3; ++trip) {
    next = tokens_made(net, 2 + trip, 1, next, by_launch);
    EXPECT_EQ(testing::tokens_between(together, trip, trip + 1).values, next.values);
  }
}

std::string problem_of(const std::string& layers, const ModelSettings& settings = {}) {
  WorkloadOptions options;
  options.inference = options.decode = true;
  options.model = settings;
  try {
    net_workload(read_net("page.toml", head + layers, settings), options);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(NetDecoding, RefusesLayersThatMixTokensOtherwise) {
  const std::string embed = "[[layer]]\nkind = \"embedding\"\nvocabulary = 9\nwidth = 8\n";
  EXPECT_NE(problem_of(embed + "[[layer]]\nkind = \"average_pool\"\n").find("no step of decoding"), std::string::npos);
  EXPECT_NE(problem_of(embed + "[[layer]]\nkind = \"first\"\n").find("no step of decoding"), std::string::npos);
  EXPECT_NE(problem_of(embed + "[[layer]]\nkind = \"attention\"\nheads = 2\nhead_size = 4\n").find("not causal"),
            std::string::npos);
}

TEST(NetDecoding, HasTheKeysOfDecoding) {
  EXPECT_EQ(problem_of(language_model, {{"decode.cached", "3"}, {"decode.beam", "2"}}), "");
  EXPECT_NE(problem_of(language_model, {{"decode.cached", "6"}}).find("more than the 6"), std::string::npos);
  EXPECT_NE(problem_of(language_model, {{"decode.cachd", "6"}}).find("is not a key"), std::string::npos);
}

}  // namespace
}  // namespace podsim::workloads::nets
