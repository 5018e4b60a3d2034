// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/program.h"
#include "hw/machine.h"
#include "sw/codegen/registers/virtual_registers.h"

/// Kernels are written as operations on virtual registers with counted loops. Operations take effect in the order in
/// which they are written. finish() schedules them into bundles.
namespace podsim::sw::codegen::builder {

class KernelBuilder {
 public:
  KernelBuilder(const hw::Machine& machine, std::string name);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;
  const hw::Machine& machine() const;

  // Registers without a value, to be assigned.
  registers::ScalarReg scalar();
  registers::VectorReg vector();
  registers::MaskReg mask();
  registers::PredicateReg predicate();

  // Operations of the scalar and vector slots, by opcode. The forms without `d` make a new register for the result; its
  // lanes outside a mask have an undefined value. Operands that the opcode does not take are omitted or ignored.
  registers::ScalarReg op(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  void assign(registers::ScalarReg d, hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  registers::ScalarReg constant(std::int32_t value);
  void set(registers::ScalarReg d, registers::ScalarOperand y);  ///< s_mov
  registers::PredicateReg compare(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  void assign(registers::PredicateReg d, hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y);
  registers::ScalarReg load_smem(registers::ScalarReg base, std::int32_t offset);
  void store_smem(registers::ScalarReg base, std::int32_t offset, registers::ScalarReg value);

  registers::VectorReg op(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                          registers::MaskReg m = {});
  void assign(registers::VectorReg d, hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
              registers::MaskReg m = {});
  registers::VectorReg unary(hw::isa::Opcode opcode,
                             registers::VectorOperand y);  ///< v_mov, v_cvt_*, v_round_bf16, v_unpack_*
  registers::VectorReg splat(registers::ScalarReg x);
  registers::VectorReg lane_numbers();
  registers::VectorReg sublane_numbers();
  registers::MaskReg compare(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                             registers::MaskReg m = {});
  registers::MaskReg mask_op(hw::isa::Opcode opcode, registers::MaskReg x, registers::MaskReg y);
  void assign_splat(registers::MaskReg d, registers::ScalarOperand y);  ///< m_splat

  registers::VectorReg load(registers::RowAddress address, registers::MaskReg m = {});
  registers::VectorReg load_shuffled(registers::RowAddress address, std::uint32_t nibbles,
                                     registers::MaskReg m = {});  ///< ignores address.stride
  void store(registers::RowAddress address, registers::VectorReg value, registers::MaskReg m = {});
  void store_shuffled(registers::RowAddress address, std::uint32_t nibbles, registers::VectorReg value,
                      registers::MaskReg m = {});

  // FIFO units. The pushes of a unit stay in order, and so do its pops. Pop number n of a unit returns its result n.
  void push_lhs(int unit, registers::VectorReg x);
  void push_weights(int unit, registers::VectorReg x);
  void push_weights_transposed(int unit, registers::VectorReg x);
  void latch(int unit);
  void push_cross_lane(hw::isa::Opcode opcode, registers::VectorReg x, registers::ScalarOperand amount = 0);
  void push_permute(registers::VectorReg x, registers::VectorReg index);
  void push_transcendental(hw::isa::Opcode opcode, registers::VectorOperand y);
  registers::VectorReg pop(int unit);
  void push_scalar(registers::VectorReg x);  ///< sublane 0, lane 0
  registers::ScalarReg pop_scalar();
  // A single operation: a push and its pop.
  registers::VectorReg cross_lane(hw::isa::Opcode opcode, registers::VectorReg x, registers::ScalarOperand amount = 0);
  registers::VectorReg transcendental(hw::isa::Opcode opcode, registers::VectorOperand y);
  registers::ScalarReg scalar_of(registers::VectorReg x);

  // Synchronisation. These operations stay in order. Memory operations also stay on their side of each of them.
  // finish() inserts a fence before a dma if vectors were stored since the last fence.
  void dma(registers::ScalarOperand descriptor);
  void sync_set(registers::ScalarOperand flag, registers::ScalarOperand value);
  void sync_add(registers::ScalarOperand flag, registers::ScalarOperand amount);
  void sync_wait(registers::ScalarOperand flag, registers::ScalarOperand value);
  void fence();
  /// Has no effect in pipelined loops.
  void mark(const std::string& text);

  /// Records a loop; `body` is called once. The loop runs `trips` times, at least once; the trip count is known ahead
  /// if it is a literal. A pipelined loop with too few trips to overlap is scheduled differently, without effect on the
  /// caller.
  void loop(registers::ScalarOperand trips, const registers::LoopOptions& options, const std::function<void()>& body);
  /// The operations that `body` writes are performed if the predicate is set (clear, when negated). `body` must write
  /// straight-line code.
  void when(registers::PredicateReg predicate, bool negated, const std::function<void()>& body);

  // Data.
  /// Puts a descriptor into SMEM and returns its word address, where kernel code may change it.
  std::int32_t descriptor(const hw::isa::DmaDescriptor& descriptor, const std::string& name);
  /// Allocates words in SMEM, initially zero, and returns their address. Throws base::InputError if SMEM is full.
  std::int32_t smem_words(int count);
  /// As above, with initial contents. `name` is their name in listings.
  std::int32_t smem_data(std::span<const std::int32_t> words, const std::string& name);
  /// Allocates a buffer of VMEM rows and returns its number and first row. Throws base::InputError if VMEM is full.
  struct VmemBuffer {
    int buffer = 0;
    std::int32_t row = 0;
  };
  VmemBuffer vmem_rows(std::int64_t rows);
  std::int64_t vmem_rows_free() const;
  /// Gives back the rows allocated since `free` rows were free. Code and transfers that use them end before the code
  /// that is written from now on.
  void free_vmem(std::int64_t free);

  /// Schedules the recorded operations into bundles and appends a halt. The builder cannot be used afterwards. Throws
  /// base::SimulationError if the values do not fit the machine's registers, base::InputError if the program does not
  /// fit instruction memory.
  hw::isa::Program finish() &&;

 private:
  struct Recording;
  std::unique_ptr<Recording> recording_;
};

}  // namespace podsim::sw::codegen::builder
