// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/parser.h"

#include <fmt/format.h>

#include "hw/isa/pasm/cursor.h"
#include "hw/isa/pasm/data_parser.h"
#include "hw/isa/pasm/descriptor_parser.h"
#include "hw/isa/pasm/names.h"
#include "hw/isa/pasm/operation_parser.h"
#include "hw/isa/pasm/string_table.h"

namespace podsim::hw::isa::pasm {
namespace {

constexpr std::size_t deepest_repeat = 16;

class FileParser {
 public:
  explicit FileParser(Report& report) : report_(report), cursor_(report) {}

  FileText parse() {
    while (!cursor_.at(Token::Kind::end)) {
      try {
        statement();
        if (!cursor_.at(Token::Kind::line_end) && !cursor_.at(Token::Kind::end)) line_goes_on();
      } catch (const SyntaxError&) {
        cursor_.skip_line();
      }
      cursor_.next();
    }
    close_section();
    file_.strings = std::move(strings_).take();
    return std::move(file_);
  }

 private:
  enum class Section {
    none,
    block,
    expectation,
    unreadable,  ///< the directive was reported; the data that follow are read and ignored
  };

  [[noreturn]] void line_goes_on() {
    bool operation = cursor_.at("{") || cursor_.at(";");
    report_.fail(cursor_.peek().span, fmt::format("the line ends here, not with {}", cursor_.described(cursor_.peek())),
                 operation ? "a bundle of several operations stands in braces: { a ; b }" : "");
  }

  void statement() {
    while (cursor_.at(Token::Kind::identifier) && cursor_.at(":", 1)) label();
    if (cursor_.at(Token::Kind::line_end)) return;
    if (cursor_.at(Token::Kind::directive)) {
      directive();
    } else if (cursor_.at("{")) {
      bundle();
    } else if (cursor_.at(Token::Kind::identifier) || cursor_.at("@")) {
      single_operation();
    } else {
      report_.fail(cursor_.peek().span,
                   fmt::format("a label, bundle or directive is due here, not {}", cursor_.described(cursor_.peek())));
    }
  }

  // Code.

  SegmentText& segment() {
    if (file_.segments.empty()) {
      file_.segments.emplace_back();
      file_.segments.back().name = {"main", true, {}};
    }
    return file_.segments.back();
  }

  BundleText& new_bundle() {
    close_section();
    segment().bundles.emplace_back();
    BundleText& bundle = segment().bundles.back();
    bundle.span = cursor_.peek().span;
    return bundle;
  }

  void label() {
    Name name = identifier("a label");
    cursor_.next();
    std::size_t bundle = segment().bundles.size();
    file_.labels.push_back({std::move(name), {}, file_.segments.size() - 1, bundle});
  }

  void single_operation() {
    BundleText& bundle = new_bundle();
    bool empty = cursor_.at(Token::Kind::identifier) && cursor_.text(cursor_.peek()) == "nop";
    if (empty) {
      cursor_.next();
    } else {
      bundle.operations.push_back(parse_operation(cursor_, strings_));
    }
  }

  void bundle() {
    BundleText& bundle = new_bundle();
    Token open = cursor_.next();
    while (true) {
      while (cursor_.at(";") || cursor_.at(Token::Kind::line_end)) cursor_.next();
      if (cursor_.accept("}")) return;
      if (!cursor_.at(Token::Kind::identifier) && !cursor_.at("@")) return unfinished_bundle(open);
      operation_of(bundle);
    }
  }

  void unfinished_bundle(const Token& open) {
    std::string hint = fmt::format("the bundle began on line {}", report_.line(open.span));
    bool lacks_end = cursor_.at("{") || cursor_.at(Token::Kind::directive) || cursor_.at(Token::Kind::end);
    if (!lacks_end) {
      report_.error(cursor_.peek().span,
                    fmt::format("an operation is due here, not {}", cursor_.described(cursor_.peek())));
      skip_braces();
      return;
    }
    report_.error(cursor_.peek().span,
                  fmt::format("this bundle lacks its '}}' before {}", cursor_.described(cursor_.peek())), hint);
    if (!cursor_.at(Token::Kind::end)) statement();
  }

  void skip_braces() {
    while (!cursor_.at("}") && !cursor_.at(Token::Kind::end)) cursor_.next();
    cursor_.accept("}");
  }

  void operation_of(BundleText& bundle) {
    const Token token = cursor_.peek();
    try {
      if (cursor_.at(":", 1))
        report_.fail(token.span, "a label stands before a bundle, not in it",
                     "does the bundle before it lack its '}'?");
      if (cursor_.text(token) == "nop")
        report_.fail(token.span, "nop is a bundle of its own", "an empty slot: s.nop, v.nop");
      bundle.operations.push_back(parse_operation(cursor_, strings_));
    } catch (const SyntaxError&) {
      cursor_.skip_statement();
    }
  }

  // Directives.

  void directive() {
    const Token token = cursor_.peek();
    std::string_view word = cursor_.text(token);
    if (is_data_directive(word) || word == ".end") return data(word);
    constexpr std::pair<std::string_view, void (FileParser::*)()> directives[] = {
        {".const", &FileParser::constant}, {".label", &FileParser::label_directive},
        {".code", &FileParser::code},      {".overlay", &FileParser::overlay},
        {".hbm", &FileParser::hbm},        {".vmem", &FileParser::vmem},
        {".smem", &FileParser::smem},      {".dma", &FileParser::descriptor},
        {".expect", &FileParser::expect},  {".string", &FileParser::string}};
    for (const auto& [name, read] : directives) {
      if (name != word) continue;
      cursor_.next();
      return (this->*read)();
    }
    const std::vector<std::string> words{".const", ".label",  ".code",   ".overlay", ".hbm", ".vmem", ".smem",
                                         ".dma",   ".expect", ".string", ".word",    ".f32", ".bf16", ".zeros",
                                         ".fill",  ".iota",   ".random", ".repeat",  ".end"};
    report_.fail(token.span, fmt::format("there is no directive '{}'", word), base::did_you_mean(word, words));
  }

