// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/immediates.h"

#include <iterator>

namespace podsim::hw::isa {
namespace {

// Codes of literals: the first code of each form.
constexpr int sign_extended = 32, paired = 38, upper_half = 41, listed = 47;
constexpr std::int32_t list[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256, 512, 1024, -1};
static_assert(listed + std::size(list) == 64);

std::optional<int> index_in_list(std::int32_t literal) {
  if (literal >= 0 && literal <= 8) return literal;
  for (std::size_t i = 9; i < std::size(list); ++i) {
    if (list[i] == literal) return int(i);
  }
  return std::nullopt;
}

std::optional<std::uint8_t> code(int base, std::optional<int> index) {
  if (!index) return std::nullopt;
  return std::uint8_t(base + *index);
}

}  // namespace

std::optional<int> ImmediatePool::single(std::uint16_t value) {
  for (int i = 0; i < immediates; ++i) {
    bool taken = i < pairs_to_ || i >= singles_from_;
    if (taken && values_[std::size_t(i)] == value) return i;
  }
  if (free() < 1) return std::nullopt;
  values_[std::size_t(--singles_from_)] = value;
  return singles_from_;
}

std::optional<int> ImmediatePool::pair(std::uint16_t low, std::uint16_t high) {
  for (int i = 0; i < immediates; i += 2) {
    bool taken = i < pairs_to_ || i >= singles_from_;
    if (taken && values_[std::size_t(i)] == low && values_[std::size_t(i) + 1] == high) return i / 2;
  }
  if (free() < 2) return std::nullopt;
  values_[std::size_t(pairs_to_++)] = low;
  values_[std::size_t(pairs_to_++)] = high;
  return pairs_to_ / 2 - 1;
}

std::optional<std::uint8_t> ImmediatePool::place(std::int32_t literal) {
  if (std::optional<int> index = index_in_list(literal)) return code(listed, index);
  auto low = std::uint16_t(std::uint32_t(literal) & 0xffff), high = std::uint16_t(std::uint32_t(literal) >> 16);
  if (literal == std::int16_t(low)) return code(sign_extended, single(low));
  if (low == 0) return code(upper_half, single(high));
  return code(paired, pair(low, high));
}

std::int32_t literal_of(int code, const std::array<std::uint16_t, immediates>& values) {
  if (code >= listed) return list[code - listed];
  if (code >= upper_half) return std::int32_t(std::uint32_t(values[std::size_t(code - upper_half)]) << 16);
  if (code < paired) return std::int16_t(values[std::size_t(code - sign_extended)]);
  std::size_t even = 2 * std::size_t(code - paired);
  return std::int32_t(std::uint32_t(values[even]) | std::uint32_t(values[even + 1]) << 16);
}

std::optional<LiteralOperand> first_that_does_not_fit(const Bundle& bundle) {
  ImmediatePool pool;
  for (int s = 0; s < slots; ++s) {
    const auto& instruction = bundle[Slot(s)];
    if (!instruction) continue;
    const Value* operands[] = {&instruction->x, &instruction->y, &instruction->z};
    for (int i = 0; i < 3; ++i) {
      if (operands[i]->literal && !pool.place(operands[i]->value)) return LiteralOperand{Slot(s), i};
    }
  }
  return std::nullopt;
}

}  // namespace podsim::hw::isa
