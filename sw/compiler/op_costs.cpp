// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_costs.h"

#include <string_view>
#include <type_traits>

#include "base/build_id.h"
#include "hw/timing/core_content.h"
#include "sw/compiler/tiles/tile_maker.h"

namespace podsim::sw::compiler {
namespace {

void add(base::ContentHash& hash, const tiles::MatmulProblem& problem) {
  const auto& [row_operand, lane_operand, batch, lanes, stationary_blocks, contraction_tiles, precision_passes, product,
               depth, rows, output_rows, halo_per_split, max_halo, splits_without_halo, row_rotations,
               output_transposes, moved_row_rows, moved_lane_rows, moved_output_rows, stationary] = problem;
  hash.add(row_operand, lane_operand, batch, lanes, stationary_blocks, contraction_tiles, precision_passes, product,
           depth, rows, output_rows, halo_per_split, max_halo, splits_without_halo, row_rotations, output_transposes,
           moved_row_rows, moved_lane_rows, moved_output_rows, stationary.tile_rows, stationary.dimensions.size());
  for (const tiles::StridedOperand::Dimension& dimension : stationary.dimensions) {
    hash.add(int(dimension.loop), dimension.extent);
  }
}

void add(base::ContentHash& hash, const tiles::IndexedRows& rows) {
  const auto& [slices, pieces, piece, span, shares_words, level] = rows;
  hash.add(slices, pieces, piece, span, shares_words, level);
}

void add(base::ContentHash& hash, const tiles::OpWork& work) {
  const auto& [matmul, earlier_matmuls, row_bytes, lane_bytes, output_side_bytes, small_bytes, written_bytes,
               sums_in_result, row_prologue, lane_prologue, epilogue, collected, lane_moves, row_relayouts,
               lane_relayouts, output_relayouts, passes, loops, loop_arrays, serial_transfers, gathered, updated,
               table_bytes, shared_side_bytes, sharing_products] = work;
  hash.add(matmul.has_value(), earlier_matmuls.size(), sums_in_result);
  if (matmul) add(hash, *matmul);
  for (const tiles::MatmulProblem& problem : earlier_matmuls) add(hash, problem);
  for (const hw::LevelBytes* bytes :
       {&row_bytes, &lane_bytes, &output_side_bytes, &small_bytes, &written_bytes, &table_bytes, &shared_side_bytes}) {
    for (const base::Bytes at : bytes->at) hash.add(at);
  }
  hash.add(lane_moves, row_relayouts, lane_relayouts, output_relayouts, passes, loops, loop_arrays, serial_transfers,
           sharing_products);
  const auto add_count = [&](std::int64_t count) { hash.add(count); };
  for (const hw::VectorWork* vector : {&row_prologue, &lane_prologue, &epilogue, &collected}) {
    hw::VectorWork::for_each_count(add_count, *vector);
  }
  add(hash, gathered);
  add(hash, updated);
}

std::int64_t word_of(std::int64_t count) { return count; }
template <class Tag>
std::int64_t word_of(base::Count<Tag> count) {
  return count.value();
}

OpCache::Value to_value(const tiles::Tiling& tiling) {
  const auto& [batch, rows, lanes, contraction, rows_outer] = tiling;
  return {batch, rows, lanes, contraction, rows_outer ? 1 : 0};
}

tiles::Tiling to_tiling(const OpCache::Value& value) { return {value[0], value[1], value[2], value[3], value[4] != 0}; }

OpCache::Value to_value(const hw::OpResult& result) {
  OpCache::Value value{};
  std::size_t next = 0;
  hw::OpResult::for_each_count([&](const auto& count) { value[next++] = word_of(count); }, result);
  return value;
}

hw::OpResult to_result(const OpCache::Value& value) {
  hw::OpResult result;
  std::size_t next = 0;
  hw::OpResult::for_each_count([&](auto& count) { count = std::remove_reference_t<decltype(count)>(value[next++]); },
                               result);
  return result;
}

}  // namespace

OpCosts::OpCosts(const TargetMachine& machine, OpCache* cache) : machine_(machine), cache_(cache) {
  if (cache_ == nullptr) return;
  base::ContentHash hash;
  hash.add(std::string_view(base::build_id()));
  add_core(hash, machine);
  core_ = hash.key();
}

hw::timing::TilePipeline& OpCosts::pipeline() {
  if (!pipeline_) pipeline_.emplace(machine_);
  return *pipeline_;
}

base::ContentKey OpCosts::key_of(std::string_view what, const hw::TileOp& tiles) const {
  base::ContentHash hash;
  hash.add(core_, what);
  hw::timing::add_tile_op(hash, tiles);
  return hash.key();
}

tiles::Tiling OpCosts::tiling(const tiles::OpWork& work, const std::string& name) { return cost(work, name).tiling; }

hw::TileOp OpCosts::tiles(const tiles::OpWork& work, const tiles::Tiling& tiling, const std::string& name) {
  hw::TileOp op = tiles::make_tiles(work, tiling, machine_, name);
  if (!machine_.compiler.transfers_in_turns) return op;
  hw::TileOp turned = op;
  turned.in_turns = true;
  return simulate(turned).cycles < simulate(op).cycles ? turned : op;
}

base::Cycles OpCosts::cycles(const tiles::OpWork& work, const std::string& name) {
  Cost& known = cost(work, name);
  if (!known.cycles) known.cycles = simulate(tiles(work, known.tiling, name)).cycles;
  return *known.cycles;
}

base::Cycles OpCosts::cycles(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id) {
  return cycles(tiles::op_work(module, computation, id, machine_), computation[id].name);
}

OpCosts::Cost& OpCosts::cost(const tiles::OpWork& work, const std::string& name) {
  auto found = known_.find(work);
  if (found == known_.end()) found = known_.emplace(work, Cost{find_tiling(work, name), {}}).first;
  return found->second;
}

tiles::Tiling OpCosts::find_tiling(const tiles::OpWork& work, const std::string& name) {
  if (cache_ == nullptr) return tiles::choose_tiling(work, machine_, pipeline(), name);
  base::ContentHash hash;
  hash.add(core_, std::string_view("cuts"));
  add(hash, work);
  const base::ContentKey key = hash.key();
  if (const auto known = cache_->find(key)) return to_tiling(*known);
  const tiles::Tiling tiling = tiles::choose_tiling(work, machine_, pipeline(), name);
  cache_->add(key, to_value(tiling));
  return tiling;
}

hw::OpResult OpCosts::simulate(const hw::TileOp& tiles) {
  if (cache_ == nullptr) return pipeline().simulate(tiles);
  const base::ContentKey key = key_of("cost", tiles);
  if (const auto known = cache_->find(key)) return to_result(*known);
  const hw::OpResult result = pipeline().simulate(tiles);
  cache_->add(key, to_value(result));
  return result;
}

base::Cycles OpCosts::estimate(const hw::TileOp& tiles) {
  if (cache_ == nullptr) return pipeline().estimate(tiles);
  const base::ContentKey key = key_of("estimate", tiles);
  if (const auto known = cache_->find(key)) return base::Cycles(known->front());
  const base::Cycles cycles = pipeline().estimate(tiles);
  cache_->add(key, {cycles.value()});
  return cycles;
}

}  // namespace podsim::sw::compiler
