// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "hw/dram_parameters.h"
#include "noc/ici/ici_parameters.h"

/// The resolved machine: the values of a machine file, typed and checked, as the models use them. The origin of each
/// value is in the file and is printed by `podsim describe`.
namespace podsim::hw {

struct MxuParameters {                ///< [mxu]
  std::int64_t count = 0;             ///< per core
  std::int64_t size = 0;              ///< rows and columns of the systolic array
  base::Cycles weight_load;           ///< one full weight tile into the shadow registers: size / weight_rows_per_cycle
  base::Cycles first_result_latency;  ///< first LHS row in to first result register out: size + result_skew
  std::int64_t operand_fifo = 0;      ///< registers waiting at the array input, LHS and weights each
  std::int64_t result_fifo = 0;       ///< registers in the array and its output FIFO
};

struct ScalarParameters {  ///< [scalar]
  base::Bytes smem;
  base::Cycles alu_latency;
  base::Cycles load_latency;    ///< SMEM to register
  base::Cycles branch_penalty;  ///< cycles without a bundle after a taken branch
};

struct VectorParameters {  ///< [vector]
  std::int64_t lanes = 0;
  std::int64_t sublanes = 0;
  std::int64_t alus = 0;                 ///< ALU operations per cycle
  std::int64_t loads = 0;                ///< per cycle
  std::int64_t stores = 0;               ///< per cycle
  base::Cycles transcendental_interval;  ///< cycles between two transcendental operations
  base::Cycles load_latency;             ///< VMEM to register
  base::Cycles alu_latency;
  base::Cycles store_to_load;            ///< until a load or a DMA sees the stored data
  base::Cycles transcendental_latency;   ///< push to pop
  std::int64_t transcendental_fifo = 0;  ///< registers in the unit and its output FIFO
};

struct CrossLaneParameters {     ///< [cross_lane]
  base::Cycles interval;         ///< between two 8 x 128 operations
  base::Cycles latency;          ///< last push to first pop
  std::int64_t result_fifo = 0;  ///< registers in the unit and its output FIFO
};

struct DmaParameters {           ///< [dma]
  base::Cycles read_latency;     ///< descriptor issue to first byte's effect, HBM -> VMEM
  base::Cycles write_latency;    ///< VMEM -> HBM
  base::Cycles issue_interval;   ///< between two descriptors
  std::int64_t queue_depth = 0;  ///< descriptors outstanding
  std::int64_t granules = 0;     ///< granules outstanding at the memory
};

struct HbmParameters {  ///< [hbm]
  base::Bytes capacity_per_core;
  base::Bytes reserved_per_core;    ///< by the runtime; programs have the rest
  base::Bandwidth stream_rate;      ///< sustained, one core's half, contiguous reads only
  double write_cost = 1;            ///< cost of a contiguous byte written alone, relative to a byte read
  double turnaround = 0;            ///< extra cost per byte of the lesser direction of a read/write mix
  base::Bandwidth port_rate{1e30};  ///< of its port of the on-chip switch, in each direction: [switch]

