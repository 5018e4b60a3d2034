// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "hw/machine.h"

/// The memories of a core by number, which is the memory space of XLA: S(0) is HBM, S(1) VMEM, and from S(2) on come
/// the levels that the machine declares, in their order.
namespace podsim::hw {

namespace level {
constexpr int hbm = 0, vmem = 1, first_declared = 2;
constexpr int most = 2 + int(Machine::max_levels);
}  // namespace level

/// A memory as a core has it.
struct MemoryLevel {
  int number = 0;
  std::string name;      ///< "hbm", "vmem", "cmem"
  base::Bytes capacity;  ///< a core's part, of the HBM what programs may use
};
/// All memories of a core, by number.
std::vector<MemoryLevel> memory_levels(const Machine& machine);

/// The declared level of a number; nullptr for HBM, VMEM and numbers of no level.
const parts::level::Parameters* declared_level(const Machine& machine, int number);

/// Bytes at each level, by number.
struct LevelBytes {
  std::array<base::Bytes, level::most> at{};

  LevelBytes() = default;
  /// Bytes of the HBM alone.
  LevelBytes(base::Bytes hbm) : at{hbm} {}  // NOLINT(google-explicit-constructor)

  base::Bytes& operator[](int number) { return at[std::size_t(number)]; }
  base::Bytes operator[](int number) const { return at[std::size_t(number)]; }
  base::Bytes total() const {
    base::Bytes sum;
    for (const base::Bytes bytes : at) sum += bytes;
    return sum;
  }
  LevelBytes& operator+=(const LevelBytes& other) {
    for (std::size_t number = 0; number < at.size(); ++number) at[number] += other.at[number];
    return *this;
  }
  friend LevelBytes operator+(LevelBytes a, const LevelBytes& b) { return a += b; }
  friend LevelBytes operator*(std::int64_t times, LevelBytes bytes) {
    for (base::Bytes& part : bytes.at) part = times * part;
    return bytes;
  }
  friend LevelBytes operator*(const LevelBytes& bytes, std::int64_t times) { return times * bytes; }
  auto operator<=>(const LevelBytes&) const = default;
};

}  // namespace podsim::hw
