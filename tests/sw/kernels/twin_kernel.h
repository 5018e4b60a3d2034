// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hw/bundle/vector_register.h"
#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// What a kernel computes if its operations are performed one after the other as they were written: no bundles, no
/// latencies, FIFOs as queues. The oracle of schedules.
struct PlainCore {
  using Row = std::array<std::uint32_t, hw::lanes>;
  std::map<int, std::int32_t> scalar;
  std::map<int, hw::VectorRegister> vector;
  std::map<int, hw::MaskRegister> mask;
  std::map<int, bool> predicate;
  std::vector<Row> vmem;
  std::vector<std::int32_t> smem;

  struct Matrix {
    using Tile = std::array<std::array<float, hw::lanes>, hw::lanes>;  ///< [row][column]
    std::vector<hw::VectorRegister> pushed;
    bool transposed = false;
    Tile weights{};
  };
  std::map<int, Matrix> matrix;
  std::vector<hw::VectorRegister> transposing;
  std::map<int, std::deque<hw::VectorRegister>> results;  ///< by unit
  std::int64_t steps = 0;                                 ///< operations performed

  PlainCore();
  std::int32_t of(ScalarReg reg) const { return reg.id == 0 ? 0 : scalar.at(reg.id); }
  std::int32_t of(ScalarOperand operand) const {
    return operand.literal ? operand.value : of(ScalarReg{operand.value});
  }
  hw::VectorRegister of(VectorOperand operand) const;
  const hw::MaskRegister& of(MaskReg reg) const;
  bool of(PredicateReg reg) const { return reg.id == 0 || predicate.at(reg.id); }
};

/// Builds a kernel and its plain meaning by the same calls.
class TwinKernel {
 public:
  explicit TwinKernel(const hw::Machine& machine) : builder_(machine, "twin") {}

  KernelBuilder& builder() { return builder_; }

  ScalarReg op(hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  void assign(ScalarReg d, hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  PredicateReg compare(hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  ScalarReg load_smem(ScalarReg base, std::int32_t offset);
  void store_smem(ScalarReg base, std::int32_t offset, ScalarReg value);
  VectorReg op(hw::isa::Opcode opcode, VectorReg x, VectorOperand y);
  void assign(VectorReg d, hw::isa::Opcode opcode, VectorReg x, VectorOperand y, MaskReg m = {});
  VectorReg splat(ScalarReg x);
  MaskReg compare(hw::isa::Opcode opcode, VectorReg x, VectorOperand y, MaskReg m = {});
  VectorReg load(RowAddress address, MaskReg m = {});
  VectorReg load_shuffled(RowAddress address, std::uint32_t nibbles);
  void store(RowAddress address, VectorReg value, MaskReg m = {});
  void store_shuffled(RowAddress address, std::uint32_t nibbles, VectorReg value);
  void push_lhs(int unit, VectorReg x);
  void push_weights(int unit, VectorReg x, bool transposed = false);
  void latch(int unit);
  void push_cross_lane(hw::isa::Opcode opcode, VectorReg x, ScalarOperand amount = 0);
  void push_transcendental(hw::isa::Opcode opcode, VectorReg x);
  VectorReg pop(int unit);
  void loop(ScalarOperand trips, const LoopOptions& options, const std::function<void()>& body);
  void when(PredicateReg predicate, bool negated, const std::function<void()>& body);

  /// Performs what was written.
  void run(PlainCore& core) const;
  /// The program, which in the end sends the first `rows` rows of VMEM to HBM from word 0 on, and the first `words` of
  /// SMEM behind them.
  hw::isa::Program finish(int rows, int words) &&;

 private:
  using Step = std::function<void(PlainCore&)>;
  using Steps = std::vector<Step>;
  void log(Step step);
  static void perform(const Steps& steps, PlainCore& core);

  KernelBuilder builder_;
  Steps steps_;
  Steps* open_ = &steps_;
  std::function<bool(const PlainCore&)> condition_;
};

}  // namespace podsim::sw
