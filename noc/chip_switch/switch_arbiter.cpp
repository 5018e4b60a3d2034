// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/switch_arbiter.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace podsim::noc::chip_switch {

namespace {

/// The first set bit at or after `pointer`, wrapping around. At least one bit must be set.
int first_from(std::uint64_t bits, int pointer) {
  const std::uint64_t behind = bits >> pointer << pointer;
  return std::countr_zero(behind != 0 ? behind : bits);
}

}  // namespace

SwitchArbiter::SwitchArbiter(int ports)
    : output_pointers_(std::size_t(ports)), input_pointers_(std::size_t(ports)), grants_(std::size_t(ports)) {
  assert(ports >= 1 && ports <= 64);
}

const std::vector<SwitchArbiter::Match>& SwitchArbiter::match(const std::vector<std::uint64_t>& wanted,
                                                              std::uint64_t free_inputs, std::uint64_t free_outputs) {
  matches_.clear();
  const int ports = int(grants_.size());
  for (bool first_round = true;; first_round = false) {
    grant(wanted, free_inputs, free_outputs);
    const std::size_t before = matches_.size();
    for (int input = 0; input < ports; ++input) {
      if (grants_[std::size_t(input)] == 0) continue;
      int& input_pointer = input_pointers_[std::size_t(input)];
      const int output = first_from(grants_[std::size_t(input)], input_pointer);
      matches_.push_back({input, output});
      free_inputs &= ~(std::uint64_t{1} << input);
      free_outputs &= ~(std::uint64_t{1} << output);
      if (!first_round) continue;
      input_pointer = (output + 1) % ports;
      output_pointers_[std::size_t(output)] = (input + 1) % ports;
    }
    if (matches_.size() == before) return matches_;
  }
}

void SwitchArbiter::grant(const std::vector<std::uint64_t>& wanted, std::uint64_t free_inputs,
                          std::uint64_t free_outputs) {
  std::ranges::fill(grants_, 0);
  for (std::uint64_t left = free_outputs; left != 0; left &= left - 1) {
    const auto output = std::size_t(std::countr_zero(left));
    const std::uint64_t candidates = wanted[output] & free_inputs;
    if (candidates == 0) continue;
    grants_[std::size_t(first_from(candidates, output_pointers_[output]))] |= std::uint64_t{1} << output;
  }
}

}  // namespace podsim::noc::chip_switch
