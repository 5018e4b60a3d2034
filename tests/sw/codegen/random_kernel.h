// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/sw/codegen/twin_kernel.h"

namespace podsim::sw::codegen {

/// Writes kernels of random operations from a seed: registers assigned more than once, masks and conditions, memory
/// that is the same at times, all units behind FIFOs, loops in loops.
class RandomKernel {
 public:
  RandomKernel(const hw::Machine& machine, std::uint32_t seed);

  /// Rows and words that a kernel works on.
  static constexpr int rows = 1024, words = 16;

  /// Straight-line code of about that many operations.
  void write_code(int operations);
  /// A loop over such code, of up to `max_trips`.
  void write_loop(int operations, registers::LoopSchedule schedule, int max_trips = 12);
  /// A loop as in kernels: a loaded value passes through some operations and is stored, at the next rows in every
  /// iteration.
  void write_stream(int max_trips);
  /// Loops of either kind after and inside of each other.
  void write_nest(int operations, int depth);
  TwinKernel& twin() { return twin_; }
  /// Stores the values in registers as well.
  hw::isa::Program finish() &&;

  int below(int limit) { return int(random_() % std::uint32_t(limit)); }

 private:
  bool one_in(int n) { return below(n) == 0; }
  template <class Reg>
  Reg any(const std::vector<Reg>& registers) {
    return registers[std::size_t(below(int(registers.size())))];
  }
  template <class Reg>
  void keep(std::vector<Reg>& registers, Reg reg, std::size_t most);

  void write_operation();
  registers::VectorReg transform(registers::VectorReg x);
  registers::ScalarOperand random_trips(int most);
  void write_scalar();
  void write_vector();
  void write_memory();
  void write_fifo();
  void write_matrix();
  void pop(int unit);
  void settle_fifos(const std::vector<int>& waiting);
  registers::RowAddress address(int span);

  std::mt19937 random_;
  TwinKernel twin_;
  std::vector<registers::ScalarReg> scalars_;
  std::vector<registers::VectorReg> vectors_;
  std::vector<registers::MaskReg> masks_;
  std::vector<registers::PredicateReg> predicates_;
  std::vector<registers::ScalarReg> bases_;  ///< hold numbers of existing rows
  std::vector<int> waiting_;                 ///< results by unit
  std::vector<bool> latched_;                ///< by matrix unit
  std::vector<int> kinds_;                   ///< operations are of a random one of them
};

}  // namespace podsim::sw::codegen
