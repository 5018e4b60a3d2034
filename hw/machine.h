// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/units.h"
#include "hw/memory/dram_parameters.h"
#include "noc/ici_parameters.h"

/// The resolved machine: a machine file's values, typed and checked, as the models use them. Where each value comes
/// from stands in the file and is printed by `podsim describe`.
namespace podsim::hw {

class StreamRates;

struct MxuParameters {                ///< [mxu]
  std::int64_t count = 0;             ///< per core
  std::int64_t size = 0;              ///< rows and columns of the systolic array
  base::Cycles weight_load;           ///< one full weight tile into the shadow registers: size / weight_rows_per_cycle
  base::Cycles first_result_latency;  ///< first LHS row in to first result register out: size + result_skew
  std::int64_t operand_fifo = 0;      ///< registers waiting in front of the array, LHS and weights each
  std::int64_t result_fifo = 0;       ///< registers in the array and behind it
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
  base::Cycles store_to_load;            ///< until a load or a DMA sees what was stored
  base::Cycles transcendental_latency;   ///< push to pop
  std::int64_t transcendental_fifo = 0;  ///< registers in the unit and behind it
};

struct CrossLaneParameters {     ///< [cross_lane]
  base::Cycles interval;         ///< between two 8 x 128 operations
  base::Cycles latency;          ///< last push to first pop
  std::int64_t result_fifo = 0;  ///< registers in the unit and behind it
};

struct DmaParameters {           ///< [dma]
  base::Cycles read_latency;     ///< descriptor issue to first byte's effect, HBM -> VMEM
  base::Cycles write_latency;    ///< VMEM -> HBM
  base::Cycles issue_interval;   ///< between two descriptors
  std::int64_t queue_depth = 0;  ///< descriptors outstanding
  std::int64_t granules = 0;     ///< pieces of at most an interleave unit outstanding at the memory
};

struct HbmParameters {  ///< [hbm]
  base::Bytes capacity_per_core;
  base::Bandwidth stream_rate;         ///< sustained, one core's half, contiguous reads only
  double write_cost = 1;               ///< time of a byte of a contiguous write alone, in times of a byte read
  double turnaround = 0;               ///< extra cost per byte of the lesser direction of a read/write mix
  std::shared_ptr<StreamRates> rates;  ///< of what is not contiguous
};

struct HostParameters {       ///< [host]
  base::Bandwidth pcie_rate;  ///< per direction and chip
  base::Duration pcie_latency;
  base::Bandwidth infeed_copy_rate;  ///< infeed queue -> HBM buffer by the core
  base::Duration infeed_tensor_overhead;
  std::int64_t infeed_queue_depth = 0;   ///< batches
  std::int64_t outfeed_queue_depth = 0;  ///< transfers
  base::Duration batch_interval;         ///< in which the host prepares a batch for each core
};

/// What the tile compiler assumes of the code it stands for; machine-wide, never per op.
struct CompilerParameters {            ///< [compiler]
  double exposed_vector_fraction = 0;  ///< of a matmul fusion's vector work, the share not hidden behind the MXU
  std::int64_t prologue_columns = 0;   ///< output columns per recomputation of an operand prologue
  base::Bytes least_tile;              ///< ops are not cut into tiles that move less, where VMEM holds larger ones
  base::Cycles op_launch;              ///< scalar code at the beginning of an op
  base::Bytes combine_all_reduce;      ///< collectives of one kind are combined up to this size
  base::Bytes least_segment;           ///< a collective's messages are not cut smaller
  base::Bytes largest_segment;         ///< nor left longer than this
  base::Duration collective_launch;    ///< software before a core's first action in a collective
  base::Cycles row_lookup;             ///< scalar code for an index of a gather or scatter: load it, find the row
  base::Cycles row_read;               ///< and for each contiguous piece of a gathered row: its DMA
  base::Cycles row_update;             ///< and of a scattered row: read, combine, write
};

/// What the tile level cannot see of the code that it stands for, derived from bundle-level runs; machine-wide.
struct TileLevelParameters {      ///< [tile_level]
  base::Cycles tile;              ///< scalar code per tile
  base::Cycles transfer;          ///< and per descriptor
  base::Cycles vector_loop;       ///< start and end of a software-pipelined vector loop
  base::Cycles matrix_phase;      ///< of a matrix phase, beyond its first weight load and its last result
  base::Cycles cross_lane_phase;  ///< of a phase of cross-lane work
};

struct PodParameters {                   ///< [pod]
  std::vector<std::int64_t> dimensions;  ///< a full pod, chips per dimension: {32, 32}
  std::int64_t pods = 0;                 ///< joined along the first dimension at most
};

/// Durations of units that run on the core clock are kept in its cycles, rounded up; a file may state them in ns.
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
  noc::SwitchParameters chip_switch;
  noc::IciParameters ici;
  HostParameters host;
  CompilerParameters compiler;
  TileLevelParameters tile_level;
  PodParameters pod;

  base::Clock core_clock() const { return base::Clock(clock); }
  /// bf16 multiply-adds of one core counted as two operations, per second.
  double peak_flops_per_core() const;
};

/// Reads the resolved configuration; InputError for a value out of its range, at the place that set it.
Machine read_machine(const base::Config& config);

}  // namespace podsim::hw
