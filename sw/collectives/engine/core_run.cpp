// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/core_run.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sw/collectives/schedule/addition.h"
#include "sw/collectives/schedule/launch.h"

namespace podsim::sw::collectives::engine {

namespace {

constexpr int segments_in_flight = 2;  // a double buffer

}  // namespace

CoreRun::CoreRun(CollectiveRun& run, noc::NodeId chip, int core)
    : run_(run),
      chip_(chip),
      core_(core),
      full_core_(run.engine().topology().full_node_of(chip) * run.schedule().cores_per_chip() + core) {
  program_ = &schedule().program(full_core_);
  at_ = schedule().member(full_core_).position;
  for (int stripe = 0; stripe < program().stripes(); ++stripe) {
    if (schedule().works_on(full_core_, stripe)) {
      walkers_.emplace_back(program(), stripe, at_, schedule().is_root(full_core_));
    } else if (program().shares()) {
      unshared_ += program().part(stripe).count;
    }
  }
  unshared_ += program().stripes() * (program().cores() - 1) * program().handed_over();
  ungathered_ = walkers_.size();
  reads_.resize(2 * walkers_.size());
  queues_.resize(2 * std::size_t(schedule().slice().dimensions()) + 1);
  if (traits(schedule().request().kind).pairwise) return;
  neighbours_.resize(2 * program().dimensions().size());
  const auto& phases = program().phases(0);
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    if (!phases[phase].pattern->to_neighbours()) continue;
    for (int direction : {+1, -1}) {
      const Segment segment{.phase = int(phase), .direction = direction};
      neighbours_[2 * std::size_t(phases[phase].dimension) + (direction < 0)] = schedule().route(full_core_, segment);
    }
  }
}

const schedule::CollectiveSchedule& CoreRun::schedule() const { return run_.schedule(); }
Surroundings& CoreRun::engine() const { return run_.engine(); }
hw::chip::ChipTransfers& CoreRun::chip() const { return engine().chip(chip_); }
base::trace::Probe<std::string>& CoreRun::phase() const { return engine().phase(chip_, core_); }

std::size_t CoreRun::walker_of(int stripe) const {
  std::size_t i = 0;
  while (walkers_[i].stripe() != stripe) ++i;
  return i;
}

schedule::Route CoreRun::route(const Segment& segment) const {
  const schedule::Phase& phase = program().phase_of(segment);
  if (!phase.pattern->to_neighbours()) return schedule().route(full_core_, segment);
  return neighbours_[2 * std::size_t(phase.dimension) + (segment.direction < 0)];
}

std::size_t CoreRun::queue_of(const noc::Coordinates& hops) const {
  for (std::size_t d = 0; 2 * d + 1 < queues_.size(); ++d) {
    if (hops[d] != 0) return 2 * d + (hops[d] < 0);
  }
  return queues_.size() - 1;
}

std::uint32_t CoreRun::rank(Kind kind, int stripe, std::size_t queue) const {
  return std::uint32_t(kind << 16 | core_ << 12 | stripe << 4 | int(queue));
}

void CoreRun::timer(base::Time when, Kind kind, const Segment& segment, std::size_t queue) {
  const schedule::Phase* phase = program().phases(segment.stripe).empty() ? nullptr : &program().phase_of(segment);
  const std::size_t link =
      kind == link_free || phase == nullptr ? queue : 2 * std::size_t(phase->dimension) + (segment.direction < 0);
  engine().at(when, rank(kind, segment.stripe, link), {this, kind, int(queue), pack(MessageTag{segment})});
}

void CoreRun::start() {
  if (phase().active()) phase().set(engine().now(), "launch");
  timer(engine().now() + chip().slowed(base::to_time(schedule::launch(engine().machine(), program()))), started,
        Segment{});
}

void CoreRun::arrived(const MessageTag& tag, base::Time when) {
  timer(when + engine().flag_latency(), seen, tag.segment);
}

void CoreRun::link_took(const MessageTag& tag, const noc::Coordinates& hops, base::Time when) {
  timer(when, link_free, tag.segment, queue_of(hops));
}

void CoreRun::due(const Surroundings::Timer& timer) {
  const Segment segment = unpack(timer.tag).segment;
  const auto queue = std::size_t(timer.queue);
  switch (Kind(timer.kind)) {
    case started:
      return begin();
    case link_free:
      --unsent_;
      --queues_[queue].in_flight;
      feed(queue);
      return finish_if_done();
    case seen:
      return walkers_[walker_of(segment.stripe)].received(segment, *this);
    case absorbed:
      if (run_.data() != nullptr && program().pattern(segment).reduces()) run_.data()->arrived(full_core_, segment);
      walkers_[walker_of(segment.stripe)].absorbed(segment, *this);
      return show_phase(segment);
    case ready:
      return send(segment, queue);
    case reduced:
      return gathered(segment.stripe);
    case shared:
      return finish_if_done();
  }
}

