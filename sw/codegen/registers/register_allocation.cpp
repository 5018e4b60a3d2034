// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/register_allocation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "hw/isa/opcode.h"
#include "sw/codegen/registers/liveness.h"

namespace podsim::sw::codegen::registers {

namespace {

/// The rows in which a machine register is occupied.
class Occupancy {
 public:
  bool free_in(const std::vector<LiveRange>& ranges) const {
    return std::none_of(ranges.begin(), ranges.end(), [&](LiveRange range) {
      auto after = taken_.upper_bound(range.end);
      return after != taken_.begin() && std::prev(after)->second >= range.begin;
    });
  }
  void take(const std::vector<LiveRange>& ranges) {
    for (LiveRange range : ranges) {
      int& end = taken_[range.begin];
      end = std::max(end, range.end);
    }
  }

 private:
  std::map<int, int> taken_;  ///< last position of each occupied range, by its first position
};

constexpr int registers_of(RegisterClass cls) {
  constexpr int counts[] = {hw::isa::scalar_registers, hw::isa::vector_registers, hw::isa::mask_registers,
                            hw::isa::predicate_registers};
  return counts[int(cls)];
}
/// Register 0 is constant in every class except vectors.
constexpr int first_of(RegisterClass cls) { return cls == RegisterClass::vector ? 0 : 1; }

int block_at(const LiveRanges& liveness, int position) {
  auto after = std::upper_bound(liveness.block_rows.begin(), liveness.block_rows.end(), position / 2);
  return int(after - liveness.block_rows.begin()) - 1;
}

}  // namespace

RegisterAllocation allocate_registers(const hw::Machine& machine, const BlockList& blocks) {
  const LiveRanges liveness = find_live_ranges(machine, blocks);
  std::vector<int> order;
  for (std::size_t i = 0; i < liveness.of.size(); ++i) {
    if (!liveness.of[i].empty()) order.push_back(int(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return liveness.of[std::size_t(a)][0].begin < liveness.of[std::size_t(b)][0].begin;
  });

  std::vector<std::vector<Occupancy>> files(register_classes);
  for (int c = 0; c < register_classes; ++c) files[std::size_t(c)].resize(std::size_t(registers_of(RegisterClass(c))));
  RegisterAllocation result{RegisterNumbers(liveness.of.size(), 0), std::nullopt};
  for (int number : order) {
    const RegisterClass cls = Register::from_number(number).cls();
    const std::vector<LiveRange>& ranges = liveness.of[std::size_t(number)];
    std::vector<Occupancy>& file = files[std::size_t(cls)];
    auto free = std::find_if(file.begin() + first_of(cls), file.end(),
                             [&](const Occupancy& occupancy) { return occupancy.free_in(ranges); });
    if (free == file.end()) {
      result.shortage = RegisterShortage{cls, block_at(liveness, ranges[0].begin)};
      return result;
    }
    free->take(ranges);
    result.numbers[std::size_t(number)] = int(free - file.begin());
  }
  return result;
}

}  // namespace podsim::sw::codegen::registers
