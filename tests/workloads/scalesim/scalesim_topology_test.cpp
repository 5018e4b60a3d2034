// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_topology.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace podsim::workloads::scalesim {
namespace {

ScaleSimTopology read(const std::string& text) { return read_scalesim_topology("t.csv", text); }

constexpr const char* convolution_header =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

void expect_product(const ScaleSimLayer& layer, std::int64_t m, std::int64_t n, std::int64_t k) {
  EXPECT_EQ(layer.product.m, m);
  EXPECT_EQ(layer.product.n, n);
  EXPECT_EQ(layer.product.k, k);
}

/// The first layer of ResNet-50, 12100 = 110 x 110 output pixels: (224 - 7) / 2 is not an integer, and the window that
/// hangs over the edge counts.
void expect_first_layer(const ScaleSimTopology& topology) {
  ASSERT_EQ(topology.layers.size(), 1U);
  const ScaleSimLayer& layer = topology.layers[0];
  EXPECT_EQ(layer.name, "Conv1");
  ASSERT_TRUE(layer.convolution.has_value());
  EXPECT_EQ(layer.convolution->output_height(), 110);
  EXPECT_EQ(layer.convolution->output_width(), 110);
  expect_product(layer, 12100, 64, 147);
  EXPECT_EQ(layer.product.macs(), 113836800);
}

TEST(ScaleSimTopologyFile, ReadsAConvolution) {
  const ScaleSimTopology topology = read(std::string(convolution_header) + "Conv1, 224, 224, 7, 7, 3, 64, 2,\n");
  expect_first_layer(topology);
  EXPECT_TRUE(topology.warnings.empty());
}

TEST(ScaleSimTopologyFile, ByteOrderMarkBlanksLineEndsAndTrailingCommasChangeNothing) {
  const std::string header = convolution_header;
  const std::string bare = header.substr(0, header.size() - 2) + "\n";
  for (const std::string& text : {
           "\xEF\xBB\xBF" + header + "Conv1,224,224,7,7,3,64,2,\n",
           bare + "Conv1,224,224,7,7,3,64,2\n",
           header + "Conv1,224,224,7,7,3,64,2",
           bare + "Conv1,224,224,7,7,3,64,2,,,\n",
           bare + "\n,,,\n  Conv1\t, 224 ,224,7,7,3,64, 2 \n\n,,\n",
           bare.substr(0, bare.size() - 1) + "\r\nConv1,224,224,7,7,3,64,2,\r\n",
           header + "\"Conv1\",\"224\",224,7,7,3,64,2\n",
           std::string("Conv1,224,224,7,7,3,64,2\n"),
           std::string("\xEF\xBB\xBF") + "Conv1,224,224,7,7,3,64,2,\n",
       }) {
    SCOPED_TRACE(text);
    expect_first_layer(read(text));
  }
}

TEST(ScaleSimTopologyFile, FurtherColumnsAreIgnoredAndThoseWithANameAreAWarning) {
  const ScaleSimTopology topology = read(
      "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,Sparsity\n"
      "Conv1,224,224,7,7,3,64,2,2:4\n");
  expect_first_layer(topology);
  ASSERT_EQ(topology.warnings.size(), 1U);
  EXPECT_NE(topology.warnings[0].find("'Sparsity'"), std::string::npos);
  expect_first_layer(read(std::string(convolution_header) + "Conv1,224,224,7,7,3,64,2,1,9,x\n"));
  expect_first_layer(read("Conv1,224,224,7,7,3,64,2,1:2,4\n"));
}

TEST(ScaleSimTopologyFile, AHeaderGivesTheOrderOfAConvolutionsColumns) {
  expect_first_layer(
      read("layer_id,stride,layer,num_filters,channels,filt_w,filt_h,ifmap_w,ifmap_h\n0,2,Conv1,64,3,7,7,224,224\n"));
}

TEST(ScaleSimTopologyFile, AColumnWithAnUnknownNameStandsWhereScaleSimHasIt) {
  expect_first_layer(
      read("Layer name,IFMAP Height,IFMAP Width,Rows,Filter Width,Channels,Num Filter,Strides\n"
           "Conv1,224,224,7,7,3,64,2\n"));
  expect_first_layer(read("a,b,c,d,e,f,g,h\nConv1,224,224,7,7,3,64,2\n"));
}

TEST(ScaleSimTopologyFile, TheStrideAlongTheWidthMayBeAnother) {
  const ScaleSimTopology unnamed = read("a,10,20,3,5,8,16,2,3\n");
  expect_product(unnamed.layers[0], 5 * 6, 16, 3 * 5 * 8);  // ceil(7 / 2) + 1 by 15 / 3 + 1
  const ScaleSimTopology named = read(
      "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Stride Height,Stride Width\n"
      "a,10,20,3,5,8,16,2,3\n");
  expect_product(named.layers[0], 5 * 6, 16, 3 * 5 * 8);
}

TEST(ScaleSimTopologyFile, ProductsAreInTheOrderOfTheirHeaderElseMNK) {
  for (const char* text : {"Layer, M, N, K,\nq, 3, 5, 7,\n", "Layer,K,M,N\nq,7,3,5\n",
                           "\xEF\xBB\xBFLayer,M,K,N\nq,3,7,5\n", "n,K,Layer,m\n5,7,q,3\n", "q,3,5,7\n", "q,3,5,7,,\n",
                           "Layer,M,N,K,Sparsity\nq,3,5,7,1:2\n", "name,rows,filters,depth\nq,3,5,7\n"}) {
    SCOPED_TRACE(text);
    const ScaleSimTopology topology = read(text);
    ASSERT_EQ(topology.layers.size(), 1U);
    EXPECT_EQ(topology.layers[0].name, "q");
    EXPECT_FALSE(topology.layers[0].convolution.has_value());
    expect_product(topology.layers[0], 3, 5, 7);
  }
}

TEST(ScaleSimTopologyFile, ALayerWithoutANameIsCalledByItsNumber) {
  EXPECT_EQ(read("a,1,1,1\n,2,2,2\n").layers[1].name, "layer 2");
}

/// Convolutions of up to 30 x 30, as the eight cells that follow a name.
std::vector<std::array<std::int64_t, 8>> random_convolutions() {
  std::vector<std::array<std::int64_t, 8>> layers(std::size_t(*rc::gen::inRange(1, 6)));
  for (auto& c : layers) {
    for (std::size_t i : {2, 3, 4, 5, 6, 7}) c[i] = *rc::gen::inRange(1, 10);
    for (std::size_t i : {0, 1}) c[i] = c[i + 2] + *rc::gen::inRange(0, 20);
  }
  return layers;
}

/// Number of windows of `filter` that start within the input; the last one may reach beyond its edge.
std::int64_t counted_outputs(std::int64_t input, std::int64_t filter, std::int64_t stride) {
  std::int64_t outputs = 1;
  for (std::int64_t covered = filter; covered < input; covered += stride) ++outputs;
  return outputs;
}

TEST(ScaleSimTopologyFile, ReadsConvolutionsFromColumnsInAnyOrder) {
  const bool held = rc::check([] {
    const std::vector<std::array<std::int64_t, 8>> layers = random_convolutions();
    std::vector<std::string> titles{"IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width", "Channels",
                                    "Num Filter",   "Strides",     "Stride Width",  "Layer name",   "Notes"};
    std::vector<std::size_t> order(titles.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[*rc::gen::inRange<std::size_t>(0, i + 1)]);
    std::string text;
    for (std::size_t column : order) text += titles[column] + ",";
    for (const auto& c : layers) {
      text += "\n";
      for (std::size_t column : order) text += (column < 8 ? std::to_string(c[column]) : "x") + " ,";
    }
    const ScaleSimTopology topology = read(text);
    RC_ASSERT(topology.layers.size() == layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto& c = layers[i];
      const MatrixProduct& product = topology.layers[i].product;
      RC_ASSERT(product.m == counted_outputs(c[0], c[2], c[6]) * counted_outputs(c[1], c[3], c[7]));
      RC_ASSERT(product.n == c[5]);
      RC_ASSERT(product.k == c[2] * c[3] * c[4]);
    }
  });
  EXPECT_TRUE(held);
}

TEST(ScaleSimTopologyFile, AnyTextIsATopologyOrAMistakeWithinIt) {
  const bool held = rc::check([] {
    const auto cell =
        rc::gen::element<std::string>("1", "7", "-3", "x", "", " ", "\"", "\"a\"", ",", "\n", "\r\n", "M", "N", "K",
                                      "Layer", "Channels", "Stride Width", "\xEF\xBB\xBF", "9999999999999999999999");
    std::string text;
    for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(cell)) text += piece + ",";
    for (char& c : text) {
      if (c == ',' && *rc::gen::inRange(0, 4) == 0) c = '\n';
    }
    const auto lines = std::ranges::count(text, '\n') + 1;
    try {
      for (const ScaleSimLayer& layer : read(text).layers) RC_ASSERT(layer.product.macs() >= 1);
    } catch (const base::InputError& error) {
      for (const base::Diagnostic& diagnostic : error.diagnostics()) RC_ASSERT(diagnostic.location.line <= lines);
    }
  });
  EXPECT_TRUE(held);
}

