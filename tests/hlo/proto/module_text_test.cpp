// SPDX-License-Identifier: Apache-2.0
#include "hlo/proto/module_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <sstream>

#include "base/diagnostic.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"

namespace podsim::hlo::proto {
namespace {

using protozero::pbf_writer;

std::string message(const std::function<void(pbf_writer&)>& write) {
  std::string bytes;
  pbf_writer writer(bytes);
  write(writer);
  return bytes;
}

/// bf16 (16) or f32 (11), row-major in T(8,128).
std::string shape(int type, const std::vector<std::int64_t>& sizes) {
  return message([&](pbf_writer& w) {
    w.add_enum(2, type);
    w.add_packed_int64(3, sizes.begin(), sizes.end());
    w.add_message(5, message([&](pbf_writer& layout) {
                    for (std::size_t d = sizes.size(); d-- > 0;) layout.add_int64(1, std::int64_t(d));
                    layout.add_message(6, message([](pbf_writer& tile) {
                                         tile.add_int64(1, 8);
                                         tile.add_int64(1, 128);
                                       }));
                  }));
  });
}

std::string instruction(int id, const std::string& opcode, const std::string& of_shape,
                        const std::vector<std::int64_t>& operands, const std::function<void(pbf_writer&)>& more = {}) {
  return message([&](pbf_writer& w) {
    w.add_string(1, opcode + "." + std::to_string(id));
    w.add_string(2, opcode);
    w.add_message(3, of_shape);
    w.add_int64(35, id);
    w.add_packed_int64(36, operands.begin(), operands.end());
    if (more) more(w);
  });
}

/// transpose(pad(x)) + 0.5, by the field numbers of XLA's hlo.proto.
std::string module_proto() {
  const std::string entry = message([](pbf_writer& w) {
    w.add_string(1, "main");
    w.add_message(2, instruction(1, "parameter", shape(11, {6, 16}), {}));
    w.add_message(2, instruction(2, "constant", shape(11, {}), {}, [](pbf_writer& c) {
                    c.add_message(8, message([](pbf_writer& literal) {
                                    literal.add_message(1, shape(11, {}));
                                    const float half = 0.5F;
                                    literal.add_packed_float(8, &half, &half + 1);
                                  }));
                  }));
    w.add_message(2, instruction(3, "pad", shape(11, {8, 16}), {1, 2}, [](pbf_writer& pad) {
                    pad.add_message(21, message([](pbf_writer& config) {
                                      config.add_message(1, message([](pbf_writer& d) {
                                                           d.add_int64(1, -1);
                                                           d.add_int64(2, 3);
                                                         }));
                                      config.add_message(1, std::string());
                                    }));
                  }));
    w.add_message(2, instruction(4, "transpose", shape(11, {16, 8}), {3}, [](pbf_writer& t) {
                    const std::vector<std::int64_t> order = {1, 0};
                    t.add_packed_int64(14, order.begin(), order.end());
                  }));
    w.add_message(2, instruction(5, "broadcast", shape(11, {16, 8}), {2}));
    w.add_message(2, instruction(6, "add", shape(11, {16, 8}), {4, 5}));
    w.add_int64(5, 9);
    w.add_int64(6, 6);
  });
  return message([&](pbf_writer& w) {
    w.add_string(1, "written");
    w.add_string(2, "main");
    w.add_message(3, entry);
    w.add_int64(6, 9);
  });
}

// The same module as XLA prints it.
constexpr const char* as_text = R"(HloModule written

ENTRY %main {
  %parameter.1 = f32[6,16]{1,0:T(8,128)} parameter(0)
  %constant.2 = f32[] constant(0.5)
  %pad.3 = f32[8,16]{1,0:T(8,128)} pad(%parameter.1, %constant.2), padding=-1_3_0x0_0_0
  %transpose.4 = f32[16,8]{1,0:T(8,128)} transpose(%pad.3), dimensions={1,0}
  %broadcast.5 = f32[16,8]{1,0:T(8,128)} broadcast(%constant.2), dimensions={}
  ROOT %add.6 = f32[16,8]{1,0:T(8,128)} add(%transpose.4, %broadcast.5)
}
)";

TEST(ModuleText, AModuleIsPrintedAsXlaPrintsIt) { EXPECT_EQ(module_text("m.pb", module_proto()), as_text); }

TEST(ModuleText, AModuleWithinOtherMessagesIsFound) {
  std::string bytes = module_proto();
  for (int depth = 0; depth < 2; ++depth) {
    EXPECT_TRUE(is_module_proto(bytes));
    EXPECT_EQ(module_text("m.pb", bytes), as_text) << "HloModuleProto, HloProto, HloSnapshot";
    bytes = message([&](pbf_writer& w) { w.add_message(1, bytes); });
  }
  EXPECT_FALSE(is_module_proto(as_text));
  EXPECT_FALSE(is_module_proto("\n\n" + std::string(as_text)));
}

// 'H' is 72, the length of the first field of a message. That field ends within the text.
TEST(ModuleText, ATextBehindAnEmptyLineStaysATextWhateverItHolds) {
  for (const char strange : {'\x01', '\x0e', '\x1f'}) {
    std::string text = "\n" + std::string(as_text);
    text.insert(text.size() - 4, 1, strange);
    EXPECT_FALSE(is_module_proto(text)) << int(strange);
  }
}

// PrecisionConfig is field 51: DEFAULT 0, HIGH 1, HIGHEST 2.
TEST(ModuleText, APrecisionThatIsNotTheDefaultIsPrinted) {
  const auto text_with = [](const std::vector<int>& precisions) {
    const auto config = [&](pbf_writer& dot) {
      dot.add_message(51, message([&](pbf_writer& p) { p.add_packed_enum(1, precisions.begin(), precisions.end()); }));
    };
    const std::string entry = message([&](pbf_writer& w) {
      w.add_string(1, "main");
      w.add_message(2, instruction(1, "parameter", shape(11, {8, 8}), {}));
      w.add_message(2, instruction(2, "dot", shape(11, {8, 8, 8, 8}), {1, 1}, config));
      w.add_int64(6, 2);
    });
    return module_text("m.pb", message([&](pbf_writer& w) {
                         w.add_string(1, "m");
                         w.add_message(3, entry);
                       }));
  };
  EXPECT_NE(text_with({2, 1}).find(", operand_precision={highest,high}"), std::string::npos);
  EXPECT_NE(text_with({0, 2}).find(", operand_precision={default,highest}"), std::string::npos);
  EXPECT_EQ(text_with({0, 0}).find("precision"), std::string::npos) << "as XLA prints it";
}

// Protobuf does not write fields that are zero; epsilon is field 24, feature_index field 25.
TEST(ModuleText, ABatchNormWithoutAnEpsilonHasZero) {
  const std::string entry = message([](pbf_writer& w) {
    w.add_string(1, "main");
    w.add_message(2, instruction(1, "parameter", shape(11, {8, 8}), {}));
    w.add_message(2, instruction(2, "constant", shape(11, {8}), {}));
    w.add_message(2, instruction(3, "batch-norm-inference", shape(11, {8, 8}), {1, 2, 2, 2, 2},
                                 [](pbf_writer& norm) { norm.add_int64(25, 1); }));
    w.add_int64(6, 3);
  });
  const std::string text = module_text("m.pb", message([&](pbf_writer& w) {
                                         w.add_string(1, "m");
                                         w.add_message(3, entry);
                                       }));
  EXPECT_NE(text.find(", epsilon=0, feature_index=1"), std::string::npos) << text;
}

TEST(ModuleText, TheReaderTakesAProtobufWhereverItTakesText) {
  const text::ReadResult text = text::read("m.hlo", as_text), proto = text::read("m.pb", module_proto());
  ASSERT_TRUE(text.ok() && proto.ok());
  EXPECT_EQ(hlo::to_string(text::graph::to_graph(proto.modules.front())),
            hlo::to_string(text::graph::to_graph(text.modules.front())));
}

TEST(ModuleText, TheReaderReportsADamagedProtobufLikeAnyOtherError) {
  // Field type 7 does not exist.
  const text::ReadResult result = text::read("m.pb", std::string("\n\x01\x07\x07\x07"));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.diagnostics[0].message.find("'m.pb' is a damaged protobuf"), std::string::npos);
  EXPECT_TRUE(result.modules.empty());
}

