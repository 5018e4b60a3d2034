// SPDX-License-Identifier: Apache-2.0
// Part of hw/isa/pasm/assembler.h.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/pasm/assembler.h"
#include "hw/isa/pasm/descriptor_parser.h"
#include "hw/isa/pasm/names.h"
#include "hw/isa/pasm/number_text.h"
#include "hw/isa/pasm/token.h"

namespace podsim::hw::isa::pasm {
namespace {

bool can_be_a_name(const std::string& text) { return is_identifier(text) && !is_reserved(text); }

/// Labels of bundle addresses that can be written in text.
using LabelNames = std::map<std::uint32_t, std::string>;

LabelNames label_names(const Program* program) {
  LabelNames names;
  if (!program) return names;
  for (const auto& [name, address] : program->labels) {
    if (can_be_a_name(name)) names.emplace(address, name);
  }
  return names;
}

/// Writes operations as text.
class OperationText {
 public:
  OperationText(const Program* program, const LabelNames& labels) : program_(program), labels_(labels) {}

  std::string of(const Instruction& instruction) const {
    const OpcodeInfo& row = info(instruction.opcode);
    std::string text = predicate(instruction.predicate) + std::string(row.mnemonic);
    std::vector<std::string> list = operands(row, instruction);
    for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? " " : ", ") + list[i];
    return text;
  }

 private:
  static std::string predicate(Predicate predicate) {
    if (predicate.always()) return "";
    return fmt::format("@{}p{} ", predicate.negated ? "!" : "", predicate.reg);
  }

  std::vector<std::string> operands(const OpcodeInfo& row, const Instruction& instruction) const {
    std::vector<std::string> list;
    if (row.takes_unit && row.slot == SlotKind::push) list.push_back(unit_name(instruction.unit));
    if (row.destination != OperandKind::none) {
      list.push_back(operand(row.opcode, row.destination, Value::reg(instruction.destination)));
    }
    if (row.slot == SlotKind::pop) list.push_back(unit_name(instruction.unit));
    if (has_address(row.opcode)) {
      list.push_back(address(row, instruction));
      if (row.reads_destination) std::swap(list[0], list[1]);
    } else {
      if (row.x != OperandKind::none) list.push_back(operand(row.opcode, row.x, instruction.x));
      if (row.y != OperandKind::none) list.push_back(operand(row.opcode, row.y, instruction.y));
    }
    bool masked = row.masked && (instruction.mask != 0 || row.opcode == Opcode::v_select);
    if (masked) list.push_back(register_name(RegisterFile::mask, instruction.mask));
    return list;
  }

  std::string operand(Opcode opcode, OperandKind kind, Value value) const {
    switch (kind) {
      case OperandKind::vector:
      case OperandKind::vector_or_literal:
        return value.literal ? vector_literal(opcode, value.value) : register_name(RegisterFile::vector, value.value);
      case OperandKind::mask:
        return register_name(RegisterFile::mask, value.value);
      case OperandKind::predicate:
        return register_name(RegisterFile::predicate, value.value);
      case OperandKind::target:
        return target(value.value);
      case OperandKind::text:
        return string(value.value);
      default:
        return value.literal ? integer_text(value.value) : register_name(RegisterFile::scalar, value.value);
    }
  }

  static std::string vector_literal(Opcode opcode, std::int32_t value) {
    if (takes_f32(opcode)) return f32_text(std::uint32_t(value));
    bool untyped = opcode == Opcode::v_mov || opcode == Opcode::v_select;
    return untyped ? word_text(std::uint32_t(value)) : integer_text(value);
  }

  std::string target(std::int32_t address) const {
    auto found = labels_.find(std::uint32_t(address));
    return found == labels_.end() ? fmt::format("{}", address) : found->second;
  }

  /// Writes a string as its text if the assembler gives that text the same number, else as the number.
  std::string string(std::int32_t number) const {
    if (!program_ || std::size_t(number) >= program_->strings.size()) return fmt::format("{}", number);
    const std::vector<std::string>& strings = program_->strings;
    auto first = std::find(strings.begin(), strings.end(), strings[std::size_t(number)]);
    return first - strings.begin() == number ? encode_string(*first) : fmt::format("{}", number);
  }

  std::string address(const OpcodeInfo& row, const Instruction& instruction) const {
    const Value base = instruction.x, offset = instruction.y, spread = instruction.z;
    std::string text = "[";
    if (offset.literal && base.value == 0) {
      text += integer_text(offset.value);
    } else {
      text += register_name(RegisterFile::scalar, base.value) + offset_text(offset);
    }
    bool shuffle = row.opcode == Opcode::v_load_shuffle || row.opcode == Opcode::v_store_shuffle;
    bool preset = row.z == OperandKind::none || (!shuffle && spread == Value::of(1));
    if (!preset) {
      bool nibbles = shuffle && spread.literal;
      text += " : " + (nibbles ? fmt::format("0x{:08x}", std::uint32_t(spread.value))
                               : operand(row.opcode, OperandKind::scalar_or_literal, spread));
    }
    return text + "]";
  }

  static std::string offset_text(Value offset) {
    if (!offset.literal) return " + " + register_name(RegisterFile::scalar, offset.value);
    if (offset.value == 0) return "";
    if (offset.value >= -65536 && offset.value < 0) return fmt::format(" - {}", -offset.value);
    return " + " + integer_text(offset.value);
  }

