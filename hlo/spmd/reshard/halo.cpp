// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/halo.h"

#include <algorithm>

#include "hlo/spmd/reshard/by_position.h"
#include "hlo/spmd/reshard/halo_plan.h"

namespace podsim::hlo::spmd::reshard {

namespace {

/// Writes one exchange.
class Exchange {
 public:
  Exchange(LocalProgram& program, const LocalValue& value, int dimension, const mesh::SubAxes& sub_axes,
           const ShardWindow& window, hlo::InstructionId fill)
      : program_(program),
        value_(value),
        dimension_(dimension),
        sub_axes_(sub_axes),
        window_(window),
        shards_(std::int64_t(window.starts.size())),
        size_(value.shape.dimensions[std::size_t(dimension)]),
        is_filled_(fill != no_fill),
        fill_(is_filled_ ? fill : program.builder().constant(value.shape.element_type, 0)) {}

  hlo::InstructionId run() {
    const HaloPlan plan = plan_halo(size_, shards_, window_);
    switch (plan.kind) {
      case HaloPlan::Kind::neighbours:
        return plan.transfers.empty() ? full(window_.size) : without_outside(window_of(plan));
      case HaloPlan::Kind::rounds:
        return without_outside(assembled(plan));
      case HaloPlan::Kind::gather:
        break;
    }
    const hlo::InstructionId padded = program_.all_gather(value_.id, sub_axes_, dimension_);
    return window_of_whole(slice_of(program_, padded, dimension_, 0, size_));
  }

  /// Slices the window out of a dimension that every partition holds whole.
  hlo::InstructionId window_of_whole(hlo::InstructionId whole) {
    const auto [least, most] = std::ranges::minmax(window_.starts);
    const std::int64_t low = std::max<std::int64_t>(0, -least);
    const std::int64_t high = std::max<std::int64_t>(0, most + window_.size - size_);
    std::vector<std::int64_t> starts = window_.starts;
    for (std::int64_t& start : starts) start += low;
    const hlo::InstructionId padded = pad_ends(program_, whole, dimension_, low, high, fill_);
    return slice_by_position(program_, padded, dimension_, sub_axes_, starts, window_.size);
  }

 private:
  std::int64_t shard() const { return (size_ + shards_ - 1) / shards_; }

  hlo::InstructionId full(std::int64_t size) {
    std::vector<std::int64_t> sizes = program_.builder().shape(value_.id).dimensions;
    sizes[std::size_t(dimension_)] = size;
    return program_.builder().broadcast(fill_, std::move(sizes));
  }

  bool needs_any(std::int64_t position) const {
    const std::int64_t start = window_.starts[std::size_t(position)];
    return start < size_ && start + window_.size > 0;
  }

  /// Concatenates halos and shard, then slices the window out of that.
  hlo::InstructionId window_of(const HaloPlan& plan) {
    // All transfers start before the first one is waited for.
    std::vector<hlo::InstructionId> pieces;
    std::int64_t length = 0;
    for (std::size_t k = 0; k < plan.transfers.size(); ++k) {
      pieces.push_back(sent_piece(plan.transfers[k], plan.distances[k]));
      length += plan.transfers[k].size;
    }
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (is_sent(plan.transfers[k], plan.distances[k])) pieces[k] = finish_permute(program_, pieces[k]);
    }
    const hlo::InstructionId joined =
        pieces.size() == 1 ? pieces[0] : program_.builder().concatenate(std::move(pieces), dimension_);
    const std::int64_t first = plan.distances[0] * shard() + plan.transfers[0].sent_from[0];
    std::vector<std::int64_t> starts, needed;
    for (std::int64_t i = 0; i < shards_; ++i) {
      starts.push_back(window_.starts[std::size_t(i)] - i * shard() - first);
      if (needs_any(i)) needed.push_back(starts.back());
    }
    const auto [least, most] = std::ranges::minmax(needed);
    // Windows that need no elements may start anywhere.
    if (least == most) std::ranges::fill(starts, least);
    const std::int64_t low = std::max<std::int64_t>(0, -least);
    const std::int64_t high = std::max<std::int64_t>(0, most + window_.size - length);
    for (std::int64_t& start : starts) start += low;
    return slice_by_position(program_, pad_ends(program_, joined, dimension_, low, high, fill_), dimension_, sub_axes_,
                             starts, window_.size);
  }

  static bool is_sent(const HaloTransfer& transfer, std::int64_t distance) {
    return distance != 0 && std::ranges::any_of(transfer.sources, [](std::int64_t source) { return source >= 0; });
  }

