// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/passes.h"

#include <array>
#include <utility>

#include "hlo/expanders/batch_norm.h"
#include "hlo/expanders/cholesky.h"
#include "hlo/expanders/cumulative.h"
#include "hlo/expanders/known_indices.h"
#include "hlo/expanders/simple_gathers.h"
#include "hlo/expanders/top_k.h"
#include "hlo/expanders/triangular_solve.h"
#include "hlo/spmd/propagate/own_constants.h"
#include "hlo/transform/constant_sinking.h"
#include "sw/compiler/fuse/collective_combiner.h"
#include "sw/compiler/fuse/dot_strength.h"
#include "sw/compiler/fuse/fusion.h"
#include "sw/compiler/fuse/horizontal_fusion.h"
#include "sw/compiler/fuse/layout_assignment.h"
#include "sw/compiler/fuse/moved_reshapes.h"
#include "sw/compiler/fuse/narrowed_moves.h"
#include "sw/compiler/fuse/ordered_reshapes.h"
#include "sw/compiler/fuse/rebuild.h"
#include "sw/compiler/fuse/simplified_moves.h"
#include "sw/compiler/fuse/staged_all_reduces.h"
#include "sw/compiler/fuse/transposed_products.h"
#include "sw/compiler/layout/dimension_order.h"
#include "sw/compiler/memory_order.h"
#include "sw/compiler/placed_values.h"
#include "sw/driver/partition_passes.h"
#include "sw/driver/program_passes.h"

