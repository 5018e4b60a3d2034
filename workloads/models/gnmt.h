// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/decode_options.h"
#include "workloads/training_step.h"

namespace podsim::workloads::models {

/// Google's recurrent translation (Wu et al. 2016) as in MLPerf v0.6: an encoder whose first layer is bidirectional, a
/// decoder that attends to it at every step, 4 layers of 1024 each. Sentences come in buckets: the arrays of a batch
/// have the bucket's length, and the loops end with the longest sentence. Sizes are in elements; defaults are those of
/// the published profile on 64 cores, with its mean length.
struct GnmtOptions {
  std::int64_t batch = 256;         ///< pairs of sentences in the whole machine
  std::int64_t length = 34;         ///< T, tokens of source and target, with padding
  std::int64_t longest = 34;        ///< tokens of the longest sentence, at most T
  std::int64_t units = 1024;        ///< H
  std::int64_t layers = 4;          ///< of the encoder, and of the decoder; at least 2
  std::int64_t vocabulary = 32316;  ///< V
  double label_smoothing = 0.1;
  double dropout = 0.2;  ///< rate for the inputs of all layers
  Precision precision;
  Optimizer optimizer = {.kind = OptimizerKind::adam, .weight_decay = 0, .clip_norm = 5};
};

/// One step over the whole batch. Parameters: s32 "source", "target_inputs", "targets" [batch, T]; then the trained
/// tensors: "embedding" [V, H], which both languages share; "encoder/forward/..." and "encoder/backward/..." (lstm.h),
/// whose results are joined; "encoder/layer1/..." and so on; "decoder/layer0/..." with attention, "decoder/layer1/..."
/// and so on, which also read what the first layer attended to; "output" [H, V]. From the third layer on, a layer's
/// input is added to its result. The loss is the mean over all tokens of the cross-entropy.
///
/// Left out: masks of sentences that are shorter than the longest (elementwise work in fusions), and dropout of what
/// the first layer of the decoder attended to.
TrainingStep gnmt_training_step(const GnmtOptions& options);

/// One step of decoding (layers/decode_step.h): a token more for each of the hypotheses, of which each sentence has
/// decode.beam, or one. rows = batch times hypotheses. Parameters: tokens s32[rows, 1]; if sentences start
/// (decode.cached = 0), source s32[batch, T]; states that the step replaces: for each layer "decoder/layer0/h" and
/// "decoder/layer0/c" [rows, H], and of the first one "decoder/layer0/context" [rows, H]; "decoder/layer0/memory" and
/// "decoder/layer0/keys" [T, rows, H], which steps read and those that start sentences replace; the trained tensors
/// that the step needs. States before the first token are 0. Sentences of the encoder end at `longest`.
TrainingStep gnmt_decode_step(const GnmtOptions& options, const DecodeOptions& decode);

/// A module that computes only the loss.
hlo::Module gnmt_forward(const GnmtOptions& options);

/// FLOPs of a training step: 6 for every weight of a product and token, of products in loops only up to the longest
/// sentence, and 12 T H for the scores and contexts of a token that attends.
double gnmt_flops(const GnmtOptions& options);

}  // namespace podsim::workloads::models
