// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/bundle_builder.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "hw/isa/legality.h"
#include "hw/isa/pasm/names.h"

namespace podsim::hw::isa::pasm {
namespace {

bool branches(const Operation& operation) { return !operation.placeholder && is_branch(operation.opcode); }

Span part_of(const Operation& operation, Fault::Part part) {
  switch (part) {
    case Fault::Part::destination:
      return operation.destination_span;
    case Fault::Part::x:
      return operation.x.span;
    case Fault::Part::y:
      return operation.y.span;
    case Fault::Part::z:
      return operation.z.span;
    case Fault::Part::operation:
      break;
  }
  return operation.span;
}

}  // namespace

bool BundleBuilder::take(Slots& taken, const Operation& operation) {
  SlotKind wanted = info(operation.opcode).slot;
  const Operation*& first = taken[std::size_t(Slot::scalar0)];
  const Operation*& second = taken[std::size_t(Slot::scalar1)];
  if (branches(operation)) {
    if (first && (second || branches(*first))) return false;
    if (first) second = first;
    first = &operation;
    return true;
  }
  for (int s = 0; s < slots; ++s) {
    if (kind(Slot(s)) != wanted || taken[std::size_t(s)]) continue;
    taken[std::size_t(s)] = &operation;
    return true;
  }
  return false;
}

void BundleBuilder::report_full(const Slots& taken, const Operation& operation) {
  const Operation* first = taken[std::size_t(Slot::scalar0)];
  if (branches(operation) && branches(*first)) {
    report_.error(operation.span, "a bundle has one branch, and this is the second");
    return;
  }
  SlotKind wanted = info(operation.opcode).slot;
  bool two = wanted == SlotKind::scalar || wanted == SlotKind::vector;
  report_.error(operation.span,
                two ? fmt::format("both {} slots of this bundle are taken", to_string(wanted))
                    : fmt::format("the {} slot of this bundle is taken", to_string(wanted)),
                "a further operation takes a bundle of its own");
}

BundleBuilder::Slots BundleBuilder::assign(const BundleText& text) {
  Slots taken{};
  for (const Operation& operation : text.operations) {
    if (!take(taken, operation)) report_full(taken, operation);
  }
  return taken;
}

Value BundleBuilder::value(const Operation& operation, OperandKind kind, const Operand& operand) {
  if (!operand.expression) return Value::reg(operand.reg);
  const Expression& expression = *operand.expression;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (kind == OperandKind::target) {
    return Value::of(std::int32_t(evaluator_.integer(expression, "a bundle's address", 0, most).value_or(0)));
  }
  if (kind == OperandKind::text) {
    return Value::of(std::int32_t(evaluator_.integer(expression, "a string's number", 0, strings_ - 1).value_or(0)));
  }
  bool f32 = kind == OperandKind::vector_or_literal && takes_f32(operation.opcode);
  std::optional<std::uint32_t> bits = f32 ? evaluator_.f32(expression) : evaluator_.word(expression);
  return Value::of(std::bit_cast<std::int32_t>(bits.value_or(0)));
}

Instruction BundleBuilder::instruction(const Operation& operation) {
  const OpcodeInfo& row = info(operation.opcode);
  Instruction result;
  result.opcode = operation.opcode;
  result.predicate = operation.predicate;
  result.destination = operation.destination;
  result.x = value(operation, row.x, operation.x);
  result.y = value(operation, row.y, operation.y);
  result.z = value(operation, row.z, operation.z);
  result.mask = operation.mask;
  result.unit = operation.unit;
  return result;
}

void BundleBuilder::report_faults(Bundle bundle, const Slots& operations) {
  while (std::optional<Fault> fault = find_fault(bundle)) {
    const Operation& operation = *operations[std::size_t(fault->slot)];
    std::string_view mnemonic = info(operation.opcode).mnemonic;
    report_.error(part_of(operation, fault->part), fmt::format("{} {}", mnemonic, fault->what), fault->remedy);
    bundle[fault->slot].reset();
  }
}

Bundle BundleBuilder::build(const BundleText& text) {
  Slots operations = assign(text);
  Bundle bundle;
  for (int s = 0; s < slots; ++s) {
    const Operation* operation = operations[std::size_t(s)];
    if (operation && !operation->placeholder) bundle[Slot(s)] = instruction(*operation);
  }
  report_faults(bundle, operations);
  return bundle;
}

}  // namespace podsim::hw::isa::pasm
