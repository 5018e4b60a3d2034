// SPDX-License-Identifier: Apache-2.0
// Texts with one mistake each. '^' marks the expected position of the caret; it is removed before reading.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "hlo/text/reader.h"

namespace podsim::hlo::text {
namespace {

struct Malformed {
  std::string name, text, message, hint;
};

void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.name; }

/// A module with an f32[8] %x, an f32[4] %y, a tuple %t and then `line`.
std::string body(const std::string& line) {
  return "HloModule m\n\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
         "  ROOT %s = f32[] add(%a, %b)\n}\n\nENTRY %main (x: f32[8], y: f32[4]) -> f32[8] {\n"
         "  %x = f32[8]{0} parameter(0)\n  %y = f32[4]{0} parameter(1)\n"
         "  %t = (f32[8]{0}, f32[4]{0}) tuple(%x, %y)\n  " +
         line + "\n  ROOT %root = f32[8]{0} copy(%x)\n}\n";
}

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> all = {
      // missing text
      {"nothing", "^", "no module", ""},
      {"comments_only", "^// nothing\n", "no module", ""},
      {"header_only", "HloModule m^\n", "ends where a computation was expected", ""},
      {"mlir", "// a comment\nmodule @^jit_f {\n}\n", "no public function", "@main"},
      {"mlir_function", "func.func @main() ^{\n}\n", "a region ends with a return", ""},
      {"zero_byte", std::string("HloModule m^") + '\0', "not text", ""},
      {"module_without_name", "HloModule ^,\n", "expected a module's name", ""},
      // module level
      {"flag_of_module", "HloModule m, is_scheduled=^maybe\n\nENTRY e { ROOT c = f32[] constant(1) }\n",
       "true or false", ""},
      {"second_entry", "ENTRY a {\n  c = f32[] constant(1)\n}\n^ENTRY b {\n  c = f32[] constant(1)\n}\n",
       "a second ENTRY", ""},
      {"second_computation", "a {\n  c = f32[] constant(1)\n}\n^a {\n  c = f32[] constant(1)\n}\n",
       "a second computation 'a'", "line 1"},
      {"empty_computation", "ENTRY ^a {\n}\n", "has no instruction", ""},
      {"missing_brace", "a {\n  c = f32[] constant(1)\n^ENTRY b {\n  c = f32[] constant(1)\n}\n",
       "expected '}' at the end of computation 'a'", ""},
      {"dumped_without_entry",
       "HloModule m, entry_computation_layout={()->f32[]}\n\n%a () -> f32[] {\n  ROOT %c = f32[] constant(1)\n}^\n",
       "without its ENTRY", ""},
      {"recursion", "a {\n  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), to_apply=^a\n}\n", "calls itself", ""},
      {"signature_arrow", "ENTRY a () ^=> f32[] {\n  c = f32[] constant(1)\n}\n", "expected '->'", ""},
      {"signature_count", "ENTRY ^a (p: f32[], q: f32[]) -> f32[] {\n  ROOT p = f32[] parameter(0)\n}\n",
       "has 2 parameters, its instructions 1", ""},
      {"signature_parameter", "ENTRY a (^p: f32[2]) -> f32[] {\n  ROOT p = f32[] parameter(0)\n}\n",
       "the header says f32[2], parameter 0 is f32[]", ""},
      {"signature_result", "ENTRY a (p: f32[]) -> ^f32[3] {\n  ROOT p = f32[] parameter(0)\n}\n",
       "the header says f32[3], the root is f32[]", ""},
      {"parameter_gap", "ENTRY a {\n  ROOT p = f32[] parameter(^1)\n}\n", "no parameter 0", ""},
      {"parameter_twice", "ENTRY a {\n  p = f32[] parameter(0)\n  ROOT q = f32[] parameter(^0)\n}\n",
       "a second parameter 0", ""},
      {"second_root", "ENTRY a {\n  ROOT p = f32[] parameter(0)\n  ^ROOT q = f32[] copy(p)\n}\n", "a second ROOT",
       "'p'"},
      // shapes
      {"element_type", body("%r = ^f23[8] copy(%x)"), "'f23' is not an element type", "did you mean 'f32'?"},
      {"dimension", body("%r = f32[^a] copy(%x)"), "expected a dimension", ""},
      {"negative_dimension", body("%r = f32[^-1] copy(%x)"), "cannot be negative", ""},
      {"huge_number", body("%r = f32[^99999999999999999999] copy(%x)"), "64 bits", ""},
      {"huge_array", body("%r = f32^[1000000000,1000000000] copy(%x)"), "2^48", ""},
      {"unclosed_dimensions", body("%r = f32[8 ^copy(%x)"), "expected ']'", ""},
      {"layout_not_permutation", body("%r = f32[8,8]{^0,0} copy(%x)"), "names each of them once", ""},
      {"layout_rank", body("%r = f32[8]{^1,0} copy(%x)"), "layout of 1 dimensions", ""},
      {"tile", body("%r = f32[8]{0:T(^0)} copy(%x)"), "at least 1", ""},
      {"wide_tile", body("%r = f32[8]{0:T(8,^8193)} copy(%x)"), "at most 65536", ""},
      {"token_dimensions", body("%r = ^token[8] copy(%x)"), "a shape of type token has no dimensions", ""},
      {"memory_space", body("%r = f32[8]{0:S(^x)} copy(%x)"), "a memory space", ""},
      {"unclosed_tuple", body("%r = (f32[8], f32[4] ^tuple(%x, %y)"), "expected ')'", ""},
      {"no_shape", body("%r = ^123 copy(%x)"), "'123' is not an element type", ""},
      {"shape_missing", body("%r = ^iota(), iota_dimension=0"), "shape of 'r' is missing", ""},
      // instructions
      {"no_equals", body("%r ^f32[8] copy(%x)"), "expected '='", ""},
      {"no_opcode", body("%r = f32[8] ^(%x)"), "expected an opcode", ""},
      {"no_parenthesis", body("%r = f32[8] copy ^%x"), "'(' after the opcode", ""},
      {"unclosed_operands", body("%r = f32[8] add(%x, %x^;"), "expected ',' or ')'", ""},
      {"undefined", body("%r = f32[8] copy(%^z)"), "'z' is not defined", ""},
      {"misspelt_operand", body("%weights = f32[8] copy(%x)\n  %r = f32[8] copy(%^wieghts)"), "'wieghts'",
       "did you mean 'weights'?"},
      {"defined_later", body("%r = f32[8] copy(%^root)"), "not defined before this", ""},
      {"itself", body("%r = f32[8] copy(%^r)"), "not defined before this", ""},
      {"defined_twice", body("%^x = f32[8] copy(%y)"), "a second instruction 'x'", "line 10"},
      {"operand_shape", body("%r = f32[8] copy(f32[9] %^x)"), "'x' is f32[8], not f32[9]", ""},
      {"too_few_operands", body("%r = f32[8] ^add(%x)"), "add takes 2 operands, found 1", ""},
      {"too_many_operands", body("%r = f32[8] ^negate(%x, %x)"), "negate takes 1 operand, found 2", ""},
      {"elementwise_shapes", body("%r = f32[8] ^add(%x, %y)"), "operand 'y' is [4] and the result [8]", ""},
      {"not_a_tuple", body("%r = f32[8] ^get-tuple-element(%x), index=0"), "'x' is not a tuple", ""},
      {"tuple_index", body("%r = f32[8] get-tuple-element(%t), index=^2"), "'t' has 2 elements", ""},
      {"tuple_element", body("%r = f32[8] get-tuple-element(%t), index=^1"), "element 1 of 't' is f32[4], not f32[8]",
       ""},
      {"parameter_number", body("%r = f32[8] parameter(^x)"), "a parameter's number", ""},
      // literals
      {"literal_count", body("%r = f32[3] constant(^{1, 2})"), "dimension 0 has 2 values, the shape says 3", ""},
      {"literal_word", body("%r = f32[2] constant({1, ^two})"), "'two' is not a value of f32", ""},
      {"literal_fraction", body("%r = s32[] constant(^1.5)"), "'1.5' is not a whole number", ""},
      {"literal_nesting", body("%r = f32[1,2] constant({^1, 2})"), "expected '{'", ""},
      // attributes
      {"attribute_value", body("%r = f32[8] transpose(%x), dimensions=^x"), "a number or '{'", ""},
      {"attribute_list", body("%r = f32[8] transpose(%x), dimensions={0 ^1}"), "expected ',' or '}'", ""},
      {"missing_attribute", body("%r = f32[] ^reduce(%x, %y), dimensions={0}"), "needs the attribute 'to_apply'", ""},
      {"misspelt_attribute", body("%r = f32[8] reverse(%x), ^dimesions={0}"), "needs the attribute 'dimensions'",
       "did you mean 'dimensions'?"},
      {"attribute_twice", body("%r = f32[8] reverse(%x), dimensions={0}, ^dimensions={0}"), "a second 'dimensions'",
       ""},
      {"no_value", body("%r = f32[8] copy(%x), metadata ^{}"), "expected '=' after an attribute's name", ""},
      {"choice", body("%r = pred[8] compare(%x, %x), direction=^TL"), "'TL' is not a value", "did you mean 'LT'?"},
      {"computation", body("%r = f32[] reduce(%x, %y), dimensions={0}, to_apply=%^ad"), "no computation 'ad'",
       "did you mean 'add'?"},
      {"window_field", body("%r = f32[8] reduce-window(%x, %y), window={size=2 ^strid=2}, to_apply=%add"),
       "a window has no 'strid'", "did you mean 'stride'?"},
      {"window_ranks", body("%r = f32[8] reduce-window(%x, %y), window={size=2x2 stride=^2}, to_apply=%add"),
       "1 dimensions, but 2", ""},
      {"window_pad", body("%r = f32[8] reduce-window(%x, %y), window={size=2 pad=1^x1}, to_apply=%add"), "expected '_'",
       ""},
      {"labels", body("%r = f32[8] convolution(%x, %y), dim_labels=b^b_io->bf"), "each of 'b', 'f'", ""},
      {"labels_spatial", body("%r = f32[8] convolution(%x, %y), dim_labels=^b0f_io->b0f"), "as many spatial", ""},
      {"slice", body("%r = f32[8] slice(%x), slice={[^8:0]}"), "a slice starts", ""},
      {"padding", body("%r = f32[8] pad(%x, %y), padding=1^-1"), "expected '_'", ""},
      {"groups", body("%r = f32[8] all-reduce(%x), replica_groups={{0,1},^2}, to_apply=%add"), "expected '{'", ""},
      {"iota_groups", body("%r = f32[8] all-reduce(%x), replica_groups=^[2,2]<=[5], to_apply=%add"), "as many devices",
       ""},
      {"mesh_axis", body("%r = f32[8] all-reduce(%x), replica_groups=mesh['xx'=2] {'^xy'}, to_apply=%add"),
       "'xy' is no axis", "did you mean 'xx'?"},
      {"sharding", body("%r = f32[8] copy(%x), sharding={^replicate}"), "'replicate' is no sharding",
       "did you mean 'replicated'?"},
      {"sharding_devices", body("%r = f32[8] copy(%x), sharding={devices=[4]^0,1,2}"),
       "4 tiles need 4 devices, found 3", ""},
      {"sharding_device_twice", body("%r = f32[8] copy(%x), sharding={devices=[4]^0,1,2,2}"), "device 2 has two tiles",
       ""},
      {"sharding_rank", body("%r = f32[8] copy(%x), sharding=^{devices=[2,2]<=[4]}"),
       "tiles of 2 dimensions for the 1 dimension of f32[8]", "last_tile_dim_replicate"},
      {"sharding_list", body("%r = f32[8] copy(%x), sharding=^{{replicated}}"),
       "a list of 1 sharding for the one array f32[8]", ""},
      {"sharding_arrays", body("%r = (f32[8], f32[4]) tuple(%x, %y), sharding=^{{replicated}}"),
       "a list of 1 sharding for the 2 arrays of (f32[8], f32[4])", ""},
      {"sharding_partitions",
       "HloModule m, num_partitions=8\n\nENTRY a {\n  ROOT p = f32[8] parameter(0), sharding=^{devices=[4]<=[4]}\n}\n",
       "tiles on 4 devices of a module with num_partitions=8, of f32[8]", "last_tile_dim_replicate"},
      {"sharding_subgroups",
       body("%r = f32[8] copy(%x), sharding={^devices=[4]<=[4] last_tile_dims={manual, replicated}}"),
       "more last dimensions than the tiles have", ""},
      {"brackets", body("%r = f32[8] copy(%x), new_thing={1, (2, 3^}}"), "expected ')' to close the '('", ""},
      // texts that end too early
      {"ends_in_name", "HloModule m\n\nENTRY e {\n  %a^", "ends where '=' after an instruction's name was expected",
       ""},
      {"ends_in_shape", "HloModule m\n\nENTRY e {\n  %a = f32[8,^", "the text ends where", ""},
      {"ends_in_operands", "HloModule m\n\nENTRY e {\n  %a = f32[] constant(1)\n  %b = f32[] add(%a,^\n\n",
       "the text ends where", ""},
      {"ends_in_string", "HloModule m\n\nENTRY e {\n  %a = f32[] constant(1), metadata={op_name=\"jit^",
       "ends inside a string that begins in line 4", ""},
      {"ends_in_brackets", "HloModule m\n\nENTRY e {\n  %a = f32[] constant(1), new={1,{2}^\n",
       "before the '{' of line 4", ""},
      {"ends_in_comment", "HloModule m\n\nENTRY e {\n  %a = f32[] constant(1) /*index^\n", "inside a comment", ""},
      {"second_body",
       "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT c = f32[] call(p), to_apply={\n    ROOT a = f32[] parameter(0)\n  "
       "}, "
       "^to_apply={\n    ROOT b = f32[] parameter(0)\n  }\n}\n",
       "a second 'to_apply'", ""},
      {"comment_in_a_name",
       "ENTRY e {\n  ROOT %a = f32[] parameter(0), frontend_attributes={\n    a//b=\"1\"\n    ^c=\"0\"\n  }\n}\n",
       "expected '=' after a field's name", ""},
      {"ends_in_computation", "HloModule m\n\nENTRY e {\n  %a = f32[] constant(1)^\n", "ends inside computation 'e'",
       ""},
  };
  return all;
}

