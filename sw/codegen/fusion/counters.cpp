// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/counters.h"

namespace podsim::sw::codegen::fusion {

using Isa = hw::isa::Opcode;

Counters::Counters(builder::KernelBuilder& builder, const Space& space, const Unit& unit, const std::set<int>& read,
                   bool continued)
    : builder_(builder), continued_(continued) {
  first_.planes.assign(std::size_t(space.planes()), 0);
  if (!space.flat()) add(0, space.tiles.lane_tiles, unit.lane_tiles, read.contains(space.lanes()));
  add(1, space.tiles.row_tiles, unit.row_tiles, read.contains(space.flat() ? 0 : space.rows()));
  for (int i = 0; i < space.planes(); ++i) add(2 + i, space.size(space.plane(i)), 1, read.contains(space.plane(i)));
  if (continued_ && !counters_.empty()) kept_ = builder_.smem_words(int(counters_.size()));
}

Counters::Counters(builder::KernelBuilder& builder, const Space& space, const std::set<int>& dimensions)
    : builder_(builder) {
  first_.planes.assign(std::size_t(space.planes()), 0);
  if (dimensions.contains(space.lanes())) add(0, space.tiles.lane_tiles, 1, true);
  if (dimensions.contains(space.flat() ? 0 : space.rows())) add(1, space.tiles.row_tiles, 1, true);
  for (int i = 0; i < space.planes(); ++i) {
    if (dimensions.contains(space.plane(i))) add(2 + i, space.size(space.plane(i)), 1, true);
  }
}

void Counters::add(int position, std::int64_t tiles, std::int64_t step, bool is_read) {
  const std::int64_t trips = tiles / step;
  if (trips == 1) return;
  if (!is_read) {
    around_ *= trips;
    return;
  }
  if (around_ > 1) {
    counters_.push_back({around_, 1, false});
    position_of_.push_back(-1);
    around_ = 1;
  }
  counters_.push_back({trips, step, true});
  position_of_.push_back(position);
}

Position Counters::begin() {
  Position position = first_;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    counter.at = builder_.scalar();
    const registers::ScalarOperand from =
        continued_ ? registers::ScalarOperand(builder_.load_smem({}, kept_ + std::int32_t(i))) : 0;
    builder_.set(counter.at, from);
    const int coordinate = position_of_[i];
    if (coordinate == 0) position.lane_tile = counter.at;
    if (coordinate == 1) position.row_tile = counter.at;
    if (coordinate >= 2) position.planes[std::size_t(coordinate - 2)] = counter.at;
  }
  return position;
}

void Counters::advance() const {
  registers::ScalarOperand steps = 1;  // of the next counter
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const Counter& counter = counters_[i];
    if (!steps.literal && counter.step > 1)
      steps = builder_.op(Isa::s_mul, registers::ScalarReg{steps.value}, std::int32_t(counter.step));
    if (steps.literal) steps = std::int32_t(counter.step);
    if (i + 1 == counters_.size() && around_ == 1) {
      builder_.assign(counter.at, Isa::s_add, counter.at, steps);
      return;
    }
    const registers::ScalarReg next = builder_.op(Isa::s_add, counter.at, steps);
    const registers::ScalarReg left = builder_.op(Isa::s_sub, next, std::int32_t(counter.trips * counter.step));
    const registers::ScalarReg stays = builder_.op(Isa::s_sar, left, 31);  // all bits, or none
    builder_.assign(counter.at, Isa::s_and, next, stays);
    steps = builder_.op(Isa::s_add, stays, 1);
  }
}

void Counters::end() const {
  if (!continued_) return;
  for (std::size_t i = 0; i < counters_.size(); ++i) builder_.store_smem({}, kept_ + std::int32_t(i), counters_[i].at);
}

}  // namespace podsim::sw::codegen::fusion
