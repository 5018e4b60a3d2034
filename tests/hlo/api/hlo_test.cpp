// SPDX-License-Identifier: Apache-2.0
#include "hlo/api/hlo.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::hlo::api {
namespace {

const std::string product = R"(HloModule product
ENTRY main {
  x = f32[4,2] parameter(0)
  y = f32[2,2] parameter(1)
  ROOT r = f32[4,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

hlo::Literal numbers(const std::vector<std::int64_t>& dimensions, std::vector<double> values) {
  hlo::Literal literal = hlo::make_zeros(hlo::make_shape(hlo::ElementType::f32, dimensions));
  literal.values = std::move(values);
  return literal;
}

const hlo::Literal x = numbers({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), y = numbers({2, 2}, {1, 10, 100, 1000});
/// By hand: 1 + 2 * 100, 1 * 10 + 2 * 1000, and so on.
const std::vector<double> x_times_y{201, 2010, 403, 4030, 605, 6050, 807, 8070};

TEST(HloLibrary, ReadsCountsAndEvaluatesAProgram) {
  const hlo::Module module = read_graph("product.hlo", product);
  build::verify(module);
  EXPECT_EQ(transform::cost(module).flops, 2 * 4 * 2 * 2);
  EXPECT_EQ(eval::evaluate(module, std::vector{x, y}).values, x_times_y);
}

TEST(HloLibrary, ReadsStableHloAsTheSameProgram) {
  const hlo::Module module = read_graph("product.mlir", R"(module @product {
  func.func public @main(%x: tensor<4x2xf32>, %y: tensor<2x2xf32>) -> tensor<4x2xf32> {
    %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    return %r : tensor<4x2xf32>
  }
}
)");
  EXPECT_EQ(eval::evaluate(module, std::vector{x, y}).values, x_times_y);
}

// The slope of the sum of x * x is 2 x.
TEST(HloLibrary, BuildsAndDifferentiatesAProgram) {
  build::GraphBuilder b("squares");
  const hlo::InstructionId v = b.parameter(hlo::make_shape(hlo::ElementType::f32, {4, 2}), "v");
  const hlo::InstructionId loss = b.reduce_add(b.multiply(v, v), {0, 1});
  const std::vector<hlo::InstructionId> slopes = transform::gradients(b, loss, std::vector{v});
  const hlo::Module module = std::move(b).build(slopes[0]);
  EXPECT_EQ(eval::evaluate(module, std::vector{x}).values, (std::vector<double>{2, 4, 6, 8, 10, 12, 14, 16}));
}

TEST(HloLibrary, PartitionsAProgramByAFileOfShardings) {
  hlo::Module module = read_graph("product.hlo", product);
  const spmd::mesh::Mesh mesh({{"rows", 2}});
  spmd::mesh::annotate(module, mesh,
                       spmd::mesh::read_sharding_file("a.toml", "[sharding]\n\"x\" = [\"rows\", \"\"]\n"));
  const spmd::propagate::ModuleShardings shardings = spmd::propagate::propagate(module, mesh);
  const hlo::Module local = spmd::partition::partition(module, mesh, shardings);
  const std::vector<hlo::Literal> results =
      eval::evaluate_partitions(local, {{numbers({2, 2}, {1, 2, 3, 4}), y}, {numbers({2, 2}, {5, 6, 7, 8}), y}});
  EXPECT_EQ(results[0].values, (std::vector<double>{201, 2010, 403, 4030}));
  EXPECT_EQ(results[1].values, (std::vector<double>{605, 6050, 807, 8070}));
}

TEST(HloLibrary, NamesThePlaceOfEveryError) {
  try {
    read_graph("bad.hlo", "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] negate(z)\n}\n");
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().front().location.line, 4);
  }
  EXPECT_THROW(read_graph("empty.hlo", ""), base::InputError);
}

}  // namespace
}  // namespace podsim::hlo::api
