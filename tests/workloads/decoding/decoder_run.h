// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "hlo/transform/forward_part.h"
#include "tests/hlo/literals.h"
#include "tests/workloads/tiny.h"
#include "workloads/models/transformer.h"

/// Runs steps of a decoder one after another on real numbers, and the whole network that they must agree with.
namespace podsim::workloads::testing {

using Tensors = std::map<std::string, hlo::Literal>;

/// A tensor of the network, the same in every module that has one of this name: scales about 1, the rest small.
inline hlo::Literal weight_named(const hlo::Instruction& parameter) {
  unsigned seed = 17;
  for (const char c : parameter.name) seed = seed * 31 + unsigned(c);
  const bool scale = parameter.name.ends_with("scale");
  return hlo::testing::random_literal(parameter.shape, seed, scale ? 0.8 : -0.7, scale ? 1.2 : 0.7);
}

/// Results of the module for the arguments in `given`, and for all others weights by name.
inline hlo::Literal results_of(const hlo::Module& module, const Tensors& given) {
  const hlo::Computation& entry = module.entry_computation();
  std::vector<hlo::Literal> arguments;
  for (const hlo::InstructionId id : entry.parameters) {
    const auto found = given.find(entry[id].name);
    arguments.push_back(found == given.end() ? weight_named(entry[id]) : found->second);
    EXPECT_EQ(arguments.back().shape.element_type, entry[id].shape.element_type) << entry[id].name;
    EXPECT_EQ(arguments.back().shape.dimensions, entry[id].shape.dimensions) << entry[id].name;
  }
  return hlo::eval::evaluate(module, arguments);
}

/// The logits [batch, sequence, V] of the network that is trained, for whole sequences.
inline hlo::Literal whole_logits(const models::TransformerOptions& options, const Tensors& data) {
  TrainingStep step = models::transformer_training_step(options);
  const hlo::transform::ForwardPart forward = hlo::transform::forward_part(std::move(step.module), step.predictions);
  const hlo::Literal result = results_of(forward.module, data);
  return result.elements.empty() ? result : result.elements.front();
}

/// A decoder between its steps.
class DecoderRun {
 public:
  DecoderRun(const models::TransformerOptions& options, DecodeOptions decode)
      : options_(options), decode_(std::move(decode)) {}

  /// Adds tokens s32[batch, T] to the sequences, of which `cached` tokens are in the cache, and returns the first
  /// result of the step.
  hlo::Literal step(const hlo::Literal& tokens, std::int64_t cached, const Tensors& more = {}) {
    DecodeOptions now = decode_;
    now.cached = cached;
    now.new_tokens = tokens.shape.dimensions[1];
    const TrainingStep step = models::transformer_decode_step(options_, now);
    const hlo::Computation& entry = step.module.entry_computation();
    Tensors given = more;
    given["tokens"] = tokens;
    for (const hlo::InstructionId id : entry.parameters) {
      const hlo::Instruction& parameter = entry[id];
      if (parameter.name.find("cache/") == std::string::npos && parameter.name != "beam_scores") continue;
      // What is not written yet must not matter.
      const auto known = caches_.find(parameter.name);
      given[parameter.name] = known != caches_.end() ? known->second : hlo::testing::random_literal(parameter.shape, 5);
    }
    const std::vector<double> positions(std::size_t(now.ragged ? options_.batch : 1), double(cached));
    if (!given.contains("position")) {
      given["position"] =
          hlo::testing::make_literal(hlo::ElementType::s32, {std::int64_t(positions.size())}, positions);
    }
    if (now.page > 0) given["block_table"] = block_table();
    last_ = results_of(step.module, given);
    for (const hlo::Donation& donation : step.donations) {
      caches_[entry[entry.parameters[std::size_t(donation.parameter)]].name] =
          last_.elements[std::size_t(donation.output)];
    }
    return last_.elements.front();
  }