namespace podsim::sw::driver {
namespace {

bool partitions(const Compilation& c) { return c.choices.partition.has_value(); }
bool shards_updates(const Compilation& c) { return partitions(c) && c.choices.partition->update_axes != "off"; }
bool rematerialises(const Compilation& c) { return c.policy != hlo::transform::Rematerialisation::none; }
bool types_weights(const Compilation& c) { return c.choices.weights.has_value(); }
bool is_compiled(const Compilation& c) { return !c.module.scheduled; }
bool may_recompute(const Compilation& c) { return is_compiled(c) && !c.choices.rematerialise; }
bool overlaps(const Compilation& c) { return c.choices.overlap != compiler::Overlap::none; }
bool has_room_for_values(const Compilation& c) { return compiler::has_room_for_values(c.machine()); }

/// A pass over each computation by itself.
template <void (*pass)(hlo::Computation&)>
void each(Compilation& c) {
  for (hlo::Computation& computation : c.module.computations) pass(computation);
}

void rematerialise_layers(Compilation& c) {
  hlo::transform::RematerialisedModule once_more = hlo::transform::rematerialise(c.module, c.policy);
  c.module = std::move(once_more.module);
  c.step.rematerialised = {c.policy, {}, once_more.flops};
}

constexpr std::array whole{
    Pass{"check_shapes", "shapes follow from operands", check_shapes, partitions},
    Pass{"number_devices", "devices by their positions in the mesh", number_devices, partitions},
    Pass{"choose_mesh", "the axes of the cores", choose_mesh, partitions},
    Pass{"annotate", "shardings of a file", annotate, partitions},
    Pass{"split_device_branches", "values on one device as branches", split_device_branches, partitions},
    Pass{"take_part", "the forward part, for inference and evaluation", take_part},
    Pass{"fold_weights", "what is computed from weights alone, as weights", fold_weights, types_weights},
    Pass{"type_weights", "weights of inference in the type asked for", type_weights, types_weights},
    Pass{"give_own_constants", "an iota or a constant for each of its readers",
         [](Compilation& c) { c.module = hlo::spmd::propagate::give_own_constants(std::move(c.module)); }, partitions},
    Pass{"shard_weight_updates", "weights and slots in shards", shard_weight_updates, shards_updates},
};

constexpr std::array cut{
    Pass{"rematerialise", "layers compute values again in their backward part", rematerialise_layers, rematerialises},
    Pass{"partition", "the program of one core", partition, partitions},
};

constexpr std::array fusion{
    Pass{"expand_batch_norms", "batch norms as sums and elementwise operations",
         [](Compilation& c) { hlo::expanders::expand_batch_norms(c.module); }, is_compiled},
    Pass{"expand_factorisations", "QR, LU and eigenvalues by panels and rotations, but for calls with a price",
         expand_factorisations, is_compiled},
    Pass{"expand_top_k", "topk as a sort and slices", [](Compilation& c) { hlo::expanders::expand_top_k(c.module); },
         is_compiled},
    Pass{"expand_cumulative_windows", "cumulative sums within rows of 128 and of their ends",
         [](Compilation& c) { hlo::expanders::expand_cumulative_windows(c.module); }, is_compiled},
    Pass{"expand_cholesky", "Cholesky factorisations by panels",
         [](Compilation& c) { hlo::expanders::expand_cholesky(c.module); }, is_compiled},
    Pass{"expand_triangular_solves", "triangular solves by blocks",
         [](Compilation& c) { hlo::expanders::expand_triangular_solves(c.module); }, is_compiled},
    Pass{"sink_constants_into_loops", "constants that loops carry, in their bodies",
         [](Compilation& c) { hlo::transform::sink_constants_into_loops(c.module); }, is_compiled},
    Pass{"simplify_gathers", "gathers and scatters of one window as dynamic slices, and without needless indices",
         [](Compilation& c) { hlo::expanders::simplify_gathers(c.module); }, is_compiled},
    Pass{"slice_known_gathers", "gathers and scatters of rows at known positions as slices",
         [](Compilation& c) { hlo::expanders::slice_known_gathers(c.module); }, is_compiled},
    Pass{"replace_weak_dots", "dots of vectors and without contractions as multiplications",
         [](Compilation& c) { compiler::fuse::replace_weak_dots(c.module); }, is_compiled},
    Pass{"bypass_copies", "copies have no effect before layouts", each<compiler::fuse::bypass_copies>, is_compiled},
    Pass{"simplify_moves", "one reshape for several, and none of slices and updates of whole arrays",
         each<compiler::fuse::simplify_moves>, is_compiled},
    Pass{"move_reshapes_to_statistics", "reshapes behind reductions that need not see them",
         each<compiler::fuse::move_reshapes_to_statistics>, is_compiled},
    Pass{"narrow_before_moves", "conversions to narrow types before transpositions",
         each<compiler::fuse::narrow_before_moves>, is_compiled},
    Pass{"exchange_operands_of_transposed_dots", "products in the order in which they are read",
         each<compiler::fuse::exchange_operands_of_transposed_dots>, is_compiled},
    Pass{"assign_layouts", "layouts of convolutions", [](Compilation& c) { compiler::fuse::assign_layouts(c.module); },
         is_compiled},
    Pass{"assign_dimension_orders", "layouts of the other arrays",
         [](Compilation& c) { compiler::layout::assign_dimension_orders(c.module, c.machine()); }, is_compiled},
    Pass{"order_reshapes", "reshapes by the layouts of what they join", each<compiler::fuse::order_reshapes>,
         is_compiled},
    Pass{"stage_all_reduces", "sums over all cores as sums that join those over some of them",
         [](Compilation& c) { c.module = compiler::fuse::stage_all_reduces(std::move(c.module)); }, shards_updates},
    Pass{"combine_collectives", "all-reduces of several arrays",
         [](Compilation& c) {
           c.module = compiler::fuse::combine_collectives(std::move(c.module), c.combine_all_reduce());
         },
         is_compiled},
    Pass{"fuse", "ops in one loop over their elements",
         [](Compilation& c) { c.module = compiler::fuse::fuse(std::move(c.module), c.choices.compiler.loop_outputs); },
         is_compiled},
};

constexpr std::array memory{
    Pass{"fuse_horizontally", "sharded updates of several arrays as one op",
         [](Compilation& c) { c.module = compiler::fuse::fuse_horizontally(std::move(c.module), c.machine()); },
         shards_updates},
    Pass{"order_by_memory", "the order that takes the least memory",
         [](Compilation& c) {
           const std::vector<hlo::Donation> donations = c.module.donations;
           c.module = compiler::branches_ordered_by_memory(compiler::ordered_by_memory(std::move(c.module), donations));
         },
         is_compiled},
    Pass{"recompute", "ops that run once more, as memory requires", recompute, may_recompute},
};

constexpr std::array lowering{
    Pass{"overlap", "overlaps collectives with other work", overlap, overlaps},
    Pass{"place_values", "values that stay on the chip", place_values, has_room_for_values},
    Pass{"account", "memory of a core", account},
    Pass{"require_memory", "refuses a step that does not fit", [](Compilation& c) { require_memory(c); }},
    Pass{"lower", "a program of ops and collectives", lower},
};

}  // namespace

std::span<const Pass> whole_passes() { return whole; }
std::span<const Pass> partition_passes() { return cut; }
std::span<const Pass> fusion_passes() { return fusion; }
std::span<const Pass> memory_passes() { return memory; }
std::span<const Pass> lowering_passes() { return lowering; }

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const auto passes : {whole_passes(), partition_passes(), fusion_passes(), memory_passes(), lowering_passes()}) {
    for (const Pass& pass : passes) names.push_back(pass.name);
  }
  return names;
}

}  // namespace podsim::sw::driver
