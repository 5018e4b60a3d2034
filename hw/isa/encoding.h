// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "hw/isa/bundle.h"

/// The 322 bits of a bundle: six 16-bit immediates and the slots. Widths of the fields:
///
///   immediates 6 x 16 = 96
///   scalar  x 2   predicate 4, opcode 6, d 5, x 5, y 6                       = 26
///   vector  x 2   predicate 4, opcode 6, d 5, x 5, y 6, mask 3               = 29
///   load, store   predicate 4, opcode 2, d 5, x 5, y 6, z 6, mask 3          = 31 each
///   push          predicate 4, opcode 5, unit 2, x 5, y 6                    = 22
///   pop           predicate 4, unit 3, d 5                                   = 12
///   misc          predicate 4, opcode 4, x 6, y 6                            = 20
///
/// Immediate 0 is bits 0..15 of the bundle, then the slots follow in the order of isa::Slot, each with its fields in
/// the order above and the least significant bit of a field first. A predicate is its register in bits 0..2 and the
/// negation in bit 3; an opcode is its place among the opcodes of its kind of slot. An empty slot is all zero but for
/// the predicate, which is !p0.
///
/// A 6-bit operand is a register 0..31, or a literal: 32..37 an immediate sign-extended, 38..40 a pair of immediates
/// (even one low) as 32 bits, 41..46 an immediate as the upper half of 32 bits, 47..63 one of 0..8, 16, 32, 64, 128,
/// 256, 512, 1024, -1. A bundle's literals are placed in the order of the slots and x, y, z, each in the first of these
/// forms that can hold it: listed, sign-extended, upper half, pair. Immediates that hold it already are shared (the
/// first such); otherwise single immediates are taken from 5 down, pairs from 0 and 1 up. Unused immediates are 0. So
/// every legal bundle has exactly one encoding.
namespace podsim::hw::isa {

inline constexpr int bundle_bits = 322;
using BundleBits = std::bitset<bundle_bits>;
/// Words of a bundle in HBM, as overlays are stored: bit i of the bundle is bit i % 32 of word i / 32; the rest is 0.
inline constexpr int bundle_words = 12;
using BundleWords = std::array<std::uint32_t, bundle_words>;

/// Why a bundle is not legal: an instruction in the wrong slot, a register out of range, a field that the opcode does
/// not use, s0 or p0 or vm0 as destination, two slots that write the same register under predicates that do not
/// exclude each other, more literals than the immediates hold. Nothing if it is legal.
std::optional<std::string> problem(const Bundle& bundle);
/// Whether the literals of a bundle fit its immediates; the rest of problem(), for schedulers that ask often.
bool literals_fit(const Bundle& bundle);
/// Puts the instruction into the first free slot of its kind if its literals still fit; otherwise false, and the bundle
/// is unchanged. A branch, which only scalar slot 0 takes, moves what stands there to a free slot 1. Looks at nothing
/// else.
bool place(Bundle& bundle, const Instruction& instruction);

/// A legal bundle's bits; decode(encode(b)) == b.
BundleBits encode(const Bundle& bundle);
/// Nothing if no legal bundle has these bits.
std::optional<Bundle> decode(const BundleBits& bits);
/// The same as an overlay's image holds it.
BundleWords to_words(const BundleBits& bits);
std::optional<Bundle> decode(const BundleWords& words);

}  // namespace podsim::hw::isa
