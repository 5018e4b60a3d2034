// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/product_arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "sw/compiler/tiles/grouped_convolution.h"
#include "sw/compiler/tiles/vector_cost.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr int piece_bits = 8;
constexpr std::int64_t pieces_of_f32 = 3;
constexpr std::int64_t complex_products = 4;
constexpr std::int64_t multiply_pairs = 24, add_pairs = 20;
constexpr std::int64_t elements_per_register = 1024;

bool is_whole(ir::ElementType type) { return ir::is_integer(type) || type == ir::ElementType::pred; }
bool is_long(ir::ElementType type) { return type == ir::ElementType::f64 || type == ir::ElementType::c128; }

/// Pieces that hold every bit of an element.
std::int64_t pieces_held(ir::ElementType type) {
  if (is_whole(type)) return ir::byte_width(type);
  if (type == ir::ElementType::f16) return 2;
  return ir::byte_width(type) >= 4 ? pieces_of_f32 : 1;
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

std::string type_text(ir::ElementType lhs, ir::ElementType rhs) {
  return lhs == rhs ? ir::to_string(lhs) : ir::to_string(lhs) + " x " + ir::to_string(rhs);
}

std::string product_text(const ir::Computation& body, const ir::Instruction& product, const hw::Machine& machine) {
  const ir::Shape lhs = entering_shape(body, product.operands[0]), rhs = entering_shape(body, product.operands[1]);
  const std::string types = type_text(lhs.element_type, rhs.element_type);
  const std::int64_t passes = product_arithmetic(product, lhs.element_type, rhs.element_type).passes;
  if (passes == 0) return types + " in software";
  if (runs_on_vector_unit(product, lhs, rhs, machine)) return types + " on the vector unit";
  if (passes > 1) return fmt::format("{} in {} passes", types, passes);
  return types + (types == "bf16" ? "" : " as bf16");
}

void add_products(const ir::Module& module, const ir::Computation& body, const ir::Instruction& instruction,
                  const hw::Machine& machine, std::vector<std::string>& texts) {
  if (instruction.opcode == ir::Opcode::fusion) {
    const ir::Computation& inner = module.computations[std::size_t(instruction.called.front())];
    for (const ir::Instruction& each : inner.instructions) add_products(module, inner, each, machine, texts);
  }
  if (!ir::transform::is_matmul(instruction.opcode)) return;
  const std::string text = product_text(body, instruction, machine);
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

ProductArithmetic product_arithmetic(const ir::Instruction& product, ir::ElementType lhs, ir::ElementType rhs) {
  const std::array<ir::ElementType, 2> types{lhs, rhs};
  if (is_long(lhs) || is_long(rhs) || product.target == "dot_f64_f64_f64") return {.pieces = {1, 1}, .passes = 0};
  ProductArithmetic arithmetic;
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
  if (ir::is_complex(lhs) || ir::is_complex(rhs)) arithmetic.passes *= complex_products;
  return arithmetic;
}

ir::Shape entering_shape(const ir::Computation& body, ir::InstructionId operand) {
  ir::Shape shape = body[operand].shape;
  if (body[operand].opcode != ir::Opcode::convert) return shape;
  const ir::ElementType source = body[body[operand].operands.front()].shape.element_type;
  const bool widens = ir::is_floating_point(source) && ir::is_floating_point(shape.element_type) &&
                      ir::byte_width(source) < ir::byte_width(shape.element_type);
  if (widens) shape.element_type = source;
  return shape;
}

hw::VectorWork splitting_work(const ir::Shape& operand, std::int64_t pieces) {
  const ir::ElementType type = operand.element_type;
  const std::int64_t parts = ir::is_complex(type) ? 2 : 1;
  std::int64_t operations = 2 * (pieces - 1);
  if (is_whole(type) || ir::byte_width(type) == 1) operations = pieces == 1 ? 1 : 3 * pieces;
  return {.loads = 0, .stores = 0, .alu_ops = parts * operations * vector_registers(operand), .transcendentals = 0};
}

hw::VectorWork software_product_work(const ir::Instruction& product, const ir::Shape& lhs, const ir::Shape& rhs) {
  const std::int64_t products = ir::is_complex(lhs.element_type) ? complex_products : 1;
  const auto elements = double(std::max<std::int64_t>(1, product.shape.element_count()));
  const double padding =
      std::max(1.0, double(vector_registers(product.shape)) * double(elements_per_register) / elements);
  const auto registers = std::int64_t(double(ir::transform::multiply_accumulates(product, lhs, rhs)) *
                                      double(products) / double(elements_per_register) * padding);
  return {
      .loads = 2 * registers, .stores = 0, .alu_ops = (multiply_pairs + add_pairs) * registers, .transcendentals = 0};
}

std::string products_text(const ir::Module& module, const ir::Computation& computation, ir::InstructionId id,
                          const hw::Machine& machine) {
  std::vector<std::string> texts;
  add_products(module, computation, computation[id], machine, texts);
  return fmt::format("{}", fmt::join(texts, " + "));
}

}  // namespace podsim::sw::compiler::tiles
