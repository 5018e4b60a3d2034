// SPDX-License-Identifier: Apache-2.0
// Gradients of convolutions with groups, split over partitions: every partition computes its part of the whole
// gradient.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"
#include "tests/hlo/convolutions.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/spmd/arbitrary_shardings.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/hlo/transform/finite_differences.h"

namespace podsim::hlo::transform {
namespace {

using testing::f64;

spmd::mesh::ValueSharding any_sharding(const spmd::mesh::Mesh& mesh, const Shape& shape) {
  spmd::mesh::ValueSharding value;
  for (const Shape& array : spmd::testing::arrays_of(shape)) {
    value.push_back(spmd::testing::arbitrary_sharding(mesh.all(), array.rank()));
  }
  return value;
}

/// Compares element by element, to the rounding of sums in another order.
void require_close(const Literal& actual, const Literal& expected) {
  for (std::size_t i = 0; i < expected.elements.size(); ++i) require_close(actual.elements[i], expected.elements[i]);
  RC_ASSERT(actual.values.size() == expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    RC_ASSERT(std::abs(actual.values[i] - expected.values[i]) < 1e-9);
  }
}

void require_same_when_cut(const Module& module, const spmd::mesh::Mesh& mesh,
                           const spmd::propagate::ModuleShardings& shardings, const std::vector<Literal>& arguments) {
  const Module local = spmd::partition::partition(module, mesh, shardings);
  build::verify(local);
  const Computation& entry = module.entry_computation();
  const std::vector<spmd::mesh::ValueSharding>& values = shardings.values[std::size_t(module.entry)];
  std::vector<std::vector<Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto parts =
        spmd::partition::split_into_shards(mesh, arguments[k], values[std::size_t(entry.parameters[k])], std::nan(""));
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const Literal whole = eval::evaluate(module, arguments);
  require_close(spmd::partition::join(mesh, whole.shape, eval::evaluate_partitions(local, shards),
                                      values[std::size_t(entry.root)]),
                whole);
}

TEST(PartitionedGradient, OfAnyConvolutionIsThatOfTheWhole) {
  EXPECT_TRUE(rc::check([] {
    const testing::RandomConvolution random = *testing::random_convolution();
    const spmd::mesh::Mesh mesh = spmd::testing::arbitrary_mesh(8);
    const std::vector<Literal> arguments{testing::random_literal(make_shape(f64, random.input), 1),
                                         testing::random_literal(make_shape(f64, random.kernel), 2)};
    const Module module = testing::loss_module(
        [&](build::GraphBuilder& b, const testing::Ids& x) { return random.write(b, x[0], x[1]); }, arguments, true);
    spmd::propagate::ModuleShardings any;
    any.values.resize(module.computations.size());
    any.reasons.resize(module.computations.size());
    for (const Instruction& instruction : module.entry_computation().instructions) {
      any.values[std::size_t(module.entry)].push_back(any_sharding(mesh, instruction.shape));
    }
    require_same_when_cut(module, mesh, any, arguments);
    // The operands are annotated, and the other shardings follow from them.
    Module annotated = module;
    Computation& entry = annotated.computations[std::size_t(annotated.entry)];
    for (const InstructionId id : entry.parameters) {
      const spmd::mesh::AxisSharding sharding = spmd::testing::arbitrary_sharding(mesh.all(), entry[id].shape.rank());
      entry[id].sharding = std::make_shared<const Sharding>(spmd::mesh::to_hlo(mesh, sharding));
    }
    require_same_when_cut(annotated, mesh, spmd::propagate::propagate(annotated, mesh), arguments);
  }));
}

}  // namespace
}  // namespace podsim::hlo::transform
