// SPDX-License-Identifier: Apache-2.0
#include "hw/host_port.h"

#include <cassert>

#include "noc/systemc_time.h"

namespace podsim::hw {

HostPort::HostPort(sc_core::sc_module_name name, const HostParameters& host, std::int64_t cores, const Trace& trace)
    : sc_module(name), host_(host), queues_(std::size_t(cores)), state_(trace.probe<std::string>("state")) {
  for (std::size_t core = 0; core < queues_.size(); ++core) {
    const std::string probe = "ready" + std::to_string(core);
    queues_[core].ready_probe = trace.probe<std::int64_t>(probe.c_str());
    queues_[core].ready_probe.set(base::Time(0), 0);
  }
  state_.set(base::Time(0), "idle");
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

void HostPort::prepare(int core, base::Bytes batch) {
  queues_[std::size_t(core)].batch = batch;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::consume(int core) {
  Queue& queue = queues_[std::size_t(core)];
  assert(queue.ready > 0);
  --queue.ready;
  queue.ready_probe.set(noc::now(), queue.ready);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::work() {
  const base::Time now = noc::now();
  while (!arrivals_.empty() && arrivals_.front().when <= now) {
    Queue& queue = queues_[arrivals_.front().core];
    arrivals_.pop_front();
    --queue.on_the_way;
    ++queue.ready;
    queue.ready_probe.set(now, queue.ready);
    queue.arrived.notify();
  }
  if (link_free_at_ <= now) {
    if (const auto core = next_to_fill()) begin_transfer(*core);
  }
  state_.set(now, link_free_at_ > now ? "transfer" : "idle");
  sleep();
}

std::optional<std::size_t> HostPort::next_to_fill() const {
  const auto filled = [&](std::size_t core) { return queues_[core].ready + queues_[core].on_the_way; };
  std::optional<std::size_t> best;
  for (std::size_t core = 0; core < queues_.size(); ++core) {
    if (queues_[core].batch.value() == 0 || filled(core) >= host_.infeed_queue_depth) continue;
    if (!best || filled(core) < filled(*best)) best = core;
  }
  return best;
}

void HostPort::begin_transfer(std::size_t core) {
  Queue& queue = queues_[core];
  link_free_at_ = noc::now() + base::to_time(queue.batch / host_.pcie_rate);
  arrivals_.push_back({link_free_at_ + base::to_time(host_.pcie_latency), core});
  ++queue.on_the_way;
  transferred_ += queue.batch;
}

/// Until the next arrival, or until the link is free for the next transfer.
void HostPort::sleep() {
  const base::Time now = noc::now();
  if (!arrivals_.empty()) wake_.notify(noc::to_sc_time(arrivals_.front().when - now));
  if (link_free_at_ > now) wake_.notify(noc::to_sc_time(link_free_at_ - now));
}

}  // namespace podsim::hw
