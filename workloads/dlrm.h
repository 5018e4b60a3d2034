// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads {

/// Facebook's recommendation model (Naumov et al. 2019) as MLPerf has it for Criteo's clicks: rows of 26 tables and the
/// result of a bottom perceptron, their products with each other, a top perceptron. As TPUs ran it, numbers are f32 and
/// all 27 x 27 products go into the top perceptron, those on and above the diagonal as zeros.
struct DlrmOptions {
  std::int64_t batch = 8192;  ///< samples of the whole machine
  std::int64_t dense_features = 13;
  std::vector<std::int64_t> rows;                      ///< of each table; empty: Criteo's
  std::vector<std::int64_t> bottom = {512, 256, 128};  ///< layers; the last is as wide as a row
  std::vector<std::int64_t> top = {1024, 1024, 512, 256, 1};
  sw::ElementType type = sw::ElementType::f32;
};

/// Rows of the 26 tables of Criteo's Terabyte data, indices above 40 million folded, as MLPerf's reference has them.
const std::vector<std::int64_t>& criteo_rows();

/// One step over the whole batch by gradient descent without momentum. Parameters: dense [batch, features], categorical
/// s32[batch, tables], labels [batch], 0 or 1; "table0" [rows, width], ... ; "bottom0/kernel", "bottom0/bias", ...,
/// "top0/kernel", ...; learning_rate. Results: the tables, the other tensors, the loss, which is the mean logistic
/// cross-entropy. Tables are changed in the rows that were read alone: their gradient is never written out. Values by
/// op_name: "table0/rows" [batch, width], "interaction" [batch, tables + 1, tables + 1].
TrainingStep dlrm_training_step(const DlrmOptions& options);

/// The loss alone.
sw::Module dlrm_forward(const DlrmOptions& options);

/// FLOPs of a step's products: 6 for every weight of the perceptrons and sample, and for every product of two rows and
/// element.
double dlrm_flops(const DlrmOptions& options);

/// A sharding file for `cores` cores: the batch is cut and, by rows, every table above `least_rows` rows; the others
/// are on every core.
std::string dlrm_sharding(const DlrmOptions& options, std::int64_t cores, std::int64_t least_rows);

}  // namespace podsim::workloads
