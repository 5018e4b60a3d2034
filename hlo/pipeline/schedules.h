// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/pipeline/schedule.h"

/// Published schedules for K stages and M micro-batches. Where every stage has the same time for a micro-batch, F
/// forward and B backward, and transfers take none, a stage is idle for the bubble. The most micro-batches (in chunks)
/// whose activations stage s keeps are its peak.
///
///   schedule              bubble                  peak
///   gpipe                 (K - 1)(F + B)          M
///   one_f_one_b           (K - 1)(F + B)          min(M, K - s)
///   interleaved           (K - 1)(F + B) / v      min(vM, (v - 1)K + 2(K - s) - 1), of 1/v of a stage's layers
///   zero_bubble           (K - 1)(F + I - W)      min(M, K), with B = I + W, for M >= K
namespace podsim::hlo::pipeline {

/// GPipe (Huang et al. 2019): all forward computations, then all backward ones in the opposite order.
Schedule gpipe(std::int64_t stages, std::int64_t microbatches);

/// 1F1B, the flushed PipeDream of Narayanan et al. 2021: stage s begins with K - s - 1 forward computations, then
/// alternates.
Schedule one_f_one_b(std::int64_t stages, std::int64_t microbatches);

/// Interleaved 1F1B of Megatron-LM (Narayanan et al. 2021): stage s has the chunks s, K + s, ..., v of them, and takes
/// K micro-batches through one chunk before it goes to the next. Stage s begins with 2(K - s - 1) + (v - 1)K forward
/// computations. Throws InputError unless M is a multiple of K.
Schedule interleaved(std::int64_t stages, std::int64_t microbatches, std::int64_t chunks_per_stage);

/// ZB-H1 (Qi et al. 2023): 1F1B, in which a stage computes gradients of weights later, but so that no stage keeps the
/// activations of more than K micro-batches. In the end they fill the time in which 1F1B waits for gradients.
Schedule zero_bubble(std::int64_t stages, std::int64_t microbatches);

/// The names by which users choose schedules: "gpipe", "1f1b", "interleaved", "zero-bubble".
const std::vector<std::string>& schedule_names();

/// The schedule of a name; `chunks_per_stage` is above 1 for interleaved alone, which has 2 by default. InputError for
/// another name, numbers below 1, or chunks that the schedule does not have.
Schedule schedule_by_name(std::string_view name, std::int64_t stages, std::int64_t microbatches,
                          std::optional<std::int64_t> chunks_per_stage);

}  // namespace podsim::hlo::pipeline
