// SPDX-License-Identifier: Apache-2.0
#include "hlo/element_type.h"

#include <array>

namespace podsim::hlo {
namespace {

constexpr std::array<ElementTypeRow, std::size_t(ElementType::tuple) + 1> element_type_rows{{
    {"pred", 8},   {"s1", 1},         {"s2", 2},        {"s4", 4},         {"s8", 8},
    {"s16", 16},   {"s24", 24},       {"s32", 32},      {"s64", 64},       {"u1", 1},
    {"u2", 2},     {"u4", 4},         {"u8", 8},        {"u16", 16},       {"u24", 24},
    {"u32", 32},   {"u64", 64},       {"f4e2m1fn", 4},  {"f6e2m3fn", 6},   {"f6e3m2fn", 6},
    {"f8e3m4", 8}, {"f8e4m3", 8},     {"f8e4m3fn", 8},  {"f8e4m3fnuz", 8}, {"f8e4m3b11fnuz", 8},
    {"f8e5m2", 8}, {"f8e5m2fnuz", 8}, {"f8e8m0fnu", 8}, {"bf16", 16},      {"f16", 16},
    {"f32", 32},   {"f64", 64},       {"c64", 64},      {"c128", 128},     {"token", 0},
    {"opaque", 0}, {"tuple", 0},
}};

bool between(ElementType type, ElementType first, ElementType last) { return first <= type && type <= last; }

}  // namespace

std::span<const ElementTypeRow> element_types() { return element_type_rows; }

std::string to_string(ElementType type) { return std::string(element_type_rows[std::size_t(type)].name); }

int byte_width(ElementType type) { return (element_type_rows[std::size_t(type)].bits + 7) / 8; }

bool is_floating_point(ElementType type) { return between(type, ElementType::f4e2m1fn, ElementType::f64); }

bool is_signed_integer(ElementType type) { return between(type, ElementType::s1, ElementType::s64); }

bool is_integer(ElementType type) { return between(type, ElementType::s1, ElementType::u64); }

}  // namespace podsim::hlo