  const Program* program_;
  const LabelNames& labels_;
};

std::string bundle_text(const Bundle& bundle, const OperationText& operations) {
  std::vector<std::string> list;
  for (int s = 0; s < slots; ++s) {
    const auto& instruction = bundle[Slot(s)];
    bool second = Slot(s) == Slot::scalar1 || Slot(s) == Slot::vector1;
    if (!instruction) continue;
    if (second && !bundle[Slot(s - 1)]) list.emplace_back(Slot(s) == Slot::scalar1 ? "s.nop" : "v.nop");
    list.push_back(operations.of(*instruction));
  }
  if (list.empty()) return "nop";
  if (list.size() == 1) return list[0];
  return fmt::format("{{ {} }}", fmt::join(list, " ; "));
}

/// Writes a whole program as text.
class ProgramText {
 public:
  explicit ProgramText(const Program& program)
      : program_(program), labels_(label_names(&program)), operations_(&program, labels_) {
    for (const auto& [name, address] : program.labels) used_.insert(name);
  }

  std::string write() {
    strings();
    for (std::size_t i = 0; i < program_.segments.size(); ++i) segment(i);
    labels_outside();
    for (const DataBlock& block : program_.data) data(block);
    for (const Expectation& expectation : program_.expectations) expect(expectation);
    return std::move(text_);
  }

 private:
  /// Returns the name unquoted if it is an identifier that is not in use, else quoted.
  std::string name(const std::string& name) {
    return can_be_a_name(name) && used_.insert(name).second ? name : encode_string(name);
  }

  void strings() {
    for (std::size_t i = 1; i < program_.strings.size(); ++i) {
      text_ += fmt::format(".string {}\n", encode_string(program_.strings[i]));
    }
  }

  void segment(std::size_t index) {
    const Segment& segment = program_.segments[index];
    bool implied =
        index == 0 && segment.name == "main" && segment.address == 0 && !segment.overlay && !segment.bundles.empty();
    if (segment.overlay) {
      text_ += fmt::format("\n.overlay {}, {}, {}\n", name(segment.name), segment.address, segment.image);
    } else if (!implied) {
      text_ += fmt::format("\n.code {}, {}\n", name(segment.name), segment.address);
    }
    for (std::size_t i = 0; i < segment.bundles.size(); ++i) {
      labels_at(segment.address + std::uint32_t(i));
      text_ += fmt::format("  {}\n", bundle_text(segment.bundles[i], operations_));
    }
  }

  void labels_at(std::uint32_t address) {
    if (!labels_.contains(address) || !printed_.insert(address).second) return;
    for (const auto& [label, at] : program_.labels) {
      if (at == address && can_be_a_name(label)) text_ += label + ":\n";
    }
  }

  /// Writes the labels that are not at a bundle, or have names that cannot precede one.
  void labels_outside() {
    for (const auto& [label, address] : program_.labels) {
      bool plain = can_be_a_name(label);
      if (plain && printed_.contains(address)) continue;
      text_ += fmt::format(".label {}, {}\n", plain ? label : encode_string(label), address);
    }
  }

  /// Returns the descriptor of a block that looks like one: eight words of SMEM that describe a copy, with a name that
  /// text can express.
  std::optional<DmaDescriptor> descriptor_in(const DataBlock& block) const {
    if (block.space != MemorySpace::smem || block.words.size() != descriptor_words) return std::nullopt;
    std::array<std::uint32_t, descriptor_words> words;
    std::copy(block.words.begin(), block.words.end(), words.begin());
    DmaDescriptor descriptor = descriptor_of(words);
    bool plausible = int(descriptor.route) < dma_routes && descriptor.words > 0 && descriptor.rows > 0 &&
                     descriptor.name < program_.strings.size() && !program_.strings[descriptor.name].empty();
    if (!plausible || to_words(descriptor) != words) return std::nullopt;
    const std::vector<std::string>& strings = program_.strings;
    auto first = std::find(strings.begin(), strings.end(), strings[descriptor.name]);
    return first - strings.begin() == descriptor.name ? std::optional(descriptor) : std::nullopt;
  }

  void descriptor(const DataBlock& block, const DmaDescriptor& descriptor) {
    text_ += fmt::format("\n.dma {}, {} {{\n", name(block.name), block.address);
    text_ += fmt::format("  route = {} ; source = {} ; destination = {}\n", route_name(descriptor.route),
                         descriptor.source, descriptor.destination);
    text_ += fmt::format("  words = {} ; rows = {} ; source_stride = {} ; destination_stride = {}\n", descriptor.words,
                         descriptor.rows, descriptor.source_stride, descriptor.destination_stride);
    text_ +=
        fmt::format("  flag = {} ; name = {}\n}}\n", descriptor.flag, encode_string(program_.strings[descriptor.name]));
  }

  void data(const DataBlock& block) {
    if (auto found = descriptor_in(block)) return descriptor(block, *found);
    text_ += fmt::format("\n.{} {}, {}\n", to_string(block.space), name(block.name), block.address);
    text_ += data_text(block.words);
  }

  void expect(const Expectation& expectation) {
    text_ += fmt::format("\n.expect {}, {}", to_string(expectation.space), expectation.address);
    if (expectation.tolerance >= 0) text_ += fmt::format(", {}", expectation.tolerance);
    text_ += "\n";
    text_ += expectation.words.empty() ? "  .zeros 0\n" : data_text(expectation.words);
  }

  const Program& program_;
  LabelNames labels_;
  OperationText operations_;
  std::set<std::string> used_;       ///< names in use
  std::set<std::uint32_t> printed_;  ///< addresses whose labels are printed
  std::string text_;
};

}  // namespace

std::string disassemble(const Program& program) { return ProgramText(program).write(); }

std::string disassemble(const Bundle& bundle, const Program* program) {
  const auto& first = bundle[Slot::scalar0];
  LabelNames labels = first && is_branch(first->opcode) ? label_names(program) : LabelNames{};
  return bundle_text(bundle, OperationText(program, labels));
}

}  // namespace podsim::hw::isa::pasm
