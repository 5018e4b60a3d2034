// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/core_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "noc/systemc_time.h"

namespace podsim::sw {

namespace {

constexpr int segments_in_works = 2;  // a double buffer

}  // namespace

CoreRun::CoreRun(CollectiveRun& run, noc::NodeId chip, int core)
    : run_(run),
      chip_(chip),
      core_(core),
      full_core_(run.engine().topology().full_node_of(chip) * run.schedule().cores_per_chip() + core) {
  program_ = &schedule().program(full_core_);
  at_ = schedule().member(full_core_).position;
  for (int colour = 0; colour < program().colours(); ++colour) {
    if (schedule().works_on(full_core_, colour)) {
      walkers_.emplace_back(program(), colour, at_, schedule().is_root(full_core_));
    } else if (program().shares()) {
      unshared_ += program().part(colour).count;
    }
  }
  unshared_ += program().colours() * (program().cores() - 1) * program().handed_on();
  ungathered_ = walkers_.size();
  queues_.resize(2 * std::size_t(schedule().slice().dimensions()) + 1);
  if (schedule().request().kind == CollectiveKind::collective_permute) return;
  neighbours_.resize(2 * program().dimensions().size());
  const auto& stages = program().stages(0);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    if (stages[stage].kind == StageKind::direct) continue;
    for (int direction : {+1, -1}) {
      const Token token{.stage = int(stage), .direction = direction};
      neighbours_[2 * std::size_t(stages[stage].dimension) + (direction < 0)] = schedule().route(full_core_, token);
    }
  }
}

const CollectiveSchedule& CoreRun::schedule() const { return run_.schedule(); }
CollectiveEngine& CoreRun::engine() const { return run_.engine(); }
CoreResources& CoreRun::resources() const { return engine().resources(chip_, core_); }

std::size_t CoreRun::walker_of(int colour) const {
  std::size_t i = 0;
  while (walkers_[i].colour() != colour) ++i;
  return i;
}

Route CoreRun::route(const Token& token) const {
  const Stage& stage = program().stage_of(token);
  if (stage.kind == StageKind::direct) return schedule().route(full_core_, token);
  return neighbours_[2 * std::size_t(stage.dimension) + (token.direction < 0)];
}

std::size_t CoreRun::queue_of(const noc::Coordinates& hops) const {
  for (std::size_t d = 0; 2 * d + 1 < queues_.size(); ++d) {
    if (hops[d] != 0) return 2 * d + (hops[d] < 0);
  }
  return queues_.size() - 1;
}

std::uint32_t CoreRun::rank(Kind kind, int colour, std::size_t queue) const {
  return std::uint32_t(kind << 16 | core_ << 12 | colour << 4 | int(queue));
}

void CoreRun::timer(base::Time when, Kind kind, const Token& token, std::size_t queue) {
  const Stage* stage = program().stages(token.colour).empty() ? nullptr : &program().stage_of(token);
  const std::size_t link =
      kind == link_free || stage == nullptr ? queue : 2 * std::size_t(stage->dimension) + (token.direction < 0);
  engine().at(when, rank(kind, token.colour, link), {this, kind, int(queue), pack(MessageTag{token})});
}

base::Time CoreRun::slowed(base::Time time) const {
  const double speed = resources().speed;
  return speed == 1 ? time : base::to_time(to_duration(time) / speed);
}

void CoreRun::start() {
  if (resources().phase.active()) resources().phase.set(noc::now(), "launch");
  timer(noc::now() + slowed(engine().launch()), started, Token{});
}

void CoreRun::arrived(const MessageTag& tag) { timer(noc::now() + engine().flag_latency(), seen, tag.token); }

void CoreRun::link_took(const MessageTag& tag, const noc::Coordinates& hops) {
  timer(noc::now(), link_free, tag.token, queue_of(hops));
}

