// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads::models::recommenders {

/// Facebook's recommendation model (Naumov et al. 2019) as in MLPerf with Criteo's clicks: rows of 26 tables and the
/// result of a bottom perceptron, their products with each other, and a top perceptron. As on TPUs, numbers are f32 and
/// all 27 x 27 products go into the top perceptron, with zeros on and above the diagonal.
struct DlrmOptions {
  std::int64_t batch = 8192;  ///< samples in the whole machine
  std::int64_t dense_features = 13;
  std::vector<std::int64_t> rows;                      ///< rows of each table; empty: Criteo's
  std::vector<std::int64_t> bottom = {512, 256, 128};  ///< units of the layers; the last is the width of a row
  std::vector<std::int64_t> top = {1024, 1024, 512, 256, 1};
  hlo::ElementType type = hlo::ElementType::f32;
};

/// Rows of the 26 tables of Criteo's Terabyte data, with indices above 40 million folded, as in MLPerf's reference.
const std::vector<std::int64_t>& criteo_rows();

/// One step over the whole batch by gradient descent without momentum. Parameters: dense [batch, features], categorical
/// s32[batch, tables], labels [batch], 0 or 1; "table0" [rows, width], ... ; "bottom0/kernel", "bottom0/bias", ...,
/// "top0/kernel", ...; learning_rate. Results: the tables, the other tensors, and the loss, which is the mean logistic
/// cross-entropy. Only the rows that were read are updated: a table's gradient never exists as an array. Values by
/// op_name: "table0/rows" [batch, width], "interaction" [batch, tables + 1, tables + 1].
TrainingStep dlrm_training_step(const DlrmOptions& options);

/// A module that computes only the loss.
hlo::Module dlrm_forward(const DlrmOptions& options);

/// FLOPs of the products in a step: for every sample, 6 for each weight of the perceptrons and 6 for each element of
/// the products of two rows.
double dlrm_flops(const DlrmOptions& options);

/// A sharding file for `cores` cores: the batch is split, and so are tables of more than `min_rows` rows, by rows;
/// other tables are replicated.
std::string dlrm_sharding(const DlrmOptions& options, std::int64_t cores, std::int64_t min_rows);

}  // namespace podsim::workloads::models::recommenders