TEST(ModuleText, OperandsAndComputationsThatDoNotExistAreErrors) {
  const std::string entry = message([](pbf_writer& w) {
    w.add_string(1, "main");
    w.add_message(2, instruction(1, "negate", shape(11, {8}), {7}));
    w.add_int64(6, 1);
  });
  const std::string bytes = message([&](pbf_writer& w) {
    w.add_string(1, "wrong");
    w.add_message(3, entry);
  });
  EXPECT_THROW(module_text("m.pb", bytes), base::InputError);
}

std::string tuning_data() {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/tpugraphs_kernels.pb",
                   std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

// The first kernel of TpuGraphs' tuning data: a product and its epilogue, as an HloModuleProto of 2023.
TEST(ModuleText, AKernelOfTpuGraphsIsRead) {
  const std::string bytes = tuning_data();
  if (bytes.empty()) GTEST_SKIP() << "no tuning data";
  const text::ReadResult result = text::read("kernels.pb", bytes);
  ASSERT_TRUE(result.ok()) << base::format(result.diagnostics.front());
  const hlo::Module module = text::graph::to_graph(result.modules.front());
  EXPECT_EQ(module.name, "fusion.209");
  EXPECT_EQ(module.entry_computation().parameters.size(), 7U);
}

// A damaged file is an error or another module, never a crash.
RC_GTEST_PROP(ModuleText, AnyBytesAreReadOrRefused, ()) {
  std::string bytes = module_proto();
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = char(*rc::gen::inRange(0, 256));
  }
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  try {
    module_text("m.pb", bytes);
  } catch (const base::InputError&) {
  }
}

}  // namespace
}  // namespace podsim::hlo::proto
