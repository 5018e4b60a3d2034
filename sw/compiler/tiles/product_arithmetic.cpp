// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/product_arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/grouped_convolution.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr int piece_bits = 8;
constexpr std::int64_t pieces_of_f32 = 3;
constexpr std::int64_t complex_products = 4;
constexpr std::int64_t multiply_pairs = 24, add_pairs = 20;

bool is_whole(hlo::ElementType type) { return hlo::is_integer(type) || type == hlo::ElementType::pred; }
bool is_float_of_8_bits(hlo::ElementType type) { return hlo::is_floating_point(type) && hlo::byte_width(type) == 1; }
bool is_long(hlo::ElementType type) { return type == hlo::ElementType::f64 || type == hlo::ElementType::c128; }

/// Pieces that hold every bit of an element.
std::int64_t pieces_held(hlo::ElementType type) {
  if (is_whole(type)) return hlo::byte_width(type);
  if (type == hlo::ElementType::f16) return 2;
  return hlo::byte_width(type) >= 4 ? pieces_of_f32 : 1;
}

/// Pieces of a float that `operand_precision`, "{highest,default}", asks for.
std::int64_t pieces_asked(std::string_view precisions, std::size_t operand) {
  for (std::size_t i = 0; i < operand; ++i) {
    const std::size_t comma = precisions.find(',');
    precisions.remove_prefix(comma == std::string_view::npos ? precisions.size() : comma + 1);
  }
  const std::string_view precision = precisions.substr(0, precisions.find(','));
  if (precision.find("highest") != std::string_view::npos) return pieces_of_f32;
  return precision.find("high") != std::string_view::npos ? 2 : 1;
}

/// The same of an algorithm, if it says.
std::optional<std::int64_t> pieces_of_algorithm(std::string_view algorithm) {
  if (!algorithm.starts_with("dot_")) return std::nullopt;
  const bool threefold = algorithm.ends_with("_x3");
  if (algorithm.starts_with("dot_tf32")) return threefold ? pieces_of_f32 : 2;
  if (threefold || algorithm.starts_with("dot_f16")) return 2;
  const bool all = algorithm.ends_with("_x6") || algorithm.ends_with("_x9") || algorithm.starts_with("dot_f32");
  return all ? pieces_of_f32 : 1;
}

std::int64_t pairs_below(const std::array<std::int64_t, 2>& pieces, std::int64_t end) {
  std::int64_t pairs = 0;
  for (std::int64_t i = 0; i < pieces[0]; ++i) pairs += std::clamp<std::int64_t>(end - i, 0, pieces[1]);
  return pairs;
}

/// The products of the array that a product of two types is made of.
hw::parts::mxu::Product made_of(hlo::ElementType lhs, hlo::ElementType rhs, const MatrixUnit& unit) {
  using hw::parts::mxu::Product;
  if (is_whole(lhs) && is_whole(rhs) && unit.products(Product::s8) > 0) return Product::s8;
  if (is_float_of_8_bits(lhs) && is_float_of_8_bits(rhs) && unit.products(Product::f8) > 0) return Product::f8;
  return Product::bf16;
}

std::string type_text(hlo::ElementType lhs, hlo::ElementType rhs) {
  return lhs == rhs ? hlo::to_string(lhs) : hlo::to_string(lhs) + " x " + hlo::to_string(rhs);
}

std::string product_text(const hlo::Computation& body, const hlo::Instruction& product, const TargetMachine& machine) {
  const hlo::Shape lhs = entering_shape(body, product.operands[0]), rhs = entering_shape(body, product.operands[1]);
  const std::string types = type_text(lhs.element_type, rhs.element_type);
  const ProductArithmetic arithmetic = product_arithmetic(product, lhs.element_type, rhs.element_type, machine.mxu);
  if (arithmetic.in_software()) return types + " in software";
  if (runs_on_vector_unit(product, lhs, rhs, machine)) return types + " on the vector unit";
  const bool own = types == "bf16" || arithmetic.product != hw::parts::mxu::Product::bf16;
  if (arithmetic.passes > 1) return fmt::format("{} in {} passes{}", types, arithmetic.passes, own ? " of s8" : "");
  return types + (own ? "" : " as bf16");
}

