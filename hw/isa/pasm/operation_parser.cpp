// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/operation_parser.h"

#include <fmt/format.h>

#include <map>

#include "hw/isa/pasm/names.h"

namespace podsim::hw::isa::pasm {
namespace {

using Opcodes = std::map<std::string_view, Opcode>;

const Opcodes& mnemonics() {
  static const Opcodes table = [] {
    Opcodes result;
    for (const OpcodeInfo& row : opcode_table()) result.emplace(row.mnemonic, row.opcode);
    return result;
  }();
  return table;
}

std::string like_mnemonic(std::string_view word) {
  std::vector<std::string> words{"nop", "s.nop", "v.nop"};
  for (const auto& [mnemonic, opcode] : mnemonics()) words.emplace_back(mnemonic);
  return base::did_you_mean(word, words);
}

Expression number_expression(Span span, std::int64_t value) {
  Expression result;
  result.span = span;
  result.number = Number::of(value);
  return result;
}

class OperationParser {
 public:
  OperationParser(Cursor& cursor, StringTable& strings) : cursor_(cursor), strings_(strings) {}

  Operation parse() {
    if (cursor_.at("@")) predicate();
    mnemonic();
    if (!operation_.placeholder) operands();
    if (!cursor_.at_statement_end()) behind_the_operation();
    return std::move(operation_);
  }

 private:
  const OpcodeInfo& row() const { return info(operation_.opcode); }
  std::string form_hint() const { return fmt::format("the form is {}", form(operation_.opcode)); }

  void predicate() {
    cursor_.next();
    operation_.predicate.negated = cursor_.accept("!");
    operation_.predicate.reg = std::uint8_t(register_operand(RegisterFile::predicate, "predicates are p0 to p7"));
  }

  void mnemonic() {
    Token token = cursor_.expect(Token::Kind::identifier, "an operation");
    std::string_view word = cursor_.text(token);
    operation_.span = token.span;
    operation_.placeholder = word == "s.nop" || word == "v.nop";
    if (operation_.placeholder) {
      operation_.opcode = word == "s.nop" ? Opcode::s_add : Opcode::v_add_f32;
      return;
    }
    auto found = mnemonics().find(word);
    if (found == mnemonics().end()) unknown(token);
    operation_.opcode = found->second;
  }

  [[noreturn]] void unknown(const Token& token) {
    std::string_view word = cursor_.text(token);
    std::string hint = like_mnemonic(word);
    if (cursor_.at("=")) hint = fmt::format("constants are defined by .const {} = ...", word);
    cursor_.report().fail(token.span, fmt::format("there is no operation '{}'", word), hint);
  }

  [[noreturn]] void behind_the_operation() {
    std::string hint = form_hint();
    if (operation_.placeholder) hint = "";
    if (cursor_.at(Token::Kind::identifier) && is_mnemonic(cursor_.text(cursor_.peek()))) {
      hint = "operations of a bundle stand in braces, with ';' between them";
    }
    cursor_.report().fail(cursor_.peek().span,
                          fmt::format("{} takes nothing here: {}", cursor_.report().text(operation_.span),
                                      cursor_.described(cursor_.peek())),
                          hint);
  }

  void operands() {
    bool matrix_push = row().slot == SlotKind::push && row().takes_unit;
    if (matrix_push) unit("a matrix unit", max_matrix_units, "matrix units are mxu0 to mxu3");
    if (has_address(operation_.opcode)) {
      memory_operands();
    } else {
      destination();
      if (row().slot == SlotKind::pop) unit("a unit", popped_units, "units are mxu0 to mxu3, xlu and eup");
      operand(row().x, operation_.x);
      operand(row().y, operation_.y);
    }
    if (row().masked) mask();
  }

  void memory_operands() {
    if (!row().reads_destination) destination();
    address();
    if (row().reads_destination) destination();
  }

  /// Takes the comma before an operand, except before the first.
  void separator() {
    if (!first_) {
      if (cursor_.at_statement_end()) lacks_operand();
      if (!cursor_.at(",")) {
        cursor_.report().fail(cursor_.peek().span,
                              fmt::format("',' is due here, not {}", cursor_.described(cursor_.peek())), form_hint());
      }
      cursor_.next();
    }
    if (cursor_.at_statement_end()) lacks_operand();
    first_ = false;
  }

  [[noreturn]] void lacks_operand() {
    cursor_.report().fail(cursor_.peek().span, fmt::format("{} lacks an operand", row().mnemonic), form_hint());
  }

  /// Reads a register. The default hint of an error is the operation's form.
  int register_operand(RegisterFile file, const char* hint = nullptr) {
    Token token = cursor_.peek();
    std::string_view word = cursor_.text(token);
    auto found = token.kind == Token::Kind::identifier ? register_of(word) : std::nullopt;
    const char* wanted = kind_of_register(file);
    if (!found) {
      cursor_.report().fail(token.span, fmt::format("a {} is due here, not {}", wanted, cursor_.described(token)),
                            hint ? hint : form_hint());
    }
    if (found->file != file) {
      cursor_.report().fail(token.span,
                            fmt::format("a {} is due here, {} is a {}", wanted, word, kind_of_register(found->file)),
                            hint ? hint : form_hint());
    }
    check_exists(token, *found);
    cursor_.next();
    return found->number;
  }

