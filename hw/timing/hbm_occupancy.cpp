// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/hbm_occupancy.h"

#include <algorithm>

#include "hw/timing/hbm_stream.h"

namespace podsim::hw::timing {
namespace {

constexpr std::int64_t most_parts = 1000;  ///< of a service

base::Time scaled(base::Time time, double factor) {
  return factor == 1 ? time : base::to_time(base::to_duration(time) * factor);
}

}  // namespace

bool HbmOccupancy::planned_idle(base::Time now) {
  const bool idle = follow_ != nullptr && claims_ < follow_->size() ? (*follow_)[claims_++] : now > free_at_;
  if (record_ != nullptr) record_->push_back(idle);
  return idle;
}

base::Time HbmOccupancy::claim(base::Time now, Direction direction, base::Bytes bytes) {
  const bool planned = follow_ != nullptr || record_ != nullptr;
  if (planned ? planned_idle(now) : now > free_at_) moved_[0] = moved_[1] = base::Bytes(0);
  const base::Bytes before = std::min(moved_[0], moved_[1]);
  moved_[std::size_t(direction)] += bytes;
  const base::Bytes mixed = std::min(moved_[0], moved_[1]) - before;
  const base::DataSize cost(double(bytes.value()) + turnaround_ * double(mixed.value()));
  const base::Time work = base::to_time(cost / rate_);
  const base::Time begin = std::max(now, free_at_);
  free_at_ = begin + scaled(work, 1 / share_);
  if (keeps_) services_.push_back({begin, free_at_, work});
  return free_at_;
}

void HbmOccupancy::keep_services(base::Time now) {
  keeps_ = contended_;
  services_.clear();
  if (keeps_ && free_at_ > now) services_.push_back({now, free_at_, scaled(free_at_ - now, share_)});
}

void ContendedOp::begin(HbmOccupancy& hbm, base::Time now, const OpResult& alone) {
  const base::Clock clock = machine_.core_clock();
  const auto tiles = double(std::max<std::int64_t>(1, alone.tiles));
  const double tile = double(alone.cycles.value()) / tiles, busy = double(alone.hbm_busy.value()) / tiles;
  const double compute = double((alone.compute + alone.control).value()) / tiles;
  const double slack = std::max(0.0, compute - busy - double(machine_.dma.read_latency.value()));
  const double outstanding =
      double(HbmStream::outstanding(machine_).value()) / machine_.hbm.read_rate().si() * machine_.clock.si();
  const double longer = std::max(0.0, busy + outstanding - slack);
  const double rest = tile + longer - busy;
  const auto time = [&](double cycles) { return clock.time_of(base::Cycles(std::int64_t(cycles))); };
  hbm_ = &hbm;
  tile_ = time(tile + longer);
  slack_ = time(slack);
  price_ = rest > 0 ? longer / rest : 0;
  end_ = clock.time_of(clock.edge_at_or_after(now) + alone.cycles);
  next_ = 0;
  counted_ = tile_end_ = now;
  claims_ = {};
  hbm.keep_services(now);
  hbm.set_share(rest > 0 ? rest / (tile + longer) : 1);
}

base::Time ContendedOp::delay() const {
  return std::min(scaled(claims_, price_), std::max(base::Time(0), claims_ - slack_));
}

/// Counts the part of a service that falls into one tile.
void ContendedOp::add(const HbmOccupancy::Service& service) {
  if (counted_ >= tile_end_) {
    end_ += delay();
    claims_ = {};
    tile_end_ = counted_ + std::max(tile_, (service.end - service.begin) / most_parts);
  }
  const base::Time until = std::min(service.end, tile_end_);
  const double part = double((until - counted_).value()) / double((service.end - service.begin).value());
  claims_ += scaled(service.work, part);
  counted_ = until;
}

base::Time ContendedOp::end() {
  const std::vector<HbmOccupancy::Service>& services = hbm_->services();
  while (next_ < services.size()) {
    const HbmOccupancy::Service& service = services[next_];
    counted_ = std::max(counted_, service.begin);
    if (counted_ >= end_ + delay()) break;
    if (service.end > counted_) add(service);
    if (counted_ >= service.end) ++next_;
  }
  return end_ + delay();
}

void ContendedOp::finish() {
  hbm_->stop_keeping();
  hbm_->set_share(1);
}

}  // namespace podsim::hw::timing
