// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/parameters/section_of.h"
#include "base/units.h"

namespace podsim::sw {

/// Assumptions about the code that the compiler generates for an op; machine-wide, never per op.
struct CompilerParameters {               ///< [compiler]
  double exposed_vector_fraction = 0;     ///< share of a matmul fusion's vector work not hidden behind the MXU
  std::int64_t prologue_columns = 0;      ///< output columns per recomputation of an operand prologue
  base::Bytes min_tile;                   ///< lower bound of the bytes a tile moves, where VMEM holds larger tiles
  base::Cycles op_launch;                 ///< scalar code at the beginning of an op
  base::Cycles row_lookup;                ///< scalar code per index of a gather: load it, find the row
  base::Cycles row_read;                  ///< scalar code per contiguous piece of a gathered row: its DMA
  base::Cycles row_update;                ///< scalar code per contiguous piece of a scattered row: read, combine, write
  base::Cycles block_piece;               ///< scalar code per contiguous piece of a block of collected weights: its DMA
  std::int64_t moved_row_operations = 0;  ///< ALU operations per row that moves to other lanes or next to another row
  double packing_share = 0;               ///< time to unpack and pack transposed narrow elements, as a share
  base::Bytes resident_table;             ///< a table up to this size is held in VMEM while its rows are looked up
  base::Bytes small_operand;              ///< an operand below this size is read once and kept in VMEM whole
  base::Bytes vmem_for_values;            ///< part of VMEM in which values stay between ops; tiles have the rest
  bool transfers_in_turns = false;        ///< ops that are faster so read and write in turns (TileOp::in_turns)

  static const base::parameters::Section<CompilerParameters>& section();
};

/// What the compiler's passes weigh on a whole program: none of it changes the cost of an op.
struct PassParameters {              ///< [compiler]
  base::Bytes combine_all_reduce;    ///< collectives of one kind are combined up to this size
  double small_op_share = 0;         ///< an op whose latencies take more of its time than this is merged with others
  double recompute_above = 0;        ///< share of a core's usable memory that live arrays take before ops run twice
  double order_gain = 0;             ///< arrays leave the order of the text for this share of their ops' time
  double reshape_padding = 0;        ///< maximum padding ratio of a layout that saves a cross-lane reshape
  base::Bandwidth partition_link;    ///< of a core in a collective, as the partitioner weighs communication
  double partition_products = 0;     ///< multiply-accumulates per second of a core, as the partitioner weighs work
  base::Bandwidth partition_memory;  ///< rate of a core's HBM, as the partitioner weighs work

  static const base::parameters::Section<PassParameters>& section();
};

/// The software of collectives.
struct CollectiveCode {            ///< [compiler]
  base::Bytes largest_segment;     ///< upper bound of a collective's messages
  base::Duration launch;           ///< software before a core's first action in a collective within a host
  base::Duration launch_doubling;  ///< more of it each time the hosts that a collective reaches double

  static const base::parameters::Section<CollectiveCode>& section();
};

/// The host of a framework that traces every step anew (PyTorch/XLA).
struct FrameworkHost {         ///< [host]
  base::Duration traced_op;    ///< host time per op
  base::Duration traced_step;  ///< the same per step, whatever its ops

  static const base::parameters::Section<FrameworkHost>& section();
};

}  // namespace podsim::sw
