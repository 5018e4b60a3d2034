// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/stablehlo/cursor.h"
#include "hlo/stablehlo/quant/quantisation.h"

namespace podsim::hlo::stablehlo {

/// A row of a TypeTable.
using TypeId = std::int32_t;

/// A type of MLIR as HLO writes it: tensor<4x8xbf16> is bf16[4,8].
struct Type {
  std::string hlo;      ///< "bf16[4,8]", "(f32[], s32[])", "token[]"
  std::string element;  ///< "bf16"; empty for a tuple or token
  std::vector<std::int64_t> dimensions;
  std::shared_ptr<const quant::Quantisation> quantisation = nullptr;  ///< what integers stand for; null: for themselves
  std::string_view text = {};                                         ///< of a quantised element
};

/// All types of a text, each converted once.
class TypeTable {
 public:
  const Type& operator[](TypeId id) const { return types_[std::size_t(id)]; }

  /// Reads a type. Throws Fault at one without an HLO form: dynamic sizes, other dialects.
  TypeId read(Cursor& cursor);
  /// Reads "t", "t, t" or "(t, t)".
  std::vector<TypeId> read_list(Cursor& cursor);
  /// The array with this element type of HLO and these dimensions.
  TypeId array(const std::string& element, std::vector<std::int64_t> dimensions);
  /// The tuple of these types; the type itself if there is one.
  std::string results(const std::vector<TypeId>& types) const;
  std::string tuple(const std::vector<TypeId>& types) const;

 private:
  TypeId add(Type type);
  Type read_tensor(Cursor& cursor);
  void read_quantised(Cursor& cursor, Type& type);
  Type read_other(Cursor& cursor, int depth);

  std::vector<Type> types_;
  std::unordered_map<std::string_view, TypeId> by_text_;
  std::unordered_map<std::string, TypeId> by_hlo_;  ///< of a quantised type, with its text
};

/// The name that HLO has for an element type of MLIR, "f8E4M3FN" or "complex<f32>"; empty if it has none.
std::string hlo_element(std::string_view mlir);

}  // namespace podsim::hlo::stablehlo
