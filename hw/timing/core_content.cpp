// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/core_content.h"

namespace podsim::hw::timing {
namespace {

// The structured bindings name every member, so that a new member does not compile until it is added here or left out.

void add(base::ContentHash& hash, const ScalarParameters& scalar) {
  const auto& [smem, alu_latency, load_latency, branch_penalty] = scalar;
  hash.add(smem, alu_latency, load_latency, branch_penalty);
}

void add(base::ContentHash& hash, const MxuParameters& mxu) {
  const auto& [count, size, weight_load, first_result_latency, operand_fifo, result_fifo] = mxu;
  hash.add(count, size, weight_load, first_result_latency, operand_fifo, result_fifo);
}

void add(base::ContentHash& hash, const VectorParameters& vector) {
  const auto& [lanes, sublanes, alus, loads, stores, transcendental_interval, load_latency, alu_latency, store_to_load,
               transcendental_latency, transcendental_fifo] = vector;
  hash.add(lanes, sublanes, alus, loads, stores, transcendental_interval, load_latency, alu_latency, store_to_load,
           transcendental_latency, transcendental_fifo);
}

void add(base::ContentHash& hash, const CrossLaneParameters& cross_lane) {
  const auto& [interval, latency, result_fifo] = cross_lane;
  hash.add(interval, latency, result_fifo);
}

void add(base::ContentHash& hash, const DmaParameters& dma) {
  const auto& [read_latency, write_latency, issue_interval, queue_depth, granules] = dma;
  hash.add(read_latency, write_latency, issue_interval, queue_depth, granules);
}

/// Rates of non-contiguous accesses follow from the banks and the capacity, which are hashed.
void add(base::ContentHash& hash, const HbmParameters& hbm) {
  const auto& [capacity_per_core, reserved_per_core, stream_rate, write_cost, turnaround, port_rate] = hbm;
  hash.add(capacity_per_core, reserved_per_core, stream_rate, write_cost, turnaround, port_rate);
}

void add(base::ContentHash& hash, const DramOrganization& organization) {
  const auto& [channels, pseudo_channels, bank_groups, banks_per_group, rows, row, burst, burst_clocks] = organization;
  hash.add(channels, pseudo_channels, bank_groups, banks_per_group, rows, row, burst, burst_clocks);
}

void add(base::ContentHash& hash, const DramTiming& timing) {
  const auto& [cl, cwl, rcd_read, rcd_write, rp, ras, rc, wr, rtp, ccd_s, ccd_l, rrd_s, rrd_l, faw, wtr_s, wtr_l,
               read_to_write_gap, rfc_all, rfc_bank, rrefd, refi, activate_clocks] = timing;
  hash.add(cl, cwl, rcd_read, rcd_write, rp, ras, rc, wr, rtp, ccd_s, ccd_l, rrd_s, rrd_l, faw, wtr_s, wtr_l,
           read_to_write_gap, rfc_all, rfc_bank, rrefd, refi, activate_clocks);
}

void add(base::ContentHash& hash, const AddressOrder& address) {
  const auto& [interleave, fields, bank_hash, channel_hash] = address;
  hash.add(interleave, fields.size(), bank_hash, channel_hash);
  for (const AddressField field : fields) hash.add(field);
}

void add(base::ContentHash& hash, const ControllerPolicy& policy) {
  const auto& [read_queue, write_queue, drain_high, drain_low, starvation_bound, page, refresh] = policy;
  hash.add(read_queue, write_queue, drain_high, drain_low, starvation_bound, page, refresh);
}

void add(base::ContentHash& hash, const DramParameters& dram) {
  const auto& [clock, organization, timing, address, policy] = dram;
  hash.add(clock);
  add(hash, organization);
  add(hash, timing);
  add(hash, address);
  add(hash, policy);
}

/// Adds the keys that concern ops of a core; keys of collectives, of fusion and of layouts are left out.
void add(base::ContentHash& hash, const CompilerParameters& compiler) {
  const auto& [exposed_vector_fraction, prologue_columns, least_tile, op_launch, combine_all_reduce, least_segment,
               largest_segment, collective_launch, launch_doubling, row_lookup, row_read, row_update,
               moved_row_operations, packing_share, resident_table, small_op_share, small_operand, tile_penalty,
               vmem_for_values, transfers_in_turns, recompute_above, order_gain, reshape_padding, partition_link,
               partition_products, partition_memory] = compiler;
  hash.add(exposed_vector_fraction, prologue_columns, least_tile, op_launch, row_lookup, row_read, row_update,
           moved_row_operations, packing_share, resident_table, small_operand, tile_penalty, vmem_for_values,
           transfers_in_turns);
}

void add(base::ContentHash& hash, const TileLevelParameters& tile_level) {
  const auto& [tile, transfer, vector_loop, matrix_phase, cross_lane_phase] = tile_level;
  hash.add(tile, transfer, vector_loop, matrix_phase, cross_lane_phase);
}

void add(base::ContentHash& hash, const std::vector<TileTransfer>& transfers) {
  hash.add(transfers.size());
  for (const auto& [bytes, shape] : transfers) {
    const auto& [row, pitch, span] = shape;
    hash.add(bytes, row, pitch, span);
  }
}

void add(base::ContentHash& hash, const TileWork& work) {
  const auto& [reads, phases, writes] = work;
  add(hash, reads);
  hash.add(phases.size());
  for (const auto& [mxu, vector, cross_lane_ops, scalar] : phases) {
    const auto& [weight_tiles, rows] = mxu;
    const auto& [loads, stores, alu_ops, transcendentals] = vector;
    hash.add(weight_tiles, rows, loads, stores, alu_ops, transcendentals, cross_lane_ops, scalar);
  }
  add(hash, writes);
}

}  // namespace

void add_core(base::ContentHash& hash, const Machine& machine) {
  const auto& [name, clock, cores_per_chip, vmem, sync_flags, instruction_memory, scalar, mxu, vector, cross_lane, dma,
               hbm, dram, chip_switch, ici, host, compiler, tile_level, pod] = machine;
  hash.add(clock, cores_per_chip, vmem, sync_flags, instruction_memory);
  add(hash, scalar);
  add(hash, mxu);
  add(hash, vector);
  add(hash, cross_lane);
  add(hash, dma);
  add(hash, hbm);
  add(hash, dram);
  add(hash, compiler);
  add(hash, tile_level);
}

void add_tile_op(base::ContentHash& hash, const TileOp& op) {
  const auto& [name, runs, vmem, in_turns] = op;
  hash.add(runs.size(), vmem, in_turns);
  for (const auto& [count, work] : runs) {
    hash.add(count);
    add(hash, work);
  }
}

}  // namespace podsim::hw::timing