  /// The prefill of later steps.
  void join(const DecodeOptions& prefill) {
    decode_.prefill = prefill.prefill;
    decode_.prefill_cached = prefill.prefill_cached;
    decode_.prefill_capacity = prefill.prefill_capacity;
  }
  /// Later steps search with so many hypotheses, each of which has the cache of its sequence.
  void search(std::int64_t beam) {
    decode_.beam = beam;
    options_.batch *= beam;
    for (auto& [name, cache] : caches_) {
      const std::size_t row = cache.values.size() / std::size_t(cache.shape.dimensions[0]);
      hlo::Literal tiled{cache.shape, {}, {}};
      tiled.shape.dimensions[0] *= beam;
      for (std::size_t i = 0; i < cache.values.size(); i += row) {
        for (std::int64_t copy = 0; copy < beam; ++copy) {
          tiled.values.insert(tiled.values.end(), cache.values.begin() + std::ptrdiff_t(i),
                              cache.values.begin() + std::ptrdiff_t(i + row));
        }
      }
      cache = tiled;
    }
    std::vector<double> scores;
    for (std::int64_t i = 0; i < options_.batch; ++i) scores.push_back(i % beam == 0 ? 0 : -1e9);
    caches_["beam_scores"] =
        hlo::testing::make_literal(options_.precision.parameter, {options_.batch / beam, beam}, scores);
  }
  const hlo::Literal& beam_scores() const { return caches_.at("beam_scores"); }
  const hlo::Literal& last(std::size_t result) const { return last_.elements[result]; }

  /// Later steps make so many tokens.
  void repeat(std::int64_t steps) { decode_.steps = steps; }

 private:
  /// Pages of all sequences in reverse, so that no sequence has neighbouring ones.
  hlo::Literal block_table() const {
    const std::int64_t pages = decode_.capacity / decode_.page;
    std::vector<double> table;
    for (std::int64_t i = 0; i < options_.batch * pages; ++i) table.push_back(double(options_.batch * pages - 1 - i));
    return hlo::testing::make_literal(hlo::ElementType::s32, {options_.batch, pages}, table);
  }

  models::TransformerOptions options_;
  DecodeOptions decode_;
  Tensors caches_;
  hlo::Literal last_;  ///< results of the last step
};

/// Tokens from `begin` to `end` of all sequences.
inline hlo::Literal tokens_between(const hlo::Literal& tokens, std::int64_t begin, std::int64_t end) {
  const std::int64_t batch = tokens.shape.dimensions[0], length = tokens.shape.dimensions[1];
  std::vector<double> values;
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t j = begin; j < end; ++j) values.push_back(tokens.values[std::size_t(i * length + j)]);
  }
  return hlo::testing::make_literal(hlo::ElementType::s32, {batch, end - begin}, values);
}

inline hlo::Literal random_tokens(std::int64_t batch, std::int64_t length, std::int64_t vocabulary, unsigned seed) {
  hlo::Literal literal = hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::s32, {batch, length}), seed, 0,
                                                      double(vocabulary));
  for (double& value : literal.values) value = std::floor(value);
  return literal;
}

/// Logits [batch, T, V] against those of the whole sequences from token `begin` on.
inline void expect_logits(const hlo::Literal& logits, const hlo::Literal& whole, std::int64_t begin,
                          double tolerance = 1e-10) {
  const std::vector<std::int64_t> part = logits.shape.dimensions, all = whole.shape.dimensions;
  ASSERT_EQ(part[0], all[0]);
  ASSERT_EQ(part[2], all[2]);
  for (std::int64_t i = 0; i < part[0]; ++i) {
    for (std::int64_t j = 0; j < part[1]; ++j) {
      for (std::int64_t k = 0; k < part[2]; ++k) {
        ASSERT_NEAR(logits.values[std::size_t((i * part[1] + j) * part[2] + k)],
                    whole.values[std::size_t((i * all[1] + begin + j) * all[2] + k)], tolerance)
            << "sequence " << i << ", token " << begin + j;
      }
    }
  }
}

}  // namespace podsim::workloads::testing