  /// The rate of contiguous reads alone.
  base::Bandwidth read_rate() const { return std::min(stream_rate, port_rate); }
  /// The rate of contiguous writes alone.
  base::Bandwidth write_rate() const { return std::min(stream_rate / write_cost, port_rate); }
  /// The rate of each direction while contiguous reads and writes both move.
  base::Bandwidth mixed_rate() const { return std::min(stream_rate / (2 + turnaround), port_rate); }
  base::Bytes usable_per_core() const { return capacity_per_core - std::min(capacity_per_core, reserved_per_core); }
};

struct HostParameters {       ///< [host]
  base::Bandwidth pcie_rate;  ///< per direction and chip
  base::Duration pcie_latency;
  base::Bandwidth infeed_copy_rate;  ///< infeed queue -> HBM buffer by the core
  base::Duration infeed_tensor_overhead;
  std::int64_t infeed_queue_depth = 0;   ///< batches
  std::int64_t outfeed_queue_depth = 0;  ///< transfers
  base::Duration batch_interval;         ///< time in which the host prepares a batch for each core
  base::Duration traced_op;              ///< host time per op of a framework that traces every step anew (PyTorch/XLA)
  base::Duration traced_step;            ///< the same per step, whatever its ops
};

/// Assumptions of the tile compiler about generated code; machine-wide, never per op.
struct CompilerParameters {               ///< [compiler]
  double exposed_vector_fraction = 0;     ///< share of a matmul fusion's vector work not hidden behind the MXU
  std::int64_t prologue_columns = 0;      ///< output columns per recomputation of an operand prologue
  base::Bytes least_tile;                 ///< lower bound of the bytes a tile moves, where VMEM holds larger tiles
  base::Cycles op_launch;                 ///< scalar code at the beginning of an op
  base::Bytes combine_all_reduce;         ///< collectives of one kind are combined up to this size
  base::Bytes least_segment;              ///< lower bound of a collective's messages
  base::Bytes largest_segment;            ///< upper bound of a collective's messages
  base::Duration collective_launch;       ///< software before a core's first action in a collective within a host
  base::Duration launch_doubling;         ///< more of it each time the hosts that a collective reaches double
  base::Cycles row_lookup;                ///< scalar code per index of a gather: load it, find the row
  base::Cycles row_read;                  ///< scalar code per contiguous piece of a gathered row: its DMA
  base::Cycles row_update;                ///< scalar code per contiguous piece of a scattered row: read, combine, write
  std::int64_t moved_row_operations = 0;  ///< ALU operations per row that moves to other lanes or beside another
  double packing_share = 0;               ///< time to unpack and pack transposed narrow elements, as a share
  base::Bytes resident_table;             ///< a table up to this size is held in VMEM while its rows are looked up
  double small_op_share = 0;         ///< an op whose latencies take more of its time than this is merged with others
  base::Bytes small_operand;         ///< an operand below this size is read once and kept in VMEM whole
  double tile_penalty = 0;           ///< added to the modelled time of a tiling per tile, as a share of it
  base::Bytes vmem_for_values;       ///< part of VMEM in which values stay between ops; tiles have the rest
  bool transfers_in_turns = false;   ///< ops that are faster so read and write in turns (TileOp::in_turns)
  double recompute_above = 0;        ///< share of a core's usable memory that live arrays take before ops run twice
  double order_gain = 0;             ///< arrays leave the order of the text for this share of their ops' time
  double reshape_padding = 0;        ///< arrays are padded up to so many times before a reshape moves lanes instead
  base::Bandwidth partition_link;    ///< of a core in a collective, as the partitioner weighs communication
  double partition_products = 0;     ///< multiply-accumulates per second of a core, as the partitioner weighs work
  base::Bandwidth partition_memory;  ///< rate of a core's HBM, as the partitioner weighs work
};

/// Cost of code that the tile level does not model, derived from bundle-level runs; machine-wide.
struct TileLevelParameters {      ///< [tile_level]
  base::Cycles tile;              ///< scalar code per tile
  base::Cycles transfer;          ///< scalar code per descriptor
  base::Cycles vector_loop;       ///< start and end of a software-pipelined vector loop
  base::Cycles matrix_phase;      ///< per matrix phase, beyond its first weight load and last result
  base::Cycles cross_lane_phase;  ///< per phase of cross-lane work
};

struct PodParameters {                   ///< [pod]
  std::vector<std::int64_t> dimensions;  ///< chips per dimension of a full pod: {32, 32}
  std::int64_t host_chips = 1;           ///< chips that a host has
  std::int64_t pods = 0;                 ///< at most this many are joined, along the first dimension
};

/// The resolved machine. Durations of units that run on the core clock are in its cycles, rounded up; a file may state
/// them in ns.
struct Machine {
  std::string name;
  base::Frequency clock;  ///< [core] clock
  std::int64_t cores_per_chip = 0;
  base::Bytes vmem;
  std::int64_t sync_flags = 0;
  std::int64_t instruction_memory = 0;  ///< bundles
  ScalarParameters scalar;
  MxuParameters mxu;
  VectorParameters vector;
  CrossLaneParameters cross_lane;
  DmaParameters dma;
  HbmParameters hbm;
  DramParameters dram;  ///< the same memory at bank level
  noc::ici::SwitchParameters chip_switch;
  noc::ici::IciParameters ici;
  HostParameters host;
  CompilerParameters compiler;
  TileLevelParameters tile_level;
  PodParameters pod;

  base::Clock core_clock() const { return base::Clock(clock); }
  /// VMEM of a core that tiles of an op may take.
  base::Bytes vmem_for_tiles() const { return vmem - compiler.vmem_for_values; }
  /// Bytes of a core's HBM that arrays of a program may take before some of its ops run twice.
  base::Bytes memory_before_recomputing() const {
    return base::Bytes(std::int64_t(double(hbm.usable_per_core().value()) * compiler.recompute_above));
  }
  /// Peak rate of one core in bf16, a multiply-add counted as two operations, per second.
  double peak_flops_per_core() const;
};

/// Reads the resolved configuration. InputError for a value out of its range, at the location that set it.
Machine read_machine(const base::Config& config);

}  // namespace podsim::hw
