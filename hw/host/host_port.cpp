// SPDX-License-Identifier: Apache-2.0
#include "hw/host/host_port.h"

#include <cassert>
#include <utility>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::host {

HostPort::HostPort(sc_core::sc_module_name name, const parts::host::Parameters& host, std::int64_t cores,
                   const Trace& trace)
    : sc_module(name),
      host_(host),
      infeeds_(std::size_t(cores)),
      outfeeds_(std::size_t(cores)),
      copies_(std::size_t(cores)) {
  queues.bind(*this);
  for (std::size_t core = 0; core < infeeds_.size(); ++core) {
    const std::string number = std::to_string(core);
    infeeds_[core].ready_probe = trace.probe<std::int64_t>(("ready" + number).c_str());
    outfeeds_[core].waiting_probe = trace.probe<std::int64_t>(("outfeed" + number).c_str());
  }
  in_.state = trace.probe<std::string>("state");
  out_.state = trace.probe<std::string>("outfeed_state");
  show();
  SC_METHOD(work);
  sensitive << wake_;
  dont_initialize();
}

void HostPort::feed_from(BatchSource& source) {
  source_ = &source;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&source.batch_prepared());
  sc_core::sc_spawn([this] { wake_.notify(sc_core::SC_ZERO_TIME); }, sc_core::sc_gen_unique_name("batch_prepared"),
                    &options);
}

