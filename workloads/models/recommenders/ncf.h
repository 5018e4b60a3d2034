// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads::models::recommenders {

/// Neural collaborative filtering (He et al. 2017) as in MLPerf v0.5: the elementwise product of a user's and an item's
/// factors, concatenated with the output of a perceptron over other factors of both. Users and items are those of
/// MovieLens-20m by default.
struct NcfOptions {
  std::int64_t batch = 98304;  ///< pairs of a user and an item in the whole machine
  std::int64_t users = 138493;
  std::int64_t items = 26744;
  std::int64_t factors = 64;                         ///< of the product
  std::vector<std::int64_t> units = {256, 128, 64};  ///< of the layers behind the joined factors
  std::int64_t perceptron_factors = 128;             ///< of a user, and of an item, for the perceptron
  Precision precision = {hlo::ElementType::f32, hlo::ElementType::f32};
  Optimizer optimizer = {.kind = OptimizerKind::adam, .weight_decay = 0};
};

/// One step over the whole batch. Parameters: users and items s32[batch], labels [batch], 1 for an item that the user
/// chose, else 0; then the trained tensors "product/users" [users, factors], "product/items", "perceptron/users" and
/// "perceptron/items", "layer0/w", "layer0/b", ..., "output/w" [factors + units, 1], "output/b". The loss is the mean
/// logistic cross-entropy. Tables have dense gradients and are updated whole, as in MLPerf's reference.
TrainingStep ncf_training_step(const NcfOptions& options);

/// A module that computes only the loss.
hlo::Module ncf_forward(const NcfOptions& options);

/// FLOPs of the products in a step: for every pair 6 for each weight of the perceptron and the output, and 3 for each
/// factor of the elementwise product.
double ncf_flops(const NcfOptions& options);

}  // namespace podsim::workloads::models::recommenders