  void check_exists(const Token& token, const RegisterName& name) {
    if (name.exists) return;
    std::string last = register_name(name.file, register_count(name.file) - 1);
    cursor_.report().fail(token.span,
                          fmt::format("there is no {} {}", kind_of_register(name.file), cursor_.text(token)),
                          fmt::format("they are {} to {}", register_name(name.file, 0), last));
  }

  void unit(const char* what, int units, const char* hint) {
    separator();
    Token token = cursor_.peek();
    std::optional<int> found = unit_of(cursor_.text(token));
    if (!found || *found >= units) {
      cursor_.report().fail(token.span, fmt::format("{} is due here, not {}", what, cursor_.described(token)), hint);
    }
    cursor_.next();
    operation_.unit = std::uint8_t(*found);
  }

  void destination() {
    if (row().destination == OperandKind::none) return;
    separator();
    operation_.destination_span = cursor_.peek().span;
    operation_.destination = std::uint8_t(register_operand(file_of(row().destination)));
  }

  static RegisterFile file_of(OperandKind kind) {
    switch (kind) {
      case OperandKind::vector:
      case OperandKind::vector_or_literal:
        return RegisterFile::vector;
      case OperandKind::mask:
        return RegisterFile::mask;
      case OperandKind::predicate:
        return RegisterFile::predicate;
      default:
        return RegisterFile::scalar;
    }
  }

  void operand(OperandKind kind, Operand& operand) {
    if (kind == OperandKind::none) return;
    separator();
    switch (kind) {
      case OperandKind::scalar_or_literal:
      case OperandKind::vector_or_literal:
        register_or_literal(file_of(kind), operand);
        break;
      case OperandKind::target:
        literal(operand);
        break;
      case OperandKind::text:
        text(operand);
        break;
      default:
        operand.span = cursor_.peek().span;
        operand.reg = register_operand(file_of(kind));
    }
  }

  void literal(Operand& operand) {
    operand.expression = std::make_unique<Expression>(cursor_.expression());
    operand.span = operand.expression->span;
  }

  void register_or_literal(RegisterFile file, Operand& operand) {
    bool is_register = cursor_.at(Token::Kind::identifier) && register_of(cursor_.text(cursor_.peek()));
    if (!is_register) return literal(operand);
    operand.span = cursor_.peek().span;
    bool vector = file == RegisterFile::vector;
    operand.reg = register_operand(file, vector ? "v.splat copies a scalar register into every lane" : nullptr);
  }

  void text(Operand& operand) {
    if (!cursor_.at(Token::Kind::string)) return literal(operand);
    Token token = cursor_.next();
    std::uint32_t number = strings_.number_of(decode_string(cursor_.text(token)));
    operand.span = token.span;
    operand.expression = std::make_unique<Expression>(number_expression(token.span, number));
  }

  /// Reads x, y and z: "[s1 + 4 : 2]".
  void address() {
    separator();
    Token open = cursor_.expect("[", ", to begin an address");
    bool shuffle = operation_.opcode == Opcode::v_load_shuffle || operation_.opcode == Opcode::v_store_shuffle;
    base_and_offset(open);
    bool spread = row().z != OperandKind::none;
    if (spread && cursor_.accept(":")) {
      register_or_literal(RegisterFile::scalar, operation_.z);
    } else if (shuffle) {
      cursor_.report().fail(cursor_.peek().span, "the rows of the sublanes are due here: ':' and eight nibbles",
                            form_hint());
    } else if (spread) {
      set(operation_.z, open.span, 1);
    }
    cursor_.expect("]", ", to end the address");
  }

  void base_and_offset(const Token& open) {
    bool is_register = cursor_.at(Token::Kind::identifier) && register_of(cursor_.text(cursor_.peek()));
    if (!is_register) return register_or_literal(RegisterFile::scalar, operation_.y);
    operation_.x.span = cursor_.peek().span;
    operation_.x.reg = register_operand(RegisterFile::scalar);
    if (cursor_.accept("+") || cursor_.at("-")) {
      register_or_literal(RegisterFile::scalar, operation_.y);
    } else {
      set(operation_.y, open.span, 0);
    }
  }

  static void set(Operand& operand, Span span, std::int64_t value) {
    operand.span = span;
    operand.expression = std::make_unique<Expression>(number_expression(span, value));
  }

  void mask() {
    if (operation_.opcode != Opcode::v_select && !cursor_.at(",")) return;
    separator();
    operation_.mask = std::uint8_t(register_operand(RegisterFile::mask));
  }

  Cursor& cursor_;
  StringTable& strings_;
  Operation operation_;
  bool first_ = true;
};

}  // namespace

Operation parse_operation(Cursor& cursor, StringTable& strings) { return OperationParser(cursor, strings).parse(); }

bool is_mnemonic(std::string_view word) { return word == "s.nop" || word == "v.nop" || mnemonics().contains(word); }

}  // namespace podsim::hw::isa::pasm
