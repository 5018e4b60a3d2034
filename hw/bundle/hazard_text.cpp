// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/hazard_text.h"

#include <fmt/format.h>

namespace podsim::hw::bundle {

namespace {

bool reads(const vector::Operation& operation, int entry) {
  for (int i = 0; i < operation.reads; ++i) {
    if (operation.read[std::size_t(i)] == entry) return true;
  }
  return false;
}

}  // namespace

std::string HazardText::at(std::uint32_t address, base::Cycles cycle, const std::string& what) const {
  return fmt::format("{}: {}", at(address, cycle), what);
}

std::string HazardText::at(std::uint32_t address, base::Cycles cycle) const {
  return fmt::format("{}, cycle {}", instructions_.location(address), cycle.value());
}

std::string HazardText::quoted(std::uint32_t address, const vector::Operation& operation) const {
  return fmt::format("'{}'", instructions_.text_of(address, operation.slot));
}

std::string HazardText::not_ready(std::uint32_t address, base::Cycles now, const vector::Operation& operation,
                                  int entry, const vector::Scoreboard& scoreboard) const {
  const base::Cycles ready = scoreboard.ready(entry);
  const bool is_read = reads(operation, entry) || entry == vector::register_entry::predicate + operation.predicate;
  return fmt::format("{} {} {} {} before it is ready: {}", quoted(address, operation), is_read ? "reads" : "overwrites",
                     vector::register_entry::name(entry), cycles(ready - now),
                     writer(scoreboard.writer(entry), entry, ready));
}

/// Describes the operation that is still writing the register.
std::string HazardText::writer(std::uint32_t address, int entry, base::Cycles ready) const {
  const vector::DecodedBundle& bundle = instructions_.at(address);
  for (const vector::Operation& operation : bundle.operations) {
    if (operation.write != entry) continue;
    return fmt::format("{} of {} issued in cycle {} and takes {}", quoted(address, operation),
                       instructions_.location(address), (ready - operation.latency).value(), cycles(operation.latency));
  }
  return fmt::format("{} writes it", instructions_.location(address));
}

std::string HazardText::refused(std::uint32_t address, const vector::Operation& operation,
                                const results::Readiness& readiness) const {
  const bool pops = operation.pops();
  const char* never = pops ? "waits for a result that never comes" : "waits for room that never comes";
  const char* illegal = pops ? "cannot be popped" : "is not possible";
  const bool is_illegal = readiness.kind == results::Readiness::Kind::illegal;
  return fmt::format("{} {}: {}: {}", quoted(address, operation), is_illegal ? illegal : never, unit(operation.unit),
                     readiness.why);
}

std::string HazardText::cycles(base::Cycles count) {
  return fmt::format("{} cycle{}", count.value(), count == base::Cycles(1) ? "" : "s");
}

std::string HazardText::unit(int number) {
  if (number == isa::cross_lane_unit) return "cross-lane unit";
  if (number == isa::transcendental_unit) return "transcendental unit";
  if (number == isa::scalar_path) return "path to the scalar unit";
  return fmt::format("matrix unit {}", number);
}

}  // namespace podsim::hw::bundle
