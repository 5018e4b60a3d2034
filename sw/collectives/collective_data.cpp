// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_data.h"

#include <algorithm>
#include <cassert>

#include "sw/ir/literal.h"

namespace podsim::sw::collectives {
namespace {

double add_f32(double a, double b) { return double(float(a) + float(b)); }

/// Whether ranks hold blocks at the end or at the beginning, which their members in the grid own.
bool has_blocks(CollectiveKind kind) {
  return kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::all_to_all;
}

/// Whether ranks give away what they hold, so that what comes needs a place of its own.
bool moves_blocks(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all || kind == CollectiveKind::collective_permute;
}

}  // namespace

std::int64_t CollectiveData::block_elements(std::int32_t core) const {
  return base::divide_round_up(schedule_.request().elements, schedule_.program(core).ranks());
}

std::int64_t CollectiveData::member_index(std::int32_t core) const {
  const auto& member = schedule_.member(core);
  return std::int64_t(member.index) * schedule_.layout(core).cores + member.inner;
}

std::int64_t CollectiveData::offset_of(std::int32_t core, std::int64_t block, std::int64_t element) const {
  const GroupSchedule& program = schedule_.program(core);
  const std::int32_t owner = schedule_.ranks(core)[std::size_t(block)];
  if (schedule_.request().kind == CollectiveKind::all_to_all) {
    const auto stripe = int(element / program.shard());
    return program.part(stripe).begin + member_index(owner) * program.shard() + element % program.shard();
  }
  const auto& member = schedule_.member(owner);
  const int stripe = int(element / program.shard()) * program.cores() + member.inner;
  return program.shard_range(stripe, member.position).begin + element % program.shard();
}

CollectiveData::CollectiveData(const CollectiveSchedule& schedule, const CoreVectors& operands) : schedule_(schedule) {
  const CollectiveKind kind = schedule.request().kind;
  held_.resize(std::size_t(schedule.cores()));
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const Values& operand = operands[std::size_t(core)];
    Values held(std::size_t(schedule.program(core).padded_elements()));
    if (!has_blocks(kind)) {
      std::ranges::copy(operand, held.begin());
    } else if (kind == CollectiveKind::all_gather) {
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
        moves_blocks(kind) ? std::max<std::size_t>(2, schedule.program(core).phases(0).size() + 1) : 1, held);
  }
}

CoreVectors CollectiveData::results() const {
  const CollectiveRequest& request = schedule_.request();
  CoreVectors results(held_.size());
  for (std::int32_t core = 0; core < schedule_.cores(); ++core) {
    if (!schedule_.takes_part(core)) continue;
    const Values& held = held_[std::size_t(core)].back();
    Values& result = results[std::size_t(core)];
    std::int64_t first = 0, end = request.elements;
    const std::int64_t elements = has_blocks(request.kind) ? block_elements(core) : request.elements;
    if (request.kind == CollectiveKind::reduce_scatter) {
      const auto& ranks = schedule_.ranks(core);
      first = elements * (std::ranges::find(ranks, core) - ranks.begin());
      end = std::min(end, first + elements);
    }
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t place = has_blocks(request.kind) ? offset_of(core, i / elements, i % elements) : i;
      result.push_back(ir::round_to(request.type, held[std::size_t(place)]));
    }
  }
  return results;
}

