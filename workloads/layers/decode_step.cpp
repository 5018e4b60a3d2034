// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/decode_step.h"

#include <cstdint>
#include <string>
#include <utility>

#include "workloads/layers/decode_loop.h"
#include "workloads/layers/next_tokens.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using Sizes = std::vector<std::int64_t>;

namespace {

InstructionId next_tokens(TrainedTensors& tensors, InstructionId logits, const DecodeOptions& decode) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const hlo::build::GraphBuilder::Scope scope(b, "next");
  if (decode.sampling == Sampling::greedy) return most_probable(b, logits);
  const Sizes sizes = b.shape(logits).dimensions;
  const std::int64_t rows = sizes[0] * sizes[1];
  const InstructionId uniform = b.parameter(hlo::make_shape(tensors.precision().parameter, {rows}), "uniform");
  const DrawnFrom from{decode.sampling == Sampling::top_k ? decode.top_k : 0, decode.top_p};
  const InstructionId flat = b.reshape(logits, {rows, sizes[2]});
  return b.reshape(drawn_tokens(b, flat, uniform, from), {sizes[0], sizes[1]});
}

/// What a state becomes when hypotheses continue their parents.
InstructionId ordered_state(hlo::build::GraphBuilder& b, const ReplacedState& state, InstructionId parents) {
  const Sizes sizes = b.shape(state.value).dimensions;
  Sizes by_sequence = b.shape(parents).dimensions;
  by_sequence.insert(by_sequence.end(), sizes.begin() + 1, sizes.end());
  const InstructionId before = b.reshape(state.value, by_sequence);
  const InstructionId ordered = [&] {
    const std::string name = b[state.parameter].name;
    const hlo::build::GraphBuilder::Scope scope(b, name);
    return of_parents(b, before, parents);
  }();
  return b.reshape(ordered, sizes);
}

/// Makes the tokens and parents of a search the results, and orders the states.
std::vector<InstructionId> searched(TrainedTensors& tensors, InstructionId logits, std::vector<ReplacedState>& states,
                                    std::int64_t beam) {
  hlo::build::GraphBuilder& b = tensors.builder();
  const hlo::build::GraphBuilder::Scope scope(b, "beam");
  const std::int64_t rows = b.shape(logits).dimensions[0], words = b.shape(logits).dimensions[2];
  const InstructionId scores =
      b.parameter(hlo::make_shape(tensors.precision().parameter, {rows / beam, beam}), "beam_scores");
  const Continuations best = best_continuations(b, b.reshape(logits, {rows, words}), scores);
  for (ReplacedState& state : states) {
    if (state.of_hypotheses) state.value = ordered_state(b, state, best.parents);
  }
  states.insert(states.begin(), {scores, best.scores, false});
  return {b.reshape(best.tokens, {rows, 1}), b.reshape(best.parents, {rows, 1})};
}

}  // namespace

TrainingStep decode_step(TrainedTensors& tensors, InstructionId logits, const std::vector<ReplacedState>& states,
                         const DecodeOptions& decode) {
  std::vector<ReplacedState> replaced = states;
  std::vector<InstructionId> outputs{logits};
  if (decode.beam > 0) {
    outputs = searched(tensors, logits, replaced, decode.beam);
  } else if (!decode.logits) {
    outputs = {next_tokens(tensors, logits, decode)};
  }
  hlo::build::GraphBuilder& b = tensors.builder();
  std::vector<hlo::Donation> donations;
  for (const ReplacedState& state : replaced) {
    donations.push_back({std::int64_t(outputs.size()), b[state.parameter].index});
    outputs.push_back(state.value);
  }
  std::vector<std::int64_t> frozen;
  for (const TrainedTensor& tensor : tensors.all()) frozen.push_back(b[tensor.value].index);
  TrainingStep step = step_of(std::move(b), std::move(outputs), std::move(donations), {});
  step.frozen = std::move(frozen);
  return decode.steps == 1 ? step : decode_loop(step, decode.steps);
}

}  // namespace podsim::workloads::layers