void CoreRun::begin() {
  started_ = true;
  if (phase().active()) phase().set(engine().now(), "started");
  if (program().sums_cores()) return begin_together();
  begin_stripes();
  finish_if_done();
}

/// The cores of a chip begin their stripes together, when the contributions of all of them are complete.
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
    run_.core(chip_, core - first).begin_stripes();
    run_.core(chip_, core - first).finish_if_done();
  }
}

void CoreRun::begin_stripes() {
  for (schedule::ScheduleWalker& walker : walkers_) {
    if (program().phases(walker.stripe()).empty()) {
      begin_alone(walker.stripe());
    } else {
      walker.begin(*this);
    }
  }
}

/// A group on one chip has no phases: its cores' contributions are added and results copied.
void CoreRun::begin_alone(int stripe) {
  const ElementRange part = program().part(stripe);
  const bool sums = program().sums_cores();
  const hw::chip::JointMoves reads = sums ? read_from_cores(part.count, true) : no_moves();
  const hw::chip::JointMoves written = sums ? write(part.count) : no_moves();
  if (program().shares()) copy_to_others(part, !program().sums_cores());
  if (program().exchanges()) {
    if (run_.data() != nullptr) run_.data()->exchanged(full_core_, stripe, 0);
    give_to_others(program().handed_over(), true);
  }
  sum_then(reads, part.count, sums ? program().cores() : 1, written, reduced, {.stripe = stripe});
}

void CoreRun::phase_entered(int stripe, int phase) {
  const auto& phases = program().phases(stripe);
  run_.phase_entered(*program_, stripe, phase);
  show_phase({.stripe = stripe, .phase = phase});
  if (program().exchanges()) {
    // The chunk for the own position does not travel.
    if (phase > 0 && run_.data() != nullptr) run_.data()->exchanged(full_core_, stripe, phase - 1);
    if (phase + 1 == int(phases.size()) && program().cores() > 1) {
      give_to_others(program().exchange(stripe, phase).part(), true);
    }
  }
  if (!program().shares() || phase == int(phases.size())) return;
  // The other cores of the chip need this core's shard too, once it is final; in a broadcast only the root has one.
  auto reduces = [&](int number) { return phases[std::size_t(number)].pattern->reduces(); };
  const bool first_final = !reduces(phase) && (phase == 0 || reduces(phase - 1));
  const bool has_shard = !program().concurrent() || schedule().is_root(full_core_);
  if (first_final && has_shard) copy_to_others(program().shard_range(stripe, at_), true);
}

void CoreRun::originate(const Segment& first) {
  if (!program().pattern(first).to_neighbours()) return originate_direct(first);
  const std::int32_t segments = program().pattern(first).segments(first.direction);
  enqueue(queue_of(route(first).hops), {.segment = first, .end = segments, .from_hbm = true});
}

/// One item per queue stands for all peers that are reached through the queue. Peers come in the order of their
/// distance, so the first one starts all queues.
void CoreRun::originate_direct(const Segment& first) {
  const std::int32_t segments = program().pattern(first).segments(first.direction);
  unsent_ += segments;
  if (first.distance != 1) return;
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
    Segment segment = first;
    segment.distance = next_peer(first, queue);
    if (segment.distance == program().pattern(first).positions()) continue;
    queues_[queue].push({.segment = segment, .end = segments, .from_hbm = true});
  }
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) feed(queue);
}

std::int32_t CoreRun::next_peer(Segment segment, std::size_t queue) const {
  const std::int32_t end = program().pattern(segment).positions();
  while (segment.distance < end && queue_of(route(segment).hops) != queue) ++segment.distance;
  return segment.distance;
}

void CoreRun::forward(const Segment& next) {
  const std::size_t queue = queue_of(route(next).hops);
  const SendItem item{.segment = next, .end = next.number + 1, .from_hbm = false};
  if (!program().pattern(next).passes_first()) return enqueue(queue, item);
  ++unsent_;
  queues_[queue].push_passing(item);
  feed(queue);
}

void CoreRun::enqueue(std::size_t queue, const SendItem& item) {
  unsent_ += item.end - item.segment.number;
  queues_[queue].push(item);
  feed(queue);
}

void CoreRun::feed(std::size_t queue) {
  SendQueue& sends = queues_[queue];
  while (sends.in_flight < segments_in_flight && !sends.empty()) {
    const SendItem item = sends.front();
    advance(queue);
    ++sends.in_flight;
    if (!item.from_hbm) {
      send(item.segment, queue);
      continue;
    }
    const bool sums = program().sums_cores() && item.segment.phase == 0 && program().pattern(item.segment).reduces();
    const std::int64_t elements = elements_to_send(item.segment);
    sum_then(read_from_cores(elements, sums), elements, sums ? program().cores() : 1, no_moves(), ready, item.segment,
             queue);
  }
}

