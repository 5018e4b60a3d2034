// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hlo/stablehlo/operation_parser.h"

namespace podsim::hlo::stablehlo {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : cursor_(text), operations_(cursor_, made_.types) {}

  ModuleText run() {
    if (cursor_.text().starts_with("\xef\xbb\xbf")) cursor_.move_to(3);
    aliases();
    cursor_.accept_text("builtin.");
    if (cursor_.accept_word("module")) {
      if (cursor_.peek() == '@') made_.name = cursor_.symbol();
      if (cursor_.accept_word("attributes")) made_.attributes = operations_.dictionary();
      cursor_.expect('{', "of the module");
      while (!cursor_.accept('}')) member();
      operations_.location();
    } else {
      if (cursor_.peek() == '"') {
        cursor_.fail_expected("a module in its pretty form", "print the module without --mlir-print-op-generic");
      }
      while (cursor_.peek() == 'f') member();
    }
    aliases();
    if (cursor_.skip_space()) cursor_.fail_expected("the end of the text after the module", "one module a file");
    return std::move(made_);
  }

 private:
  /// Lines "#name = value" and the section of resources, before and after the module.
  void aliases() {
    while (cursor_.skip_space()) {
      if (cursor_.accept_text("{-#")) {
        const std::size_t begin = cursor_.offset(), end = cursor_.text().find("#-}", begin);
        if (end == std::string_view::npos) cursor_.fail_expected("'#-}' after the resources");
        made_.resources = cursor_.text().substr(begin, end - begin);
        cursor_.move_to(end + 3);
        continue;
      }
      if (!cursor_.accept('#')) return;
      const std::string_view name = cursor_.identifier("an alias");
      cursor_.expect('=', "after an alias");
      made_.aliases.push_back({name, cursor_.balanced("\n")});
    }
  }

  void member() {
    const std::string_view word = cursor_.identifier("a function");
    if (word == "func.func" || word == "func") return function();
    if (word == "sdy.mesh") {
      NamedMesh mesh{cursor_.symbol(), {}};
      cursor_.expect('=', "after a mesh's name");
      mesh.value = cursor_.bracketed();
      if (cursor_.peek_in_line() == '{') operations_.dictionary();
      operations_.location();
      made_.meshes.push_back(mesh);
      return;
    }
    cursor_.fail_at(word, fmt::format("'{}' is not read in a module", word),
                    "a module holds func.func and sdy.mesh; other dialects are lowered to StableHLO first");
  }

  void function() {
    Function made;
    if (cursor_.accept_word("private") || cursor_.accept_word("nested")) made.is_public = false;
    cursor_.accept_word("public");
    made.name = cursor_.symbol();
    std::vector<Argument> arguments;
    cursor_.expect('(', "of the function's arguments");
    if (!cursor_.accept(')')) {
      do {
        arguments.push_back(cursor_.peek() == '%' ? operations_.argument() : result());
      } while (cursor_.accept(','));
      cursor_.expect(')', "after the function's arguments");
    }
    if (cursor_.accept_text("->")) results(made);
    if (cursor_.accept_word("attributes")) operations_.dictionary();
    if (cursor_.peek_in_line() == '{') {
      made.body = operations_.region();
      made.has_body = true;
    }
    made.body.arguments = std::move(arguments);
    operations_.location();
    made_.functions.push_back(std::move(made));
  }

  Argument result() {
    Argument made;
    made.type = made_.types.read(cursor_);
    if (cursor_.peek_in_line() == '{') made.attributes = operations_.dictionary();
    made.location = operations_.location();
    return made;
  }

  void results(Function& made) {
    if (!cursor_.accept('(')) {
      made.results.push_back({{}, made_.types.read(cursor_), {}, {}});
      return;
    }
    if (cursor_.accept(')')) return;
    do {
      made.results.push_back(result());
    } while (cursor_.accept(','));
    cursor_.expect(')', "after the function's results");
  }

  ModuleText made_;
  Cursor cursor_;
  OperationParser operations_;
};

}  // namespace

ModuleText parse(std::string_view text) { return ModuleParser(text).run(); }

}  // namespace podsim::hlo::stablehlo