class MalformedText : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedText, IsReportedWhereTheMistakeIs) {
  const std::string& marked = GetParam().text;
  const std::size_t mark = marked.find('^');
  ASSERT_NE(mark, std::string::npos);
  const std::string text = marked.substr(0, mark) + marked.substr(mark + 1);
  const std::string before = marked.substr(0, mark);
  const ReadResult result = read("m.hlo", text);
  ASSERT_FALSE(result.ok());
  const base::Diagnostic& first =
      *std::ranges::find(result.diagnostics, base::Diagnostic::Severity::error, &base::Diagnostic::severity);
  EXPECT_EQ(first.location.file, "m.hlo");
  EXPECT_EQ(first.location.line, 1 + std::count(before.begin(), before.end(), '\n')) << base::format(first);
  EXPECT_EQ(first.location.column, int(mark - (before.rfind('\n') + 1)) + 1) << base::format(first);
  EXPECT_NE(first.message.find(GetParam().message), std::string::npos) << first.message;
  EXPECT_NE(first.hint.find(GetParam().hint), std::string::npos) << first.hint;
}

INSTANTIATE_TEST_SUITE_P(Hlo, MalformedText, ::testing::ValuesIn(malformed()),
                         [](const auto& test) { return test.param.name; });

TEST(HloReader, ReportsMistakesOfSeveralComputations) {
  const ReadResult result = read("m.hlo",
                                 "a {\n  p = f32[] parameter(0)\n  ROOT q = f32[x] copy(p)\n}\n"
                                 "b {\n  p = f32[] parameter(0)\n  ROOT q = f32[] copy(r)\n}\n"
                                 "c {\n  p = f32[] parameter(0)\n  ROOT q = f32 copy(p)\n}\n");
  std::vector<int> lines;
  for (const base::Diagnostic& diagnostic : result.diagnostics) lines.push_back(diagnostic.location.line);
  EXPECT_EQ(lines, (std::vector<int>{3, 7, 11}));
}