void add_products(const hlo::Module& module, const hlo::Computation& body, const hlo::Instruction& instruction,
                  const TargetMachine& machine, std::vector<std::string>& texts) {
  if (instruction.opcode == hlo::Opcode::fusion) {
    const hlo::Computation& inner = module.computations[std::size_t(instruction.called.front())];
    for (const hlo::Instruction& each : inner.instructions) add_products(module, inner, each, machine, texts);
  }
  if (!hlo::transform::is_matmul(instruction.opcode)) return;
  const std::string text = product_text(body, instruction, machine);
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

ProductArithmetic product_arithmetic(const hlo::Instruction& product, hlo::ElementType lhs, hlo::ElementType rhs,
                                     const MatrixUnit& unit) {
  const std::array<hlo::ElementType, 2> types{lhs, rhs};
  ProductArithmetic arithmetic{.product = made_of(lhs, rhs, unit)};
  if (is_long(lhs) || is_long(rhs) || product.target == "dot_f64_f64_f64") {
    arithmetic.passes = 0;
    return arithmetic;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t asked = pieces_of_algorithm(product.target).value_or(pieces_asked(product.operand_precision, i));
    const std::int64_t held = pieces_held(types[i]);
    arithmetic.pieces[i] = is_whole(types[i]) ? held : std::min(asked, held);
  }
  const auto& [left, right] = arithmetic.pieces;
  const bool modular = is_whole(lhs) && is_whole(rhs) && is_whole(product.shape.element_type);
  std::int64_t end = modular ? pieces_held(product.shape.element_type) : std::max(left, right);
  if (product.target.ends_with("_x9")) end = left + right;
  arithmetic.passes = std::max<std::int64_t>(1, pairs_below(arithmetic.pieces, end));
  if (hlo::is_complex(lhs) || hlo::is_complex(rhs)) arithmetic.passes *= complex_products;
  return arithmetic;
}

hlo::Shape entering_shape(const hlo::Computation& body, hlo::InstructionId operand) {
  hlo::Shape shape = body[operand].shape;
  if (body[operand].opcode != hlo::Opcode::convert) return shape;
  const hlo::ElementType source = body[body[operand].operands.front()].shape.element_type;
  const bool widens = hlo::is_floating_point(source) && hlo::is_floating_point(shape.element_type) &&
                      hlo::byte_width(source) < hlo::byte_width(shape.element_type);
  if (widens) shape.element_type = source;
  return shape;
}

hw::VectorWork splitting_work(const hlo::Shape& operand, std::int64_t pieces, hw::parts::mxu::Product product,
                              const VectorUnit& unit) {
  const hlo::ElementType type = operand.element_type;
  const std::int64_t parts = hlo::is_complex(type) ? 2 : 1;
  std::int64_t operations = 2 * (pieces - 1);
  if (product != hw::parts::mxu::Product::bf16) {
    operations = pieces == 1 ? 0 : 2 * pieces;
  } else if (is_whole(type) || hlo::byte_width(type) == 1) {
    operations = pieces == 1 ? 1 : 3 * pieces;
  }
  return {
      .loads = 0, .stores = 0, .alu_ops = parts * operations * vector_registers(operand, unit), .transcendentals = 0};
}

hw::VectorWork software_product_work(const hlo::Instruction& product, const hlo::Shape& lhs, const hlo::Shape& rhs,
                                     const VectorUnit& unit) {
  const auto elements_per_register = double(unit.register_elements());
  const std::int64_t products = hlo::is_complex(lhs.element_type) ? complex_products : 1;
  const auto elements = double(std::max<std::int64_t>(1, product.shape.element_count()));
  const double padding =
      std::max(1.0, double(vector_registers(product.shape, unit)) * elements_per_register / elements);
  const auto registers = std::int64_t(double(hlo::transform::multiply_accumulates(product, lhs, rhs)) *
                                      double(products) / elements_per_register * padding);
  return {
      .loads = 2 * registers, .stores = 0, .alu_ops = (multiply_pairs + add_pairs) * registers, .transcendentals = 0};
}

std::string products_text(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id,
                          const TargetMachine& machine) {
  std::vector<std::string> texts;
  add_products(module, computation, computation[id], machine, texts);
  return fmt::format("{}", fmt::join(texts, " + "));
}

}  // namespace podsim::sw::compiler::tiles
