// SPDX-License-Identifier: Apache-2.0
#include "hlo/opcode.h"

#include <algorithm>
#include <utility>

namespace podsim::hlo {
namespace {

static_assert(std::ranges::is_sorted(opcode_rows, {}, &OpcodeRow::name));

Opcode find_base(std::string_view name) {
  const auto found = std::ranges::lower_bound(opcode_rows, name, {}, &OpcodeRow::name);
  return found != opcode_rows.end() && found->name == name ? Opcode(found - opcode_rows.begin()) : Opcode::unknown;
}

constexpr std::array<std::pair<std::string_view, AsyncPhase>, 3> suffixes{
    {{"-start", AsyncPhase::start}, {"-update", AsyncPhase::update}, {"-done", AsyncPhase::done}}};

}  // namespace

std::span<const OpcodeRow> opcode_table() { return opcode_rows; }

const OpcodeRow& row(Opcode opcode) { return opcode_rows[std::size_t(opcode)]; }

std::string_view to_string(Opcode opcode) { return opcode == Opcode::unknown ? "unknown" : row(opcode).name; }

bool is_elementwise(Opcode opcode) {
  return opcode == Opcode::select || opcode == Opcode::clamp ||
         (opcode != Opcode::unknown && row(opcode).kind == OpcodeClass::elementwise);
}

bool is_collective(Opcode opcode) { return opcode != Opcode::unknown && row(opcode).kind == OpcodeClass::collective; }

OpcodeName find_opcode(std::string_view name) {
  if (const Opcode opcode = find_base(name); opcode != Opcode::unknown) return {opcode, AsyncPhase::none};
  for (const auto& [suffix, phase] : suffixes) {
    if (!name.ends_with(suffix)) continue;
    const Opcode opcode = find_base(name.substr(0, name.size() - suffix.size()));
    if (opcode != Opcode::unknown) return {opcode, phase};
  }
  return {};
}

}  // namespace podsim::hlo
