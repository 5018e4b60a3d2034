// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/program.h"
#include "hw/machine.h"

/// Kernels written as operations on virtual registers with counted loops; finish() schedules them into bundles.
namespace podsim::sw {

/// Virtual registers: any number, each of one class. A register may be assigned more than once; operations take effect
/// in the order in which they are written, whatever the schedule.
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
  std::int32_t value = 0;  ///< or the register's id
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

/// VMEM row base + offset, where sublane i is `stride` rows further. `buffer` says what may be the same memory: rows of
/// different buffers never are; in one buffer two accesses with the same value in `base` are compared row by row, and
/// all others are taken to overlap. The same holds between iterations of a loop if base does not change in it.
struct RowAddress {
  ScalarReg base;
  std::int32_t offset = 0;
  int buffer = 0;
  std::int32_t stride = 1;
};

enum class LoopSchedule {
  plain,      ///< an iteration ends before the next begins; may hold anything, other loops too
  pipelined,  ///< iterations overlap (modulo scheduling): straight-line body without sync, dma, fence
};
struct LoopOptions {
  LoopSchedule schedule = LoopSchedule::plain;
  /// Buffers in which no iteration touches rows that another one stores: their accesses are not ordered across
  /// iterations.
  std::vector<int> independent_buffers;
};

class KernelBuilder {
 public:
  KernelBuilder(const hw::Machine& machine, std::string name);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;
  const hw::Machine& machine() const;

  // Registers without a value yet, to be assigned.
  ScalarReg scalar();
  VectorReg vector();
  MaskReg mask();
  PredicateReg predicate();

  // Operations of the scalar and vector slots by opcode; the forms without `d` make a new register for the result, of
  // which lanes outside of a mask have no certain value. Operands that the opcode does not take are left out or
  // ignored.
  ScalarReg op(hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  void assign(ScalarReg d, hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  ScalarReg constant(std::int32_t value);
  void set(ScalarReg d, ScalarOperand y);  ///< s_mov
  PredicateReg compare(hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  void assign(PredicateReg d, hw::isa::Opcode opcode, ScalarReg x, ScalarOperand y);
  ScalarReg load_smem(ScalarReg base, std::int32_t offset);
  void store_smem(ScalarReg base, std::int32_t offset, ScalarReg value);

  VectorReg op(hw::isa::Opcode opcode, VectorReg x, VectorOperand y, MaskReg m = {});
  void assign(VectorReg d, hw::isa::Opcode opcode, VectorReg x, VectorOperand y, MaskReg m = {});
  VectorReg unary(hw::isa::Opcode opcode, VectorOperand y);  ///< v_mov, v_cvt_*, v_round_bf16, v_unpack_*
  VectorReg splat(ScalarReg x);
  VectorReg lane_numbers();
  VectorReg sublane_numbers();
  MaskReg compare(hw::isa::Opcode opcode, VectorReg x, VectorOperand y, MaskReg m = {});
  MaskReg mask_op(hw::isa::Opcode opcode, MaskReg x, MaskReg y);
  void assign_splat(MaskReg d, ScalarOperand y);  ///< m_splat

  VectorReg load(RowAddress address, MaskReg m = {});
  VectorReg load_shuffled(RowAddress address, std::uint32_t nibbles, MaskReg m = {});  ///< address.stride is not used
  void store(RowAddress address, VectorReg value, MaskReg m = {});
  void store_shuffled(RowAddress address, std::uint32_t nibbles, VectorReg value, MaskReg m = {});

  // FIFO units. Each unit's pushes and its pops keep their order, and pop number n of a unit gives its result number n.
  void push_lhs(int unit, VectorReg x);
  void push_weights(int unit, VectorReg x);
  void push_weights_transposed(int unit, VectorReg x);
  void latch(int unit);
  void push_cross_lane(hw::isa::Opcode opcode, VectorReg x, ScalarOperand amount = 0);
  void push_permute(VectorReg x, VectorReg index);
  void push_transcendental(hw::isa::Opcode opcode, VectorOperand y);
  VectorReg pop(int unit);
  // A push and its pop, for single operations.
  VectorReg cross_lane(hw::isa::Opcode opcode, VectorReg x, ScalarOperand amount = 0);
  VectorReg transcendental(hw::isa::Opcode opcode, VectorOperand y);

  // Synchronisation; these keep their order among each other. Memory operations written before a dma stay before it
  // (with a fence where it reads what was just stored), those after a sync_wait stay after it.
  void dma(ScalarOperand descriptor);
  void sync_set(ScalarOperand flag, ScalarOperand value);
  void sync_add(ScalarOperand flag, ScalarOperand amount);
  void sync_wait(ScalarOperand flag, ScalarOperand value);
  void fence();
  /// Of no effect in pipelined loops.
  void mark(const std::string& text);

  /// Runs `body` once to record it, and the loop `trips` times: at least once, and known ahead if a literal. A
  /// pipelined loop with too few trips to overlap is scheduled otherwise; that is not the caller's concern.
  void loop(ScalarOperand trips, const LoopOptions& options, const std::function<void()>& body);
  /// What `body` writes is performed if the predicate is set (clear, when negated): straight-line code.
  void when(PredicateReg predicate, bool negated, const std::function<void()>& body);

  // Data.
  /// Puts a descriptor into SMEM and returns its word address, at which kernel code may change it.
  std::int32_t descriptor(const hw::isa::DmaDescriptor& descriptor, const std::string& name);
  /// Words in SMEM, zero at first; returns their address. base::InputError when SMEM is full.
  std::int32_t smem_words(int count);
  /// The same with a content, which `name` names in listings.
  std::int32_t smem_data(std::span<const std::int32_t> words, const std::string& name);
  /// Rows of VMEM for a buffer of this kernel; returns its number and first row. base::InputError when VMEM is full.
  struct VmemBuffer {
    int buffer = 0;
    std::int32_t row = 0;
  };
  VmemBuffer vmem_rows(std::int64_t rows);
  std::int64_t vmem_rows_free() const;

  /// Schedules and encodes what was written, with a halt behind it. base::SimulationError when a value cannot be kept
  /// in the registers there are, base::InputError when the program does not fit instruction memory. The builder is
  /// spent.
  hw::isa::Program finish() &&;

 private:
  struct Recording;
  std::unique_ptr<Recording> recording_;
};

}  // namespace podsim::sw