void CoreRun::advance(std::size_t queue) {
  SendItem& item = queues_[queue].front();
  if (++item.segment.number < item.end) return;
  if (const patterns::Pattern& pattern = program().pattern(item.segment); !pattern.to_neighbours()) {
    ++item.segment.distance;
    item.segment.number = 0;
    item.segment.distance = next_peer(item.segment, queue);
    if (item.segment.distance < pattern.positions()) return;
  }
  queues_[queue].pop();
}

std::int64_t CoreRun::elements_to_send(const Segment& segment) const {
  const patterns::Pattern& pattern = program().pattern(segment);
  return pattern.elements(segment, pattern.next(segment, position(segment)));
}

void CoreRun::send(const Segment& segment, std::size_t queue) {
  const schedule::Route way = route(segment);
  if (run_.data() != nullptr) run_.data()->sent(full_core_, way.target, segment);
  if (queue + 1 == queues_.size()) return cross(segment, way, queue);
  engine().send(run_, chip_,
                {.source = chip_,
                 .hops = way.hops,
                 .bytes = schedule().bytes(elements_to_send(segment)),
                 .channel = run_.channel(),
                 .tag = pack(MessageTag{segment, core_, way.target % schedule().cores_per_chip()})});
}

/// Sends to another core of the chip.
void CoreRun::cross(const Segment& segment, const schedule::Route& route, std::size_t queue) {
  const int to = route.target % schedule().cores_per_chip();
  const base::Clock clock(engine().machine().clock);
  const base::Time crossing = clock.time_of(engine().machine().chip_switch.crossing_latency);
  const hw::chip::MoveEnd moved = move(hw::chip::vmem_of(core_), hw::chip::vmem_of(to), elements_to_send(segment));
  hw::chip::JointMoves sent = no_moves();
  sent.add(moved);
  sent.then([this, segment, queue, to, crossing](base::Time arrival) {
    timer(std::max(engine().now(), arrival - crossing), link_free, segment, queue);
    run_.core(chip_, to).timer(arrival + chip().copy_latency(), seen, segment);
  });
}

hw::chip::MoveEnd CoreRun::move(const hw::chip::CoreMemory& from, const hw::chip::CoreMemory& to,
                                std::int64_t elements) {
  return chip().move(engine().now(), {from, to, schedule().bytes(elements)});
}

hw::chip::JointMoves CoreRun::read_from_cores(std::int64_t elements, bool all_cores) {
  hw::chip::JointMoves reads = no_moves();
  reads.add(move(hw::chip::hbm_of(core_), hw::chip::vmem_of(core_), elements));
  for (int other = 0; all_cores && other < schedule().cores_per_chip(); ++other) {
    if (other != core_) reads.add(move(hw::chip::hbm_of(other), hw::chip::vmem_of(core_), elements));
  }
  return reads;
}

base::Time CoreRun::add_up(std::int64_t elements, base::Time there, std::int64_t operands) {
  if (operands < 2 || elements == 0) return there;
  return chip().compute(core_, there,
                        schedule::addition(engine().machine(), elements, schedule().request().type, operands));
}

void CoreRun::sum_then(hw::chip::JointMoves reads, std::int64_t elements, std::int64_t operands,
                       hw::chip::JointMoves written, Kind kind, const Segment& segment, std::size_t queue) {
  const bool in_granules = !reads.known();  // which are added as they come
  const base::Time early = in_granules ? add_up(elements, engine().now(), operands) : base::Time(0);
  reads.then([=, this](base::Time there) mutable {
    const base::Time sum = in_granules ? std::max(early, there) : add_up(elements, there, operands);
    written.then([=, this](base::Time end) { timer(std::max(sum, end), kind, segment, queue); });
  });
}

/// This core's contribution to a segment is read when the segment has arrived. Where ends of reads are known, the
/// contribution is available after a read at the rate of one stream, and not before the read for the previous segment
/// of its flow has ended. Reads of other flows delay it only through the latter: if they did at once, the order in
/// which segments arrive, which changes with the bytes, would decide which flow waits. In granules, all flows read at
/// once, and the contribution is available when its own granules have arrived.
hw::chip::JointMoves CoreRun::contribution(const Segment& segment, std::int64_t elements, bool all_cores) {
  hw::chip::JointMoves reads = read_from_cores(elements, all_cores);
  if (!reads.known()) return reads;
  FlowRead& flow = reads_[2 * walker_of(segment.stripe) + (segment.direction < 0)];
  const base::Duration alone = schedule().bytes(elements) / engine().machine().hbm.read_rate();
  const base::Time read = engine().now() + base::to_time(alone);
  const base::Time there = flow.phase == segment.phase ? std::max(flow.ready, read) : read;
  flow = {segment.phase, reads.end()};
  return hw::chip::JointMoves(there);
}

