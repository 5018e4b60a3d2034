// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/isa/pasm/assembler.h"

namespace podsim::hw::isa::pasm {
namespace {

/// A program with one mistake. It is between two backticks, where the caret must be.
struct Mistake {
  const char* name;
  std::string text;
  std::string message;
  std::string hint;
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

std::vector<base::Diagnostic> diagnostics_of(const std::string& text) {
  try {
    assemble("kernel.pasm", text);
  } catch (const base::InputError& error) {
    return error.diagnostics();
  }
  return {};
}

class AssemblerMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(AssemblerMistake, IsReportedOnceAtItsPlace) {
  std::string text = GetParam().text;
  std::size_t begin = text.find('`');
  ASSERT_NE(begin, std::string::npos);
  text.erase(begin, 1);
  std::size_t end = text.find('`');
  ASSERT_NE(end, std::string::npos);
  text.erase(end, 1);
  std::string before = text.substr(0, begin);

  std::vector<base::Diagnostic> diagnostics = diagnostics_of(text);
  ASSERT_EQ(diagnostics.size(), 1U) << (diagnostics.empty() ? "no error" : base::format(diagnostics.back()));
  const base::Diagnostic& found = diagnostics[0];
  EXPECT_EQ(found.message, GetParam().message);
  EXPECT_EQ(found.hint, GetParam().hint);
  EXPECT_EQ(found.location.file, "kernel.pasm");
  EXPECT_EQ(found.location.line, std::count(before.begin(), before.end(), '\n') + 1);
  EXPECT_EQ(found.location.column, int(begin - (before.rfind('\n') + 1)) + 1);
  EXPECT_EQ(found.location.length, std::max(int(end - begin), 1));
}

const Mistake mistakes[] = {
    // words
    {"StrayCharacter", "nop\n  s.mov s1, `$`4", "this character has no meaning here", ""},
    {"OtherComment", "nop `#` stop here", "this character has no meaning here", "comments begin with //"},
    {"NoNumber", "s.mov s1, `12ab`", "'12ab' is not a number", ""},
    {"NumberOfManyDigits", "s.mov s1, `99999999999999999999`", "99999999999999999999 is more than 64 bits hold", ""},
    {"ShortFloatBits", "v.mov v1, `0f3f8`", "'0f3f8' is not a number",
     "a float by its bits is 0f and eight hex digits"},
    {"StringWithoutEnd", "mark `\"start`\nhalt", "this string has no end",
     "strings end on the line on which they begin"},
    {"UnknownEscape", "mark \"a`\\q`\"", "this escape has no meaning", R"(strings know \" \\ \n \t and \xHH)"},

    // operations
    {"UnknownOperation", "nop\n`v.ad.f32` v1, v2, v3", "there is no operation 'v.ad.f32'", "did you mean 'v.add.f32'?"},
    {"AssignmentWithoutDirective", "`rows` = 4", "there is no operation 'rows'",
     "constants are defined by .const rows = ..."},
    {"MissingComma", "s.add s1 `s2`, 3", "',' is due here, not 's2'", "the form is s.add sD, sX, sY/literal"},
    {"MissingOperand", "s.add s1, s2``\nhalt", "s.add lacks an operand", "the form is s.add sD, sX, sY/literal"},
    {"NothingBehindTheComma", "{ s.mov s1, `;` halt }", "s.mov lacks an operand", "the form is s.mov sD, sY/literal"},
    {"OperandTooMany", "fence`,` 3", "fence takes nothing here: ','", "the form is fence"},
    {"MaskWhereNoneIsTaken", "m.and vm1, vm2, vm3`,` vm1", "m.and takes nothing here: ','",
     "the form is m.and vmD, vmX, vmY"},
    {"OperationsWithoutBraces", "s.mov s1, 1 `s.mov` s2, 2", "s.mov takes nothing here: 's.mov'",
     "operations of a bundle stand in braces, with ';' between them"},
    {"SemicolonWithoutBraces", "s.mov s1, 1 `;` s.mov s2, 2", "the line ends here, not with ';'",
     "a bundle of several operations stands in braces: { a ; b }"},
    {"BundlesOnOneLine", "{ s.mov s1, 1 } `{` halt }", "the line ends here, not with '{'",
     "a bundle of several operations stands in braces: { a ; b }"},
    {"NumberWhereAnOperationIsDue", "`12`", "a label, bundle or directive is due here, not '12'", ""},
    {"NumberInABundle", "{ halt ; `12` }", "an operation is due here, not '12'", ""},
    {"BundleWithoutEnd", "{ s.mov s1, 1\n`.const` a = 3", "this bundle lacks its '}' before '.const'",
     "the bundle began on line 1"},
    {"BundleWithoutEndBeforeAnother", "nop\n{ s.mov s1, 1\n`{` halt }", "this bundle lacks its '}' before '{'",
     "the bundle began on line 2"},
    {"BundleWithoutEndAtTheEnd", "{ s.mov s1, 1``", "this bundle lacks its '}' before the end of the file",
     "the bundle began on line 1"},
    {"LabelInABundle", "{ halt\n`loop`: nop }", "a label stands before a bundle, not in it",
     "does the bundle before it lack its '}'?"},
    {"NopInABundle", "{ halt ; `nop` }", "nop is a bundle of its own", "an empty slot: s.nop, v.nop"},

    // operands
    {"ScalarWhereVectorIsDue", "v.add.f32 v1, `s2`, v3", "a vector register is due here, s2 is a scalar register",
     "the form is v.add.f32 vD, vX, vY/literal[, vmM]"},
    {"ScalarAsVectorOperand", "v.add.f32 v1, v2, `s3`", "a vector register is due here, s3 is a scalar register",
     "v.splat copies a scalar register into every lane"},
    {"LiteralWhereRegisterIsDue", "s.add s1, `4`, s2", "a scalar register is due here, not '4'",
     "the form is s.add sD, sX, sY/literal"},
    {"MaskThatIsNone", "v.lane v1, `v2`", "a vector mask is due here, v2 is a vector register",
     "the form is v.lane vD[, vmM]"},
    {"SelectWithoutMask", "v.select v1, v2, v3``", "v.select lacks an operand",
     "the form is v.select vD, vX, vY/literal, vmM"},
    {"RegisterThatThereIsNot", "s.add s1, `s32`, 1", "there is no scalar register s32", "they are s0 to s31"},
    {"MaskThatThereIsNot", "v.lane v1, `vm8`", "there is no vector mask vm8", "they are vm0 to vm7"},
    {"PredicateThatIsNone", "@`s1` halt", "a predicate is due here, s1 is a scalar register",
     "predicates are p0 to p7"},
    {"UnitThatThereIsNot", "mxu.lhs `mxu4`, v1", "a matrix unit is due here, not 'mxu4'",
     "matrix units are mxu0 to mxu3"},
    {"PopOfNoUnit", "pop v1, `mxu`", "a unit is due here, not 'mxu'", "units are mxu0 to mxu3, xlu and eup"},
    {"AddressWithoutBrackets", "vld v1, `s2`", "'[' is due here, to begin an address, not 's2'", ""},
    {"AddressWithoutEnd", "vld v1, [s2 + 4`,` vm1", "']' is due here, to end the address, not ','", ""},
    {"RegisterBehindALiteral", "s.load s1, [4 + `s2`]", "s2 is a register and cannot be part of an expression",
     "in an address a register stands first: [s1 + 4]"},
    {"ShuffleWithoutNibbles", "vld.shuffle v1, [s2 + 4`]`",
     "the rows of the sublanes are due here: ':' and eight nibbles",
     "the form is vld.shuffle vD, [sX + sY/literal : nibbles][, vmM]"},
    {"HexWhereAnF32IsDue", "v.mul.f32 v1, v2, `0x3f800000`",
     "an f32 is due here, and a hex number leaves open whether its bits are meant",
     "a float is written 1.5, or by its bits: 0f3f800000"},
    {"LiteralOfTooManyBits", "s.mov s1, `1 << 32`", "4294967296 does not fit 32 bits", ""},
    {"FloatBeyondF32", "v.mul.f32 v1, v2, `1e39`", "1e39 is beyond the range of f32", "infinity is written inf"},
    {"NegativeTarget", "s.branch `-1`", "a bundle's address is from 0 to 2147483647, not -1", ""},
    {"RealTarget", "s.branch `1.5`", "a bundle's address is a whole number, 1.5 is none", ""},
    {"StringThatThereIsNot", "mark `1`", "a string's number is from 0 to 0, not 1", ""},

    // operations that a bundle cannot perform
    {"WriteOfS0", "s.add `s0`, s1, 2", "s.add writes s0, which always reads as zero", ""},
    {"WriteOfP0", "s.eq `p0`, s1, 2", "s.eq writes p0, which is always true", ""},
    {"WriteOfVm0", "v.eq.s32 `vm0`, v1, 2", "v.eq.s32 writes vm0, which is always all true", ""},
    {"LoopOverS0", "s.loop `s0`, 0", "s.loop counts down s0, which always reads as zero", ""},
    {"NeverPerformed", "@!p0 `s.add` s1, s1, 2", "s.add stands under !p0 and is never performed", ""},
    {"TwoWritesOfARegister", "{ v.mov v1, 2\n pop `v1`, xlu }", "pop writes v1, as v.mov of this bundle does", ""},
    {"ThirdScalarOperation", "{ s.mov s1, 1 ; s.mov s2, 2 ; `s.mov` s3, 3 }",
     "both scalar slots of this bundle are taken", "a further operation takes a bundle of its own"},
    {"SecondLoad", "{ vld v1, [0] ; `vld` v2, [8] }", "the load slot of this bundle is taken",
     "a further operation takes a bundle of its own"},
    {"SecondBranch", "{ s.branch 0 ; `s.loop` s1, 0 }", "a bundle has one branch, and this is the second", ""},
    {"LiteralsThatDoNotFit", "{ s.mov s1, 0x11111111 ; s.mov s2, 0x22222222 ; v.mov v1, 0x33333333 ; v.mov v2, `100` }",
     "v.mov has a literal for which the bundle's six immediates have no room left",
     "a register can hold the value, or another bundle the operation"},

    // names and expressions
    {"UnknownName", ".const rows = 4\ns.mov s1, `row` + 1", "nothing is called 'row'", "did you mean 'rows'?"},
    {"UnknownLabel", "loop: nop\ns.branch `lop`", "nothing is called 'lop'", "did you mean 'loop'?"},
    {"SecondDefinition", "a: nop\n.const `a` = 4", "'a' is defined already", "it is defined on line 1"},
    {"SecondLabel", "a: nop\n`a`: nop", "'a' is defined already", "it is defined on line 1"},
    {"ReservedName", ".const `v1` = 4\nnop", "'v1' is taken and cannot be a name", ""},
    {"DefinitionByItself", ".const `a` = b + 1\n.const b = a\nnop", "the value of 'a' depends on itself", ""},
    {"ConstantWithoutValue", ".const a `4`\nnop", "'=' is due here behind the constant's name, not '4'", ""},
    {"OpenParenthesis", "s.mov s1, (1 + 2``\nhalt", "')' is due here, not the end of the line", ""},
    {"OperatorWithoutOperand", "s.mov s1, 1 +``\nhalt", "a number or a name is due here, not the end of the line", ""},
    {"DivisionByZero", "s.mov s1, 4 / `(2 - 2)`", "division by zero", ""},
    {"ShiftBelowZero", "s.mov s1, 4 << `-1`", "a shift by -1 is none", ""},
    {"ShiftOfAReal", "s.mov s1, `0.5` << 1", "shifts take whole numbers", ""},
    {"ValueOfTooManyBits", "s.mov s1, `(1 << 62) * 4`", "the value of this expression is more than 64 bits hold", ""},
    {"PropertyThatThereIsNot", ".vmem a\n .zeros 8\n.code main\n s.mov s1, `a.rows`", "'a' has no '.rows'",
     "blocks have .words and .row"},
    {"RowOfHbm", ".hbm a\n .zeros 8\n.code main\n s.mov s1, `a.row`", "'a' is in hbm, and only VMEM has rows", ""},
    {"RowOfAnOddAddress", ".vmem a, 5\n .zeros 8\n.code main\n s.mov s1, `a.row`",
     "'a' begins at word 5, in the middle of a row", "rows are 128 words"},

    // directives
    {"UnknownDirective", "nop\n`.worrd` 1, 2", "there is no directive '.worrd'", "did you mean '.word'?"},
    {"DataOutsideOfABlock", "nop\n`.word` 1, 2", ".word stands in no block of data",
     "data follow a .hbm, .vmem, .smem or .expect directive"},
    {"UnknownType", "nop\n.hbm a\n .fill `f16`, 4, 0", "a type is due here, word, f32 or bf16, not 'f16'",
     "did you mean 'bf16'?"},
    {"ArgumentsMissing", "nop\n.hbm a\n `.fill` word, 4", ".fill has 1 arguments here",
     "the form is .fill TYPE, COUNT, VALUE"},
    {"FloatAmongWords", "nop\n.hbm a\n .word 1, `2.5`", "a whole number is due here",
     "numbers with a fraction follow .f32 or .bf16"},
    {"NegativeCount", "nop\n.hbm a\n .zeros `-4`", "a count is from 0 to 67108864, not -4", ""},
    {"TooManyWords", "nop\n.hbm a\n .zeros 1 << 26\n `.zeros` 1",
     "a program's data are at most 67108864 words, these are more", ""},
    {"RepeatWithoutEnd", "nop\n.hbm a\n `.repeat` 4\n .word 1\n.hbm b\n .word 2", "this .repeat lacks its .end", ""},
    {"EndWithoutRepeat", "nop\n.hbm a\n `.end`", ".end has no .repeat before it", ""},
    {"BlocksThatOverlap", "nop\n.smem a, 0\n .zeros 9\n.smem `b`, 8\n .word 1", "'b' overlaps 'a' in smem at address 8",
     ""},
    {"CodeThatOverlaps", "nop\nnop\n.code `more`, 1\nnop", "'more' overlaps 'main' in instruction memory at address 1",
     ""},
    {"CodeThatBeginsElsewhere", ".code main, `4`\nnop", "execution begins at address 0, and this code at 4", ""},
    {"OverlayAsFirstCode", ".overlay `late`, 0\nhalt",
     "the first code is an overlay, and nothing would be there to load it",
     "resident code comes first and begins at address 0"},
    {"FileWithoutCode", "``.const a = 1\n", "there is no bundle in this file", ""},
    {"UnknownField", "nop\n.dma a { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 4 ; `row` = 2 }",
     "a descriptor has no field 'row'", "did you mean 'rows'?"},
    {"UnknownRoute", "nop\n.dma a { route = `hbm_to_vmen` ; source = 0 ; destination = 0 ; words = 4 }",
     "there is no route 'hbm_to_vmen'", "did you mean 'hbm_to_vmem'?"},
    {"FieldMissing", "nop\n.dma `a` { route = hbm_to_vmem ; source = 0 ; words = 4 }",
     "the descriptor lacks its field 'destination'", ""},
    {"FieldTwice", "nop\n.dma a { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 4 ; `words` = 8 }",
     "the field 'words' stands here twice", ""},
    {"FieldsWithCommas", "nop\n.dma a { route = hbm_to_vmem`,` source = 0 ; destination = 0 ; words = 4 }",
     "the field ends here, not with ','", "fields stand on lines of their own or have ';' between them"},
    {"DescriptorWithoutEnd", "nop\n.dma a `{`\n route = hbm_to_vmem\n.const b = 1", "this '{' has no '}'", ""},
    {"FlagThatThereIsNot",
     "nop\n.dma a { route = hbm_to_vmem ; source = 0 ; destination = 0 ; words = 4 ; flag = `65536` }",
     "a flag's number is from 0 to 65535, not 65536", ""},
    {"MemoryThatThereIsNot", "nop\n.expect `imem`, 0\n .word 1", "a memory is due here, hbm, vmem or smem, not 'imem'",
     "the form is .expect MEMORY, ADDRESS[, TOLERANCE]"},
    {"BlockOfAnotherMemory", "nop\n.vmem a\n .zeros 4\n.expect hbm, `a`\n .word 1", "'a' is in vmem, not in hbm", ""},
    {"NegativeTolerance", "nop\n.expect hbm, 0, `-1`\n .f32 1", "a tolerance is not negative", ""},
    {"NothingExpected", "nop\n.expect `hbm`, 0", "nothing is expected here", "data directives say what: .f32 1.0, 2.0"},
};

INSTANTIATE_TEST_SUITE_P(Assembler, AssemblerMistake, ::testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return mistake.param.name; });

TEST(AssemblerMistakes, AreAllReportedInOnePassInTheOrderOfTheText) {
  std::vector<base::Diagnostic> found = diagnostics_of(
      ".const rows = 4 / 0\n"
      "  s.ad s1, s2, 3\n"
      "  { s.mov s0, rows ; v.mov v1, s2 ; halt }\n"
      "  s.branch nowhere\n"
      ".hbm a\n"
      "  .wrd 1\n"
      "  .word 2, 3.5\n");
  std::vector<std::pair<int, int>> places;
  for (const base::Diagnostic& diagnostic : found)
    places.emplace_back(diagnostic.location.line, diagnostic.location.column);
  EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{1, 19}, {2, 3}, {3, 11}, {3, 32}, {4, 12}, {6, 3}, {7, 12}}));
}

