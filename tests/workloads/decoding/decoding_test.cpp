// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hlo/build/verify.h"
#include "tests/workloads/decoding/decoder_run.h"

/// Prefills and steps of decoding give the logits that the whole network gives for the same tokens.
namespace podsim::workloads {
namespace {

using models::TransformerOptions;
using testing::DecoderRun;
using testing::Tensors;

constexpr std::int64_t prompt = 3, sequence = 8;

TransformerOptions small_decoder() {
  TransformerOptions options;
  options.batch = 2;
  options.sequence = sequence;
  options.vocabulary = 11;
  options.layers = 2;
  options.model = 8;
  options.attention = {4, 6};
  options.feed_forward = {10, layers::Activation::gelu, false};
  options.precision = testing::double_precision();
  return options;
}

/// Layer norms, trained positions, both blocks of a layer in parallel, biases.
TransformerOptions like_gpt() {
  TransformerOptions options = small_decoder();
  options.parallel_blocks = true;
  options.tied_embedding = false;
  options.feed_forward.biases = options.attention.biases = true;
  return options;
}

/// RMS norms, gated blocks, shared key heads, rotary positions.
TransformerOptions like_llama() {
  TransformerOptions options = small_decoder();
  options.norm = layers::NormKind::rms_norm;
  options.feed_forward.activation = layers::Activation::swiglu;
  options.attention.key_heads = 2;
  options.attention.rotary = 6;
  options.lookup = layers::EmbeddingLookup::gather;
  options.position_embedding = false;
  options.tied_embedding = false;
  return options;
}

/// A part of each head turned, as in GPT-J, and four tokens in reach, as in Mistral.
TransformerOptions with_window() {
  TransformerOptions options = like_llama();
  options.attention.window = 4;
  options.attention.rotary = 4;
  return options;
}

/// Trained numbers of distances, normalised queries and keys, scores in the parameters' type.
TransformerOptions with_distances() {
  TransformerOptions options = small_decoder();
  options.position_embedding = false;
  options.attention.relative_buckets = 4;
  options.attention.query_key_norm = true;
  options.attention.wide_scores = true;
  options.attention.late_division = true;
  return options;
}

/// As DeepSeek-V2: steps read latents and never make keys and values.
TransformerOptions with_latents() {
  TransformerOptions options = like_llama();
  options.attention.key_heads = 0;
  options.attention.rotary = 4;
  options.attention.latent = 5;
  return options;
}

TransformerOptions with_encoder() {
  TransformerOptions options = small_decoder();
  options.encoder_layers = 2;
  options.source_sequence = 5;
  options.attention.biases = true;
  return options;
}

/// Every expert has a slot for all tokens, so that they do not compete.
TransformerOptions with_experts() {
  TransformerOptions options = small_decoder();
  options.mixture.experts = 4;
  options.mixture.capacity_factor = 8;
  return options;
}

Tensors inputs(const TransformerOptions& options) {
  Tensors data;
  data["tokens"] = testing::random_tokens(options.batch, options.sequence, options.vocabulary, 3);
  data["targets"] = data["tokens"];
  if (options.encoder_layers > 0) {
    data["source_tokens"] = testing::random_tokens(options.batch, options.source_sequence, options.vocabulary, 4);
  }
  return data;
}

struct Cached {
  std::string name;
  DecodeOptions decode;
};

std::vector<Cached> ways_to_cache() {
  DecodeOptions plain;
  plain.capacity = 12;
  plain.logits = plain.all_next = true;
  DecodeOptions ragged = plain, paged = plain, both = plain;
  ragged.ragged = true;
  paged.page = 3;
  both.ragged = true;
  both.page = 4;
  return {{"contiguous", plain}, {"ragged", ragged}, {"paged", paged}, {"ragged, paged", both}};
}

void expect_whole_logits(const TransformerOptions& options, const Cached& way) {
  SCOPED_TRACE(way.name);
  const Tensors data = inputs(options);
  const hlo::Literal whole = testing::whole_logits(options, data);
  const hlo::Literal& tokens = data.at("tokens");
  DecoderRun run(options, way.decode);
  testing::expect_logits(run.step(testing::tokens_between(tokens, 0, prompt), 0, data), whole, 0);
  // Two tokens at once, then one by one.
  testing::expect_logits(run.step(testing::tokens_between(tokens, prompt, prompt + 2), prompt), whole, prompt);
  for (std::int64_t i = prompt + 2; i < sequence; ++i) {
    testing::expect_logits(run.step(testing::tokens_between(tokens, i, i + 1), i), whole, i);
  }
}

class Decoding : public ::testing::TestWithParam<TransformerOptions (*)()> {};

TEST_P(Decoding, GivesTheLogitsOfTheWholeNetwork) {
  for (const Cached& way : ways_to_cache()) expect_whole_logits(GetParam()(), way);
}

INSTANTIATE_TEST_SUITE_P(Decoding, Decoding,
                         ::testing::Values(small_decoder, like_gpt, like_llama, with_window, with_distances,
                                           with_encoder, with_experts, with_latents));

TEST(Decoding, AWindowNeedsNoMoreKeysThanItReaches) {
  Cached way = ways_to_cache().front();
  way.decode.capacity = 5;  // four in reach, and one more for two new tokens
  expect_whole_logits(with_window(), way);
  way.decode.ragged = true;
  expect_whole_logits(with_window(), way);
}

TEST(Decoding, GivesTheMostProbableTokens) {
  const TransformerOptions options = like_llama();
  const Tensors data = inputs(options);
  const hlo::Literal whole = testing::whole_logits(options, data);
  Cached way = ways_to_cache().front();
  way.decode.logits = false;
  DecoderRun run(options, way.decode);
  const hlo::Literal next = run.step(testing::tokens_between(data.at("tokens"), 0, sequence), 0);
  ASSERT_EQ(next.values.size(), std::size_t(options.batch * sequence));
  for (std::size_t i = 0; i < next.values.size(); ++i) {
    const auto row = whole.values.begin() + std::ptrdiff_t(i) * options.vocabulary;
    EXPECT_EQ(next.values[i], double(std::max_element(row, row + options.vocabulary) - row));
  }
}

// Sequences with 3 and 5 cached tokens, each with its own next one.
TEST(Decoding, SequencesHavePositionsOfTheirOwn) {
  const TransformerOptions options = like_gpt();
  const Tensors data = inputs(options);
  const hlo::Literal whole = testing::whole_logits(options, data);
  DecodeOptions decode = ways_to_cache()[1].decode;
  DecoderRun run(options, decode);
  run.step(testing::tokens_between(data.at("tokens"), 0, 5), 0);
  const std::vector<double>& tokens = data.at("tokens").values;
  const auto s32 = hlo::ElementType::s32;
  const hlo::Literal logits = run.step(hlo::testing::make_literal(s32, {2, 1}, {tokens[3], tokens[sequence + 5]}), 5,
                                       {{"position", hlo::testing::make_literal(s32, {2}, {3, 5})}});
  for (std::size_t k = 0; k < std::size_t(options.vocabulary); ++k) {
    const std::size_t v = std::size_t(options.vocabulary);
    EXPECT_NEAR(logits.values[k], whole.values[3 * v + k], 1e-10);
    EXPECT_NEAR(logits.values[v + k], whole.values[(sequence + 5) * v + k], 1e-10);
  }
}

// A prompt of three tokens joins two sequences that decode their fifth ones, with products in common.
TEST(Decoding, APrefillJoinsSequencesThatDecode) {
  for (TransformerOptions options : {like_gpt(), like_llama(), with_distances(), with_latents()}) {
    options.batch = 3;
    const Tensors data = inputs(options);
    const hlo::Literal whole = testing::whole_logits(options, data);
    const std::vector<double>& tokens = data.at("tokens").values;
    const auto s32 = hlo::ElementType::s32;
    options.batch = 2;
    DecodeOptions decode = ways_to_cache().front().decode;
    decode.all_next = false;
    DecoderRun run(options, decode);
    const hlo::Literal first_two = hlo::testing::make_literal(
        s32, {2, sequence}, std::vector<double>(tokens.begin(), tokens.begin() + 2 * sequence));
    run.step(testing::tokens_between(first_two, 0, 4), 0);
    const hlo::Literal fifth = testing::tokens_between(first_two, 4, 5);
    const auto joining = [&](std::int64_t begin, std::int64_t end) {
      return hlo::testing::make_literal(
          s32, {1, end - begin},
          std::vector<double>(tokens.begin() + 2 * sequence + begin, tokens.begin() + 2 * sequence + end));
    };
    const std::size_t v = std::size_t(options.vocabulary);
    const auto expect_rows = [&](const hlo::Literal& logits, std::size_t token, std::size_t joined) {
      ASSERT_EQ(logits.shape.dimensions, (std::vector<std::int64_t>{1, 3, options.vocabulary}));
      for (std::size_t row = 0; row < 3; ++row) {
        const std::size_t from = (row * std::size_t(sequence) + (row < 2 ? token : joined)) * v;
        for (std::size_t k = 0; k < v; ++k) EXPECT_NEAR(logits.values[row * v + k], whole.values[from + k], 1e-10);
      }
    };
    run.join({.prefill = 3, .prefill_capacity = 9});
    expect_rows(run.step(fifth, 4, {{"prefill_tokens", joining(0, 3)}}), 4, 2);
    run.join({.prefill = 2, .prefill_cached = 3, .prefill_capacity = 9});
    const hlo::Literal three = hlo::testing::make_literal(s32, {1}, {3});
    expect_rows(run.step(testing::tokens_between(first_two, 5, 6), 5,
                         {{"prefill_tokens", joining(3, 5)}, {"prefill_position", three}}),
                5, 4);
  }
}

// With all_next every token that the batch checks has its logits, and the prompt that joins only its last one.
TEST(Decoding, APrefillJoinsSequencesThatCheckDrafts) {
  for (TransformerOptions options : {like_gpt(), like_llama()}) {
    options.batch = 3;
    const Tensors data = inputs(options);
    const hlo::Literal whole = testing::whole_logits(options, data);
    const std::vector<double>& tokens = data.at("tokens").values;
    options.batch = 2;
    DecoderRun run(options, ways_to_cache().front().decode);
    const hlo::Literal first_two = hlo::testing::make_literal(
        hlo::ElementType::s32, {2, sequence}, std::vector<double>(tokens.begin(), tokens.begin() + 2 * sequence));
    run.step(testing::tokens_between(first_two, 0, 3), 0);
    run.join({.prefill = 4, .prefill_capacity = 9});
    const hlo::Literal prompt_tokens = hlo::testing::make_literal(
        hlo::ElementType::s32, {1, 4},
        std::vector<double>(tokens.begin() + 2 * sequence, tokens.begin() + 2 * sequence + 4));
    const hlo::Literal logits =
        run.step(testing::tokens_between(first_two, 3, 5), 3, {{"prefill_tokens", prompt_tokens}});
    ASSERT_EQ(logits.shape.dimensions, (std::vector<std::int64_t>{1, 5, options.vocabulary}));
    const std::size_t v = std::size_t(options.vocabulary);
    const std::vector<std::size_t> rows{3, 4, std::size_t(sequence) + 3, std::size_t(sequence) + 4,
                                        2 * std::size_t(sequence) + 3};
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t k = 0; k < v; ++k)
        EXPECT_NEAR(logits.values[row * v + k], whole.values[rows[row] * v + k], 1e-10);
    }
  }
}

