// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/kernel_builder.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

#include "base/diagnostic.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/registers/operation.h"
#include "sw/codegen/schedule/program_scheduler.h"

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

struct KernelBuilder::Recording {
  Recording(const hw::Machine& core, std::string program_name) : machine(core) {
    program.name = std::move(program_name);
    program.strings = {""};
  }

  const hw::Machine& machine;
  hw::isa::Program program;
  registers::RecordedCode code;
  registers::RecordedCode* open = &code;  ///< code that operations are appended to
  std::array<int, registers::register_classes> registers = {1, 0, 1, 1};
  registers::Register predicate{registers::RegisterClass::predicate, 0};
  bool negated = false;
  int smem_used = 0;
  int buffers = 0;
  std::int64_t rows_used = 0;

  int new_register(registers::RegisterClass cls) { return registers[std::size_t(cls)]++; }
  std::int64_t vmem_rows() const { return machine.vmem.value() / vmem_row_bytes; }

  void add(registers::Operation operation) {
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

registers::Operand operand_of(registers::ScalarOperand y) {
  return y.literal ? registers::Operand::of(y.value)
                   : registers::Operand::of(registers::Register(registers::RegisterClass::scalar, y.value));
}
registers::Operand operand_of(registers::VectorOperand y) {
  return y.literal ? registers::Operand::of(y.value)
                   : registers::Operand::of(registers::Register(registers::RegisterClass::vector, y.value));
}

template <class Destination, class X, class Y>
registers::Operation make(hw::isa::Opcode opcode, Destination d, X x, Y y) {
  registers::Operation operation;
  operation.opcode = opcode;
  operation.destination = d;
  operation.x = registers::Operand::of(registers::Register(x));
  operation.y = y;
  return operation;
}

/// Makes a vector load or store. z is the stride, or the nibbles of a shuffle.
registers::Operation vector_memory(hw::isa::Opcode opcode, const registers::RowAddress& address, std::int32_t z,
                                   registers::VectorReg value, registers::MaskReg m) {
  registers::Operation operation = make(opcode, value, address.base, registers::Operand::of(address.offset));
  operation.z = registers::Operand::of(z);
  operation.mask = m;
  operation.buffer = address.buffer;
  return operation;
}

registers::Operation push(hw::isa::Opcode opcode, int unit, registers::VectorReg x,
                          registers::Operand y = registers::Operand::of(0)) {
  registers::Operation operation = make(opcode, registers::VectorReg{0}, x, y);
  operation.unit = std::uint8_t(unit);
  return operation;
}

registers::Operation misc(hw::isa::Opcode opcode, registers::Operand x,
                          registers::Operand y = registers::Operand::of(0)) {
  registers::Operation operation;
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

registers::ScalarReg KernelBuilder::scalar() { return {recording_->new_register(registers::RegisterClass::scalar)}; }
registers::VectorReg KernelBuilder::vector() { return {recording_->new_register(registers::RegisterClass::vector)}; }
registers::MaskReg KernelBuilder::mask() { return {recording_->new_register(registers::RegisterClass::mask)}; }
registers::PredicateReg KernelBuilder::predicate() {
  return {recording_->new_register(registers::RegisterClass::predicate)};
}

registers::ScalarReg KernelBuilder::op(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y) {
  const registers::ScalarReg d = scalar();
  assign(d, opcode, x, y);
  return d;
}
void KernelBuilder::assign(registers::ScalarReg d, hw::isa::Opcode opcode, registers::ScalarReg x,
                           registers::ScalarOperand y) {
  recording_->add(make(opcode, d, x, operand_of(y)));
}
registers::ScalarReg KernelBuilder::constant(std::int32_t value) {
  const registers::ScalarReg d = scalar();
  set(d, value);
  return d;
}
void KernelBuilder::set(registers::ScalarReg d, registers::ScalarOperand y) {
  assign(d, hw::isa::Opcode::s_mov, registers::ScalarReg{}, y);
}
registers::PredicateReg KernelBuilder::compare(hw::isa::Opcode opcode, registers::ScalarReg x,
                                               registers::ScalarOperand y) {
  const registers::PredicateReg d = predicate();
  assign(d, opcode, x, y);
  return d;
}
void KernelBuilder::assign(registers::PredicateReg d, hw::isa::Opcode opcode, registers::ScalarReg x,
                           registers::ScalarOperand y) {
  recording_->add(make(opcode, d, x, operand_of(y)));
}
registers::ScalarReg KernelBuilder::load_smem(registers::ScalarReg base, std::int32_t offset) {
  return op(hw::isa::Opcode::s_load, base, offset);
}
void KernelBuilder::store_smem(registers::ScalarReg base, std::int32_t offset, registers::ScalarReg value) {
  assign(value, hw::isa::Opcode::s_store, base, offset);
}

registers::VectorReg KernelBuilder::op(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                                       registers::MaskReg m) {
  const registers::VectorReg d = vector();
  registers::Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  operation.fresh = true;
  recording_->add(operation);
  return d;
}
void KernelBuilder::assign(registers::VectorReg d, hw::isa::Opcode opcode, registers::VectorReg x,
                           registers::VectorOperand y, registers::MaskReg m) {
  registers::Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  recording_->add(operation);
}
registers::VectorReg KernelBuilder::unary(hw::isa::Opcode opcode, registers::VectorOperand y) {
  return op(opcode, registers::VectorReg{0}, y);
}
registers::VectorReg KernelBuilder::splat(registers::ScalarReg x) {
  const registers::VectorReg d = vector();
  recording_->add(
      make(hw::isa::Opcode::v_splat, d, registers::VectorReg{0}, registers::Operand::of(registers::Register(x))));
  return d;
}
registers::VectorReg KernelBuilder::lane_numbers() { return unary(hw::isa::Opcode::v_lane, 0.0F); }
registers::VectorReg KernelBuilder::sublane_numbers() { return unary(hw::isa::Opcode::v_sublane, 0.0F); }
registers::MaskReg KernelBuilder::compare(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                                          registers::MaskReg m) {
  const registers::MaskReg d = mask();
  registers::Operation operation = make(opcode, d, x, operand_of(y));
  operation.mask = m;
  recording_->add(operation);
  return d;
}
registers::MaskReg KernelBuilder::mask_op(hw::isa::Opcode opcode, registers::MaskReg x, registers::MaskReg y) {
  const registers::MaskReg d = mask();
  recording_->add(make(opcode, d, x, registers::Operand::of(registers::Register(y))));
  return d;
}
void KernelBuilder::assign_splat(registers::MaskReg d, registers::ScalarOperand y) {
  recording_->add(make(hw::isa::Opcode::m_splat, d, registers::MaskReg{}, operand_of(y)));
}

registers::VectorReg KernelBuilder::load(registers::RowAddress address, registers::MaskReg m) {
  const registers::VectorReg d = vector();
  recording_->add(vector_memory(hw::isa::Opcode::v_load, address, address.stride, d, m));
  return d;
}
registers::VectorReg KernelBuilder::load_shuffled(registers::RowAddress address, std::uint32_t nibbles,
                                                  registers::MaskReg m) {
  const registers::VectorReg d = vector();
  recording_->add(vector_memory(hw::isa::Opcode::v_load_shuffle, address, std::int32_t(nibbles), d, m));
  return d;
}
void KernelBuilder::store(registers::RowAddress address, registers::VectorReg value, registers::MaskReg m) {
  recording_->add(vector_memory(hw::isa::Opcode::v_store, address, address.stride, value, m));
}
void KernelBuilder::store_shuffled(registers::RowAddress address, std::uint32_t nibbles, registers::VectorReg value,
                                   registers::MaskReg m) {
  recording_->add(vector_memory(hw::isa::Opcode::v_store_shuffle, address, std::int32_t(nibbles), value, m));
}

void KernelBuilder::push_lhs(int unit, registers::VectorReg x) {
  recording_->add(push(hw::isa::Opcode::mxu_lhs, unit, x));
}
void KernelBuilder::push_weights(int unit, registers::VectorReg x) {
  recording_->add(push(hw::isa::Opcode::mxu_weights, unit, x));
}
void KernelBuilder::push_weights_transposed(int unit, registers::VectorReg x) {
  recording_->add(push(hw::isa::Opcode::mxu_weights_transposed, unit, x));
}
void KernelBuilder::latch(int unit) {
  recording_->add(push(hw::isa::Opcode::mxu_latch, unit, registers::VectorReg{0}));
}
void KernelBuilder::push_cross_lane(hw::isa::Opcode opcode, registers::VectorReg x, registers::ScalarOperand amount) {
  recording_->add(push(opcode, 0, x, operand_of(amount)));
}
void KernelBuilder::push_permute(registers::VectorReg x, registers::VectorReg index) {
  recording_->add(push(hw::isa::Opcode::x_permute_lanes, 0, x, registers::Operand::of(registers::Register(index))));
}
void KernelBuilder::push_transcendental(hw::isa::Opcode opcode, registers::VectorOperand y) {
  recording_->add(push(opcode, 0, registers::VectorReg{0}, operand_of(y)));
}
registers::VectorReg KernelBuilder::pop(int unit) {
  const registers::VectorReg d = vector();
  registers::Operation operation = make(hw::isa::Opcode::pop, d, registers::VectorReg{0}, registers::Operand::of(0));
  operation.unit = std::uint8_t(unit);
  recording_->add(operation);
  return d;
}
void KernelBuilder::push_scalar(registers::VectorReg x) { recording_->add(push(hw::isa::Opcode::push_scalar, 0, x)); }
registers::ScalarReg KernelBuilder::pop_scalar() {
  const registers::ScalarReg d = scalar();
  recording_->add(make(hw::isa::Opcode::s_pop, d, registers::ScalarReg{0}, registers::Operand::of(0)));
  return d;
}
registers::VectorReg KernelBuilder::cross_lane(hw::isa::Opcode opcode, registers::VectorReg x,
                                               registers::ScalarOperand amount) {
  push_cross_lane(opcode, x, amount);
  return pop(hw::isa::cross_lane_unit);
}
registers::VectorReg KernelBuilder::transcendental(hw::isa::Opcode opcode, registers::VectorOperand y) {
  push_transcendental(opcode, y);
  return pop(hw::isa::transcendental_unit);
}
registers::ScalarReg KernelBuilder::scalar_of(registers::VectorReg x) {
  push_scalar(x);
  return pop_scalar();
}

void KernelBuilder::dma(registers::ScalarOperand descriptor) {
  recording_->add(misc(hw::isa::Opcode::dma, operand_of(descriptor)));
}
void KernelBuilder::sync_set(registers::ScalarOperand flag, registers::ScalarOperand value) {
  recording_->add(misc(hw::isa::Opcode::sync_set, operand_of(flag), operand_of(value)));
}
void KernelBuilder::sync_add(registers::ScalarOperand flag, registers::ScalarOperand amount) {
  recording_->add(misc(hw::isa::Opcode::sync_add, operand_of(flag), operand_of(amount)));
}
void KernelBuilder::sync_wait(registers::ScalarOperand flag, registers::ScalarOperand value) {
  recording_->add(misc(hw::isa::Opcode::sync_wait, operand_of(flag), operand_of(value)));
}
void KernelBuilder::fence() { recording_->add(misc(hw::isa::Opcode::fence, registers::Operand::of(0))); }
void KernelBuilder::mark(const std::string& text) {
  recording_->add(misc(hw::isa::Opcode::mark, registers::Operand::of(recording_->text(text))));
}

void KernelBuilder::loop(registers::ScalarOperand trips, const registers::LoopOptions& options,
                         const std::function<void()>& body) {
  assert(recording_->predicate.constant());
  auto recorded = std::make_unique<registers::RecordedLoop>(registers::RecordedLoop{operand_of(trips), options, {}});
  registers::RecordedCode* outer = recording_->open;
  recording_->open = &recorded->body;
  body();
  recording_->open = outer;
  outer->emplace_back(std::move(recorded));
}

void KernelBuilder::when(registers::PredicateReg predicate, bool negated, const std::function<void()>& body) {
  assert(recording_->predicate.constant());
  recording_->predicate = predicate;
  recording_->negated = negated;
  body();
  recording_->predicate = registers::Register(registers::RegisterClass::predicate, 0);
  recording_->negated = false;
}

std::int32_t KernelBuilder::descriptor(const hw::isa::DmaDescriptor& descriptor, const std::string& name) {
  hw::isa::DmaDescriptor named = descriptor;
  named.name = std::uint32_t(recording_->text(name));
  const std::int32_t address = smem_words(hw::isa::descriptor_words);
  const auto words = hw::isa::to_words(named);
  recording_->program.data.push_back(
      {name, hw::isa::MemorySpace::smem, std::uint32_t(address), {words.begin(), words.end()}});
  return address;
}

std::int32_t KernelBuilder::smem_words(int count) {
  const std::int32_t address = recording_->smem_used;
  recording_->smem_used += count;
  if (recording_->smem_used * 4 > machine().scalar.smem.value()) {
    throw base::InputError(fmt::format("{}: the kernel needs more than the {} of SMEM that a core has",
                                       recording_->program.name, base::to_string(machine().scalar.smem)));
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

void KernelBuilder::free_vmem(std::int64_t free) { recording_->rows_used = recording_->vmem_rows() - free; }

hw::isa::Program KernelBuilder::finish() && {
  Recording& recording = *recording_;
  hw::isa::Segment segment{"main", 0, {}, false, 0};
  segment.bundles = schedule::schedule_program(recording.machine, recording.program.name, std::move(recording.code),
                                               schedule::RegisterSource(recording.registers));
  if (std::int64_t(segment.bundles.size()) > recording.machine.instruction_memory) {
    throw base::InputError(fmt::format("{}: {} bundles where instruction memory holds {}", recording.program.name,
                                       segment.bundles.size(), recording.machine.instruction_memory));
  }
  recording.program.segments.push_back(std::move(segment));
  return std::move(recording.program);
}

}  // namespace podsim::sw::codegen::builder
