// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The element types of HLO, in one table.
namespace podsim::hlo {

// clang-format off
enum class ElementType : std::uint8_t {
  pred,
  s1, s2, s4, s8, s16, s24, s32, s64,
  u1, u2, u4, u8, u16, u24, u32, u64,
  f4e2m1fn, f6e2m3fn, f6e3m2fn,
  f8e3m4, f8e4m3, f8e4m3fn, f8e4m3fnuz, f8e4m3b11fnuz, f8e5m2, f8e5m2fnuz, f8e8m0fnu,
  bf16, f16, f32, f64,
  c64, c128,
  token, opaque, tuple,
};
// clang-format on

struct ElementTypeRow {
  std::string_view name;  ///< name in XLA
  int bits;               ///< bits of one element; 0 for token, opaque and tuple, which hold none; a pred takes a byte
};

/// Row i describes ElementType(i).
std::span<const ElementTypeRow> element_types();

std::string to_string(ElementType type);
/// Bytes of one element in memory: at least 1, but 0 for tuple, token and opaque.
int byte_width(ElementType type);
/// True for real floating-point types, not for complex ones.
bool is_floating_point(ElementType type);
bool is_signed_integer(ElementType type);
/// True for signed and unsigned integers, not for pred.
bool is_integer(ElementType type);
constexpr bool is_complex(ElementType type) { return type == ElementType::c64 || type == ElementType::c128; }

}  // namespace podsim::hlo