TEST(AssemblerMistakes, InOneOperationLeaveTheOthersAndTheAddressesAlone) {
  std::vector<base::Diagnostic> found = diagnostics_of(
      "  s.bad s1\n"
      "loop: s.loop s1, loop\n"
      "  s.branch missing\n");
  ASSERT_EQ(found.size(), 2U) << "the label behind the broken line is known";
  EXPECT_EQ(found[1].message, "nothing is called 'missing'");
}

TEST(AssemblerMistakes, ArePrintedLikeACompilers) {
  std::vector<base::Diagnostic> found = diagnostics_of("nop\n  s.mov s1, lop\nloop: halt\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(base::format(found[0]),
            "kernel.pasm:2:13: error: nothing is called 'lop'\n"
            "  2 |   s.mov s1, lop\n"
            "    |             ^~~ did you mean 'loop'?\n");
}

TEST(AssemblerMistakes, HaveColumnsInCharactersNotBytes) {
  std::vector<base::Diagnostic> found = diagnostics_of("{ mark \"\xc3\xbc\xc3\xbc\" ; s.mov s0, 1 }\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].location.column, 21);
}

TEST(AssemblerMistakes, OfAFileThatIsNoAssemblyEndAfterAHundred) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\x01\x02\xff\n";
  EXPECT_EQ(diagnostics_of(text).size(), 100U);
}

