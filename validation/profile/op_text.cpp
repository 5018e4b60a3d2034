// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/op_text.h"

#include <utility>

#include "hlo/text/graph/graph_shape.h"
#include "hlo/text/scanner.h"
#include "hlo/text/shape.h"

namespace podsim::validation::profile {
namespace {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : scanner_(text) {}

  std::optional<OpText> read() {
    try {
      read_head();
    } catch (const hlo::text::SyntaxError&) {
      return std::nullopt;
    }
    try {
      read_operands();
      read_attributes();
    } catch (const hlo::text::SyntaxError&) {
      op_.cut_off = true;
    }
    return std::move(op_);
  }

 private:
  void read_head() {
    scanner_.accept("ROOT");
    op_.name = scanner_.name("an op");
    scanner_.expect('=');
    op_.result = read_shape();
    op_.opcode_text = scanner_.name("an opcode");
    op_.opcode = hlo::find_opcode(op_.opcode_text).opcode;
    scanner_.expect('(');
  }

  void read_operands() {
    if (scanner_.accept(')')) return;
    do {
      OpText::Operand operand;
      if (hlo::text::shape_follows(scanner_)) operand.shape = read_shape();
      if (scanner_.peek() != ',' && scanner_.peek() != ')') operand.name = operand_name();
      op_.operands.push_back(std::move(operand));
    } while (scanner_.accept(','));
    scanner_.expect(')');
  }

  /// Some profilers write names of the model here, with characters that HLO names do not have.
  std::string operand_name() {
    std::string_view name = scanner_.word("an operand");
    if (name.starts_with('%')) name.remove_prefix(1);
    return std::string(name);
  }

  void read_attributes() {
    while (scanner_.accept(',')) {
      std::string name(scanner_.name("an attribute"));
      scanner_.expect('=');
      const bool quoted = scanner_.peek() == '"';
      op_.attributes[name] = quoted ? scanner_.quoted("a value") : scanner_.balanced("a value");
    }
  }

  hlo::Shape read_shape() {
    const hlo::text::ShapeId id = shapes_.read(scanner_);
    return hlo::text::graph::GraphShapes(shapes_)[id];
  }

  hlo::text::Scanner scanner_;
  hlo::text::ShapeTable shapes_;
  OpText op_;
};

void add_arrays(const hlo::Shape& shape, std::vector<hlo::Shape>& arrays) {
  if (shape.is_tuple()) {
    for (const hlo::Shape& element : shape.tuple_shapes) add_arrays(element, arrays);
  } else if (hlo::byte_width(shape.element_type) > 0) {
    arrays.push_back(shape);
  }
}

}  // namespace

std::optional<OpText> read_op_text(std::string_view text) { return TextReader(text).read(); }

std::vector<hlo::Shape> arrays_of(const hlo::Shape& shape) {
  std::vector<hlo::Shape> arrays;
  add_arrays(shape, arrays);
  return arrays;
}

double padded_bytes(const std::vector<hlo::Shape>& arrays) {
  double sum = 0;
  for (const hlo::Shape& array : arrays) sum += double(hlo::padded_bytes(array).value());
  return sum;
}

}  // namespace podsim::validation::profile