void CoreRun::due(const CollectiveEngine::Timer& timer) {
  const Token token = unpack(timer.tag).token;
  const auto queue = std::size_t(timer.queue);
  switch (Kind(timer.kind)) {
    case started:
      return begin();
    case link_free:
      --unsent_;
      --queues_[queue].in_works;
      feed(queue);
      return finish_if_done();
    case seen:
      return walkers_[walker_of(token.colour)].received(token, *this);
    case absorbed:
      if (run_.data() != nullptr && program().stage_of(token).kind == StageKind::reduce_scatter) {
        run_.data()->arrived(full_core_, token);
      }
      walkers_[walker_of(token.colour)].absorbed(token, *this);
      return show_phase(token);
    case ready:
      return send(token, queue);
    case reduced:
      return gathered(token.colour);
    case shared:
      return finish_if_done();
  }
}

void CoreRun::begin() {
  started_ = true;
  if (resources().phase.active()) resources().phase.set(noc::now(), "started");
  if (program().sums_cores()) return begin_together();
  begin_colours();
  finish_if_done();
}

/// The cores of a chip begin their colours together, when the contributions of all are there.
void CoreRun::begin_together() {
  const std::int32_t group = schedule().member(full_core_).group;
  const std::int32_t first = full_core_ - core_;
  std::vector<std::int32_t> cores;
  for (int core = 0; core < schedule().cores_per_chip(); ++core) {
    if (schedule().member(first + core).group != group) continue;
    if (!run_.core(chip_, core).started_) return;
    cores.push_back(first + core);
  }
  if (run_.data() != nullptr) run_.data()->sum_cores(cores);
  for (std::int32_t core : cores) {
    run_.core(chip_, core - first).begin_colours();
    run_.core(chip_, core - first).finish_if_done();
  }
}

void CoreRun::begin_colours() {
  for (ScheduleWalker& walker : walkers_) {
    if (program().stages(walker.colour()).empty()) {
      begin_alone(walker.colour());
    } else {
      walker.begin(*this);
    }
  }
}

/// A group on one chip has no stages: only its cores' contributions to add, and results to copy.
void CoreRun::begin_alone(int colour) {
  const ElementRange part = program().part(colour);
  base::Time done = noc::now();
  if (program().sums_cores()) {
    done = read_and_add(part.count, true, program().cores());
    done = std::max(done, resources().hbm.write(noc::now(), schedule().bytes(part.count)));
  }
  if (program().shares()) copy_to_others(part, !program().sums_cores());
  if (program().exchanges()) {
    if (run_.data() != nullptr) run_.data()->exchanged(full_core_, colour, 0);
    give_to_others(program().handed_on(), true);
  }
  timer(done, reduced, {.colour = colour});
}

void CoreRun::stage_entered(int colour, int stage) {
  const auto& stages = program().stages(colour);
  run_.stage_entered(*program_, colour, stage);
  show_phase({.colour = colour, .stage = stage});
  if (program().exchanges()) {
    // What is for the own position need not travel.
    if (stage > 0 && run_.data() != nullptr) run_.data()->exchanged(full_core_, colour, stage - 1);
    if (stage + 1 == int(stages.size())) give_to_others(stages.back().chunk / stages.back().parts, true);
  }
  if (!program().shares() || stage == int(stages.size())) return;
  // What this core brings to its chip, before anything comes in.
  const StageKind kind = stages[std::size_t(stage)].kind;
  if (kind == StageKind::broadcast) {
    if (stage == 0 && schedule().is_root(full_core_)) copy_to_others(program().part(colour), true);
  } else if (kind == StageKind::all_gather && (stage == 0 || stages[std::size_t(stage) - 1].kind != kind)) {
    copy_to_others(program().shard_range(colour, at_), true);
  }
}

void CoreRun::originate(const Token& first) {
  if (program().stage_of(first).kind == StageKind::direct) return originate_direct(first);
  enqueue(queue_of(route(first).hops), {.token = first, .end = program().segments(first), .from_hbm = true});
}

/// One item per queue stands for all the peers that are reached through it. They are asked for in order, so the first
/// one starts them all.
void CoreRun::originate_direct(const Token& first) {
  const std::int32_t segments = program().segments(first);
  unsent_ += segments;
  if (first.distance != 1) return;
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    Token token = first;
    token.distance = next_peer(first, queue);
    if (token.distance == program().stage_of(first).size) continue;
    queues_[queue].items.push_back({.token = token, .end = segments, .from_hbm = true});
  }
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) feed(queue);
}

