// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/models/recommenders/dlrm.h"

namespace podsim::workloads::models::recommenders {

/// DLRM as MLPerf's submissions ran it on TPUs: rows of large tables are found, sent and updated by the embedding
/// engines of the chips, which exchange them among themselves; the program of a core receives its samples' rows from
/// the engine's infeed and sends their gradients to its outfeed. Small tables lie on every core, in one array.
struct DlrmCoreOptions {
  DlrmOptions network;              ///< with the batch of a core
  std::int64_t replicas = 1;        ///< cores that share the batch
  std::int64_t kept_rows = 8192;    ///< a table of at most this number of rows is on every core
  std::int64_t repeated_rows = 8;   ///< slots for rows of a table that several samples of the core read
  std::int64_t exchanged_rows = 0;  ///< slots for rows in the block that a core sends another; 0: engines send rows
  bool forward = false;             ///< only the logits, without labels and gradients
  bool feed_in = true;              ///< if false, what infeeds bring are parameters and what outfeeds take are results
};

/// One step of one core by gradient descent without momentum.
///
/// Infeeds: labels, dense features, and positions of the small tables' rows; for every large table the repeated rows'
/// samples; rows of the large tables in two arrays of [(batch + repeated) x tables, width]. The row of sample i is row
/// i of its table plus, for j with sample[j] = i, weight[j] times the repeated row slot[j]. Without infeeds they are
/// the parameters labels [batch], dense [batch, features], categorical s32[batch, small tables]; then slot, weight and
/// sample u32, f32 and u32[batch] of every large table ("slot0", ...); then "rows0" and "rows1".
///
/// Parameters: "tables" [rows of all small tables, width], the tensors of the perceptrons, learning_rate. Results:
/// those tensors, the loss (the mean over all cores is the sum of theirs), and without outfeeds the gradients of rows0
/// and rows1. Rows of small tables come first in the products, then the result of the bottom perceptron, then rows of
/// large tables. The small tables' gradients are added up in an array of their size, which is all-reduced.
///
/// With exchanged rows there are no engines: core c has the rows i with i mod replicas = c of all large tables, one
/// table after the other, in the parameter "shard" [shard_rows(options), width]. Hosts list the distinct rows that a
/// core asks of every core by their position in that core's shard, "requests" s32[replicas, exchanged rows], unused
/// slots with shard_rows(options); and say which of the received rows every sample reads in every large table, "copies"
/// s32[batch, large tables]. Requests, rows and the gradients of rows are exchanged by all-to-alls. Gradients of
/// samples that read the same row are added on their core, those of several cores in the shard, which is a result
/// before the loss.
TrainingStep dlrm_core_step(const DlrmCoreOptions& options);

/// Rows of large tables on one core: a part of every table, rounded up.
std::int64_t shard_rows(const DlrmCoreOptions& options);

/// The numbers of the tables that are on every core, and of the others, in their order.
std::vector<std::size_t> small_tables(const DlrmCoreOptions& options);
std::vector<std::size_t> large_tables(const DlrmCoreOptions& options);

}  // namespace podsim::workloads::models::recommenders
