// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace podsim::sw::codegen::registers {

/// Virtual registers, of which there are arbitrarily many, each of one class. A register may be assigned more than
/// once. Operations take effect in the order in which they are written, whatever the schedule.
struct ScalarReg {
  int id = 0;
};  ///< 0 is s0, which reads as zero
struct VectorReg {
  int id = -1;
};
struct MaskReg {
  int id = 0;
};  ///< 0 is vm0, all true
struct PredicateReg {
  int id = 0;
};  ///< 0 is p0, true

/// A register or a literal.
struct ScalarOperand {
  bool literal = true;
  std::int32_t value = 0;  ///< the literal, or the register's id
  ScalarOperand(std::int32_t number) : value(number) {}
  ScalarOperand(ScalarReg reg) : literal(false), value(reg.id) {}
};
struct VectorOperand {
  bool literal = true;
  std::int32_t value = 0;
  VectorOperand(VectorReg reg) : literal(false), value(reg.id) {}
  VectorOperand(float number) : value(std::bit_cast<std::int32_t>(number)) {}
  static VectorOperand bits(std::int32_t word) { return VectorOperand(std::bit_cast<float>(word)); }
};

/// VMEM rows of an access: sublane i is row base + offset + i * stride. `buffer` determines which accesses may overlap.
/// Rows of different buffers never do. In a buffer, two accesses with the same value in `base` are compared row by row;
/// other accesses are assumed to overlap. The same holds between iterations of a loop in which base does not change.
struct RowAddress {
  ScalarReg base;
  std::int32_t offset = 0;
  int buffer = 0;
  std::int32_t stride = 1;
};

enum class LoopSchedule {
  plain,      ///< an iteration ends before the next begins; the body may contain anything, including loops
  pipelined,  ///< iterations overlap (modulo scheduling): straight-line body without sync, dma, fence
};
struct LoopOptions {
  LoopSchedule schedule = LoopSchedule::plain;
  /// Buffers in which no iteration accesses rows that another iteration stores. Accesses to them are not ordered
  /// between iterations.
  std::vector<int> independent_buffers;
};

}  // namespace podsim::sw::codegen::registers