TEST(HloReader, DoesNotBlameUsersOfAnInstructionItCouldNotRead) {
  const ReadResult result =
      read("m.hlo",
           "a {\n  p = f32[] parameter(0)\n  q = f32[x] copy(p)\n  r = f32[] copy(q)\n  ROOT s = f32[] add(q, r)\n}\n");
  EXPECT_EQ(result.diagnostics.size(), 1U);
}

TEST(HloReader, StopsAfterFiftyErrors) {
  std::string text = "a {\n  p = f32[] parameter(0)\n";
  for (int i = 0; i < 200; ++i) text += "  q" + std::to_string(i) + " = f32[] copy(r)\n";
  EXPECT_LE(read("m.hlo", text + "}\n").diagnostics.size(), 52U);
}

TEST(HloReader, LimitsNestingInsteadOfOverflowingTheStack) {
  const std::size_t depth = 200'000;
  const std::string shape = std::string(depth, '(') + "f32[]" + std::string(depth, ')');
  const std::string braces = std::string(depth, '{') + std::string(depth, '}');
  std::string operands, bodies;
  for (int i = 0; i < 2000; ++i) {
    operands += "f32[] negate(";
    bodies += "c = f32[] call(), to_apply={";
  }
  for (const std::string& line : {"%r = " + shape + " tuple()", "%r = f32[" + std::string(depth, '1') + "] copy(%x)",
                                  "%r = f32[8] copy(%x), sharding=" + braces, "%r = f32[] constant(" + braces + ")",
                                  "%r = " + operands, bodies + std::string(2000, '}')}) {
    EXPECT_FALSE(read("m.hlo", body(line)).ok()) << line.substr(0, 40);
  }
  EXPECT_TRUE(read("m.hlo", body("%r = f32[8] copy(%x), backend_config=" + braces)).ok());
}

TEST(HloReader, WarnsOfAnUnknownOpcodeOnceAndRejectsItWhenStrict) {
  const std::string text = body("%r = f32[8] mutliply(%x, %x)\n  %q = f32[8] mutliply(%x, %r)");
  const ReadResult lenient = read("m.hlo", text);
  ASSERT_TRUE(lenient.ok());
  ASSERT_EQ(lenient.diagnostics.size(), 1U);
  EXPECT_EQ(lenient.diagnostics[0].hint, "did you mean 'multiply'?");
  EXPECT_EQ(lenient.modules.at(0).instructions[6].opcode, hlo::Opcode::unknown);
  EXPECT_FALSE(read("m.hlo", text, UnknownOpcodes::reject).ok());
}

}  // namespace
}  // namespace podsim::hlo::text
