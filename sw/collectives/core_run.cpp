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
    : run_(run), chip_(chip), core_(core), at_(run.engine().topology().representatives().coordinates(chip)) {
  int cores = schedule().cores_per_chip();
  for (int colour = 0; colour < schedule().colours(); ++colour) {
    bool owned = schedule().owner(colour) == core_;
    if (owned) walkers_.emplace_back(schedule(), colour, at_);
    missing_.push_back(schedule().part(colour).count * (owned ? cores - 1 : 1));
  }
  queues_.resize(2 * std::size_t(schedule().topology().dimensions()));
  ungathered_ = walkers_.size();
}

const AllReduceSchedule& CoreRun::schedule() const { return run_.schedule(); }
CollectiveEngine& CoreRun::engine() const { return run_.engine(); }
CoreResources& CoreRun::resources() const { return engine().resources(chip_, core_); }

std::uint32_t CoreRun::rank(Kind kind, const Token& token) const {
  const auto& stages = schedule().stages(token.colour);
  int link = stages.empty() ? 0 : 2 * stages[token.stage].dimension + (token.direction < 0);
  return std::uint32_t(kind << 16 | core_ << 12 | token.colour << 4 | link);
}

void CoreRun::timer(base::Time when, Kind kind, const Token& token, std::int64_t amount) {
  engine().at(when, rank(kind, token), {this, kind, pack(token), amount});
}

void CoreRun::start() { timer(noc::now(), started, Token{}); }

void CoreRun::arrived(std::uint64_t tag) { timer(noc::now() + engine().flag_latency(), seen, unpack(tag)); }

void CoreRun::link_took(std::uint64_t tag) { timer(noc::now(), link_free, unpack(tag)); }

void CoreRun::due(const CollectiveEngine::Timer& timer) {
  Token token = unpack(timer.tag);
  switch (Kind(timer.kind)) {
    case started:
      return begin();
    case link_free:
      --unsent_;
      --queue(token).in_works;
      feed(queue(token));
      return finish_if_done();
    case seen:
      return walker(token.colour).received(token, *this);
    case absorbed:
      walker(token.colour).absorbed(token, *this);
      return show_phase(token.colour, token.direction);
    case ready:
      return send(token);
    case copy_read:
      return copy_read_done(timer.amount);
    case copy_crossed: {
      base::Time written = resources().hbm.write(noc::now(), schedule().bytes(timer.amount));
      return this->timer(written + engine().dma_latency(), copy_landed, token, timer.amount);
    }
    case copy_landed:
      return landed(token.colour, timer.amount);
  }
}

void CoreRun::begin() {
  started_ = true;
  if (resources().phase.active()) resources().phase.set(noc::now(), "exchange");
  for (int colour = 0; colour < schedule().colours(); ++colour) {
    if (schedule().owner(colour) != core_) open_copy(Copy::exchange, colour, schedule().part(colour).count);
  }
  begin_colours_when_exchanged();
}

bool CoreRun::exchanged() const {
  if (!started_) return false;
  for (int colour = 0; colour < schedule().colours(); ++colour) {
    if (schedule().owner(colour) == core_ && missing_[colour] > 0) return false;
  }
  return true;
}

void CoreRun::begin_colours_when_exchanged() {
  const int cores = schedule().cores_per_chip();
  for (int core = 0; core < cores; ++core) {
    if (!run_.core(chip_, core).exchanged()) return;
  }
  for (int colour = 0; colour < schedule().colours(); ++colour) {
    run_.core(chip_, schedule().owner(colour)).begin_colour(colour);
  }
}

void CoreRun::begin_colour(int colour) {
  if (!schedule().stages(colour).empty()) return walker(colour).begin(*this);
  if (schedule().cores_per_chip() > 1) return open_copy(Copy::whole, colour, schedule().part(colour).count);
  gathered(colour);
}

void CoreRun::stage_entered(int colour, int stage) {
  show_phase(colour, +1);
  bool all_scattered = stage == int(schedule().stages(colour).size()) / 2;
  if (all_scattered && schedule().cores_per_chip() > 1) open_copy(Copy::shard, colour, schedule().shard());
}

void CoreRun::originate(const Token& first) {
  enqueue({.token = first, .end = schedule().segments(stage_of(first), first.direction), .from_hbm = true});
}

void CoreRun::forward(const Token&, const Token& next) {
  enqueue({.token = next, .end = next.segment + 1, .from_hbm = false});
}

void CoreRun::enqueue(const SendItem& item) {
  unsent_ += item.end - item.token.segment;
  SendQueue& sends = queue(item.token);
  sends.items.push_back(item);
  feed(sends);
}

