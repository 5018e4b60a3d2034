// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_data.h"

#include <algorithm>

#include "hlo/literal.h"

namespace podsim::sw::collectives::engine {
namespace {

double add_f32(double a, double b) { return double(float(a) + float(b)); }

/// Whether ranks give away their values, so that arriving values need a separate array.
bool gives_away(const CollectiveTraits& kind) { return kind.personal || kind.pairwise; }

}  // namespace

std::int64_t CollectiveData::block_elements(std::int32_t core) const {
  return base::divide_round_up(schedule_.request().elements, schedule_.program(core).ranks());
}

std::int64_t CollectiveData::member_index(std::int32_t core) const {
  const auto& member = schedule_.member(core);
  return std::int64_t(member.index) * schedule_.layout(core).cores + member.inner;
}

std::int64_t CollectiveData::offset_of(std::int32_t core, std::int64_t block, std::int64_t element) const {
  const schedule::GroupSchedule& program = schedule_.program(core);
  const std::int32_t owner = schedule_.ranks(core)[std::size_t(block)];
  if (traits(schedule_.request().kind).personal) {
    const auto stripe = int(element / program.shard());
    return program.part(stripe).begin + member_index(owner) * program.shard() + element % program.shard();
  }
  const auto& member = schedule_.member(owner);
  const int stripe = int(element / program.shard()) * program.cores() + member.inner;
  return program.shard_range(stripe, member.position).begin + element % program.shard();
}

CollectiveData::CollectiveData(const schedule::CollectiveSchedule& schedule, const CoreVectors& operands)
    : schedule_(schedule), exchange_(schedule, held_) {
  const CollectiveTraits& kind = traits(schedule.request().kind);
  held_.resize(std::size_t(schedule.cores()));
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const Values& operand = operands[std::size_t(core)];
    Values held(std::size_t(schedule.program(core).padded_elements()));
    if (!kind.in_blocks) {
      std::ranges::copy(operand, held.begin());
    } else if (kind.operand_is_block) {
      const auto& ranks = schedule.ranks(core);
      const auto block = std::ranges::find(ranks, core) - ranks.begin();
      for (std::size_t i = 0; i < operand.size(); ++i) {
        held[std::size_t(offset_of(core, block, std::int64_t(i)))] = operand[i];
      }
    } else {
      const std::int64_t elements = block_elements(core);
      for (std::size_t i = 0; i < operand.size(); ++i) {
        held[std::size_t(offset_of(core, std::int64_t(i) / elements, std::int64_t(i) % elements))] = operand[i];
      }
    }
    held_[std::size_t(core)].assign(
        gives_away(kind) ? std::max<std::size_t>(2, schedule.program(core).phases(0).size() + 1) : 1, held);
  }
}

CoreVectors CollectiveData::results() const {
  const schedule::CollectiveRequest& request = schedule_.request();
  const CollectiveTraits& kind = traits(request.kind);
  CoreVectors results(held_.size());
  for (std::int32_t core = 0; core < schedule_.cores(); ++core) {
    if (!schedule_.takes_part(core)) continue;
    const Values& held = held_[std::size_t(core)].back();
    Values& result = results[std::size_t(core)];
    std::int64_t first = 0, end = request.elements;
    const std::int64_t elements = kind.in_blocks ? block_elements(core) : request.elements;
    if (kind.result_is_block) {
      const auto& ranks = schedule_.ranks(core);
      first = elements * (std::ranges::find(ranks, core) - ranks.begin());
      end = std::min(end, first + elements);
    }
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t place = kind.in_blocks ? offset_of(core, i / elements, i % elements) : i;
      result.push_back(hlo::round_to(request.type, held[std::size_t(place)]));
    }
  }
  return results;
}

void CollectiveData::sum_cores(const std::vector<std::int32_t>& cores) {
  std::vector<Values> before;
  for (std::int32_t core : cores) before.push_back(values_of(core));
  const schedule::GroupSchedule& program = schedule_.program(cores[0]);
  for (std::size_t to = 0; to < cores.size(); ++to) {
    Values& own = values_of(cores[to]);
    for (int stripe = 0; stripe < program.stripes(); ++stripe) {
      if (!schedule_.works_on(cores[to], stripe)) continue;
      const ElementRange part = program.part(stripe);
      for (std::size_t from = 0; from < cores.size(); ++from) {
        if (from == to) continue;
        for (auto i = std::size_t(part.begin); i < std::size_t(part.begin + part.count); ++i) {
          own[i] = add_f32(own[i], before[from][i]);
        }
      }
    }
  }
}

ElementRange CollectiveData::range(std::int32_t receiver, std::int32_t block, const Segment& segment) const {
  const schedule::GroupSchedule& program = schedule_.program(receiver);
  ElementRange range = program.range(segment, schedule_.member(receiver).position);
  if (traits(schedule_.request().kind).personal) range.begin += member_index(block) * program.shard();
  return range;
}

void CollectiveData::sent(std::int32_t from, std::int32_t to, const Segment& segment) {
  Values values;
  if (schedule_.program(from).exchanges()) {
    values = exchange_.sent(from, to, segment);
  } else {
    const auto [begin, count] = range(to, to, segment);
    const auto first = values_of(from).begin() + begin;
    values.assign(first, first + count);
  }
  for (double& value : values) value = hlo::round_to(schedule_.request().type, value);
  in_flight_.put(to, segment, std::move(values));
}

void CollectiveData::arrived(std::int32_t core, const Segment& segment) {
  const schedule::GroupSchedule& program = schedule_.program(core);
  const Values values = in_flight_.take(core, segment);
  if (program.exchanges()) return exchange_.arrived(core, segment, values);
  const bool sums = program.pattern(segment).reduces();
  const bool blocks = traits(schedule_.request().kind).personal;
  const ElementRange target = range(core, blocks ? schedule_.sender(core, segment) : core, segment);
  double* own = held_[std::size_t(core)].back().data() + target.begin;
  for (double value : values) {
    *own = sums ? hlo::round_to(schedule_.request().type, add_f32(value, *own)) : value;
    ++own;
  }
}

void CollectiveData::copied(std::int32_t from, std::int32_t to, ElementRange range) {
  std::copy_n(values_of(from).begin() + range.begin, range.count, values_of(to).begin() + range.begin);
}

void CollectiveData::exchanged(std::int32_t core, int stripe, int phase) { exchange_.kept(core, stripe, phase); }

}  // namespace podsim::sw::collectives::engine