  Name identifier(std::string_view what) {
    Token token = cursor_.expect(Token::Kind::identifier, what);
    std::string word(cursor_.text(token));
    if (is_reserved(word)) report_.fail(token.span, fmt::format("'{}' is taken and cannot be a name", word));
    return {word, false, token.span};
  }

  Name name() {
    if (!cursor_.at(Token::Kind::string)) return identifier("a name");
    Token token = cursor_.next();
    return {decode_string(cursor_.text(token)), true, token.span};
  }

  std::optional<Expression> optional_argument() {
    if (!cursor_.accept(",")) return std::nullopt;
    return cursor_.expression();
  }

  void constant() {
    Name constant = identifier("the constant's name");
    cursor_.expect("=", " behind the constant's name");
    file_.constants.push_back({std::move(constant), cursor_.expression()});
  }

  void label_directive() {
    LabelText label{name(), {}, 0, 0};
    cursor_.expect(",", " before the label's address");
    label.address = cursor_.expression();
    file_.labels.push_back(std::move(label));
  }

  void code() {
    close_section();
    SegmentText segment;
    segment.name = name();
    segment.address = optional_argument();
    file_.segments.push_back(std::move(segment));
  }

  void overlay() {
    close_section();
    SegmentText segment;
    segment.overlay = true;
    segment.name = name();
    cursor_.expect(",", " before the overlay's address in instruction memory");
    segment.address = cursor_.expression();
    segment.image = optional_argument();
    file_.placed.push_back({true, file_.segments.size()});
    file_.segments.push_back(std::move(segment));
  }

  void hbm() { block(MemorySpace::hbm); }
  void vmem() { block(MemorySpace::vmem); }
  void smem() { block(MemorySpace::smem); }

  void block(MemorySpace space) {
    open_section(Section::unreadable);
    BlockText block;
    block.space = space;
    block.name = name();
    block.address = optional_argument();
    add_block(std::move(block));
    section_ = Section::block;
  }

  void add_block(BlockText block) {
    file_.placed.push_back({false, file_.blocks.size()});
    file_.blocks.push_back(std::move(block));
  }

  void descriptor() {
    close_section();
    BlockText block;
    block.space = MemorySpace::smem;
    block.name = name();
    block.address = optional_argument();
    block.descriptor = parse_descriptor(cursor_, strings_, block.name);
    add_block(std::move(block));
  }

  void expect() {
    open_section(Section::unreadable);
    ExpectationText expectation;
    expectation.span = cursor_.peek().span;
    expectation.space = space();
    cursor_.expect(",", " before the address");
    expectation.address = cursor_.expression();
    expectation.tolerance = optional_argument();
    file_.expectations.push_back(std::move(expectation));
    section_ = Section::expectation;
  }

  MemorySpace space() {
    const Token token = cursor_.peek();
    std::string_view word = cursor_.text(token);
    for (MemorySpace space : {MemorySpace::hbm, MemorySpace::vmem, MemorySpace::smem}) {
      if (word != to_string(space)) continue;
      cursor_.next();
      return space;
    }
    report_.fail(token.span, fmt::format("a memory is due here, hbm, vmem or smem, not {}", cursor_.described(token)),
                 "the form is .expect MEMORY, ADDRESS[, TOLERANCE]");
  }

  void string() {
    Token token = cursor_.expect(Token::Kind::string, "a string");
    strings_.append(decode_string(cursor_.text(token)));
  }

  // Data.

  void open_section(Section section) {
    close_section();
    section_ = section;
  }

  void close_section() {
    for (const DataItem& repeat : repeats_) report_.error(repeat.span, "this .repeat lacks its .end");
    repeats_.clear();
    section_ = Section::none;
  }

  void data(std::string_view word) {
    const Token token = cursor_.peek();
    if (section_ == Section::none) {
      report_.fail(token.span, fmt::format("{} stands in no block of data", word),
                   "data follow a .hbm, .vmem, .smem or .expect directive");
    }
    if (word == ".end") {
      cursor_.next();
      return end_repeat(token);
    }
    DataItem item = parse_data(cursor_);
    if (item.kind != DataItem::Kind::repeat) return add(std::move(item));
    if (repeats_.size() >= deepest_repeat) report_.fail(token.span, "repetitions are nested too deeply");
    repeats_.push_back(std::move(item));
  }

  void end_repeat(const Token& token) {
    if (repeats_.empty()) report_.fail(token.span, ".end has no .repeat before it");
    DataItem item = std::move(repeats_.back());
    repeats_.pop_back();
    add(std::move(item));
  }

  void add(DataItem item) {
    if (!repeats_.empty()) {
      repeats_.back().items.push_back(std::move(item));
    } else if (section_ == Section::block) {
      file_.blocks.back().items.push_back(std::move(item));
    } else if (section_ == Section::expectation) {
      file_.expectations.back().items.push_back(std::move(item));
    }
  }

  Report& report_;
  Cursor cursor_;
  StringTable strings_;
  FileText file_;
  Section section_ = Section::none;
  std::vector<DataItem> repeats_;  ///< open .repeat directives, the innermost last
};

}  // namespace

FileText parse(Report& report) { return FileParser(report).parse(); }

}  // namespace podsim::hw::isa::pasm