void HostPort::prepare(int core, std::vector<base::Bytes> batch) {
  Infeed& infeed = infeeds_[std::size_t(core)];
  if (source_ != nullptr && !batch.empty() && !infeed.joined) {
    source_->join();
    infeed.joined = true;
  }
  if (batch != infeed.batch) {
    infeed.batch = std::move(batch);
    infeed.next = 0;
    infeed.prepared_at.reset();
    infeed.ready = 0;
    infeed.dropped += std::exchange(infeed.in_flight, 0);
  }
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::begin_copy(int core, base::Bytes bytes) {
  if (carrier_ == nullptr || bytes == base::Bytes(0)) return;
  Copies& copies = copies_[std::size_t(core)];
  ++copies.going_on;
  carrier_->copy(core, bytes, [&copies] {
    --copies.going_on;
    copies.ended.notify();
  });
}

void HostPort::consume(int core) {
  Infeed& infeed = infeeds_[std::size_t(core)];
  assert(infeed.ready > 0);
  --infeed.ready;
  show();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

bool HostPort::outfeed_room(int core) const {
  return std::int64_t(outfeeds_[std::size_t(core)].queue.size()) < host_.outfeed_queue_depth;
}

void HostPort::send(int core, base::Bytes bytes) {
  assert(outfeed_room(core));
  outfeeds_[std::size_t(core)].queue.push_back(bytes);
  show();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::work() {
  receive_batches();
  receive_outfeeds();
  begin_preparing();
  if (in_.free_at <= base::systemc::now()) feed_in();
  free_outfeeds();
  if (out_.free_at <= base::systemc::now() && !out_.carried) feed_out();
  begin_preparing();  // for cores whose batch has just left
  show();
  sleep();
}

void HostPort::begin_preparing() {
  for (Infeed& infeed : infeeds_) {
    if (infeed.batch.empty() || infeed.prepared_at) continue;
    if (source_ != nullptr && infeed.number >= source_->prepared()) continue;
    infeed.prepared_at =
        base::systemc::now() + (infeed.next == 0 ? base::to_time(host_.batch_interval) : base::Time(0));
  }
}

void HostPort::receive_batches() {
  for (; !in_.arrivals.empty() && in_.arrivals.front().when <= base::systemc::now(); in_.arrivals.pop_front()) {
    arrived(in_.arrivals.front().core);
  }
}

/// Transfers of a core arrive in the order in which they took the link.
void HostPort::arrived(std::size_t core) {
  Infeed& infeed = infeeds_[core];
  if (infeed.dropped > 0) {
    --infeed.dropped;
    return;
  }
  --infeed.in_flight;
  ++infeed.ready;
  infeed.arrived.notify();
}

void HostPort::receive_outfeeds() {
  for (; !out_.arrivals.empty() && out_.arrivals.front().when <= base::systemc::now(); out_.arrivals.pop_front()) {
    outfeeds_[out_.arrivals.front().core].received += out_.arrivals.front().bytes;
  }
}

void HostPort::feed_in() {
  std::optional<std::size_t> best;
  const auto filled = [this](std::size_t core) {
    return (infeeds_[core].ready + infeeds_[core].in_flight) / std::int64_t(infeeds_[core].batch.size());
  };
  for (std::size_t core = 0; core < infeeds_.size(); ++core) {
    const auto& prepared_at = infeeds_[core].prepared_at;
    if (!prepared_at || *prepared_at > base::systemc::now() || filled(core) >= host_.infeed_queue_depth) continue;
    if (!best || filled(core) < filled(*best)) best = core;
  }
  if (!best) return;
  Infeed& infeed = infeeds_[*best];
  infeed.prepared_at.reset();
  ++infeed.in_flight;
  const base::Bytes bytes = infeed.batch[infeed.next];
  infeed.next = (infeed.next + 1) % infeed.batch.size();
  if (infeed.next == 0) {
    ++infeed.number;
    if (source_ != nullptr) source_->took();
  }
  transferred_ += bytes;
  const base::Time arrival = occupy(in_, bytes);
  if (carrier_ == nullptr) {
    in_.arrivals.push_back({arrival, *best, bytes});
    return;
  }
  const base::Time begin = base::systemc::now() + base::to_time(host_.pcie_latency);
  carrier_->carry(Direction::read, int(*best), bytes, begin, arrival, [this, core = *best] {
    arrived(core);
    show();
    wake_.notify(sc_core::SC_ZERO_TIME);
  });
}

void HostPort::free_outfeeds() {
  for (Outfeed& outfeed : outfeeds_) {
    if (!outfeed.sent_at || *outfeed.sent_at > base::systemc::now()) continue;
    outfeed.sent_at.reset();
    outfeed.queue.pop_front();
    outfeed.freed.notify();
  }
}

void HostPort::feed_out() {
  std::size_t fullest = 0;
  for (std::size_t core = 1; core < outfeeds_.size(); ++core) {
    if (outfeeds_[core].queue.size() > outfeeds_[fullest].queue.size()) fullest = core;
  }
  Outfeed& outfeed = outfeeds_[fullest];
  if (outfeed.queue.empty()) return;
  const base::Bytes bytes = outfeed.queue.front();
  const base::Time arrival = occupy(out_, bytes);
  if (carrier_ == nullptr) {
    out_.arrivals.push_back({arrival, fullest, bytes});
    outfeed.sent_at = out_.free_at;
    return;
  }
  out_.carried = true;
  carrier_->carry(Direction::write, int(fullest), bytes, base::systemc::now(), out_.free_at,
                  [this, fullest, bytes] { left(fullest, bytes); });
}

/// The link has taken a transfer from the memory of a core.
void HostPort::left(std::size_t core, base::Bytes bytes) {
  out_.carried = false;
  out_.arrivals.push_back({base::systemc::now() + base::to_time(host_.pcie_latency), core, bytes});
  outfeeds_[core].sent_at = base::systemc::now();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

base::Time HostPort::move(Direction direction, base::Bytes bytes) {
  assert(link_free_at(direction) <= base::systemc::now());
  const base::Time arrival = occupy(link(direction), bytes);
  show();
  wake_.notify(base::systemc::to_sc_time(link_free_at(direction) - base::systemc::now()));
  return arrival;
}

/// Occupies a link for `bytes`; returns when they are at the other end.
base::Time HostPort::occupy(Link& link, base::Bytes bytes) {
  link.free_at = base::systemc::now() + base::to_time(bytes / host_.pcie_rate);
  return link.free_at + base::to_time(host_.pcie_latency);
}

void HostPort::show() {
  const base::Time now = base::systemc::now();
  for (Infeed& infeed : infeeds_) infeed.ready_probe.set(now, infeed.ready);
  for (Outfeed& outfeed : outfeeds_) outfeed.waiting_probe.set(now, std::int64_t(outfeed.queue.size()));
  for (Link* link : {&in_, &out_}) {
    if (link->state.active()) link->state.set(now, link->free_at > now ? "transfer" : "idle");
  }
}

/// Sleeps until something arrives, a link is free again, or a batch is prepared.
void HostPort::sleep() {
  const base::Time now = base::systemc::now();
  const auto wake_at = [this, now](base::Time when) {
    if (when > now) wake_.notify(base::systemc::to_sc_time(when - now));
  };
  for (const Link* link : {&in_, &out_}) {
    if (!link->arrivals.empty()) wake_at(link->arrivals.front().when);
    wake_at(link->free_at);
  }
  for (const Infeed& infeed : infeeds_) wake_at(infeed.prepared_at.value_or(now));
}

}  // namespace podsim::hw::host
