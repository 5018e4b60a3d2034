// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads {

/// How a forward program of a user becomes a training step.
struct ProgramTraining {
  Optimizer optimizer;
  std::optional<std::int64_t> loss;     ///< number of the result; std::nullopt: the only floating-point scalar
  std::vector<std::string> parameters;  ///< those that are trained: patterns of names, numbers, or ranges "2-5" of
                                        ///< numbers; empty: those that the program donates
  bool mixed_precision = false;         ///< hlo/transform/mixed_precision.h
};

/// Numbers of the entry parameters that patterns match (ProgramTraining::parameters). Throws InputError if a pattern
/// matches none, or one that is no floating-point array.
std::vector<std::int64_t> chosen_parameters(const hlo::Module& forward, const std::vector<std::string>& patterns);

/// Numbers of the entry parameters that are trained. Throws InputError if none is told from the inputs, if a pattern
/// matches none, or if one that is named is no floating-point array.
std::vector<std::int64_t> trained_parameters(const hlo::Module& forward, const ProgramTraining& training);

/// The training step of a forward program, which gives the loss: gradients by hlo/transform/gradient.h of the
/// flattened program (hlo/transform/flatten.h), then the optimiser's update of each trained parameter. Arrays of two
/// dimensions or more count as kernels (TrainedTensor::is_kernel).
///
/// With replicas, the program is that of one core with its part of the batch, whose loss is a mean over the batch:
/// gradients are summed over the cores and divided by their number, as training_step() does. Without, it is that of
/// the whole machine (global_training_step()). Results but the loss are left out. InputError as above, or if the loss
/// is no floating-point scalar; hlo::transform::NoGradient if an operation has no gradient.
TrainingStep trained_program(const hlo::Module& forward, const ProgramTraining& training,
                             std::optional<std::int64_t> replicas);

/// The program of the whole machine that returns its loss alone.
hlo::Module program_loss(const hlo::Module& forward, const ProgramTraining& training);

/// The program of the whole machine that returns the gradients of the trained parameters, in their order, and the loss.
hlo::Module program_gradients(const hlo::Module& forward, const ProgramTraining& training);

}  // namespace podsim::workloads
