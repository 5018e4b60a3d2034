// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/collective_activity.h"

#include <cstdlib>
#include <optional>

#include "sw/collectives/schedule/addition.h"

namespace podsim::sw::collectives::schedule {
namespace {

std::int64_t links_of(const noc::Coordinates& hops) {
  std::int64_t links = 0;
  for (const auto steps : hops) links += std::abs(std::int64_t(steps));
  return links;
}

/// The contributions of all cores of a chip are summed as a flow begins and where the first partial sums arrive.
bool takes_all_cores(const GroupSchedule& program, const Segment& segment) {
  return program.sums_cores() && segment.phase == 0 && program.pattern(segment).reduces();
}

}  // namespace

hw::Activity CollectiveActivity::of(std::int32_t core) {
  if (!schedule_.takes_part(core)) return {};
  const int cores = schedule_.cores_per_chip();
  const std::int32_t first = core / cores * cores;
  const Steps steps = steps_of(core);
  hw::Activity activity = steps.own;
  for (std::int32_t other = first; other < first + cores; ++other) {
    if (other == core) continue;
    activity.vmem_written += steps.taken;
    activity.switched += steps.taken;
    if (!schedule_.takes_part(other) || schedule_.member(other).group != schedule_.member(core).group) continue;
    activity.vmem_read += steps.given;
    activity.switched += steps.given;
    const Steps of_other = steps_of(other);
    activity.transfer_read += of_other.taken;
    activity.transfer_written += of_other.given;
  }
  return activity;
}

CollectiveActivity::Steps CollectiveActivity::steps_of(std::int32_t core) {
  const GroupSchedule& program = schedule_.program(core);
  Steps sum;
  for (int stripe = 0; stripe < program.stripes(); ++stripe) {
    if (!schedule_.works_on(core, stripe)) continue;
    const auto& phases = program.phases(stripe);
    if (phases.empty()) add_alone(program, stripe, sum);
    for (int phase = 0; phase < int(phases.size()); ++phase) {
      add_begun(program, core, stripe, phase, sum);
      if (phases[std::size_t(phase)].pattern->to_neighbours()) {
        add_phase(core, stripe, phase, sum);
      } else {
        add_direct(core, stripe, sum);
      }
    }
  }
  return sum;
}

/// A group on one chip has no phases.
void CollectiveActivity::add_alone(const GroupSchedule& program, int stripe, Steps& steps) const {
  const std::int64_t part = program.part(stripe).count;
  if (program.sums_cores()) {
    read(part, true, steps);
    add_up(part, program.cores(), steps);
    write(part, steps);
  }
  if (program.shares()) give(part, !program.sums_cores(), steps);
  if (program.exchanges()) give(program.handed_over(), true, steps);
}

/// What a core gives to the others of its chip when it enters a phase.
void CollectiveActivity::add_begun(const GroupSchedule& program, std::int32_t core, int stripe, int phase,
                                   Steps& steps) const {
  const auto& phases = program.phases(stripe);
  if (program.exchanges() && phase + 1 == int(phases.size()) && program.cores() > 1) {
    give(program.exchange(stripe, phase).part(), true, steps);
  }
  if (!program.shares() || phases[std::size_t(phase)].pattern->reduces()) return;
  const bool first_final = phase == 0 || phases[std::size_t(phase) - 1].pattern->reduces();
  const bool has_shard = !program.concurrent() || schedule_.is_root(core);
  if (first_final && has_shard) give(program.shard(), true, steps);
}

/// A message to each peer, and one from each; in a collective-permute as the roles of the core say.
void CollectiveActivity::add_direct(std::int32_t core, int stripe, Steps& steps) const {
  const patterns::Pattern& pattern = *schedule_.program(core).phases(stripe)[0].pattern;
  const bool pairwise = traits(schedule_.request().kind).pairwise;
  const bool sends = !pairwise || schedule_.sends(core), receives = !pairwise || schedule_.receives(core);
  for (std::int32_t distance = 1; distance < pattern.positions(); ++distance) {
    Segment segment{.stripe = stripe, .distance = distance};
    Sent sent;
    for (segment.number = 0; segment.number < pattern.segments(+1); ++segment.number) {
      const std::int64_t elements = pattern.elements(segment, 0);
      if (sends) {
        ++sent.messages;
        sent.bytes += schedule_.bytes(elements);
        read(elements, false, steps);
      }
      if (receives) {
        steps.own.vmem_written += schedule_.bytes(elements);
        write(elements, steps);
      }
    }
    if (sends) count_routes(core, segment, sent, steps.own);
  }
}

void CollectiveActivity::add_phase(std::int32_t core, int stripe, int phase, Steps& steps) {
  const GroupSchedule& program = schedule_.program(core);
  const auto& phases = program.phases(stripe);
  const noc::Coordinates& at = schedule_.member(core).position;
  const auto dimension = std::size_t(phases[std::size_t(phase)].dimension);
  std::int32_t root = -1;
  if (program.concurrent()) {
    // A tree: its branches along a dimension are level with the root in all later ones.
    const noc::Coordinates& begin = schedule_.member(schedule_.ranks(core)[0]).position;
    for (std::size_t later = std::size_t(phase) + 1; later < phases.size(); ++later) {
      const auto across = std::size_t(phases[later].dimension);
      if (at[across] != begin[across]) return;
    }
    root = begin[dimension];
  }
  const std::vector<Steps>& by_position = positions_of(program, stripe, phase, root);
  const Steps& done = by_position[by_position.size() == 1 ? 0 : std::size_t(at[dimension])];
  hw::add(done.own, 1, steps.own);
  steps.given += done.given;
  steps.taken += done.taken;
  for (const int direction : {+1, -1}) {
    const Sent& sent = done.sent[direction < 0];
    if (sent.messages == 0) continue;
    count_routes(core, {.stripe = stripe, .phase = phase, .direction = direction}, sent, steps.own);
    // In a broadcast only the root reads what it sends; others have it in VMEM.
    if (!program.concurrent() || !schedule_.is_root(core)) continue;
    steps.own.transfer_read += sent.bytes;
    steps.own.vmem_written += sent.bytes;
  }
}

const std::vector<CollectiveActivity::Steps>& CollectiveActivity::positions_of(const GroupSchedule& program, int stripe,
                                                                               int phase, std::int32_t root) {
  const Phase& walked = program.phases(stripe)[std::size_t(phase)];
  const auto [known, is_new] = known_.try_emplace({&walked, root});
  std::vector<Steps>& at = known->second;
  if (!is_new) return at;
  const patterns::Pattern& pattern = *walked.pattern;
  at.resize(pattern.uniform() ? 1 : std::size_t(pattern.positions()));
  const std::int32_t first = root < 0 ? 0 : root;
  const std::int32_t end = root < 0 ? std::int32_t(at.size()) : root + 1;
  for (std::int32_t position = first; position < end; ++position) {
    for (std::int32_t flow = 0; flow < pattern.origins(position); ++flow) {
      Segment segment = pattern.origin(position, flow);
      segment.stripe = stripe;
      segment.phase = phase;
      for (std::int32_t number = 0; number < pattern.segments(segment.direction); ++number) {
        segment.number = number;
        follow(program, segment, position, at);
      }
    }
  }
  return at;
}

/// Follows the route of a segment from its origin. Where all positions are alike, what one flow does at all of them is
/// what all flows do at one.
void CollectiveActivity::follow(const GroupSchedule& program, Segment segment, std::int32_t origin,
                                std::vector<Steps>& at) const {
  const patterns::Pattern& pattern = program.pattern(segment);
  const auto steps_at = [&](std::int32_t position) -> Steps& { return at[at.size() == 1 ? 0 : std::size_t(position)]; };
  if (!program.concurrent()) {
    const bool sums = takes_all_cores(program, segment);
    const std::int64_t elements = pattern.elements(segment, pattern.next(segment, origin));
    read(elements, sums, steps_at(origin));
    add_up(elements, sums ? program.cores() : 1, steps_at(origin));
  }
  std::int32_t from = origin;
  for (std::optional<Segment> next = segment; next; next = pattern.onward(*next, from)) {
    const std::int32_t to = pattern.next(*next, from);
    Sent& sent = steps_at(from).sent[next->direction < 0];
    ++sent.messages;
    sent.bytes += schedule_.bytes(pattern.elements(*next, to));
    arrive(program, *next, to, steps_at(to));
    from = to;
  }
}

void CollectiveActivity::arrive(const GroupSchedule& program, const Segment& segment, std::int32_t position,
                                Steps& steps) const {
  const patterns::Pattern& pattern = program.pattern(segment);
  steps.own.vmem_written += schedule_.bytes(pattern.elements(segment, position));
  if (!pattern.reduces()) {
    write(pattern.kept(segment, position), steps);
    if (program.shares()) give(pattern.range(segment, position).count, false, steps);
    give(pattern.handed_over(segment), false, steps);
    return;
  }
  const bool all_cores = takes_all_cores(program, segment);
  const std::int64_t contributed = pattern.contributed(segment, position);
  read(contributed, all_cores, steps);
  add_up(contributed, 1 + (all_cores ? program.cores() : 1), steps);
  if (pattern.ends_here(segment, position)) write(pattern.kept(segment, position), steps);
}

void CollectiveActivity::read(std::int64_t elements, bool all_cores, Steps& steps) const {
  const base::Bytes bytes = schedule_.bytes(elements);
  steps.own.transfer_read += bytes;
  steps.own.vmem_written += bytes;
  if (all_cores) steps.taken += bytes;
}

void CollectiveActivity::write(std::int64_t elements, Steps& steps) const {
  const base::Bytes bytes = schedule_.bytes(elements);
  steps.own.vmem_read += bytes;
  steps.own.transfer_written += bytes;
}

void CollectiveActivity::give(std::int64_t elements, bool from_hbm, Steps& steps) const {
  if (from_hbm) read(elements, false, steps);
  steps.given += schedule_.bytes(elements);
}

void CollectiveActivity::add_up(std::int64_t elements, std::int64_t operands, Steps& steps) const {
  if (operands < 2 || elements == 0) return;
  const hw::TilePhase phase(addition(machine_, elements, schedule_.request().type, operands));
  hw::add(hw::activity(machine_, phase), 1, steps.own);
}

/// Counts segments in one direction, or to one peer, now that their route is known.
void CollectiveActivity::count_routes(std::int32_t core, const Segment& segment, const Sent& sent,
                                      hw::Activity& activity) const {
  activity.vmem_read += sent.bytes;
  const std::int64_t links = links_of(schedule_.route(core, segment).hops);
  if (links == 0) {
    activity.switched += sent.bytes;
    return;
  }
  activity.messages += sent.messages;
  activity.message_bytes += sent.bytes;
  activity.link_bytes += sent.bytes * links;
}

}  // namespace podsim::sw::collectives::schedule