  /// The part of the own shard, or the start of a transfer.
  hlo::InstructionId sent_piece(const HaloTransfer& transfer, std::int64_t distance) {
    if (distance != 0 && !is_sent(transfer, distance)) return full(transfer.size);
    const hlo::InstructionId piece = piece_of(transfer);
    return distance == 0 ? piece : start_permute(program_, piece, sub_axes_, transfer.sources);
  }

  /// Writes every piece into a buffer with margins of the length of the longest piece. A partition that receives no
  /// piece writes into the margin. Elements of a piece that are not needed are at their correct indices too.
  hlo::InstructionId assembled(const HaloPlan& plan) {
    const HaloTransfer own = own_piece();
    std::int64_t margin = own.size;
    for (const HaloTransfer& transfer : plan.transfers) margin = std::max(margin, transfer.size);
    hlo::InstructionId buffer = full(window_.size + 2 * margin);
    const auto write = [&](const HaloTransfer& transfer, hlo::InstructionId piece) {
      std::vector<std::int64_t> places;
      for (std::int64_t i = 0; i < shards_; ++i) {
        const std::int64_t source = transfer.sources[std::size_t(i)];
        const std::int64_t first = source < 0 ? 0 : source * shard() + transfer.sent_from[std::size_t(source)];
        places.push_back(source < 0 ? 0 : margin + first - window_.starts[std::size_t(i)]);
      }
      buffer = update_from(program_, buffer, piece, dimension_, by_position(program_, sub_axes_, places));
    };
    std::vector<hlo::InstructionId> started;
    for (const HaloTransfer& transfer : plan.transfers) {
      started.push_back(start_permute(program_, piece_of(transfer), sub_axes_, transfer.sources));
    }
    if (own.size > 0) write(own, piece_of(own));
    for (std::size_t k = 0; k < started.size(); ++k) {
      write(plan.transfers[k], finish_permute(program_, started[k]));
    }
    return slice_of(program_, buffer, dimension_, margin, window_.size);
  }

  /// The piece that each position sends.
  hlo::InstructionId piece_of(const HaloTransfer& transfer) {
    return slice_by_position(program_, value_.id, dimension_, sub_axes_, transfer.sent_from, transfer.size);
  }

  /// The part of its own shard that each window needs.
  HaloTransfer own_piece() const {
    HaloTransfer own;
    std::vector<std::int64_t> firsts(std::size_t(shards_), -1);
    for (std::int64_t i = 0; i < shards_; ++i) {
      const std::int64_t start = window_.starts[std::size_t(i)];
      const std::int64_t first = std::max(start, i * shard());
      const std::int64_t limit = std::min({start + window_.size, (i + 1) * shard(), size_});
      if (first >= limit) continue;
      firsts[std::size_t(i)] = first - i * shard();
      own.size = std::max(own.size, limit - first);
    }
    for (std::int64_t i = 0; i < shards_; ++i) {
      const std::int64_t first = firsts[std::size_t(i)];
      own.sources.push_back(first < 0 ? -1 : i);
      own.sent_from.push_back(std::clamp<std::int64_t>(first, 0, shard() - own.size));
    }
    return own;
  }

  hlo::InstructionId without_outside(hlo::InstructionId window) {
    const auto [least, most] = std::ranges::minmax(window_.starts);
    if (!is_filled_ || (least >= 0 && most + window_.size <= size_)) return window;
    return keep_range(program_, window, dimension_, by_position(program_, sub_axes_, window_.starts), 0, size_, fill_);
  }

  LocalProgram& program_;
  const LocalValue& value_;
  int dimension_;
  const mesh::SubAxes& sub_axes_;
  const ShardWindow& window_;
  std::int64_t shards_, size_;
  bool is_filled_;
  hlo::InstructionId fill_;
};

}  // namespace

hlo::InstructionId exchange_halo(LocalProgram& program, const LocalValue& value, int dimension,
                                 const ShardWindow& window, hlo::InstructionId fill) {
  const mesh::SubAxes& sub_axes = value.sharding.dimensions[std::size_t(dimension)];
  return Exchange(program, value, dimension, sub_axes, window, fill).run();
}

hlo::InstructionId take_window(LocalProgram& program, const LocalValue& value, int dimension,
                               const mesh::SubAxes& sub_axes, const ShardWindow& window, hlo::InstructionId fill) {
  if (value.sharding.dimensions[std::size_t(dimension)] == sub_axes) {
    return exchange_halo(program, value, dimension, window, fill);
  }
  return Exchange(program, value, dimension, sub_axes, window, fill).window_of_whole(value.id);
}

}  // namespace podsim::hlo::spmd::reshard
