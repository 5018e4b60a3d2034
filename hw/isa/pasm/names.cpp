// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace podsim::hw::isa::pasm {
namespace {

std::optional<int> decimal(std::string_view digits) {
  bool all = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits.empty() || digits.size() > 6 || !all || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  int value = 0;
  for (char c : digits) value = value * 10 + (c - '0');
  return value;
}

std::string operand_form(OperandKind kind, char letter) {
  switch (kind) {
    case OperandKind::none:
      return "";
    case OperandKind::scalar:
      return fmt::format("s{}", letter);
    case OperandKind::vector:
      return fmt::format("v{}", letter);
    case OperandKind::mask:
      return fmt::format("vm{}", letter);
    case OperandKind::predicate:
      return fmt::format("p{}", letter);
    case OperandKind::scalar_or_literal:
      return fmt::format("s{}/literal", letter);
    case OperandKind::vector_or_literal:
      return fmt::format("v{}/literal", letter);
    case OperandKind::target:
      return "label";
    case OperandKind::text:
      return "\"text\"";
  }
  return "";
}

std::string address_form(Opcode opcode) {
  if (info(opcode).slot == SlotKind::scalar) return "[sX + sY/literal]";
  bool shuffle = opcode == Opcode::v_load_shuffle || opcode == Opcode::v_store_shuffle;
  return shuffle ? "[sX + sY/literal : nibbles]" : "[sX + sY/literal : stride]";
}

}  // namespace

std::optional<RegisterName> register_of(std::string_view word) {
  constexpr std::pair<std::string_view, RegisterFile> prefixes[] = {{"vm", RegisterFile::mask},
                                                                    {"v", RegisterFile::vector},
                                                                    {"s", RegisterFile::scalar},
                                                                    {"p", RegisterFile::predicate}};
  for (const auto& [prefix, file] : prefixes) {
    if (!word.starts_with(prefix)) continue;
    std::optional<int> number = decimal(word.substr(prefix.size()));
    if (number) return RegisterName{file, *number, *number < register_count(file)};
  }
  return std::nullopt;
}

int register_count(RegisterFile file) {
  constexpr int counts[] = {scalar_registers, vector_registers, mask_registers, predicate_registers};
  return counts[int(file)];
}

const char* kind_of_register(RegisterFile file) {
  constexpr const char* kinds[] = {"scalar register", "vector register", "vector mask", "predicate"};
  return kinds[int(file)];
}

std::string unit_name(int unit) {
  if (unit == cross_lane_unit) return "xlu";
  if (unit == transcendental_unit) return "eup";
  return fmt::format("mxu{}", unit);
}

std::optional<int> unit_of(std::string_view word) {
  for (int unit = 0; unit < popped_units; ++unit) {
    if (word == unit_name(unit)) return unit;
  }
  return std::nullopt;
}

bool is_reserved(std::string_view word) { return register_of(word) || unit_of(word) || word == "inf" || word == "nan"; }

std::string form(Opcode opcode) {
  const OpcodeInfo& row = info(opcode);
  std::vector<std::string> operands;
  if (row.slot == SlotKind::push && row.takes_unit) operands.emplace_back("mxuU");
  if (row.destination != OperandKind::none) operands.push_back(operand_form(row.destination, 'D'));
  if (row.slot == SlotKind::pop) operands.emplace_back("unit");
  if (has_address(opcode)) {
    operands.push_back(address_form(opcode));
    if (row.reads_destination) std::swap(operands[0], operands[1]);
  } else {
    if (row.x != OperandKind::none) operands.push_back(operand_form(row.x, 'X'));
    if (row.y != OperandKind::none) operands.push_back(operand_form(row.y, 'Y'));
  }
  std::string text(row.mnemonic);
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? " " : ", ") + operands[i];
  if (row.masked) text += opcode == Opcode::v_select ? ", vmM" : "[, vmM]";
  return text;
}

bool takes_f32(Opcode opcode) {
  std::string_view mnemonic = info(opcode).mnemonic;
  return (mnemonic.ends_with(".f32") && opcode != Opcode::v_cvt_s32_f32) || mnemonic.starts_with("e.") ||
         opcode == Opcode::v_cvt_f32_s32 || opcode == Opcode::v_round_bf16 || opcode == Opcode::v_pack_bf16;
}

}  // namespace podsim::hw::isa::pasm
