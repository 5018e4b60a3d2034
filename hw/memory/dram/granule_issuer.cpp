// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/granule_issuer.h"

#include <algorithm>
#include <cassert>

namespace podsim::hw::memory::dram {

GranuleIssuer::GranuleIssuer(const parts::hbm::DramParameters& parameters, int lanes, std::int64_t outstanding,
                             int engines)
    : memory_(parameters),
      interleave_(parameters.address.interleave),
      limit_(outstanding),
      lanes_each_(std::size_t(lanes)),
      lanes_(std::size_t(lanes * engines)),
      engines_(std::size_t(engines)),
      issued_(lanes_.size()),
      bytes_of_lanes_(lanes_.size()) {
  for (std::size_t engine = 0; engine < engines_.size(); ++engine) engines_[engine].first_lane = engine * lanes_each_;
}

void GranuleIssuer::submit(int lane, const MemoryStream& stream, base::Cycles arrival, std::uint64_t tag) {
  assert(lanes_[std::size_t(lane)].empty() || arrival >= streams_[lanes_[std::size_t(lane)].back()].arrival);
  lanes_[std::size_t(lane)].push_back(new_stream({StreamGranules(stream, interleave_), arrival, tag, 0}));
  ++left_;
}

void GranuleIssuer::advance(base::Cycles clock, std::vector<Completion>& completed) {
  const std::size_t before = completed.size();
  while (completed.size() == before) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      while (!lanes_[lane].empty()) {
        const std::size_t head = lanes_[lane].front();
        if (!streams_[head].cursor.done() || streams_[head].arrival > now()) break;
        leave_lane(lane);
        if (streams_[head].in_flight == 0) finish(head, completed);
      }
    }
    if (completed.size() != before || now() >= clock) return;
    issue_in_turn();
    moved_.clear();
    memory_.advance(next_stop(clock), moved_);
    if (advanced_) advanced_(now());
    collect(completed);
  }
}

/// Every engine issues a granule if it can.
void GranuleIssuer::issue_in_turn() {
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    Engine& engine = engines_[(first_engine_ + i) % engines_.size()];
    const std::optional<std::size_t> lane = next_lane(engine);
    engine.issued = lane.has_value();
    if (lane) issue(*lane);
  }
  first_engine_ = (first_engine_ + 1) % engines_.size();
}

/// Lane whose head issues in this clock; std::nullopt if there is none.
std::optional<std::size_t> GranuleIssuer::next_lane(const Engine& engine) const {
  if (engine.outstanding >= limit_) return std::nullopt;
  for (std::size_t i = 0; i < lanes_each_; ++i) {
    const std::size_t lane = engine.first_lane + (engine.turn + i) % lanes_each_;
    const Stream* head = waiting_head(lane);
    if (head != nullptr && !is_ahead(engine, lane) && memory_.accepts(head->cursor.request())) return lane;
  }
  return std::nullopt;
}

bool GranuleIssuer::is_ahead(const Engine& engine, std::size_t lane) const {
  for (std::size_t other = engine.first_lane; other < engine.first_lane + lanes_each_; ++other) {
    if (issued_[lane] - issued_[other] >= max_ahead_ && waiting_head(other) != nullptr) return true;
  }
  return false;
}

const GranuleIssuer::Stream* GranuleIssuer::waiting_head(std::size_t lane) const {
  if (lanes_[lane].empty()) return nullptr;
  const Stream& head = streams_[lanes_[lane].front()];
  return head.arrival > now() || head.cursor.done() ? nullptr : &head;
}

void GranuleIssuer::issue(std::size_t lane) {
  const std::size_t number = lanes_[lane].front();
  Stream& stream = streams_[number];
  MemoryRequest request = stream.cursor.request();
  request.tag = new_granule({number, lane, request.direction, request.bytes, now()});
  memory_.submit(request);
  stream.cursor.next();
  ++stream.in_flight;
  ++issued_[lane];
  Engine& engine = engine_of(lane);
  ++engine.outstanding;
  engine.turn = (lane - engine.first_lane + 1) % lanes_each_;
  if (stream.cursor.done()) leave_lane(lane);
}

void GranuleIssuer::leave_lane(std::size_t lane) { lanes_[lane].pop_front(); }

void GranuleIssuer::finish(std::size_t stream, std::vector<Completion>& completed) {
  completed.push_back({streams_[stream].tag, now()});
  free_streams_.push_back(stream);
  --left_;
}

void GranuleIssuer::collect(std::vector<Completion>& completed) {
  for (const MemoryCompletion& moved : moved_) {
    const Granule granule = granules_[moved.tag];
    free_granules_.push_back(moved.tag);
    latencies_.push_back(moved.clock - granule.issued);
    bytes_moved_[std::size_t(granule.direction)] += granule.bytes;
    bytes_of_lanes_[granule.lane] += granule.bytes;
    --engine_of(granule.lane).outstanding;
    Stream& stream = streams_[granule.stream];
    if (--stream.in_flight == 0 && stream.cursor.done()) finish(granule.stream, completed);
  }
}

/// The next clock in which something may be issued or completes, up to `limit` but after now.
base::Cycles GranuleIssuer::next_stop(base::Cycles limit) const {
  base::Cycles stop = limit;
  bool any_room = false;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].empty()) continue;
    const Stream& head = streams_[lanes_[lane].front()];
    const Engine& engine = engines_[lane / lanes_each_];
    if (head.arrival > now()) {
      stop = std::min(stop, head.arrival);
    } else if (engine.issued) {
      stop = std::min(stop, now() + base::Cycles(1));
    } else if (engine.outstanding < limit_) {
      // Engines take turns at every stop, so that several of them stop whenever there is room for any granule.
      if (engines_.size() > 1) {
        any_room = true;
      } else {
        stop = std::min(stop, memory_.next_room(head.cursor.request()));
      }
    }
  }
  if (const auto event = any_room ? memory_.next_event() : memory_.next_completion()) {
    stop = std::min(stop, *event);
  }
  return std::max(stop, now() + base::Cycles(1));
}

std::size_t GranuleIssuer::new_stream(const Stream& stream) {
  if (free_streams_.empty()) {
    streams_.push_back(stream);
    return streams_.size() - 1;
  }
  const std::size_t number = free_streams_.back();
  free_streams_.pop_back();
  streams_[number] = stream;
  return number;
}

std::uint64_t GranuleIssuer::new_granule(const Granule& granule) {
  if (free_granules_.empty()) {
    free_granules_.push_back(granules_.size());
    granules_.emplace_back();
  }
  const std::uint64_t number = free_granules_.back();
  free_granules_.pop_back();
  granules_[number] = granule;
  return number;
}

}  // namespace podsim::hw::memory::dram
