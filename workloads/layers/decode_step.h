// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "workloads/decode_options.h"
#include "workloads/trained_tensors.h"
#include "workloads/training_step.h"

namespace podsim::workloads::layers {

/// A parameter that a step of a decoder replaces: cached keys and values, the state of a recurrent layer.
struct ReplacedState {
  hlo::InstructionId parameter = -1, value = -1;
  bool of_hypotheses = true;  ///< its first dimension has the hypotheses of a beam search, whose parents' it takes
};

/// Completes the graph of a decoder to the program of a step. `logits` are [rows, tokens, V]. Results: the next tokens,
/// s32[rows, tokens], or the logits themselves; of a beam search over rows of `decode.beam` hypotheses for each
/// sequence the tokens s32[rows, 1] and the hypothesis of its sequence that each one continues, s32[rows, 1]; then what
/// replaces the states, in place. In a loop (decode_loop.h) tokens are s32[rows, steps].
///
/// Adds the parameters "uniform" [rows tokens], from 0 to below 1, for tokens that are drawn, and "beam_scores"
/// [sequences, beam] (layers/next_tokens.h), which is replaced too. States take the order of their parents under
/// "beam/" and the parameter's name, as [sequences, beam, ...].
TrainingStep decode_step(TrainedTensors& tensors, hlo::InstructionId logits, const std::vector<ReplacedState>& states,
                         const DecodeOptions& decode);

}  // namespace podsim::workloads::layers
