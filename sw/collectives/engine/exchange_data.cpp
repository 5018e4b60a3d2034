// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/exchange_data.h"

namespace podsim::sw::collectives::engine {

ExchangeData::Chunks ExchangeData::chunks(const schedule::GroupSchedule& program, int stripe, int phase) {
  const std::vector<schedule::Phase>& phases = program.phases(stripe);
  if (phases.empty()) return {program.cores(), 1, program.cores(), program.handed_over()};
  std::int64_t stride = program.cores();
  for (int d = 0; d < phases[std::size_t(phase)].dimension; ++d) stride *= program.dimensions()[std::size_t(d)].size;
  const patterns::Exchange& pattern = program.exchange(stripe, phase);
  return {stride, pattern.positions(), pattern.parts(), pattern.part()};
}

std::vector<std::size_t> ExchangeData::offsets(const schedule::GroupSchedule& program, const Chunks& chunks, int stripe,
                                               std::int32_t position, int part, ElementRange range) {
  std::vector<std::size_t> result;
  const std::int64_t shard = program.shard(), below = chunks.stride / chunks.parts;
  for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
    const std::int64_t nth = i / shard;  // among the blocks with this position and part
    const std::int64_t block = nth % below * chunks.parts + (chunks.parts > 1 ? part : 0) +
                               chunks.stride * (position + nth / below * chunks.positions);
    result.push_back(std::size_t(program.part(stripe).begin + block * shard + i % shard));
  }
  return result;
}

Values ExchangeData::sent(std::int32_t from, std::int32_t to, const Segment& segment) {
  const schedule::GroupSchedule& program = schedule_.program(from);
  const patterns::Exchange& pattern = program.exchange(segment.stripe, segment.phase);
  const std::int32_t there = position(to, segment);
  if (pattern.source(segment, there) != position(from, segment)) return passing_.take(from, segment);
  const Chunks shape = chunks(program, segment.stripe, segment.phase);
  const Values& own = held(from, segment.phase);
  Values values;
  for (std::int32_t steps = 0; steps < pattern.chunks(segment, there); ++steps) {
    const std::int32_t target = (there + segment.direction * steps + shape.positions) % shape.positions;
    for (int part = 0; part < shape.parts; ++part) {
      for (std::size_t i : offsets(program, shape, segment.stripe, target, part, pattern.slice(segment, steps))) {
        values.push_back(own[i]);
      }
    }
  }
  return values;
}

void ExchangeData::arrived(std::int32_t core, const Segment& segment, const Values& values) {
  const patterns::Exchange& pattern = schedule_.program(core).exchange(segment.stripe, segment.phase);
  const std::int32_t here = position(core, segment);
  const ElementRange range = pattern.slice(segment, 0);
  for (int part = 0; part < pattern.parts(); ++part) {
    store(core, segment, pattern.source(segment, here), part, values.data() + part * range.count, range);
  }
  if (const auto next = pattern.onward(segment, here)) {
    passing_.put(core, *next, {values.begin() + pattern.parts() * range.count, values.end()});
  }
}

void ExchangeData::store(std::int32_t core, const Segment& segment, std::int32_t source, int part, const double* values,
                         ElementRange range) {
  const schedule::GroupSchedule& program = schedule_.program(core);
  const auto& member = schedule_.member(core);
  const Chunks shape = chunks(program, segment.stripe, segment.phase);
  const GroupLayout& layout = schedule_.layout(core);
  const std::int32_t target = shape.parts > 1 ? layout.members[std::size_t(member.index * layout.cores + part)] : core;
  Values& into = held(target, segment.phase + 1);
  for (std::size_t i : offsets(program, shape, segment.stripe, source, member.inner, range)) into[i] = *values++;
}

void ExchangeData::kept(std::int32_t core, int stripe, int phase) {
  const schedule::GroupSchedule& program = schedule_.program(core);
  const Chunks shape = chunks(program, stripe, phase);
  const Segment segment{.stripe = stripe, .phase = phase};
  const std::int32_t here = shape.positions > 1 ? position(core, segment) : 0;
  for (int part = 0; part < shape.parts; ++part) {
    Values values;
    for (std::size_t i : offsets(program, shape, stripe, here, part, {0, shape.part})) {
      values.push_back(held(core, phase)[i]);
    }
    store(core, segment, here, part, values.data(), {0, shape.part});
  }
}

}  // namespace podsim::sw::collectives::engine
