// SPDX-License-Identifier: Apache-2.0
#include "workloads/trained_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/stablehlo/sample_program.h"

namespace podsim::workloads {
namespace {

using hlo::stablehlo::testing::SampleProgram;

hlo::Module graph_of(const std::string& name, const std::string& text) {
  const hlo::text::ReadResult read = hlo::text::read(name, text);
  if (!read.ok()) throw base::InputError(read.diagnostics);
  return hlo::text::graph::to_graph(read.modules.at(0));
}

ProgramTraining training_with(const std::string& optimizer, std::vector<std::string> parameters) {
  ProgramTraining training;
  for (const auto& [name, kind] : optimizer_kinds()) {
    if (name == optimizer) training.optimizer.kind = kind;
  }
  training.parameters = std::move(parameters);
  return training;
}

/// Values of a step's parameters from a sample program.
std::vector<hlo::Literal> values_of_sample(const hlo::Module& step, const SampleProgram& program) {
  const hlo::Computation& entry = step.entry_computation();
  std::vector<hlo::Literal> arguments;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    arguments.push_back(hlo::testing::literal_of(entry[entry.parameters[i]].shape, program.arguments.at(i)));
  }
  return arguments;
}

// tests/hlo/stablehlo/programs/generate.py: JAX's gradients and optax's update, in the third step of the optimiser.
TEST(TrainedProgram, GivesTheFrameworksUpdate) {
  const std::vector<SampleProgram> programs = hlo::stablehlo::testing::sample_programs("training");
  EXPECT_EQ(programs.size(), 6U);
  for (const SampleProgram& program : programs) {
    SCOPED_TRACE(program.name);
    std::istringstream words(hlo::stablehlo::testing::lines_after(program.text, "\n// training: ").at(0));
    std::string optimizer, parameters;
    words >> optimizer >> parameters;
    hlo::Module step =
        trained_program(graph_of(program.name, program.text), training_with(optimizer, {parameters}), std::nullopt)
            .module;
    hlo::build::verify(step);
    step.partitions = 1;  // the program of the whole machine, on one device
    ASSERT_EQ(step.entry_computation().parameters.size(), program.arguments.size());
    const hlo::Literal results = hlo::eval::evaluate(step, values_of_sample(step, program));
    ASSERT_EQ(results.elements.size(), program.results.size());
    for (std::size_t i = 0; i < results.elements.size(); ++i) {
      const hlo::Literal& actual = results.elements[i];
      const hlo::Literal wanted = hlo::testing::literal_of(actual.shape, program.results[i]);
      for (std::size_t k = 0; k < wanted.values.size(); ++k) {
        ASSERT_NEAR(actual.values[k], wanted.values[k], 1e-5 * std::max(1.0, std::abs(wanted.values[k])))
            << "result " << i << ", element " << k;
      }
    }
  }
}

constexpr const char* line = R"(HloModule line, buffer_donor={ (1, {}) }
ENTRY main {
  x = f32[4] parameter(0)
  slope = f32[4] parameter(1), metadata={op_name="layer/slope"}
  count = s32[] parameter(2)
  ROOT loss = f32[] dot(x, slope), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
)";

TEST(TrainedProgram, ParametersAreToldByNameNumberOrDonation) {
  const hlo::Module module = graph_of("line", line);
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(trained_parameters(module, training_with("adam", {})), Numbers{1});
  EXPECT_EQ(trained_parameters(module, training_with("adam", {"layer/*"})), Numbers{1});
  EXPECT_EQ(trained_parameters(module, training_with("adam", {"slope"})), Numbers{1});
  EXPECT_EQ(trained_parameters(module, training_with("adam", {"1", "0"})), (Numbers{0, 1}));
  EXPECT_EQ(trained_parameters(module, training_with("adam", {"0-1"})), (Numbers{0, 1}));
  EXPECT_THROW(trained_parameters(module, training_with("adam", {"count"})), base::InputError);
  EXPECT_THROW(trained_parameters(module, training_with("adam", {"slop"})), base::InputError);
}

// The gradient of x . slope with respect to slope is x.
TEST(TrainedProgram, GradientsAreReturnedBeforeTheLoss) {
  const hlo::Module made = program_gradients(graph_of("line", line), training_with("adam", {}));
  const hlo::Shape vector = hlo::make_shape(hlo::ElementType::f32, {4});
  const hlo::Literal x = hlo::testing::literal_of(vector, "{1, 2, 3, 4}");
  const hlo::Literal slope = hlo::testing::literal_of(vector, "{1, 0, 1, 0}");
  const hlo::Literal count = hlo::testing::literal_of(hlo::make_shape(hlo::ElementType::s32, {}), "7");
  const hlo::Literal results = hlo::eval::evaluate(made, std::vector{x, slope, count});
  ASSERT_EQ(results.elements.size(), 2U);
  EXPECT_EQ(results.elements[0].values, x.values);
  EXPECT_EQ(results.elements[1].values, (std::vector<double>{4}));
}

// Two cores with the same part of a batch have the gradient of one.
TEST(TrainedProgram, CoresWithTheSameBatchTakeTheStepOfOne) {
  const hlo::Module forward = graph_of("line", line);
  ProgramTraining training = training_with("sgd_momentum", {});
  const hlo::Module two = trained_program(forward, training, 2).module;
  const hlo::Module one = trained_program(forward, training, std::nullopt).module;
  const hlo::Shape vector = hlo::make_shape(hlo::ElementType::f32, {4});
  const auto scalar = [](hlo::ElementType type, const char* text) {
    return hlo::testing::literal_of(hlo::make_shape(type, {}), text);
  };
  const std::vector<hlo::Literal> arguments = {
      hlo::testing::literal_of(vector, "{1, 2, 3, 4}"), hlo::testing::literal_of(vector, "{1, 0, 1, 0}"),
      scalar(hlo::ElementType::s32, "7"), hlo::testing::literal_of(vector, "{0, 1, 0, 1}"),
      scalar(hlo::ElementType::f32, "0.5")};
  const hlo::Literal alone = hlo::eval::evaluate(one, arguments);
  for (const hlo::Literal& core : hlo::eval::evaluate_partitions(two, {arguments, arguments})) {
    EXPECT_TRUE(hlo::same_values(core, alone));
  }
}

TEST(TrainedProgram, ALossIsAFloatingPointScalar) {
  ProgramTraining training = training_with("adam", {"w"});
  const hlo::Module two = graph_of("two", R"(HloModule two
ENTRY main {
  w = f32[] parameter(0)
  n = s32[] parameter(1)
  square = f32[] multiply(w, w)
  ROOT both = (f32[], f32[], s32[]) tuple(square, w, n)
}
)");
  EXPECT_THROW(trained_program(two, training, 1), base::InputError);
  for (const std::int64_t wrong : {2, 3}) {
    training.loss = wrong;
    EXPECT_THROW(trained_program(two, training, 1), base::InputError);
  }
  training.loss = 0;
  EXPECT_EQ(trained_program(two, training, 1).donations.size(), 3U);  // w and its two moments
}

TEST(TrainedProgram, AnOperationWithoutAGradientIsNamed) {
  const hlo::Module drawn = graph_of("drawn", R"(HloModule drawn
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  w = f32[4] parameter(0)
  zero = f32[] constant(0)
  most = f32[] reduce(w, zero), dimensions={0}, to_apply=sum
  noise = f32[4] rng(zero, most), distribution=rng_uniform
  ROOT loss = f32[] reduce(noise, zero), dimensions={0}, to_apply=sum
}
)");
  try {
    program_gradients(drawn, training_with("adam", {"w"}));
    FAIL() << "a random number was differentiated";
  } catch (const hlo::transform::NoGradient& error) {
    EXPECT_EQ(error.instruction(), "noise");
    EXPECT_STREQ(error.what(), "noise (rng) has no gradient: it draws random numbers");
  }
}

}  // namespace
}  // namespace podsim::workloads