struct Mistake {
  std::string name;
  std::string text;
  int line, column, length;
  std::string said;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class ScaleSimMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(ScaleSimMistake, IsShownAtItsPlace) {
  const Mistake& mistake = GetParam();
  try {
    read(mistake.text);
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    const base::Diagnostic& first = error.diagnostics().front();
    EXPECT_NE(first.message.find(mistake.said), std::string::npos) << first.message;
    EXPECT_EQ(first.location.line, mistake.line);
    EXPECT_EQ(first.location.column, mistake.column);
    EXPECT_EQ(first.location.length, mistake.length);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ScaleSimMistake,
    ::testing::Values(
        Mistake{"nothing", "", 0, 0, 1, "has no layers"}, Mistake{"header_only", "Layer,M,N,K\n", 0, 0, 1, "no layers"},
        Mistake{"letters", "a,1,2,3\nb,1, two ,3\n", 2, 6, 3, "N 'two' is not a whole number"},
        Mistake{"number_with_tail", "Layer,M,N,K\na,1,2x,3\n", 2, 5, 2, "N '2x'"},
        Mistake{"fraction", "a,1,2.5,3\n", 1, 5, 3, "'2.5'"}, Mistake{"zero", "a,1,2,0\n", 1, 7, 1, "K '0'"},
        Mistake{"negative", "a,-1,2,3\n", 1, 3, 2, "M '-1'"},
        Mistake{"empty_cell", "a,1,,3\nb,1,2,3\n", 1, 6, 1, "1 numbers follow"},
        Mistake{"empty_cell_later", "b,1,2,3\na,1,,3\n", 2, 5, 1, "N ''"},
        Mistake{"beyond_all_bounds", "a,1,99999999999999999999,3\n", 1, 5, 20, "from 1 to 2^30"},
        Mistake{"beyond_the_bound", "a,1,1073741825,3\n", 1, 5, 10, "from 1 to 2^30"},
        Mistake{"line_too_short", "a,1,2,3\nb,1,23\n", 2, 5, 2, "the line ends before its K"},
        Mistake{"neither_form", "a,1,2,3,4,5\n", 1, 11, 1, "5 numbers follow the layer's name"},
        Mistake{"header_lacks_a_column", "Layer,M,K,depth\na,1,2,3\n", 1, 11, 5, "there is no column 'N'"},
        Mistake{"filter_too_high", "a,5,7,6,7,1,1,1\n", 1, 7, 1, "the filter is 6 high, its input 5"},
        Mistake{"filter_too_wide", "a,5,7,5,88,1,1,1\n", 1, 9, 2, "the filter is 88 wide, its input 7"},
        Mistake{"too_much_work", "a,1073741824,1073741824,1073741824\n", 1, 1, 1, "2^57"},
        Mistake{"open_quote", "a,1,\"2,3\n", 1, 5, 1, "quoted"}),
    [](const auto& tested) { return tested.param.name; });

TEST(ScaleSimTopologyFile, SeveralMistakesAreReportedAtOnceAndTwentyAtMost) {
  std::string text = "a,1,2,3\n";
  for (int i = 0; i < 100; ++i) text += "b,x,y,z\n";
  try {
    read(text);
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_GE(error.diagnostics().size(), 20U);
    EXPECT_LE(error.diagnostics().size(), 22U);  // a line is read to its end
  }
}

}  // namespace
}  // namespace podsim::workloads::scalesim
