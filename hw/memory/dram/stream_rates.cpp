// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/stream_rates.h"

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "base/host/interrupt.h"
#include "hw/memory/dram/granule_issuer.h"

namespace podsim::hw::memory::dram {
namespace {

constexpr std::size_t kept_memories = 4;
constexpr int places = 2;                      ///< locations over which a rate is averaged
constexpr std::int64_t refresh_intervals = 2;  ///< refresh intervals measured at each location
constexpr base::Cycles settled(1500);          ///< until queues and pins are in a steady state

}  // namespace

std::shared_ptr<StreamRates> StreamRates::of(const parts::hbm::DramParameters& parameters, std::int64_t outstanding) {
  static std::deque<std::shared_ptr<StreamRates>> kept;
  const auto found = std::ranges::find_if(kept, [&](const std::shared_ptr<StreamRates>& rates) {
    return rates->parameters_ == parameters && rates->outstanding_ == outstanding;
  });
  if (found != kept.end()) return *found;
  if (kept.size() == kept_memories) kept.pop_front();
  return kept.emplace_back(std::make_shared<StreamRates>(parameters, outstanding));
}

base::Bandwidth StreamRates::alone(Direction direction, const AccessShape& shape) {
  Shapes shapes;
  shapes[std::size_t(direction)] = shape;
  return rates(shapes)[std::size_t(direction)];
}

std::array<base::Bandwidth, 2> StreamRates::together(const AccessShape& read, const AccessShape& write) {
  const Rates& both = rates({read, write});
  return {both[0], both[1]};
}

StreamRates::Rates StreamRates::contiguous(const Streams& moving) {
  const Streams exchanged{moving[2], moving[3], moving[0], moving[1]};
  if (exchanged > moving) {  // the engines are interchangeable
    const Rates rates = contiguous(exchanged);
    return {rates[2], rates[3], rates[0], rates[1]};
  }
  Shapes shapes;
  for (std::size_t stream = 0; stream < moving.size(); ++stream) {
    if (moving[stream]) shapes[stream] = AccessShape();
  }
  return rates(shapes);
}

const StreamRates::Rates& StreamRates::rates(const Shapes& shapes) {
  const auto found = measured_.find(shapes);
  if (found != measured_.end()) return found->second;
  return measured_.emplace(shapes, measure(shapes)).first->second;
}

StreamRates::Rates StreamRates::measure(const Shapes& shapes) const {
  const base::Cycles measured = parameters_.timing.refi * refresh_intervals;
  const int engines = shapes[2] || shapes[3] ? 2 : 1;
  std::array<base::Bytes, 4> moved;
  for (int place = 0; place < places; ++place) {
    GranuleIssuer issuer(parameters_, 2, outstanding_, engines);
    if (engines == 2) issuer.keep_together(outstanding_);
    issuer.on_advance([](base::Cycles) { base::host::end_if_interrupted("in measuring the rates of the memory"); });
    // Two engines exchange their lanes, so that neither has the better ones.
    const auto lane_of = [&](std::size_t stream) { return engines == 2 && place == 1 ? (stream + 2) % 4 : stream; };
    for (std::size_t stream = 0; stream < shapes.size(); ++stream) {
      if (!shapes[stream]) continue;
      const std::size_t lane = lane_of(stream);
      const std::uint64_t seed = engines == 2 ? lane : std::uint64_t(place) * 2 + lane;
      issuer.submit(int(lane), {Direction(lane % 2), long_transfer(*shapes[stream], seed)}, base::Cycles(0), lane);
    }
    std::vector<GranuleIssuer::Completion> none;
    issuer.advance(settled, none);
    const std::vector<base::Bytes> before = issuer.moved_by_lane();
    issuer.advance(settled + measured, none);
    for (std::size_t stream = 0; stream < before.size(); ++stream) {
      moved[stream] += issuer.moved_by_lane()[lane_of(stream)] - before[lane_of(stream)];
    }
  }
  const base::Duration duration = measured * places / parameters_.clock;
  return {moved[0] / duration, moved[1] / duration, moved[2] / duration, moved[3] / duration};
}

/// A transfer that lasts longer than any measurement, at a location drawn with the seed. Addresses beyond the end of
/// the memory wrap around to its beginning.
AccessPattern StreamRates::long_transfer(const AccessShape& shape, std::uint64_t seed) const {
  constexpr std::int64_t rows = std::int64_t(1) << 30;
  const std::uint64_t page = 4096, pages = std::uint64_t(parameters_.capacity().value()) / page;
  const std::uint64_t base = std::mt19937_64(seed)() % pages * page;
  if (shape.contiguous()) return AccessPattern::contiguous(base, base::Bytes(std::int64_t(1) << 40));
  if (shape.span > base::Bytes(0)) return AccessPattern::scattered(base, shape.row, rows, shape.span, seed);
  return {base, rows, shape.row, shape.pitch};
}

}  // namespace podsim::hw::memory::dram
