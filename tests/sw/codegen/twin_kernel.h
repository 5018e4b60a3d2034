// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hw/bundle/vector/vector_register.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen {

/// The results of a kernel if its operations are performed one after the other as they were written: no bundles, no
/// latencies, FIFOs as queues. The oracle of schedules.
struct PlainCore {
  using Row = std::array<std::uint32_t, hw::bundle::vector::lanes>;
  std::map<int, std::int32_t> scalar;
  std::map<int, hw::bundle::vector::VectorRegister> vector;
  std::map<int, hw::bundle::vector::MaskRegister> mask;
  std::map<int, bool> predicate;
  std::vector<Row> vmem;
  std::vector<std::int32_t> smem;

  struct Matrix {
    using Tile =
        std::array<std::array<float, hw::bundle::vector::lanes>, hw::bundle::vector::lanes>;  ///< [row][column]
    std::vector<hw::bundle::vector::VectorRegister> pushed;
    bool transposed = false;
    Tile weights{};
  };
  std::map<int, Matrix> matrix;
  std::vector<hw::bundle::vector::VectorRegister> transposing;
  std::map<int, std::deque<hw::bundle::vector::VectorRegister>> results;  ///< by unit
  std::int64_t steps = 0;                                                 ///< operations performed

  PlainCore();
  std::int32_t of(registers::ScalarReg reg) const { return reg.id == 0 ? 0 : scalar.at(reg.id); }
  std::int32_t of(registers::ScalarOperand operand) const {
    return operand.literal ? operand.value : of(registers::ScalarReg{operand.value});
  }
  hw::bundle::vector::VectorRegister of(registers::VectorOperand operand) const;
  const hw::bundle::vector::MaskRegister& of(registers::MaskReg reg) const;
  bool of(registers::PredicateReg reg) const { return reg.id == 0 || predicate.at(reg.id); }
};

/// Builds a kernel and its plain meaning by the same calls.
class TwinKernel {
 public:
  explicit TwinKernel(const hw::Machine& machine) : builder_(machine, "twin") {}

  builder::KernelBuilder& builder() { return builder_; }

  registers::ScalarReg op(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  void assign(registers::ScalarReg d, hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  registers::PredicateReg compare(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  registers::ScalarReg load_smem(registers::ScalarReg base, std::int32_t offset);
  void store_smem(registers::ScalarReg base, std::int32_t offset, registers::ScalarReg value);
  registers::VectorReg op(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y);
  void assign(registers::VectorReg d, hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
              registers::MaskReg m = {});
  registers::VectorReg splat(registers::ScalarReg x);
  registers::MaskReg compare(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                             registers::MaskReg m = {});
  registers::VectorReg load(registers::RowAddress address, registers::MaskReg m = {});
  registers::VectorReg load_shuffled(registers::RowAddress address, std::uint32_t nibbles);
  void store(registers::RowAddress address, registers::VectorReg value, registers::MaskReg m = {});
  void store_shuffled(registers::RowAddress address, std::uint32_t nibbles, registers::VectorReg value);
  void push_lhs(int unit, registers::VectorReg x);
  void push_weights(int unit, registers::VectorReg x, bool transposed = false);
  void latch(int unit);
  void push_cross_lane(hw::isa::Opcode opcode, registers::VectorReg x, registers::ScalarOperand amount = 0);
  void push_transcendental(hw::isa::Opcode opcode, registers::VectorReg x);
  registers::VectorReg pop(int unit);
  void push_scalar(registers::VectorReg x);
  registers::ScalarReg pop_scalar();
  void loop(registers::ScalarOperand trips, const registers::LoopOptions& options, const std::function<void()>& body);
  void when(registers::PredicateReg predicate, bool negated, const std::function<void()>& body);

  /// Performs what was written.
  void run(PlainCore& core) const;
  /// The program, which in the end sends the first `rows` rows of VMEM to HBM from word 0 on, and the first `words` of
  /// SMEM after them.
  hw::isa::Program finish(int rows, int words) &&;

 private:
  using Step = std::function<void(PlainCore&)>;
  using Steps = std::vector<Step>;
  void log(Step step);
  static void perform(const Steps& steps, PlainCore& core);

  builder::KernelBuilder builder_;
  Steps steps_;
  Steps* open_ = &steps_;
  std::function<bool(const PlainCore&)> condition_;
};

}  // namespace podsim::sw::codegen
