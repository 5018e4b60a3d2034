// SPDX-License-Identifier: Apache-2.0
#include "report/run/op_scope.h"

#include <gtest/gtest.h>

namespace podsim::report::run {
namespace {

void expect_scope(const char* op_name, std::size_t depth, const char* phase, const char* layer) {
  const OpScope scope = op_scope(op_name, depth);
  EXPECT_EQ(scope.phase, phase) << op_name;
  EXPECT_EQ(scope.layer, layer) << op_name;
}

TEST(OpScope, IsAPhaseAndTheFirstNamesBehindIt) {
  expect_scope("layer1/block0/conv1", 1, "forward", "layer1");
  expect_scope("layer1/block0/conv1", 2, "forward", "layer1/block0");
  expect_scope("layer1", 3, "forward", "layer1");
  expect_scope("gradients/layer1/block0/conv1", 1, "gradients", "layer1");
  expect_scope("optimizer/layer1/block0/conv1/kernel", 2, "optimizer", "layer1/block0");
  expect_scope("rematerialised/layer3/ffn", 1, "rematerialised", "layer3");
  expect_scope("layer1/gradients", 2, "forward", "layer1/gradients");  // a layer with that name
  expect_scope("", 1, "forward", "");
}

TEST(OpScope, LooksIntoTheWrappersOfJax) {
  expect_scope("jit(step)/jit(main)/jvp(Net)/layer_0/attention/dot_general", 2, "forward", "Net/layer_0");
  expect_scope("jit(step)/jit(main)/transpose(jvp(Net))/layer_0/dot_general", 2, "gradients", "Net/layer_0");
  expect_scope("jit(train_step)/transpose(jvp())/while/body/closed_call/checkpoint/mul", 1, "gradients", "");
  expect_scope("jit(step)/transpose(jvp())/checkpoint/rematted_computation/layers/mlp/dot_general", 2, "rematerialised",
               "layers/mlp");
  expect_scope("jit(f)/add", 1, "forward", "");
}

TEST(OpScope, OddNamesAreNames) {
  expect_scope("///a//b/", 2, "forward", "a/b");
  expect_scope("f(x/y)/z", 1, "forward", "f(x/y)");
  expect_scope(")/(", 2, "forward", ")/(");
  expect_scope("jit(", 1, "forward", "jit(");
}

}  // namespace
}  // namespace podsim::report::run
