// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/forward_part.h"
#include "tests/workloads/decoding/decoder_run.h"
#include "workloads/models/gnmt.h"

/// Steps of GNMT's decoder against the network that is trained.
namespace podsim::workloads {
namespace {

using models::GnmtOptions;
using testing::Tensors;

GnmtOptions recurrent_decoder() {
  GnmtOptions options;
  options.batch = 2;
  options.length = 4;
  options.longest = 4;
  options.units = 3;
  options.layers = 3;
  options.vocabulary = 7;
  options.dropout = 0;
  options.precision = testing::double_precision();
  return options;
}

/// Logits [time, batch, V] of whole sentences.
hlo::Literal logits_of(const GnmtOptions& options, const hlo::Literal& source, const hlo::Literal& tokens) {
  TrainingStep step = models::gnmt_training_step(options);
  const hlo::transform::ForwardPart forward = hlo::transform::forward_part(std::move(step.module), step.predictions);
  const hlo::Literal result =
      testing::results_of(forward.module, {{"source", source}, {"target_inputs", tokens}, {"targets", tokens}});
  return result.elements.empty() ? result : result.elements.front();
}

/// Results of a step, whose states are in `states` from then on.
hlo::Literal advanced(const GnmtOptions& options, const DecodeOptions& decode, const Tensors& inputs, Tensors& states) {
  const TrainingStep step = models::gnmt_decode_step(options, decode);
  const hlo::Computation& entry = step.module.entry_computation();
  Tensors given = states;
  given.insert(inputs.begin(), inputs.end());
  const hlo::Literal results = testing::results_of(step.module, given);
  for (const hlo::Donation& donation : step.donations) {
    states[entry[entry.parameters[std::size_t(donation.parameter)]].name] =
        results.elements[std::size_t(donation.output)];
  }
  return results;
}

TEST(GnmtDecoding, GivesTheLogitsOfTheWholeNetwork) {
  const GnmtOptions options = recurrent_decoder();
  const hlo::Literal source = testing::random_tokens(2, 4, 7, 1), tokens = testing::random_tokens(2, 4, 7, 2);
  const hlo::Literal whole = logits_of(options, source, tokens);
  Tensors states;
  DecodeOptions decode;
  decode.logits = true;
  for (std::int64_t t = 0; t < 4; ++t) {
    decode.cached = t;
    const Tensors inputs{{"tokens", testing::tokens_between(tokens, t, t + 1)}, {"source", source}};
    const hlo::Literal logits = advanced(options, decode, inputs, states).elements.front();
    ASSERT_EQ(logits.values.size(), 14U);
    for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(logits.values[i], whole.values[std::size_t(t) * 14 + i], 1e-12);
  }
}

// Every continuation of every hypothesis is scored by the whole network.
TEST(GnmtDecoding, ABeamFindsWhatASearchOverWholeSentencesFinds) {
  GnmtOptions options = recurrent_decoder();
  options.batch = 1;
  constexpr std::int64_t beam = 3, words = 7;
  const hlo::Literal source = testing::random_tokens(1, 4, words, 1);
  struct Hypothesis {
    std::vector<double> tokens;
    double score = 0;
  };
  std::vector<Hypothesis> best{{{2}, 0}};
  Tensors states{{"beam_scores", hlo::testing::make_literal(hlo::ElementType::f64, {1, beam}, {0, -1e9, -1e9})}};
  DecodeOptions decode;
  decode.beam = beam;
  hlo::Literal next = hlo::testing::make_literal(hlo::ElementType::s32, {beam, 1}, {2, 2, 2});
  for (std::int64_t t = 0; t < 3; ++t) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& known : best) {
      std::vector<double> padded = known.tokens;
      padded.resize(4, 0);
      const hlo::Literal logits =
          logits_of(options, source, hlo::testing::make_literal(hlo::ElementType::s32, {1, 4}, padded));
      double sum = 0;
      for (std::int64_t k = 0; k < words; ++k) sum += std::exp(logits.values[std::size_t(t * words + k)]);
      for (std::int64_t k = 0; k < words; ++k) {
        Hypothesis longer = known;
        longer.tokens.push_back(double(k));
        longer.score += logits.values[std::size_t(t * words + k)] - std::log(sum);
        all.push_back(longer);
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Hypothesis::score);
    all.resize(beam);
    best = all;
    decode.cached = t;
    next = advanced(options, decode, {{"tokens", next}, {"source", source}}, states).elements.front();
    for (std::size_t w = 0; w < std::size_t(beam); ++w) {
      EXPECT_EQ(next.values[w], best[w].tokens.back());
      EXPECT_NEAR(states.at("beam_scores").values[w], best[w].score, 1e-12);
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