void CoreRun::absorb(const Segment& segment) {
  const patterns::Pattern& pattern = program().pattern(segment);
  if (pattern.reduces()) return add(segment);
  if (run_.data() != nullptr) run_.data()->arrived(full_core_, segment);
  write(pattern.kept(segment, position(segment))).then([this, segment](base::Time end) {
    timer(end, absorbed, segment);
  });
  if (program().shares()) copy_to_others(program().range(segment, at_), false);
  const std::int64_t handed_over = pattern.handed_over(segment);
  if (handed_over > 0) give_to_others(handed_over, false);
}

/// Adds this core's contribution to a partial sum, in the first phase those of the chip's other cores too.
void CoreRun::add(const Segment& segment) {
  const patterns::Pattern& pattern = program().pattern(segment);
  const bool all_cores = segment.phase == 0 && program().sums_cores();
  const std::int64_t own = pattern.contributed(segment, position(segment));
  hw::chip::JointMoves reads = contribution(segment, own, all_cores && own > 0);
  const bool ends = pattern.ends_here(segment, position(segment));
  sum_then(reads, own, 1 + (all_cores ? program().cores() : 1),
           ends ? write(pattern.kept(segment, position(segment))) : no_moves(), absorbed, segment);
}

hw::chip::JointMoves CoreRun::write(std::int64_t elements) {
  hw::chip::JointMoves written = no_moves();
  written.add(move(hw::chip::vmem_of(core_), hw::chip::hbm_of(core_), elements));
  return written;
}

void CoreRun::gathered(int) {
  --ungathered_;
  finish_if_done();
}

std::vector<CoreRun*> CoreRun::cores_together() {
  const std::int32_t group = schedule().member(full_core_).group, first = full_core_ - core_;
  std::vector<CoreRun*> cores;
  for (int core = 0; core < schedule().cores_per_chip(); ++core) {
    if (schedule().member(first + core).group == group) cores.push_back(&run_.core(chip_, core));
  }
  return cores;
}

/// The stripes of a chip go from phase to phase together: a dimension's links carry one phase of one order at a time.
void CoreRun::phase_left(int) {
  for (const CoreRun* core : cores_together()) {
    if (!std::ranges::all_of(core->walkers_, &schedule::ScheduleWalker::waits)) return;
  }
  for (CoreRun* core : cores_together()) {
    for (schedule::ScheduleWalker& walker : core->walkers_) walker.proceed(*core);
  }
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
  const std::int32_t first = full_core_ - core_, group = schedule().member(full_core_).group;
  std::optional<hw::chip::MoveEnd> read;
  if (from_hbm) read = move(hw::chip::hbm_of(core_), hw::chip::vmem_of(core_), elements);
  for (int other = 0; other < schedule().cores_per_chip(); ++other) {
    if (other == core_ || schedule().member(first + other).group != group) continue;
    hw::chip::JointMoves copy = no_moves();
    if (read) copy.add(*read);
    copy.add(move(hw::chip::vmem_of(core_), hw::chip::hbm_of(other), elements));
    copy.then([this, other, elements](base::Time end) {
      run_.core(chip_, other).receive_copy(elements, end + chip().copy_latency());
    });
  }
}

void CoreRun::receive_copy(std::int64_t elements, base::Time when) {
  unshared_ -= elements;
  assert(unshared_ >= 0);
  shared_at_ = std::max(shared_at_, when);
  if (unshared_ == 0) timer(shared_at_, shared, Segment{});
}

void CoreRun::finish_if_done() {
  if (finished_ || !started_ || ungathered_ > 0 || unsent_ > 0 || unshared_ > 0 || engine().now() < shared_at_) return;
  finished_ = true;
  phase().set(engine().now(), "");
  run_.core_finished(chip_, core_);
}

void CoreRun::show_phase(const Segment& segment) {
  if (!phase().active() || finished_) return;
  const schedule::ScheduleWalker& progress = walkers_[walker_of(segment.stripe)];
  const auto& phases = program().phases(segment.stripe);
  if (progress.phase() < 0 || progress.phase() >= int(phases.size())) return;
  const ShownStep step{segment.stripe, progress.phase(), progress.step(segment.direction)};
  if (shown_ == step) return;
  shown_ = step;
  phase().set(engine().now(),
              fmt::format(FMT_COMPILE("{} step {}"), phases[std::size_t(step.phase)].name, step.number));
}

}  // namespace podsim::sw::collectives::engine