void CoreRun::feed(SendQueue& sends) {
  while (sends.in_works < segments_in_works && !sends.items.empty()) {
    SendItem& item = sends.items.front();
    Token token = item.token;
    bool from_hbm = item.from_hbm;
    if (++item.token.segment == item.end) sends.items.pop_front();
    ++sends.in_works;
    if (from_hbm) {
      bool sums = stage_of(token).kind == StageKind::reduce_scatter;
      std::int64_t parts = sums ? contributions(token.stage) : 1;
      timer(read_and_add(schedule().token_size(token), parts, parts), ready, token);
    } else {
      send(token);
    }
  }
}

void CoreRun::send(const Token& token) {
  noc::Message message{
      .bytes = schedule().bytes(schedule().token_size(token)), .channel = run_.channel(), .tag = pack(token)};
  message.hops[stage_of(token).dimension] = token.direction;
  engine().port(chip_).send(message);
}

base::Time CoreRun::read_and_add(std::int64_t elements, std::int64_t from_hbm, std::int64_t operands) {
  base::Time read = resources().hbm.read(noc::now(), schedule().bytes(elements * from_hbm));
  base::Time addition = engine().addition(elements, schedule().type(), operands);
  if (addition == base::Time(0)) return read;
  return resources().vector_free_at = std::max(read, resources().vector_free_at) + addition;
}

void CoreRun::absorb(const Token& token) {
  std::int64_t elements = schedule().token_size(token);
  if (stage_of(token).kind == StageKind::all_gather) {
    timer(resources().hbm.write(noc::now(), schedule().bytes(elements)), absorbed, token);
    return copy_to_others(token.colour, elements);
  }
  bool ends = !schedule().onward(token, position(token));
  bool second = ends && !schedule().adds_own(token, position(token));
  std::int64_t parts = second ? 1 : contributions(token.stage);
  base::Time done = read_and_add(elements, parts, parts + 1);
  if (ends) done = std::max(done, resources().hbm.write(noc::now(), schedule().bytes(elements)));
  timer(done, absorbed, token);
}

void CoreRun::gathered(int) {
  --ungathered_;
  finish_if_done();
}

void CoreRun::open_copy(Copy what, int colour, std::int64_t elements) {
  copies_.push_back({.what = what, .colour = colour, .elements = elements});
  copy_next(std::int64_t(copies_.size()) - 1);
}

void CoreRun::copy_next(std::int64_t stream) {
  const CopyStream& copy = copies_[stream];
  std::int64_t elements = schedule().segment_size(copy.elements, copy.next);
  std::int64_t parts = copy.what == Copy::whole ? contributions(0) : 1;
  base::Time done = read_and_add(elements, parts, parts);
  if (copy.what == Copy::whole) {
    done = std::max(done, resources().hbm.write(noc::now(), schedule().bytes(elements)));
  }
  timer(done, copy_read, {.colour = copy.colour}, stream);
}

void CoreRun::copy_read_done(std::int64_t stream) {
  CopyStream& copy = copies_[stream];
  std::int64_t elements = schedule().segment_size(copy.elements, copy.next);
  if (copy.what == Copy::exchange) {
    cross(schedule().owner(copy.colour), copy.colour, elements);
  } else {
    copy_to_others(copy.colour, elements);
  }
  bool whole = copy.what == Copy::whole;
  int colour = copy.colour;
  if (++copy.next < schedule().segments_of(copy.elements)) return copy_next(stream);
  if (whole) gathered(colour);
}

void CoreRun::copy_to_others(int colour, std::int64_t elements) {
  for (int other = 0; other < schedule().cores_per_chip(); ++other) {
    if (other != core_) cross(other, colour, elements);
  }
}

void CoreRun::cross(int to, int colour, std::int64_t elements) {
  auto passage = engine().chip_switch(chip_).pass(noc::now(), core_, to, schedule().bytes(elements));
  run_.core(chip_, to).timer(passage.arrival, copy_crossed, {.colour = colour}, elements);
}

void CoreRun::landed(int colour, std::int64_t elements) {
  missing_[colour] -= elements;
  assert(missing_[colour] >= 0);
  if (missing_[colour] > 0) return;
  if (schedule().owner(colour) == core_) begin_colours_when_exchanged();
  finish_if_done();
}

void CoreRun::finish_if_done() {
  if (finished_ || !started_ || ungathered_ > 0 || unsent_ > 0) return;
  if (std::any_of(missing_.begin(), missing_.end(), [](std::int64_t elements) { return elements > 0; })) return;
  finished_ = true;
  resources().phase.set(noc::now(), "");
  run_.core_finished(chip_, core_);
}

void CoreRun::show_phase(int colour, int direction) {
  if (!resources().phase.active() || finished_) return;
  const auto& stages = schedule().stages(colour);
  const ScheduleWalker& progress = walker(colour);
  if (progress.stage() < 0 || progress.stage() >= int(stages.size())) return;
  resources().phase.set(noc::now(),
                        fmt::format("{} step {}", stages[progress.stage()].name(), progress.step(direction)));
}

}  // namespace podsim::sw
