// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/tile_plan.h"

#include <algorithm>

#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

namespace {

constexpr std::int64_t word_bytes = 4;
/// Bytes of an HBM burst; a row of a DMA moves whole bursts.
constexpr std::int64_t hbm_atom = 32;

std::int64_t length(const TileWindow& window, std::span<const std::int64_t> indices) {
  const std::int64_t index = window.dimension < 0 ? 0 : indices[std::size_t(window.dimension)];
  return window.end(index) - window.begin(index);
}

}  // namespace

std::int64_t TileWindow::begin(std::int64_t index) const {
  return std::clamp<std::int64_t>(index * step - before, 0, total);
}

std::int64_t TileWindow::end(std::int64_t index) const {
  return std::clamp<std::int64_t>(index * step - before + length, 0, total);
}

bool TileWindow::uniform(std::int64_t count) const {
  if (dimension < 0) count = 1;
  return before == 0 && (count - 1) * step + length <= total;
}

bool TileWindow::leaves_empty(std::int64_t count) const {
  const std::int64_t last = dimension < 0 ? 0 : count - 1;  // if any window is outside, the first or last one is
  return begin(0) == end(0) || begin(last) == end(last);
}

std::int64_t TilePlan::tiles() const {
  std::int64_t tiles = 1;
  for (std::int64_t count : counts) tiles *= count;
  return tiles;
}

bool TilePlan::uses(const TileStream& stream, int dimension) const {
  if (counts[std::size_t(dimension)] == 1) return false;
  if (stream.rows.dimension == dimension || stream.words.dimension == dimension) return true;
  return std::size_t(dimension) < stream.steps.size() && stream.steps[std::size_t(dimension)] != 0;
}

std::vector<int> TilePlan::shared_dimensions(const TileStream& stream) const {
  std::vector<int> shared;
  for (int d = int(counts.size()) - 1; d >= 0 && !uses(stream, d); --d) {
    if (counts[std::size_t(d)] > 1) shared.push_back(d);
  }
  return shared;
}

bool TilePlan::first_of_period(const TileStream& stream, std::span<const std::int64_t> indices) const {
  return std::ranges::all_of(shared_dimensions(stream), [&](int d) { return indices[std::size_t(d)] == 0; });
}

std::int64_t TilePlan::period(const TileStream& stream) const {
  std::int64_t period = 1;
  for (int d : shared_dimensions(stream)) period *= counts[std::size_t(d)];
  return period;
}

std::int64_t TilePlan::passes(const TileStream& stream) const {
  std::int64_t passes = transfers(stream);
  for (int d = 0; d < int(counts.size()); ++d) {
    if (uses(stream, d)) passes /= counts[std::size_t(d)];
  }
  return passes;
}

std::int64_t TilePlan::buffer_rows(const TileStream& stream) const {
  return stream.vmem_rows * std::min<std::int64_t>(2, transfers(stream));
}

std::int64_t TilePlan::vmem_rows() const {
  std::int64_t rows = scratch_rows;
  for (const TileStream& stream : streams) rows += buffer_rows(stream);
  return rows;
}

std::vector<std::int64_t> TilePlan::indices(std::int64_t tile) const {
  std::vector<std::int64_t> indices(counts.size());
  for (std::size_t d = counts.size(); d-- > 0; tile /= counts[d]) indices[d] = tile % counts[d];
  return indices;
}

hw::TileOp make_tile_op(const TilePlan& plan, const std::string& name,
                        const std::function<std::vector<hw::TilePhase>(std::span<const std::int64_t>)>& phases) {
  hw::TileOp op{name, {}, base::Bytes(plan.vmem_rows() * vmem_row_bytes)};
  for (std::int64_t i = 0; i < plan.tiles(); ++i) {
    const std::vector<std::int64_t> indices = plan.indices(i);
    hw::TileWork work{{}, phases(indices), {}};
    for (const TileStream& stream : plan.streams) {
      if (plan.in_vmem) break;
      const bool input = stream.role == TileRole::input;
      const std::int64_t period = plan.period(stream);
      if (i % period != (input ? 0 : period - 1)) continue;
      const std::int64_t row_bytes = base::round_up(length(stream.words, indices) * word_bytes, hbm_atom);
      const base::Bytes bytes(length(stream.rows, indices) * row_bytes);
      std::vector<hw::TileTransfer>& transfers = input ? work.reads : work.writes;
      transfers.insert(transfers.end(), stream.pieces.size(), {bytes});
    }
    if (!op.runs.empty() && op.runs.back().work == work) {
      ++op.runs.back().count;
    } else {
      op.runs.push_back({1, std::move(work)});
    }
  }
  return op;
}

}  // namespace podsim::sw::codegen::builder
