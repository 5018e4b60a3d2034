// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/trained_tensors.h"

/// Layers of long short-term memory (Hochreiter and Schmidhuber 1997; with forget gates, Gers et al. 2000) as loops
/// over time. Arrays have time as first dimension: [T, batch, features].
namespace podsim::workloads::layers {

/// The results of a layer whose loop has a gradient in closed form: a loop backwards over what the first one kept.
struct RecurrentResult {
  hlo::InstructionId value = -1;
  hlo::transform::GivenGradient gradient;  ///< for Loss::given
};

struct RecurrentOptions {
  std::int64_t units = 1024;  ///< H
  /// Trips of the loops: the longest sentence of the batch, at most T. Results of later times are 0.
  std::int64_t trips = 1;
};

/// h_t = sigma(o) tanh(c_t), c_t = sigma(f + 1) c_{t-1} + sigma(i) tanh(j), with
/// [i, j, f, o] = x_t w_in + h_{t-1} w + b and h_{-1} = c_{-1} = 0. Trains "w_in" [F, 4H], "w" [H, 4H], "b" [4H].
/// [T, B, F] -> [T, B, H]. The products with x_t are one, before the loop; those for the gradients of weights are one
/// for each weight, after it.
RecurrentResult lstm(TrainedTensors& tensors, hlo::InstructionId x, const RecurrentOptions& options);

/// The same cell that also reads what it attended to at the time before, a_{t-1}, and attends to `memory` [S, B, M]
/// (Bahdanau et al. 2015, with the normalised v of Salimans and Kingma 2016):
/// [i, j, f, o] = x_t w_in + h_{t-1} w + a_{t-1} w_context + b;
/// score_s = v' . tanh(memory_s w_memory + h_t w_query + bias), v' = gain v / |v|; p = softmax over s of score;
/// a_t = sum over s of p_s memory_s. In addition to the above it trains "w_context" [M, 4H], "w_query" [H, H],
/// "w_memory" [M, H], and the vectors "v" [H], "gain" [] and "bias" [H].
/// Returns [h_t, a_t] as [T, B, H + M].
RecurrentResult attending_lstm(TrainedTensors& tensors, hlo::InstructionId x, hlo::InstructionId memory,
                               const RecurrentOptions& options);

/// The state of a layer between two times: h and c [B, H], and what it attended to [B, M].
struct RecurrentState {
  hlo::InstructionId h = -1, c = -1, context = -1;
};

/// One time of lstm(): x [B, F] to the state after it, whose h is the result.
RecurrentState lstm_step(TrainedTensors& tensors, hlo::InstructionId x, const RecurrentState& before);

/// `memory` [S, B, M] as attending_lstm() multiplies it with queries, memory w_memory + bias: [S, B, H].
hlo::InstructionId attention_keys(TrainedTensors& tensors, hlo::InstructionId memory, std::int64_t units);

/// One time of attending_lstm(), with the keys of its memory.
RecurrentState attending_lstm_step(TrainedTensors& tensors, hlo::InstructionId x, const RecurrentState& before,
                                   hlo::InstructionId keys, hlo::InstructionId memory);

}  // namespace podsim::workloads::layers