TEST(AssemblerMistakes, ThatNestWithoutEndAreRefused) {
  std::string deep = "s.mov s1, " + std::string(100000, '(') + "1";
  EXPECT_EQ(diagnostics_of(deep).front().message, "this expression is too long");
  EXPECT_EQ(diagnostics_of("s.mov s1, " + std::string(100000, '-') + "1").front().message,
            "this expression is too long");
  std::string sum = "s.mov s1, 1";
  for (int i = 0; i < 100000; ++i) sum += " + 1";
  EXPECT_EQ(diagnostics_of(sum).front().message, "this expression is too long");
  std::string chain = "s.mov s1, c0\n";
  for (int i = 0; i < 20000; ++i) chain += fmt::format(".const c{} = c{}\n", i, i + 1);
  EXPECT_EQ(diagnostics_of(chain + ".const c20000 = 1\n").front().message,
            "the value of 'c501' takes too many others to work out");
  std::string repeats = "nop\n.hbm a\n";
  for (int i = 0; i < 17; ++i) repeats += ".repeat 2\n";
  EXPECT_EQ(diagnostics_of(repeats).back().message, "repetitions are nested too deeply");
}

TEST(AssemblerMistakes, InAnythingButAssemblyAreFoundWithoutHarm) {
  std::vector<std::string> pieces{
      "{",       "}",       ";",    ":",     ",", "[",  "]",   "@",     "!",      "=",     "(",        ")",    "-",
      "+",       "\n",      "\"",   "//",    ".", "s1", "v2",  "vld",   "s.add",  "halt",  "x",        ".hbm", ".dma",
      ".expect", ".repeat", ".end", "route", "4", "0f", "1.5", ".word", ".const", ".code", ".overlay", "nop",  "mark"};
  std::uint32_t state = 1;  // a fixed sequence: minimal standard generator
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int word = 0; word < 20; ++word) {
      state = std::uint32_t(std::uint64_t(state) * 48271 % 2147483647);
      text += pieces[state % pieces.size()] + (state % 3 == 0 ? "" : " ");
    }
    for (const base::Diagnostic& diagnostic : diagnostics_of(text)) {
      EXPECT_FALSE(diagnostic.message.empty());
      EXPECT_GE(diagnostic.location.line, 1) << text;
    }
  }
}

}  // namespace
}  // namespace podsim::hw::isa::pasm
