// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "base/diagnostic.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

/// A random collective on a slice of up to 8x8 chips, and something that is slow or late there. A seed gives the same
/// case everywhere.
struct FaultyCase {
  explicit FaultyCase(std::uint64_t seed) : random(seed) {
    std::int64_t x = 1 + below(8), y = 1 + below(8);
    if (x * y == 1) y = 2;
    const bool torus = below(3) == 0;
    slice = noc::Topology({x, y}, {torus && x > 2, torus && y > 2});
    kind = collective_kinds[std::size_t(below(int(collective_kinds.size())))];
    const std::vector<Algorithm> able = algorithms_for(kind, 2);
    algorithm = able[std::size_t(below(int(able.size())))];
    bytes = std::int64_t(64 * std::pow(2.0, below(160) / 10.0));  // 64 B to 4 MiB
    const noc::NodeId chip = below(int(slice.nodes()));
    const noc::Coordinates at = slice.coordinates(chip);
    fault.chip = {at[0], at[1]};
    const std::array speeds{0.01, 0.1, 0.5, 0.8, 0.95};
    const std::array delays{1e-8, 1e-7, 1e-6, 5e-6, 2e-5};
    const int level = below(5);
    fault.kind = std::array{noc::Fault::Kind::slow_chip, noc::Fault::Kind::slow_link, noc::Fault::Kind::dead_link,
                            noc::Fault::Kind::jitter}[std::size_t(below(4))];
    fault.value = speeds[std::size_t(level)];
    if (fault.kind == noc::Fault::Kind::jitter) {
      fault.chip.clear();
      fault.value = delays[std::size_t(level)];
    }
    if (fault.kind == noc::Fault::Kind::slow_link || fault.kind == noc::Fault::Kind::dead_link) choose_link(chip);
  }
  /// The first link of the chip from a random one on.
  void choose_link(noc::NodeId chip) {
    for (int i = below(4), left = 4; left > 0; ++i, --left) {
      fault.dimension = i / 2 % 2;
      fault.direction = i % 2 == 0 ? +1 : -1;
      if (slice.neighbour(chip, fault.dimension, fault.direction)) return;
    }
  }
  int below(int end) { return int(random() % std::uint64_t(end)); }
  bool kills() const { return fault.kind == noc::Fault::Kind::dead_link; }

  std::mt19937_64 random;
  noc::Topology slice = noc::Topology({1}, {false});
  CollectiveKind kind = CollectiveKind::all_reduce;
  Algorithm algorithm = Algorithm::y_then_x;
  std::int64_t bytes = 0;
  noc::Fault fault;
};

TEST(FaultyCollective, IsNeverFasterThanTheHealthyOne) {
  const sw::TargetMachine machine = tpu_v3();
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const FaultyCase test(seed);
    const auto schedule =
        schedule_of(machine, test.slice, {test.kind, hlo::ElementType::bf16, test.bytes / 2}, test.algorithm);
    const base::Time healthy = simulate(machine, schedule).duration;
    CollectiveOptions options;
    options.faults = noc::Faults(test.slice, std::span(&test.fault, 1));
    options.seed = seed;
    base::Time faulty;
    try {
      faulty = simulate(machine, schedule, options).duration;
    } catch (const base::SimulationError&) {
      // Chips of a slice without wrap links may have no other route. Nothing else ends a collective.
      EXPECT_TRUE(test.kills());
      continue;
    }
    ++compared;
    // A failed link leaves its messages to other links, which may have been idle: a detour around a link for which
    // messages queued may even be quicker. Messages to neighbours do not queue at links.
    const bool neighbours = test.algorithm != Algorithm::direct && test.algorithm != Algorithm::ring &&
                            test.algorithm != Algorithm::one_way_ring;
    const double least = test.kills() && !neighbours ? 0.99 : 1;
    EXPECT_GE(double(faulty.value()), least * double(healthy.value()))
        << "seed " << seed << ": " << to_string(test.kind) << " " << to_string(test.algorithm) << " of " << test.bytes
        << " B on " << noc::to_string(test.slice) << ", " << noc::to_string(test.fault);
  }
  EXPECT_GT(compared, 1800);
}

TEST(FaultyCollective, ADelayLargerThanTheCollectiveIsTheTimeOfAllThatWaits) {
  // The last chip to begin is one second late, at most; all others wait for its contribution, and the rest takes no
  // longer than the whole collective.
  const sw::TargetMachine machine = tpu_v3();
  const noc::Topology slice({4, 4}, {false, false});
  const auto schedule =
      schedule_of(machine, slice, {CollectiveKind::all_reduce, hlo::ElementType::bf16, 1 << 20}, Algorithm::two_colour);
  CollectiveOptions options;
  options.starts.resize(32);
  const CollectiveOutcome healthy = simulate(machine, schedule, options);
  const noc::Fault jitter{.kind = noc::Fault::Kind::jitter, .chip = {}, .value = 0.01};
  options.faults = noc::Faults(slice, std::span(&jitter, 1));
  const CollectiveOutcome late = simulate(machine, schedule, options);
  EXPECT_EQ(late.healthy, healthy.duration);
  EXPECT_GE(late.duration, healthy.duration);
  EXPECT_LE(late.duration, base::to_time(base::Duration(0.01)) + 2 * healthy.duration);
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
