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
/// Immediate 0 is bits 0..15 of the bundle. After the immediates come the slots in the order of isa::Slot, each with
/// its fields in the order above, least significant bit first. A predicate is its register in bits 0..2 and the
/// negation in bit 3. An opcode is its index among the opcodes of its kind of slot. An empty slot is all zero except
/// the predicate, which is !p0.
///
/// A 6-bit operand is a register 0..31, or a literal: 32..37 an immediate sign-extended, 38..40 a pair of immediates
/// (even one low) as 32 bits, 41..46 an immediate as the upper half of 32 bits, 47..63 one of 0..8, 16, 32, 64, 128,
/// 256, 512, 1024, -1. A bundle's literals are allocated in the order of the slots and x, y, z, each in the first of
/// these forms that can hold it: listed, sign-extended, upper half, pair. If allocated immediates hold the literal
/// already, the first such are shared. Otherwise a single immediate is taken from 5 downwards, a pair from 0 and 1
/// upwards. Unused immediates are 0. Therefore every legal bundle has exactly one encoding.
namespace podsim::hw::isa {

inline constexpr int bundle_bits = 322;
using BundleBits = std::bitset<bundle_bits>;
/// Words of a bundle in HBM, where overlays are stored: bit i of the bundle is bit i % 32 of word i / 32; unused bits
/// are 0.
inline constexpr int bundle_words = 12;
using BundleWords = std::array<std::uint32_t, bundle_words>;

/// Returns why a bundle is not legal: an instruction in the wrong slot, a register out of range, a nonzero field that
/// the opcode does not use, s0 or p0 or vm0 as destination, two slots that write the same register under predicates
/// that do not exclude each other, more literals than the immediates hold. Returns std::nullopt if the bundle is legal.
std::optional<std::string> problem(const Bundle& bundle);
/// Returns true if the literals of a bundle fit its immediates. This is one of the checks of problem(), separate
/// because schedulers use it often.
bool literals_fit(const Bundle& bundle);
/// Puts the instruction into the first free slot of its kind. Returns false, with the bundle unchanged, if there is no
/// such slot or the literals do not fit. A branch needs scalar slot 0; it moves another operation there to slot 1 if
/// that is free. Checks nothing else.
bool place(Bundle& bundle, const Instruction& instruction);

/// Encodes a legal bundle; decode(encode(b)) == b.
BundleBits encode(const Bundle& bundle);
/// Returns std::nullopt if no legal bundle has these bits.
std::optional<Bundle> decode(const BundleBits& bits);
/// The words of a bundle in an overlay's image, and the bundle of such words.
BundleWords to_words(const BundleBits& bits);
std::optional<Bundle> decode(const BundleWords& words);

}  // namespace podsim::hw::isa
