// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/kernel_builder.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

#include "base/diagnostic.h"
#include "sw/kernels/operation.h"
#include "sw/kernels/program_scheduler.h"

namespace podsim::sw {

using hw::isa::Opcode;

struct KernelBuilder::Recording {
  Recording(const hw::Machine& core, std::string program_name) : machine(core) {
    program.name = std::move(program_name);
    program.strings = {""};
  }

  const hw::Machine& machine;
  hw::isa::Program program;
  RecordedCode code;
  RecordedCode* open = &code;  ///< where operations go
  std::array<int, register_classes> registers = {1, 0, 1, 1};
  Register predicate{RegisterClass::predicate, 0};
  bool negated = false;
  int smem_used = 0;
  int buffers = 0;
  std::int64_t rows_used = 0;

  int new_register(RegisterClass cls) { return registers[std::size_t(cls)]++; }
  std::int64_t vmem_rows() const { return machine.vmem.value() / (machine.vector.lanes * 4); }

  void add(Operation operation) {
    operation.predicate = predicate;
    operation.negated = negated;
    open->emplace_back(operation);
  }

  std::int32_t text(const std::string& string) {
    for (std::size_t i = 0; i < program.strings.size(); ++i) {
      if (program.strings[i] == string) return std::int32_t(i);
    }
    program.strings.push_back(string);
    return std::int32_t(program.strings.size() - 1);
  }
};

namespace {

Operand operand_of(ScalarOperand y) {
  return y.literal ? Operand::of(y.value) : Operand::of(Register(RegisterClass::scalar, y.value));
}
Operand operand_of(VectorOperand y) {
  return y.literal ? Operand::of(y.value) : Operand::of(Register(RegisterClass::vector, y.value));
}

template <class Destination, class X, class Y>
Operation make(Opcode opcode, Destination d, X x, Y y) {
  Operation operation;
  operation.opcode = opcode;
  operation.destination = d;
  operation.x = Operand::of(Register(x));
  operation.y = y;
  return operation;
}

/// A vector load or store; z is the stride, or the nibbles of a shuffle.
Operation vector_memory(Opcode opcode, const RowAddress& address, std::int32_t z, VectorReg value, MaskReg m) {
  Operation operation = make(opcode, value, address.base, Operand::of(address.offset));
  operation.z = Operand::of(z);
  operation.mask = m;
  operation.buffer = address.buffer;
  return operation;
}

Operation push(Opcode opcode, int unit, VectorReg x, Operand y = Operand::of(0)) {
  Operation operation = make(opcode, VectorReg{0}, x, y);
  operation.unit = std::uint8_t(unit);
  return operation;
}

Operation misc(Opcode opcode, Operand x, Operand y = Operand::of(0)) {
  Operation operation;
  operation.opcode = opcode;
  operation.x = x;
  operation.y = y;
  return operation;
}

}  // namespace

KernelBuilder::KernelBuilder(const hw::Machine& machine, std::string name)
    : recording_(std::make_unique<Recording>(machine, std::move(name))) {}
KernelBuilder::~KernelBuilder() = default;
const hw::Machine& KernelBuilder::machine() const { return recording_->machine; }

ScalarReg KernelBuilder::scalar() { return {recording_->new_register(RegisterClass::scalar)}; }
VectorReg KernelBuilder::vector() { return {recording_->new_register(RegisterClass::vector)}; }
MaskReg KernelBuilder::mask() { return {recording_->new_register(RegisterClass::mask)}; }
PredicateReg KernelBuilder::predicate() { return {recording_->new_register(RegisterClass::predicate)}; }

ScalarReg KernelBuilder::op(Opcode opcode, ScalarReg x, ScalarOperand y) {
  const ScalarReg d = scalar();
  assign(d, opcode, x, y);
  return d;
}
void KernelBuilder::assign(ScalarReg d, Opcode opcode, ScalarReg x, ScalarOperand y) {
  recording_->add(make(opcode, d, x, operand_of(y)));
}
ScalarReg KernelBuilder::constant(std::int32_t value) {
  const ScalarReg d = scalar();
  set(d, value);
  return d;
}
void KernelBuilder::set(ScalarReg d, ScalarOperand y) { assign(d, Opcode::s_mov, ScalarReg{}, y); }
PredicateReg KernelBuilder::compare(Opcode opcode, ScalarReg x, ScalarOperand y) {
  const PredicateReg d = predicate();
  assign(d, opcode, x, y);
  return d;
}
void KernelBuilder::assign(PredicateReg d, Opcode opcode, ScalarReg x, ScalarOperand y) {
  recording_->add(make(opcode, d, x, operand_of(y)));
}
ScalarReg KernelBuilder::load_smem(ScalarReg base, std::int32_t offset) { return op(Opcode::s_load, base, offset); }
void KernelBuilder::store_smem(ScalarReg base, std::int32_t offset, ScalarReg value) {
  assign(value, Opcode::s_store, base, offset);
}

VectorReg KernelBuilder::op(Opcode opcode, VectorReg x, VectorOperand y, MaskReg m) {
  const VectorReg d = vector();
  Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  operation.fresh = true;
  recording_->add(operation);
  return d;
}
void KernelBuilder::assign(VectorReg d, Opcode opcode, VectorReg x, VectorOperand y, MaskReg m) {
  Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  recording_->add(operation);
}
VectorReg KernelBuilder::unary(Opcode opcode, VectorOperand y) { return op(opcode, VectorReg{0}, y); }
VectorReg KernelBuilder::splat(ScalarReg x) {
  const VectorReg d = vector();
  recording_->add(make(Opcode::v_splat, d, VectorReg{0}, Operand::of(Register(x))));
  return d;
}
VectorReg KernelBuilder::lane_numbers() { return unary(Opcode::v_lane, 0.0F); }
VectorReg KernelBuilder::sublane_numbers() { return unary(Opcode::v_sublane, 0.0F); }
MaskReg KernelBuilder::compare(Opcode opcode, VectorReg x, VectorOperand y, MaskReg m) {
  const MaskReg d = mask();
  Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  recording_->add(operation);
  return d;
}
MaskReg KernelBuilder::mask_op(Opcode opcode, MaskReg x, MaskReg y) {
  const MaskReg d = mask();
  recording_->add(make(opcode, d, x, Operand::of(Register(y))));
  return d;
}
void KernelBuilder::assign_splat(MaskReg d, ScalarOperand y) {
  recording_->add(make(Opcode::m_splat, d, MaskReg{}, operand_of(y)));
}

VectorReg KernelBuilder::load(RowAddress address, MaskReg m) {
  const VectorReg d = vector();
  recording_->add(vector_memory(Opcode::v_load, address, address.stride, d, m));
  return d;
}
VectorReg KernelBuilder::load_shuffled(RowAddress address, std::uint32_t nibbles, MaskReg m) {
  const VectorReg d = vector();
  recording_->add(vector_memory(Opcode::v_load_shuffle, address, std::int32_t(nibbles), d, m));
  return d;
}
void KernelBuilder::store(RowAddress address, VectorReg value, MaskReg m) {
  recording_->add(vector_memory(Opcode::v_store, address, address.stride, value, m));
}
void KernelBuilder::store_shuffled(RowAddress address, std::uint32_t nibbles, VectorReg value, MaskReg m) {
  recording_->add(vector_memory(Opcode::v_store_shuffle, address, std::int32_t(nibbles), value, m));
}

void KernelBuilder::push_lhs(int unit, VectorReg x) { recording_->add(push(Opcode::mxu_lhs, unit, x)); }
void KernelBuilder::push_weights(int unit, VectorReg x) { recording_->add(push(Opcode::mxu_weights, unit, x)); }
void KernelBuilder::push_weights_transposed(int unit, VectorReg x) {
  recording_->add(push(Opcode::mxu_weights_transposed, unit, x));
}
void KernelBuilder::latch(int unit) { recording_->add(push(Opcode::mxu_latch, unit, VectorReg{0})); }
void KernelBuilder::push_cross_lane(Opcode opcode, VectorReg x, ScalarOperand amount) {
  recording_->add(push(opcode, 0, x, operand_of(amount)));
}
void KernelBuilder::push_permute(VectorReg x, VectorReg index) {
  recording_->add(push(Opcode::x_permute_lanes, 0, x, Operand::of(Register(index))));
}
void KernelBuilder::push_transcendental(Opcode opcode, VectorOperand y) {
  recording_->add(push(opcode, 0, VectorReg{0}, operand_of(y)));
}
VectorReg KernelBuilder::pop(int unit) {
  const VectorReg d = vector();
  Operation operation = make(Opcode::pop, d, VectorReg{0}, Operand::of(0));
  operation.unit = std::uint8_t(unit);
  recording_->add(operation);
  return d;
}
VectorReg KernelBuilder::cross_lane(Opcode opcode, VectorReg x, ScalarOperand amount) {
  push_cross_lane(opcode, x, amount);
  return pop(hw::isa::cross_lane_unit);
}
VectorReg KernelBuilder::transcendental(Opcode opcode, VectorOperand y) {
  push_transcendental(opcode, y);
  return pop(hw::isa::transcendental_unit);
}

void KernelBuilder::dma(ScalarOperand descriptor) { recording_->add(misc(Opcode::dma, operand_of(descriptor))); }
void KernelBuilder::sync_set(ScalarOperand flag, ScalarOperand value) {
  recording_->add(misc(Opcode::sync_set, operand_of(flag), operand_of(value)));
}
void KernelBuilder::sync_add(ScalarOperand flag, ScalarOperand amount) {
  recording_->add(misc(Opcode::sync_add, operand_of(flag), operand_of(amount)));
}
void KernelBuilder::sync_wait(ScalarOperand flag, ScalarOperand value) {
  recording_->add(misc(Opcode::sync_wait, operand_of(flag), operand_of(value)));
}
void KernelBuilder::fence() { recording_->add(misc(Opcode::fence, Operand::of(0))); }
void KernelBuilder::mark(const std::string& text) {
  recording_->add(misc(Opcode::mark, Operand::of(recording_->text(text))));
}

void KernelBuilder::loop(ScalarOperand trips, const LoopOptions& options, const std::function<void()>& body) {
  assert(recording_->predicate.constant());
  auto recorded = std::make_unique<RecordedLoop>(RecordedLoop{operand_of(trips), options, {}});
  RecordedCode* outer = recording_->open;
  recording_->open = &recorded->body;
  body();
  recording_->open = outer;
  outer->emplace_back(std::move(recorded));
}

void KernelBuilder::when(PredicateReg predicate, bool negated, const std::function<void()>& body) {
  assert(recording_->predicate.constant());
  recording_->predicate = predicate;
  recording_->negated = negated;
  body();
  recording_->predicate = Register(RegisterClass::predicate, 0);
  recording_->negated = false;
}

std::int32_t KernelBuilder::descriptor(const hw::isa::DmaDescriptor& descriptor, const std::string& name) {
  hw::isa::DmaDescriptor named = descriptor;
  named.name = std::uint32_t(recording_->text(name));
  const std::int32_t address = smem_words(hw::isa::descriptor_words);
  const auto words = to_words(named);
  recording_->program.data.push_back(
      {name, hw::isa::MemorySpace::smem, std::uint32_t(address), {words.begin(), words.end()}});
  return address;
}

std::int32_t KernelBuilder::smem_words(int count) {
  const std::int32_t address = recording_->smem_used;
  recording_->smem_used += count;
  if (recording_->smem_used * 4 > machine().scalar.smem.value()) {
    throw base::InputError(fmt::format("{}: the kernel needs more than the {} of SMEM that a core has",
                                       recording_->program.name, to_string(machine().scalar.smem)));
  }
  return address;
}

std::int32_t KernelBuilder::smem_data(std::span<const std::int32_t> words, const std::string& name) {
  const std::int32_t address = smem_words(int(words.size()));
  recording_->program.data.push_back(
      {name, hw::isa::MemorySpace::smem, std::uint32_t(address), {words.begin(), words.end()}});
  return address;
}

KernelBuilder::VmemBuffer KernelBuilder::vmem_rows(std::int64_t rows) {
  if (rows > vmem_rows_free()) {
    throw base::InputError(
        fmt::format("{}: {} rows of VMEM where {} are free", recording_->program.name, rows, vmem_rows_free()));
  }
  const auto first = std::int32_t(recording_->rows_used);
  recording_->rows_used += rows;
  return {recording_->buffers++, first};
}

std::int64_t KernelBuilder::vmem_rows_free() const { return recording_->vmem_rows() - recording_->rows_used; }

hw::isa::Program KernelBuilder::finish() && {
  Recording& recording = *recording_;
  hw::isa::Segment segment{"main", 0, {}, false, 0};
  segment.bundles = schedule_program(recording.machine, recording.program.name, std::move(recording.code),
                                     RegisterSource(recording.registers));
  if (std::int64_t(segment.bundles.size()) > recording.machine.instruction_memory) {
    throw base::InputError(fmt::format("{}: {} bundles where instruction memory holds {}", recording.program.name,
                                       segment.bundles.size(), recording.machine.instruction_memory));
  }
  recording.program.segments.push_back(std::move(segment));
  return std::move(recording.program);
}

}  // namespace podsim::sw