// The loop on the device makes the tokens that launches one by one make.
TEST(Decoding, ALoopMakesTheTokensOfItsSteps) {
  const TransformerOptions options = like_llama();
  const Tensors data = inputs(options);
  DecodeOptions decode = ways_to_cache()[1].decode;
  decode.logits = decode.all_next = false;
  DecoderRun by_launch(options, decode), by_loop(options, decode);
  const hlo::Literal prompt_tokens = testing::tokens_between(data.at("tokens"), 0, prompt);
  hlo::Literal next = by_launch.step(prompt_tokens, 0);
  EXPECT_EQ(by_loop.step(prompt_tokens, 0).values, next.values);
  by_loop.repeat(4);
  const hlo::Literal made = by_loop.step(next, prompt);
  ASSERT_EQ(made.shape.dimensions, (std::vector<std::int64_t>{options.batch, 4}));
  for (std::int64_t i = 0; i < 4; ++i) {
    next = by_launch.step(next, prompt + i);
    EXPECT_EQ(testing::tokens_between(made, i, i + 1).values, next.values);
  }
  // The caches hold the same keys.
  by_loop.repeat(1);
  EXPECT_EQ(by_loop.step(next, prompt + 4).values, by_launch.step(next, prompt + 4).values);
}

/// A hypothesis of a search that knows the whole network alone.
struct Hypothesis {
  std::vector<double> tokens;
  double score = 0;
};

