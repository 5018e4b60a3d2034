// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "hw/isa/immediates.h"
#include "hw/isa/legality.h"

namespace podsim::hw::isa {
namespace {

constexpr int immediate_bits = 16, predicate_bits = 4;

/// Widths of a slot's fields after the predicate, in the order of their encoding.
struct SlotFormat {
  Opcode first;  ///< the opcode encoded as 0
  int count;     ///< number of opcodes of this kind of slot
  int opcode, unit, destination, x, y, z, mask;
  constexpr int bits() const { return predicate_bits + opcode + unit + destination + x + y + z + mask; }
};

constexpr SlotFormat formats[] = {
    {Opcode::s_add, 26, 6, 0, 5, 5, 6, 0, 0},   {Opcode::v_add_f32, 47, 6, 0, 5, 5, 6, 0, 3},
    {Opcode::v_load, 2, 2, 0, 5, 5, 6, 6, 3},   {Opcode::v_store, 2, 2, 0, 5, 5, 6, 6, 3},
    {Opcode::mxu_lhs, 17, 5, 2, 0, 5, 6, 0, 0}, {Opcode::pop, 1, 0, 3, 5, 0, 0, 0, 0},
    {Opcode::dma, 7, 4, 0, 0, 6, 6, 0, 0},
};
static_assert(std::ranges::all_of(formats, [](const SlotFormat& slot) { return slot.count <= 1 << slot.opcode; }));
constexpr const SlotFormat& format(SlotKind kind) { return formats[int(kind)]; }

constexpr int sum_of_fields() {
  int bits = immediates * immediate_bits;
  for (int s = 0; s < slots; ++s) bits += format(kind(Slot(s))).bits();
  return bits;
}
static_assert(sum_of_fields() == bundle_bits);

class FieldWriter {
 public:
  void put(int width, std::uint32_t value) {
    for (int i = 0; i < width; ++i) bits_[position_++] = value >> i & 1;
  }
  void skip(int width) { position_ += std::size_t(width); }
  const BundleBits& bits() const { return bits_; }

 private:
  BundleBits bits_;
  std::size_t position_ = 0;
};

class FieldReader {
 public:
  explicit FieldReader(const BundleBits& bits) : bits_(bits) {}
  std::uint32_t get(int width) {
    std::uint32_t value = 0;
    for (int i = 0; i < width; ++i) value |= std::uint32_t(bits_[position_++]) << i;
    return value;
  }

