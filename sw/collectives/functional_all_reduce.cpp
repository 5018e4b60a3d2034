// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/functional_all_reduce.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <map>
#include <memory>

#include "sw/collectives/schedule_walker.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

namespace {

using Values = std::vector<double>;

double add_f32(double a, double b) { return double(float(a) + float(b)); }

class Network;

// One colour on the core that owns it.
class Participant : public ScheduleActions {
 public:
  Participant(Network& network, const AllReduceSchedule& schedule, int colour, noc::NodeId node, Values& data)
      : network_(network),
        schedule_(schedule),
        at_(schedule.topology().coordinates(node)),
        node_(node),
        data_(data),
        walker_(schedule, colour, at_) {}

  void begin() { walker_.begin(*this); }
  void receive(const Token& token, Values values) {
    landed_.emplace(pack(token), std::move(values));
    walker_.received(token, *this);
  }

  void stage_entered(int, int) override {}
  void gathered(int) override {}
  void originate(const Token& first) override;
  void absorb(const Token& token) override;
  void forward(const Token& arrived, const Token& next) override;

 private:
  bool is_sum(const Token& token) const {
    return schedule_.stages(token.colour)[token.stage].kind == StageKind::reduce_scatter;
  }
  void add_own(const Token& token, Values& values) const;

  Network& network_;
  const AllReduceSchedule& schedule_;
  noc::Coordinates at_;
  noc::NodeId node_;
  Values& data_;
  ScheduleWalker walker_;
  std::map<std::uint64_t, Values> landed_;
};

// Messages in flight, delivered in the order in which they were sent.
class Network {
 public:
  Network(const AllReduceSchedule& schedule, std::vector<Values>& data) : schedule_(schedule) {
    for (noc::NodeId node = 0; node < schedule.topology().nodes(); ++node) {
      for (int colour = 0; colour < schedule.colours(); ++colour) {
        Values& owned = data[std::size_t(node) * schedule.cores_per_chip() + schedule.owner(colour)];
        participants_.push_back(std::make_unique<Participant>(*this, schedule, colour, node, owned));
      }
    }
  }
  void send(noc::NodeId from, const Token& token, Values values) {
    const Stage& stage = schedule_.stages(token.colour)[token.stage];
    auto to = schedule_.topology().neighbour(from, stage.dimension, token.direction);
    assert(to);
    in_flight_.push_back({*to, token, std::move(values)});
  }
  void run() {
    for (auto& participant : participants_) participant->begin();
    while (!in_flight_.empty()) {
      Packet packet = std::move(in_flight_.front());
      in_flight_.pop_front();
      participants_[std::size_t(packet.to) * schedule_.colours() + packet.token.colour]->receive(
          packet.token, std::move(packet.values));
    }
  }

 private:
  struct Packet {
    noc::NodeId to;
    Token token;
    Values values;
  };
  const AllReduceSchedule& schedule_;
  std::vector<std::unique_ptr<Participant>> participants_;
  std::deque<Packet> in_flight_;
};

void Participant::originate(const Token& first) {
  Token token = first;
  const Stage& stage = schedule_.stages(first.colour)[first.stage];
  auto neighbour = schedule_.topology().neighbour(node_, stage.dimension, first.direction);
  noc::Coordinates there = schedule_.topology().coordinates(*neighbour);
  for (; token.segment < schedule_.segments(stage, token.direction); ++token.segment) {
    ElementRange range = schedule_.range(token, there);
    Values values(data_.begin() + range.begin, data_.begin() + range.begin + range.count);
    for (double& value : values) value = round_to(schedule_.type(), value);
    network_.send(node_, token, std::move(values));
  }
}

void Participant::add_own(const Token& token, Values& values) const {
  ElementRange range = schedule_.range(token, at_);
  for (std::int64_t i = 0; i < range.count; ++i) {
    values[i] = round_to(schedule_.type(), add_f32(values[i], data_[range.begin + i]));
  }
}

void Participant::absorb(const Token& token) {
  Values& values = landed_.at(pack(token));
  if (is_sum(token)) add_own(token, values);
  bool ends = !schedule_.onward(token, at_[schedule_.stages(token.colour)[token.stage].dimension]);
  if (!is_sum(token) || ends) {
    std::copy(values.begin(), values.end(), data_.begin() + schedule_.range(token, at_).begin);
    landed_.erase(pack(token));
  }
  walker_.absorbed(token, *this);
}

void Participant::forward(const Token& arrived, const Token& next) {
  network_.send(node_, next, landed_.at(pack(arrived)));
  if (is_sum(arrived)) landed_.erase(pack(arrived));
}

// What the cores of a chip hand each other: every owner gets the sum, in f32, over the cores of its colour's part.
void exchange(const AllReduceSchedule& schedule, std::vector<Values>& data, std::size_t first_core) {
  std::vector<Values> before(data.begin() + first_core, data.begin() + first_core + schedule.cores_per_chip());
  for (int colour = 0; colour < schedule.colours(); ++colour) {
    ElementRange part = schedule.part(colour);
    int owner = schedule.owner(colour);
    for (int other = 0; other < schedule.cores_per_chip(); ++other) {
      if (other == owner) continue;
      for (std::int64_t i = part.begin; i < part.begin + part.count; ++i) {
        data[first_core + owner][i] = add_f32(data[first_core + owner][i], before[other][i]);
      }
    }
  }
}

void share(const AllReduceSchedule& schedule, std::vector<Values>& data, std::size_t first_core) {
  for (int colour = 0; colour < schedule.colours(); ++colour) {
    ElementRange part = schedule.part(colour);
    const Values& from = data[first_core + schedule.owner(colour)];
    for (int core = 0; core < schedule.cores_per_chip(); ++core) {
      if (core == schedule.owner(colour)) continue;
      std::copy_n(from.begin() + part.begin, part.count, data[first_core + core].begin() + part.begin);
    }
  }
}

}  // namespace

CoreVectors run_functional(const AllReduceSchedule& schedule, const CoreVectors& inputs) {
  std::size_t cores = std::size_t(schedule.topology().nodes()) * schedule.cores_per_chip();
  assert(inputs.size() == cores);
  CoreVectors data = inputs;
  for (Values& values : data) {
    assert(std::int64_t(values.size()) == schedule.elements());
    values.resize(schedule.padded_elements());
  }
  for (std::size_t core = 0; core < cores; core += schedule.cores_per_chip()) exchange(schedule, data, core);
  Network(schedule, data).run();
  for (std::size_t core = 0; core < cores; core += schedule.cores_per_chip()) share(schedule, data, core);
  for (Values& values : data) {
    values.resize(schedule.elements());
    for (double& value : values) value = round_to(schedule.type(), value);
  }
  return data;
}

}  // namespace podsim::sw