/// Beam search over sequences that begin with `start`, by the logits of whole sequences.
std::vector<Hypothesis> searched(const TransformerOptions& one, const std::vector<double>& start, std::size_t beam,
                                 std::size_t steps) {
  std::vector<Hypothesis> best{{start, 0}};
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& known : best) {
      std::vector<double> padded = known.tokens;
      padded.resize(std::size_t(sequence), 0);
      const hlo::Literal tokens = hlo::testing::make_literal(hlo::ElementType::s32, {1, sequence}, padded);
      const hlo::Literal logits = testing::whole_logits(one, {{"tokens", tokens}, {"targets", tokens}});
      const std::size_t v = std::size_t(one.vocabulary), from = (known.tokens.size() - 1) * v;
      double sum = 0;
      for (std::size_t k = 0; k < v; ++k) sum += std::exp(logits.values[from + k]);
      for (std::size_t k = 0; k < v; ++k) {
        Hypothesis next = known;
        next.tokens.push_back(double(k));
        next.score += logits.values[from + k] - std::log(sum);
        all.push_back(next);
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater{}, &Hypothesis::score);
    all.resize(beam);
    best = all;
  }
  return best;
}

TEST(Decoding, ABeamOfFourFindsWhatASearchOverWholeSequencesFinds) {
  for (const TransformerOptions& options : {like_llama(), like_gpt()}) {
    constexpr std::int64_t beam = 4, steps = 3;
    const Tensors data = inputs(options);
    const hlo::Literal& tokens = data.at("tokens");
    DecodeOptions decode = ways_to_cache().front().decode;
    decode.logits = decode.all_next = false;
    DecoderRun by_launch(options, decode);
    by_launch.step(testing::tokens_between(tokens, 0, prompt - 1), 0);
    by_launch.search(beam);
    DecoderRun by_loop = by_launch;
    std::vector<double> last;
    for (std::int64_t i = 0; i < options.batch * beam; ++i) {
      last.push_back(tokens.values[std::size_t((i / beam) * sequence + prompt - 1)]);
    }
    const hlo::Literal first = hlo::testing::make_literal(hlo::ElementType::s32, {options.batch * beam, 1}, last);
    std::vector<std::vector<double>> found(std::size_t(options.batch * beam));
    hlo::Literal next = first;
    std::vector<hlo::Literal> all_tokens, all_parents;
    for (std::int64_t i = 0; i < steps; ++i) {
      next = by_launch.step(next, prompt - 1 + i);
      all_tokens.push_back(next);
      all_parents.push_back(by_launch.last(1));
      std::vector<std::vector<double>> grown;
      for (std::int64_t row = 0; row < options.batch * beam; ++row) {
        const auto parent = std::size_t(row / beam * beam + std::int64_t(all_parents.back().values[std::size_t(row)]));
        grown.push_back(found[parent]);
        grown.back().push_back(next.values[std::size_t(row)]);
      }
      found = grown;
    }
    by_loop.repeat(steps);
    const hlo::Literal made = by_loop.step(first, prompt - 1);
    const hlo::Literal parents = by_loop.last(1);
    for (std::int64_t i = 0; i < steps; ++i) {
      EXPECT_EQ(testing::tokens_between(made, i, i + 1).values, all_tokens[std::size_t(i)].values);
      EXPECT_EQ(testing::tokens_between(parents, i, i + 1).values, all_parents[std::size_t(i)].values);
    }
    TransformerOptions one = options;
    one.batch = 1;
    for (std::int64_t b = 0; b < options.batch; ++b) {
      const auto begin = tokens.values.begin() + b * sequence;
      const std::vector<Hypothesis> expected = searched(one, {begin, begin + prompt}, beam, steps);
      for (std::int64_t w = 0; w < beam; ++w) {
        const std::size_t row = std::size_t(b * beam + w);
        const Hypothesis& wanted = expected[std::size_t(w)];
        EXPECT_EQ(found[row], std::vector<double>(wanted.tokens.begin() + prompt, wanted.tokens.end()));
        EXPECT_NEAR(by_launch.beam_scores().values[row], wanted.score, 1e-10);
        EXPECT_NEAR(by_loop.beam_scores().values[row], wanted.score, 1e-10);
      }
    }
  }
}

// Numbers of one byte are within half a 127th of the greatest of their row: logits move little, and scales are found
// where they belong.
TEST(Decoding, ACacheOfBytesIsNearlyExact) {
  for (const bool paged : {false, true}) {
    const TransformerOptions options = like_llama();
    const Tensors data = inputs(options);
    const hlo::Literal whole = testing::whole_logits(options, data);
    DecodeOptions decode = ways_to_cache()[paged ? 2 : 0].decode;
    decode.cache_type = CacheType::int8;
    DecoderRun run(options, decode);
    run.step(testing::tokens_between(data.at("tokens"), 0, prompt), 0);
    double largest = 0;
    for (const double logit : whole.values) largest = std::max(largest, std::abs(logit));
    for (std::int64_t i = prompt; i < sequence; ++i) {
      testing::expect_logits(run.step(testing::tokens_between(data.at("tokens"), i, i + 1), i), whole, i,
                             0.02 * largest);
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