 private:
  const BundleBits& bits_;
  std::size_t position_ = 0;
};

using Immediates = std::array<std::uint16_t, immediates>;

/// Encoded operands of an instruction.
struct OperandCodes {
  std::uint32_t x = 0, y = 0, z = 0;
};

std::uint32_t operand_code(Value value, ImmediatePool& pool) {
  return value.literal ? *pool.place(value.value) : std::uint32_t(value.value);
}

Value operand_of(std::uint32_t code, const Immediates& values) {
  return code < 32 ? Value::reg(int(code)) : Value::of(literal_of(int(code), values));
}

void put_slot(FieldWriter& writer, const SlotFormat& slot, const std::optional<Instruction>& instruction,
              const OperandCodes& codes) {
  constexpr std::uint32_t never = 0b1000;  // !p0
  if (!instruction) {
    writer.put(predicate_bits, never);
    writer.skip(slot.bits() - predicate_bits);
    return;
  }
  writer.put(predicate_bits, instruction->predicate.reg | std::uint32_t(instruction->predicate.negated) << 3);
  writer.put(slot.opcode, std::uint32_t(instruction->opcode) - std::uint32_t(slot.first));
  writer.put(slot.unit, instruction->unit);
  writer.put(slot.destination, instruction->destination);
  writer.put(slot.x, codes.x);
  writer.put(slot.y, codes.y);
  writer.put(slot.z, codes.z);
  writer.put(slot.mask, instruction->mask);
}

/// Decodes a slot, legal or not. Returns std::nullopt for an empty slot or an opcode that does not exist.
std::optional<Instruction> get_slot(FieldReader& reader, const SlotFormat& slot, const Immediates& values) {
  Instruction instruction;
  std::uint32_t predicate = reader.get(predicate_bits);
  instruction.predicate = {std::uint8_t(predicate & 7), predicate >> 3 != 0};
  int opcode = int(reader.get(slot.opcode));
  instruction.opcode = Opcode(int(slot.first) + opcode);
  instruction.unit = std::uint8_t(reader.get(slot.unit));
  instruction.destination = std::uint8_t(reader.get(slot.destination));
  instruction.x = operand_of(reader.get(slot.x), values);
  instruction.y = operand_of(reader.get(slot.y), values);
  instruction.z = operand_of(reader.get(slot.z), values);
  instruction.mask = std::uint8_t(reader.get(slot.mask));
  bool never = instruction.predicate.reg == 0 && instruction.predicate.negated;
  if (never || opcode >= slot.count) return std::nullopt;
  return instruction;
}

}  // namespace

std::optional<std::string> problem(const Bundle& bundle) {
  std::optional<Fault> fault = find_fault(bundle);
  if (!fault) return std::nullopt;
  int opcode = int(bundle[fault->slot]->opcode);
  std::string_view mnemonic = opcode < opcodes ? info(Opcode(opcode)).mnemonic : "opcode";
  return fmt::format("{} in slot {} {}", mnemonic, to_string(fault->slot), fault->what);
}

bool literals_fit(const Bundle& bundle) { return !first_that_does_not_fit(bundle); }

bool place(Bundle& bundle, const Instruction& instruction) {
  SlotKind wanted = info(instruction.opcode).slot;
  bool branch = is_branch(instruction.opcode);
  const auto& first = bundle[Slot::scalar0];
  bool moved = branch && first && !is_branch(first->opcode) && !bundle[Slot::scalar1];
  if (moved) std::swap(bundle[Slot::scalar0], bundle[Slot::scalar1]);
  for (int s = 0; s < slots; ++s) {
    std::optional<Instruction>& slot = bundle[Slot(s)];
    if (kind(Slot(s)) != wanted || slot || (branch && Slot(s) != Slot::scalar0)) continue;
    slot = instruction;
    if (literals_fit(bundle)) return true;
    slot.reset();
    break;
  }
  if (moved) std::swap(bundle[Slot::scalar0], bundle[Slot::scalar1]);
  return false;
}

BundleBits encode(const Bundle& bundle) {
  ImmediatePool pool;
  std::array<OperandCodes, slots> codes;
  for (std::size_t s = 0; s < slots; ++s) {
    const auto& instruction = bundle.slot[s];
    if (!instruction) continue;
    codes[s].x = operand_code(instruction->x, pool);
    codes[s].y = operand_code(instruction->y, pool);
    codes[s].z = operand_code(instruction->z, pool);
  }
  FieldWriter writer;
  for (std::uint16_t value : pool.values()) writer.put(immediate_bits, value);
  for (std::size_t s = 0; s < slots; ++s) put_slot(writer, format(kind(Slot(s))), bundle.slot[s], codes[s]);
  return writer.bits();
}

std::optional<Bundle> decode(const BundleBits& bits) {
  FieldReader reader(bits);
  Immediates values;
  for (std::uint16_t& value : values) value = std::uint16_t(reader.get(immediate_bits));
  Bundle bundle;
  for (std::size_t s = 0; s < slots; ++s) bundle.slot[s] = get_slot(reader, format(kind(Slot(s))), values);
  if (problem(bundle) || encode(bundle) != bits) return std::nullopt;
  return bundle;
}

BundleWords to_words(const BundleBits& bits) {
  BundleWords words{};
  for (std::size_t i = 0; i < bundle_bits; ++i) words[i / 32] |= std::uint32_t(bits[i]) << i % 32;
  return words;
}

std::optional<Bundle> decode(const BundleWords& words) {
  BundleBits bits;
  for (std::size_t i = 0; i < bundle_bits; ++i) bits[i] = words[i / 32] >> i % 32 & 1;
  if (to_words(bits) != words) return std::nullopt;
  return decode(bits);
}

}  // namespace podsim::hw::isa