std::int32_t CoreRun::next_peer(Token token, std::size_t queue) const {
  const std::int32_t end = program().stage_of(token).size;
  while (token.distance < end && queue_of(route(token).hops) != queue) ++token.distance;
  return token.distance;
}

void CoreRun::forward(const Token& next) {
  const std::size_t queue = queue_of(route(next).hops);
  if (program().stage_of(next).kind == StageKind::exchange) {
    SendQueue& sends = queues_[queue];
    ++unsent_;
    sends.items.insert(sends.items.begin() + std::ptrdiff_t(sends.head + sends.passing++),
                       {.token = next, .end = next.segment + 1, .from_hbm = false});
    return feed(queue);
  }
  enqueue(queue, {.token = next, .end = next.segment + 1, .from_hbm = false});
}

void CoreRun::enqueue(std::size_t queue, const SendItem& item) {
  unsent_ += item.end - item.token.segment;
  queues_[queue].items.push_back(item);
  feed(queue);
}

void CoreRun::feed(std::size_t queue) {
  SendQueue& sends = queues_[queue];
  while (sends.in_works < segments_in_works && !sends.empty()) {
    const SendItem item = sends.items[sends.head];
    advance(sends, queue);
    ++sends.in_works;
    if (!item.from_hbm) {
      send(item.token, queue);
      continue;
    }
    const Stage& stage = program().stage_of(item.token);
    const bool sums = stage.kind == StageKind::reduce_scatter && item.token.stage == 0 && program().sums_cores();
    const std::int64_t elements = program().size(item.token, program().next_position(item.token, position(item.token)));
    timer(read_and_add(elements, sums, sums ? program().cores() : 1), ready, item.token, queue);
  }
}

/// The segment at the head of a queue has been taken.
void CoreRun::advance(SendQueue& sends, std::size_t queue) {
  SendItem& item = sends.items[sends.head];
  if (++item.token.segment < item.end) return;
  const Stage& stage = program().stage_of(item.token);
  if (stage.kind == StageKind::direct) {
    ++item.token.distance;
    item.token.segment = 0;
    item.token.distance = next_peer(item.token, queue);
    if (item.token.distance < stage.size) return;
  }
  if (sends.passing > 0) --sends.passing;
  if (++sends.head == sends.items.size()) {
    sends.items.clear();
    sends.head = 0;
  }
}

void CoreRun::send(const Token& token, std::size_t queue) {
  const Route way = route(token);
  if (run_.data() != nullptr) run_.data()->sent(full_core_, way.target, token);
  if (queue + 1 == queues_.size()) return cross(token, way, queue);
  const std::int64_t elements = program().size(token, program().next_position(token, position(token)));
  engine().port(chip_).send({.hops = way.hops,
                             .bytes = schedule().bytes(elements),
                             .channel = run_.channel(),
                             .tag = pack(MessageTag{token, core_, way.target % schedule().cores_per_chip()})});
}

/// To another core of the chip.
void CoreRun::cross(const Token& token, const Route& route, std::size_t queue) {
  const std::int64_t elements = program().size(token, program().next_position(token, position(token)));
  const int to = route.target % schedule().cores_per_chip();
  const auto passage = engine().chip_switch(chip_).pass(noc::now(), core_, to, schedule().bytes(elements));
  timer(passage.ports_free, link_free, token, queue);
  run_.core(chip_, to).timer(passage.arrival + engine().dma_latency(), seen, token);
}

base::Time CoreRun::read_and_add(std::int64_t elements, bool all_cores, std::int64_t operands) {
  const base::Bytes bytes = schedule().bytes(elements);
  base::Time read = resources().hbm.read(noc::now(), bytes);
  for (int other = 0; all_cores && other < schedule().cores_per_chip(); ++other) {
    if (other == core_) continue;
    const base::Time crossed = engine().chip_switch(chip_).pass(noc::now(), other, core_, bytes).arrival;
    read = std::max({read, crossed, engine().resources(chip_, other).hbm.read(noc::now(), bytes)});
  }
  const base::Time addition = slowed(engine().addition(elements, schedule().request().type, operands));
  if (addition == base::Time(0)) return read;
  return resources().vector_free_at = std::max(read, resources().vector_free_at) + addition;
}

