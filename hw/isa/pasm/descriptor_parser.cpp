// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/descriptor_parser.h"

#include <fmt/format.h>

#include <set>

namespace podsim::hw::isa::pasm {
namespace {

struct NumberField {
  std::string_view name;
  std::optional<Expression> DescriptorText::*value;
  bool required;
};

constexpr NumberField number_fields[] = {
    {"source", &DescriptorText::source, true},
    {"destination", &DescriptorText::destination, true},
    {"words", &DescriptorText::words, true},
    {"rows", &DescriptorText::rows, false},
    {"source_stride", &DescriptorText::source_stride, false},
    {"destination_stride", &DescriptorText::destination_stride, false},
    {"flag", &DescriptorText::flag, false},
};

class DescriptorParser {
 public:
  DescriptorParser(Cursor& cursor, StringTable& strings) : cursor_(cursor), strings_(strings) {}

  DescriptorText parse(const Name& name) {
    result_.span = name.span;
    const Token open = cursor_.expect("{", " before the fields of the descriptor");
    fields(open);
    if (!seen_.contains("name")) result_.name = strings_.number_of(name.text);
    for (std::string_view required : {"route", "source", "destination", "words"}) {
      if (complete_ && !seen_.contains(required)) {
        cursor_.report().error(name.span, fmt::format("the descriptor lacks its field '{}'", required));
      }
    }
    return std::move(result_);
  }

 private:
  void fields(const Token& open) {
    while (true) {
      while (cursor_.at(";") || cursor_.at(Token::Kind::line_end)) cursor_.next();
      if (cursor_.accept("}")) return;
      if (cursor_.at(Token::Kind::end) || cursor_.at(Token::Kind::directive)) {
        cursor_.report().fail(open.span, "this '{' has no '}'");
      }
      try {
        field();
      } catch (const SyntaxError&) {
        complete_ = false;
        cursor_.skip_statement();
      }
    }
  }

  void field() {
    Token token = cursor_.expect(Token::Kind::identifier, "a field of the descriptor");
    std::string_view word = cursor_.text(token);
    const NumberField* number = number_field(word);
    if (!number && word != "route" && word != "name") unknown(token);
    if (!seen_.insert(word).second) {
      cursor_.report().fail(token.span, fmt::format("the field '{}' stands here twice", word));
    }
    cursor_.expect("=", " behind the field's name");
    if (number) {
      result_.*number->value = cursor_.expression();
    } else if (word == "route") {
      route();
    } else {
      Token text = cursor_.expect(Token::Kind::string, "a string");
      result_.name = strings_.number_of(decode_string(cursor_.text(text)));
    }
    if (cursor_.at_statement_end()) return;
    cursor_.report().fail(cursor_.peek().span,
                          fmt::format("the field ends here, not with {}", cursor_.described(cursor_.peek())),
                          "fields stand on lines of their own or have ';' between them");
  }

  static const NumberField* number_field(std::string_view word) {
    for (const NumberField& field : number_fields) {
      if (field.name == word) return &field;
    }
    return nullptr;
  }

  [[noreturn]] void unknown(const Token& token) {
    std::vector<std::string> names{"route", "name"};
    for (const NumberField& field : number_fields) names.emplace_back(field.name);
    cursor_.report().fail(token.span, fmt::format("a descriptor has no field '{}'", cursor_.text(token)),
                          base::did_you_mean(cursor_.text(token), names));
  }

  void route() {
    const Token token = cursor_.expect(Token::Kind::identifier, "a route");
    std::vector<std::string> names;
    for (int i = 0; i < dma_routes; ++i) {
      names.emplace_back(route_name(DmaRoute(i)));
      if (names.back() != cursor_.text(token)) continue;
      result_.route = DmaRoute(i);
      return;
    }
    std::string hint = base::did_you_mean(cursor_.text(token), names);
    cursor_.report().fail(token.span, fmt::format("there is no route '{}'", cursor_.text(token)),
                          hint.empty() ? fmt::format("routes are {}", fmt::join(names, ", ")) : hint);
  }

  Cursor& cursor_;
  StringTable& strings_;
  DescriptorText result_;
  std::set<std::string_view> seen_;
  bool complete_ = true;  ///< all fields so far were readable
};

}  // namespace

DescriptorText parse_descriptor(Cursor& cursor, StringTable& strings, const Name& name) {
  return DescriptorParser(cursor, strings).parse(name);
}

std::string_view route_name(DmaRoute route) {
  constexpr std::string_view names[] = {"hbm_to_vmem", "vmem_to_hbm", "hbm_to_hbm",
                                        "hbm_to_smem", "smem_to_hbm", "hbm_to_imem"};
  return names[std::size_t(route)];
}

}  // namespace podsim::hw::isa::pasm
