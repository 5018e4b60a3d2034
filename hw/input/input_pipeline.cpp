// SPDX-License-Identifier: Apache-2.0
#include "hw/input/input_pipeline.h"

#include <cassert>

#include "base/systemc/systemc_time.h"

namespace podsim::hw::input {

InputPipeline::Server::Server(const Stage& stage, std::uint64_t seed, std::int64_t host, std::size_t position,
                              const Trace& trace)
    : times(stage, seed, host, position),
      depth(stage.depth),
      state(trace.below(stage.name).probe<std::string>("state")),
      queue(trace.below(stage.name).probe<std::int64_t>("queue")) {}

InputPipeline::InputPipeline(sc_core::sc_module_name name, const std::vector<Stage>& stages, std::int64_t prepared,
                             std::uint64_t seed, std::int64_t host, const Trace& trace)
    : sc_module(name), max_ready_(prepared), ready_probe_(trace.probe<std::int64_t>("ready")) {
  for (std::size_t i = 0; i < stages.size(); ++i) servers_.emplace_back(stages[i], seed, host, i, trace);
  SC_METHOD(work);
  sensitive << wake_;
}

std::int64_t InputPipeline::take() {
  assert(!ready_.empty());
  const std::int64_t batch = ready_.front();
  ready_.pop_front();
  wake_.notify(sc_core::SC_ZERO_TIME);
  return batch;
}

void InputPipeline::work() {
  // From the last stage to the first, so that one pass moves every batch for which a slot becomes free.
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = servers_.size(); i-- > 0;) moved = step(i) || moved;
  }
  show();
  std::optional<base::Time> next;
  for (const Server& server : servers_) {
    if (server.batch && server.done_at > base::systemc::now())
      next = std::min(next.value_or(server.done_at), server.done_at);
  }
  if (next) wake_.notify(base::systemc::to_sc_time(*next - base::systemc::now()));
}

bool InputPipeline::step(std::size_t stage) {
  Server& server = servers_[stage];
  bool moved = false;
  if (server.batch && server.done_at <= base::systemc::now() && room_behind(stage)) {
    server.busy += server.done_at - server.started;
    if (stage + 1 < servers_.size()) {
      servers_[stage + 1].waiting.push_back(*server.batch);
    } else {
      ready_.push_back(*server.batch);
      ++left_;
      batch_prepared_.notify(sc_core::SC_ZERO_TIME);
    }
    server.batch.reset();
    moved = true;
  }
  if (!server.batch && (stage == 0 || !server.waiting.empty())) {
    if (stage == 0) {
      server.batch = begun_++;
    } else {
      server.batch = server.waiting.front();
      server.waiting.pop_front();
    }
    server.started = base::systemc::now();
    server.done_at = server.started + server.times.next();
    moved = true;
  }
  return moved;
}

bool InputPipeline::room_behind(std::size_t stage) const {
  if (stage + 1 == servers_.size()) return std::int64_t(ready_.size()) < max_ready_;
  return std::int64_t(servers_[stage + 1].waiting.size()) < servers_[stage + 1].depth;
}

void InputPipeline::show() {
  const base::Time now = base::systemc::now();
  for (Server& server : servers_) {
    server.queue.set(now, std::int64_t(server.waiting.size()));
    if (server.state.active())
      server.state.set(now, !server.batch ? "starved" : server.done_at > now ? "works" : "blocked");
  }
  ready_probe_.set(now, std::int64_t(ready_.size()));
}

}  // namespace podsim::hw::input
