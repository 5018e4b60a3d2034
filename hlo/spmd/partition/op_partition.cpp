// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/op_partition.h"

#include <array>

#include "hlo/op_table.h"
#include "hlo/spmd/partition/indexed_op.h"
#include "hlo/spmd/partition/special_op.h"
#include "hlo/spmd/partition/windowed_op.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Way = std::vector<reshard::LocalValue> (*)(reshard::LocalProgram&, const OpToPartition&);
/// The ways of an opcode, tried in turn, before partition_by_factors, which handles every op.
using Ways = std::array<Way, 2>;

constexpr OpTable<Ways> own_ways({
    yes<Ways>({partition_windowed_einsum}, Opcode::dot),
    yes<Ways>({partition_convolution}, Opcode::convolution),
    yes<Ways>({partition_reduce_window, partition_cumulative}, Opcode::reduce_window),
    yes<Ways>({partition_select_and_scatter}, Opcode::select_and_scatter),
    yes<Ways>({partition_shifted}, Opcode::concatenate, Opcode::pad, Opcode::reverse, Opcode::slice),
    yes<Ways>({partition_gather}, Opcode::gather),
    yes<Ways>({partition_scatter}, Opcode::scatter),
    yes<Ways>({partition_dynamic_slice}, Opcode::dynamic_slice),
    yes<Ways>({partition_dynamic_update_slice}, Opcode::dynamic_update_slice),
    yes<Ways>({partition_iota}, Opcode::iota),
    yes<Ways>({partition_rng}, Opcode::rng),
    yes<Ways>({partition_batch_norm}, Opcode::batch_norm_training, Opcode::batch_norm_grad),
    of_elementwise<Ways>({.why_not = "it is split along all dimensions"}),
    no<Ways>("it is split along dimensions whose elements do not meet", Opcode::batch_norm_inference, Opcode::bitcast,
             Opcode::bitcast_convert, Opcode::broadcast, Opcode::cholesky, Opcode::fft, Opcode::map, Opcode::reshape,
             Opcode::rng_bit_generator, Opcode::set_dimension_size, Opcode::sort, Opcode::topk, Opcode::transpose,
             Opcode::triangular_solve),
    no<Ways>("it sums over what is split", Opcode::all_reduce, Opcode::reduce),
    no<Ways>("it names or hands on values, each in its sharding", Opcode::add_dependency, Opcode::constant,
             Opcode::custom_call, Opcode::domain, Opcode::get_tuple_element, Opcode::infeed, Opcode::opt_barrier,
             Opcode::parameter, Opcode::tuple, Opcode::tuple_select),
    no<Ways>("it is whole on every device", Opcode::after_all, Opcode::all_gather, Opcode::all_to_all, Opcode::call,
             Opcode::collective_broadcast, Opcode::collective_permute, Opcode::conditional, Opcode::dynamic_reshape,
             Opcode::fusion, Opcode::get_dimension_size, Opcode::outfeed, Opcode::partition_id,
             Opcode::ragged_all_to_all, Opcode::ragged_dot, Opcode::recv, Opcode::recv_done, Opcode::reduce_scatter,
             Opcode::replica_id, Opcode::rng_get_and_update_state, Opcode::scaled_dot, Opcode::scan, Opcode::send,
             Opcode::send_done, Opcode::while_loop),
    no_of_text_forms<Ways>(),
});

}  // namespace

const char* why_no_own_partition(Opcode opcode) { return own_ways.why_not(opcode); }

std::vector<reshard::LocalValue> partition_in_own_way(reshard::LocalProgram& program, const OpToPartition& op) {
  const Opcode opcode = op.instruction().opcode;
  if (opcode == Opcode::unknown || !own_ways[opcode]) return {};
  for (const Way way : own_ways[opcode].rule) {
    if (way == nullptr) break;
    if (std::vector<reshard::LocalValue> results = way(program, op); !results.empty()) return results;
  }
  return {};
}

std::vector<reshard::LocalValue> partition_op(reshard::LocalProgram& program, const OpToPartition& op) {
  std::vector<reshard::LocalValue> results = partition_in_own_way(program, op);
  return results.empty() ? partition_by_factors(program, op) : results;
}

}  // namespace podsim::hlo::spmd::partition
