// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::hlo::spmd::partition {

/// The work of a core in bytes that a link moves in the same time, so that the partitioner can compare it with the
/// bytes that collectives move. With the defaults, work costs nothing.
struct PartitionCosts {
  double per_product =
      0;  ///< link bytes per multiply-accumulate: compiler.partition_link_rate / compiler.partition_products_per_s
  double per_memory_byte =
      0;  ///< link bytes per byte of HBM: compiler.partition_link_rate / compiler.partition_memory_rate
};

}  // namespace podsim::hlo::spmd::partition