void CoreRun::absorb(const Token& token) {
  const Stage& stage = program().stage_of(token);
  if (stage.kind == StageKind::exchange) return absorb_exchange(token);
  const std::int64_t elements = program().size(token, position(token));
  if (stage.kind != StageKind::reduce_scatter) {
    if (run_.data() != nullptr) run_.data()->arrived(full_core_, token);
    timer(resources().hbm.write(noc::now(), schedule().bytes(elements)), absorbed, token);
    if (program().shares()) copy_to_others(program().range(token, at_), false);
    return;
  }
  const bool all_cores = token.stage == 0 && program().sums_cores();
  const std::int64_t own = program().contributed(token, position(token));
  base::Time done = read_and_add(own, all_cores && own > 0, 1 + (all_cores ? program().cores() : 1));
  if (program().ends_here(token, at_)) {
    done = std::max(done, resources().hbm.write(noc::now(), schedule().bytes(std::min(elements, stage.chunk))));
  }
  timer(done, absorbed, token);
}

void CoreRun::absorb_exchange(const Token& token) {
  if (run_.data() != nullptr) run_.data()->arrived(full_core_, token);
  const std::int32_t others = program().stage_of(token).parts - 1;
  const std::int64_t part = program().slice(token, 0).count;
  timer(resources().hbm.write(noc::now(), schedule().bytes(part)), absorbed, token);
  if (others > 0) give_to_others(part, false);
}

void CoreRun::gathered(int) {
  --ungathered_;
  finish_if_done();
}

void CoreRun::copy_to_others(ElementRange range, bool from_hbm) {
  const std::int32_t first = full_core_ - core_, group = schedule().member(full_core_).group;
  for (int other = 0; run_.data() != nullptr && other < schedule().cores_per_chip(); ++other) {
    if (other == core_ || schedule().member(first + other).group != group) continue;
    run_.data()->copied(full_core_, first + other, range);
  }
  give_to_others(range.count, from_hbm);
}

void CoreRun::give_to_others(std::int64_t elements, bool from_hbm) {
  const base::Bytes bytes = schedule().bytes(elements);
  const std::int32_t first = full_core_ - core_, group = schedule().member(full_core_).group;
  base::Time read = noc::now();
  if (from_hbm) read = resources().hbm.read(noc::now(), bytes);
  for (int other = 0; other < schedule().cores_per_chip(); ++other) {
    if (other == core_ || schedule().member(first + other).group != group) continue;
    const base::Time crossed = engine().chip_switch(chip_).pass(noc::now(), core_, other, bytes).arrival;
    const base::Time written = engine().resources(chip_, other).hbm.write(noc::now(), bytes);
    run_.core(chip_, other).receive_copy(elements, std::max({read, crossed, written}) + engine().dma_latency());
  }
}

void CoreRun::receive_copy(std::int64_t elements, base::Time when) {
  unshared_ -= elements;
  assert(unshared_ >= 0);
  shared_at_ = std::max(shared_at_, when);
  if (unshared_ == 0) timer(shared_at_, shared, Token{});
}

void CoreRun::finish_if_done() {
  if (finished_ || !started_ || ungathered_ > 0 || unsent_ > 0 || unshared_ > 0 || noc::now() < shared_at_) return;
  finished_ = true;
  resources().phase.set(noc::now(), "");
  run_.core_finished(chip_, core_);
}

void CoreRun::show_phase(const Token& token) {
  if (!resources().phase.active() || finished_) return;
  const ScheduleWalker& progress = walkers_[walker_of(token.colour)];
  const auto& stages = program().stages(token.colour);
  if (progress.stage() < 0 || progress.stage() >= int(stages.size())) return;
  resources().phase.set(noc::now(), fmt::format("{} step {}", stages[std::size_t(progress.stage())].name,
                                                progress.step(token.direction)));
}

}  // namespace podsim::sw
