// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Entries of the registry for Transformers.
namespace podsim::workloads::models {

/// "transformer": a language model of any size with Adam; 12 layers of width 768 by default.
WorkloadEntry transformer_entry();

/// "dense_137b": LaMDA's size, with GSPMD's two-dimensional sharding over 2048 cores.
WorkloadEntry dense_137b_entry();

/// "moe_decoder": a decoder of GShard's size, with one expert of each mixture on each of 2048 cores.
WorkloadEntry moe_decoder_entry();

/// "transformer_mlperf": MLPerf's translation model, 16 pairs of packed sequences per core.
WorkloadEntry transformer_mlperf_entry();

/// "gshard": GShard's translation model with an encoder, by default a pair of sequences of 1024 tokens per core. It
/// ships with a sharding over any number of cores, which the number of experts is a multiple of.
WorkloadEntry gshard_entry();

/// "gpt_6b": GPT-J, a decoder whose layers have both blocks side by side. It ships with a sharding over 4 x 8 cores.
WorkloadEntry gpt_6b_entry();

}  // namespace podsim::workloads::models