void CollectiveData::sum_cores(const std::vector<std::int32_t>& cores) {
  std::vector<Values> before;
  for (std::int32_t core : cores) before.push_back(held(core, 0));
  const GroupSchedule& program = schedule_.program(cores[0]);
  for (std::size_t to = 0; to < cores.size(); ++to) {
    Values& own = held(cores[to], 0);
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

ElementRange CollectiveData::direct_range(const Segment& segment, const GroupSchedule& program,
                                          std::int64_t place) const {
  std::int64_t begin = program.part(segment.stripe).begin;
  if (schedule_.request().kind == CollectiveKind::all_to_all) begin += place * program.shard();
  Segment before = segment;
  for (before.number = 0; before.number < segment.number; ++before.number) begin += program.size(before, 0);
  return {begin, program.size(segment, 0)};
}

ElementRange CollectiveData::source_range(std::int32_t from, std::int32_t to, const Segment& segment) const {
  const GroupSchedule& program = schedule_.program(from);
  if (program.phase_of(segment).kind == PhaseKind::direct) return direct_range(segment, program, member_index(to));
  return program.range(segment, schedule_.member(to).position);
}

ElementRange CollectiveData::target_range(std::int32_t core, const Segment& segment) const {
  const GroupSchedule& program = schedule_.program(core);
  if (program.phase_of(segment).kind == PhaseKind::direct) {
    return direct_range(segment, program, member_index(schedule_.sender(core, segment)));
  }
  return program.range(segment, schedule_.member(core).position);
}

void CollectiveData::sent(std::int32_t from, std::int32_t to, const Segment& segment) {
  Values values;
  if (schedule_.program(from).phase_of(segment).kind == PhaseKind::exchange) {
    values = exchange_values(from, to, segment);
  } else {
    const ElementRange range = source_range(from, to, segment);
    const Values& own = held(from, 0);
    values.assign(own.begin() + range.begin, own.begin() + range.begin + range.count);
  }
  for (double& value : values) value = ir::round_to(schedule_.request().type, value);
  [[maybe_unused]] const bool fresh = in_flight_.emplace(Key{to, pack(MessageTag{segment})}, std::move(values)).second;
  assert(fresh);
}

void CollectiveData::arrived(std::int32_t core, const Segment& segment) {
  const auto message = in_flight_.find({core, pack(MessageTag{segment})});
  assert(message != in_flight_.end());
  const Values values = std::move(message->second);
  in_flight_.erase(message);
  if (schedule_.program(core).phase_of(segment).kind == PhaseKind::exchange) {
    return exchange_arrived(core, segment, values);
  }
  const ElementRange range = target_range(core, segment);
  const PhaseKind kind = schedule_.program(core).phase_of(segment).kind;
  Values& into = held(core, kind == PhaseKind::direct ? 1 : 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& own = into[std::size_t(range.begin) + i];
    own =
        kind == PhaseKind::reduce_scatter ? ir::round_to(schedule_.request().type, add_f32(values[i], own)) : values[i];
  }
}

void CollectiveData::copied(std::int32_t from, std::int32_t to, ElementRange range) {
  std::copy_n(held(from, 0).begin() + range.begin, range.count, held(to, 0).begin() + range.begin);
}

std::int32_t CollectiveData::position(std::int32_t core, const Segment& segment) const {
  return schedule_.member(core).position[std::size_t(schedule_.program(core).phase_of(segment).dimension)];
}

CollectiveData::Exchange CollectiveData::exchange(const GroupSchedule& program, int stripe, int phase) {
  const auto& phases = program.phases(stripe);
  if (phases.empty()) return {program.cores(), 1, program.cores(), program.handed_on()};
  const Phase& along = phases[std::size_t(phase)];
  std::int64_t stride = program.cores();
  for (int d = 0; d < along.dimension; ++d) stride *= program.dimensions()[std::size_t(d)].size;
  return {stride, along.size, along.parts, along.chunk / along.parts};
}

std::vector<std::size_t> CollectiveData::offsets(const GroupSchedule& program, const Exchange& exchange, int stripe,
                                                 std::int32_t position, int part, ElementRange range) {
  std::vector<std::size_t> result;
  const std::int64_t shard = program.shard(), below = exchange.stride / exchange.parts;
  for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
    const std::int64_t nth = i / shard;  // of the blocks with this position and part
    const std::int64_t block = nth % below * exchange.parts + (exchange.parts > 1 ? part : 0) +
                               exchange.stride * (position + nth / below * exchange.size);
    result.push_back(std::size_t(program.part(stripe).begin + block * shard + i % shard));
  }
  return result;
}

CollectiveData::Values CollectiveData::exchange_values(std::int32_t from, std::int32_t to, const Segment& segment) {
  const GroupSchedule& program = schedule_.program(from);
  const std::int32_t there = position(to, segment);
  if (program.origin(segment, there) != position(from, segment)) {
    return std::move(passing_.extract({from, pack(MessageTag{segment})}).mapped());
  }
  const Exchange shape = exchange(program, segment.stripe, segment.phase);
  const Values& own = held(from, segment.phase);
  Values values;
  for (std::int32_t steps = 0; steps < program.chunks(segment, there); ++steps) {
    const std::int32_t target = (there + segment.direction * steps + shape.size) % shape.size;
    for (int part = 0; part < shape.parts; ++part) {
      for (std::size_t place : offsets(program, shape, segment.stripe, target, part, program.slice(segment, steps))) {
        values.push_back(own[place]);
      }
    }
  }
  return values;
}

void CollectiveData::exchange_arrived(std::int32_t core, const Segment& segment, const Values& values) {
  const GroupSchedule& program = schedule_.program(core);
  const std::int32_t origin = program.origin(segment, position(core, segment));
  const ElementRange range = program.slice(segment, 0);
  const int parts = program.phase_of(segment).parts;
  for (int part = 0; part < parts; ++part) {
    leave_part(core, segment, origin, part, values.data() + part * range.count, range);
  }
  if (const auto next = program.onward(segment, schedule_.member(core).position)) {
    passing_[{core, pack(MessageTag{*next})}] = {values.begin() + parts * range.count, values.end()};
  }
}

/// Part `part` of a chunk from `origin` comes to its core on the chip.
void CollectiveData::leave_part(std::int32_t core, const Segment& segment, std::int32_t origin, int part,
                                const double* values, ElementRange range) {
  const GroupSchedule& program = schedule_.program(core);
  const auto& member = schedule_.member(core);
  const Exchange shape = exchange(program, segment.stripe, segment.phase);
  const GroupLayout& layout = schedule_.layout(core);
  const std::int32_t target = shape.parts > 1 ? layout.members[std::size_t(member.index * layout.cores + part)] : core;
  Values& into = held(target, segment.phase + 1);
  for (std::size_t place : offsets(program, shape, segment.stripe, origin, member.inner, range))
    into[place] = *values++;
}

void CollectiveData::exchanged(std::int32_t core, int stripe, int phase) {
  const GroupSchedule& program = schedule_.program(core);
  const Exchange shape = exchange(program, stripe, phase);
  const Segment segment{.stripe = stripe, .phase = phase};
  const std::int32_t here = shape.size > 1 ? position(core, segment) : 0;
  for (int part = 0; part < shape.parts; ++part) {
    Values values;
    for (std::size_t place : offsets(program, shape, stripe, here, part, {0, shape.part})) {
      values.push_back(held(core, phase)[place]);
    }
    leave_part(core, segment, here, part, values.data(), {0, shape.part});
  }
}

CoreVectors expected_results(const CollectiveSchedule& schedule, const CoreVectors& operands) {
  const CollectiveRequest& request = schedule.request();
  const auto elements = std::size_t(request.elements);
  CoreVectors results = operands;
  std::vector<std::vector<double>> sums(schedule.groups());
  for (std::int32_t core = 0; reduces(request.kind) && core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    std::vector<double>& sum = sums[std::size_t(schedule.member(core).group)];
    sum.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) sum[i] += operands[std::size_t(core)][i];
  }
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    const auto& ranks = schedule.ranks(core);
    const auto rank = std::size_t(std::ranges::find(ranks, core) - ranks.begin());
    const std::size_t block = (elements + ranks.size() - 1) / ranks.size();
    const std::size_t first = std::min(elements, rank * block), end = std::min(elements, first + block);
    std::vector<double>& result = results[std::size_t(core)];
    const std::vector<double>& sum = sums[std::size_t(schedule.member(core).group)];
    result.clear();
    switch (request.kind) {
      case CollectiveKind::all_reduce:
        result = sum;
        break;
      case CollectiveKind::reduce_scatter:
        result.assign(sum.begin() + std::ptrdiff_t(first), sum.begin() + std::ptrdiff_t(end));
        break;
      case CollectiveKind::all_gather:
        for (std::int32_t other : ranks) {
          const auto& values = operands[std::size_t(other)];
          result.insert(result.end(), values.begin(), values.end());
        }
        break;
      case CollectiveKind::all_to_all:
        // Block `rank` of every other, its length that of the block it replaces.
        for (std::size_t i = 0; i < elements; ++i) {
          const std::size_t from = i / block, there = rank * block + i % block;
          const auto& values = operands[std::size_t(ranks[from])];
          result.push_back(there < values.size() ? values[there] : 0);
        }
        break;
      case CollectiveKind::collective_permute: {
        const std::int32_t source = schedule.member(core).position[1] != 0 ? schedule.sender(core, {}) : core;
        result = operands[std::size_t(source)];
        break;
      }
      case CollectiveKind::broadcast:
        result = operands[std::size_t(ranks[0])];
        break;
    }
  }
  return results;
}

}  // namespace podsim::sw::collectives
