// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "tests/workloads/nets/net_pages.h"
#include "tests/workloads/tiny.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_reader.h"
#include "workloads/nets/net_workload.h"

namespace podsim::workloads::nets {
namespace {

void expect_equal_steps(const std::string& page, const std::string& text, const std::string& built_in,
                        const WorkloadOptions& options) {
  const Workload net = net_workload(read_net(page, text, options.model), options);
  const Workload workload = models::build_workload(built_in, options);
  EXPECT_EQ(net.samples, workload.samples);
  EXPECT_EQ(net.tokens_per_sample, workload.tokens_per_sample);
  EXPECT_EQ(net.global, workload.global);
  EXPECT_TRUE(without_names(net.step.module) == without_names(workload.step.module));
  EXPECT_EQ(net.step.donations, workload.step.donations);
}

TEST(Net, ResNet50IsTheBuiltInProgramInstructionByInstruction) {
  expect_equal_steps("resnet50.toml", example("resnet50.toml"), "resnet50", on_cores(32));
}

TEST(Net, ResNet50OfAnotherWidthBatchAndOptimiserIsTheBuiltInProgram) {
  WorkloadOptions options = on_cores(8);
  options.batch_per_core = 4;
  options.optimizer = OptimizerKind::sgd_momentum;
  options.model = {{"model.width", "32"}};
  expect_equal_steps("resnet50.toml", example("resnet50.toml"), "resnet50", options);
}

TEST(Net, ResNet50OfTheWholeMachineIsTheBuiltInProgram) {
  expect_equal_steps("resnet50.toml", "program = \"machine\"\n" + example("resnet50.toml"), "resnet50_global",
                     on_cores(4));
}

TEST(Net, BertLargeIsTheBuiltInProgramInstructionByInstruction) {
  expect_equal_steps("bert_large.toml", example("bert_large.toml"), "bert_large", on_cores(32));
}

// The built-in's are a closed form.
TEST(Net, BertLargeHasTheModelFlopsOfTheBuiltInsClosedForm) {
  const Net net = read_net("bert_large.toml", example("bert_large.toml"), {});
  const double expected = models::build_workload("bert_large", on_cores(32)).model_flops;
  EXPECT_NEAR(net_workload(net, on_cores(32)).model_flops, expected, 0.01 * expected);
}

TEST(Net, BertLargeForInferenceHasNoDropout) {
  WorkloadOptions options = on_cores(1);
  options.inference = true;
  options.model = {{"model.layers", "2"}};
  expect_equal_steps("bert_large.toml", example("bert_large.toml"), "bert_large", options);
}

/// The opcodes and shapes of the entry computation in any order.
std::vector<std::string> operations(const hlo::Module& module) {
  std::vector<std::string> all;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    all.push_back(std::string(hlo::row(instruction.opcode).name) + " " + hlo::to_string(instruction.shape));
  }
  std::ranges::sort(all);
  return all;
}

TEST(Net, VisionTransformerHasTheBuiltInProgramsOperations) {
  const Workload net = net_workload(read_net("vit.toml", example("vit.toml")), on_cores(2));
  const Workload workload = models::build_workload("vit", on_cores(2));
  EXPECT_EQ(operations(net.step.module), operations(workload.step.module));
}

/// Elements of the parameters of two dimensions or more.
std::int64_t weights_of(const hlo::Module& module) {
  std::int64_t count = 0;
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    if (entry[id].shape.rank() >= 2) count += entry[id].shape.element_count();
  }
  return count;
}

TEST(Net, TheMixtureHasTheBuiltInTransformersLossOnTheSameNumbers) {
  // One pair of layers, reduced to sizes that can be evaluated. Both programs have their parameters in the same order.
  const ModelSettings of_built_in = {{"model.layers", "2"},   {"model.experts", "4"},    {"model.d_model", "8"},
                                     {"model.d_ff", "12"},    {"model.heads", "2"},      {"model.d_head", "4"},
                                     {"model.sequence", "6"}, {"model.vocabulary", "10"}};
  std::string page = example("mixture.toml");
  const auto replace = [&page](const std::string& from, const std::string& to) {
    for (std::size_t at = page.find(from); at != std::string::npos; at = page.find(from, at + to.size())) {
      page.replace(at, from.size(), to);
    }
  };
  replace("heads = 12", "heads = 2");
  replace("head_size = 64", "head_size = 4");
  replace("hidden = 3072", "hidden = 12");
  replace("experts = 32", "experts = 4");
  replace("width = 768", "width = 8");
  replace("vocabulary = 32000", "vocabulary = 10");
  WorkloadOptions options = on_cores(1);
  options.batch_per_core = 2;
  const ModelSettings of_net = {{"model.pairs", "1"}, {"model.sequence", "6"}};
  const Workload net = net_workload(read_net("mixture.toml", page, of_net), options);
  options.model = of_built_in;
  const Workload workload = models::build_workload("transformer", options);
  ASSERT_EQ(net.step.module.entry_computation().parameters.size(),
            workload.step.module.entry_computation().parameters.size());
  EXPECT_EQ(weights_of(net.step.module), weights_of(workload.step.module));
  const std::vector<hlo::Literal> arguments = testing::arguments_for(workload.step.module, 1, 10);
  const hlo::Literal ours = hlo::eval::evaluate(net.step.module, arguments);
  const hlo::Literal theirs = hlo::eval::evaluate(workload.step.module, arguments);
  EXPECT_DOUBLE_EQ(ours.elements.back().values[0], theirs.elements.back().values[0]);
}

/// A page of one dense layer, with more in front of it and in it.
std::string page_with(const std::string& top, const std::string& layers) {
  return "batch_per_core = 2\n" + top + "[inputs]\nx = { sizes = [8] }\nlabels = { type = \"s32\" }\n" + layers +
         "[[layer]]\nkind = \"dense\"\nname = \"last\"\nunits = 4\n"
         "[[layer]]\nkind = \"cross_entropy\"\nlabels = \"labels\"\n";
}

struct Mistake {
  std::string name, page, message, hint;
  int line = 0, column = 0;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"no_batch", "[inputs]\nx = { sizes = [8] }\n", "a net needs 'batch_per_core'", "", 1, 1},
      {"unknown_key", page_with("pression = 1\n", ""), "'pression' is no key of a net", "did you mean 'precision'?", 2,
       1},
      {"unknown_kind", page_with("", "[[layer]]\nkind = \"dens\"\n"), "'dens' is no kind of layer",
       "did you mean 'dense'?", 6, 8},
      {"no_kind", page_with("", "[[layer]]\nunits = 3\n"), "a layer needs a 'kind'", "one of: convolution", 5, 1},
      {"unknown_key_of_a_layer", page_with("", "[[layer]]\nkind = \"dense\"\nunits = 8\nbia = true\n"),
       "'bia' is no key of a dense", "did you mean 'bias'?", 8, 1},
      {"missing_key", page_with("", "[[layer]]\nkind = \"dense\"\n"), "a dense needs 'units'", "", 6, 8},
      {"out_of_range", page_with("", "[[layer]]\nkind = \"dense\"\nunits = 0\n"), "'units' is 0, not from 1 to", "", 7,
       9},
      {"unknown_choice", page_with("", "[[layer]]\nkind = \"dense\"\nunits = 8\nactivation = \"rely\"\n"),
       "'rely' is no value of 'activation'", "did you mean 'relu'?", 8, 14},
      {"unknown_model_key", page_with("[model]\nwidth = 8\n", "[[layer]]\nkind = \"dense\"\nunits = \"2*widht\"\n"),
       "'widht' is neither a whole number nor a key of [model]", "did you mean 'width'?", 9, 9},
      {"quotient_with_rest", page_with("[model]\nwidth = 9\n", "[[layer]]\nkind = \"dense\"\nunits = \"width/2\"\n"),
       "'width/2' is not a whole number", "", 9, 9},
      {"unknown_from", page_with("", "[[layer]]\nkind = \"dense\"\nfrom = \"y\"\nunits = 8\n"),
       "no input or layer before 'dense' is named 'y'", "", 6, 8},
      {"name_twice", page_with("", "[[layer]]\nkind = \"dense\"\nname = \"last\"\nunits = 8\n"),
       "another layer before this one is named 'last'", "", 11, 8},
      {"sharding_of_a_core", page_with("[sharding]\n\"x\" = [\"data\"]\n", ""), "a sharding cuts the program",
       "program = \"machine\"", 2, 1},
      {"sharding_without_axes", page_with("program = \"machine\"\n[sharding]\n\"x\" = 3\n", ""),
       "a sharding is a list of axes", "such as", 4, 7},
      {"unread_layer",
       page_with("", "[[layer]]\nkind = \"dense\"\nunits = 8\n[[layer]]\nkind = \"dense\"\nfrom = \"x\"\nunits = 8\n"),
       "nothing reads 'dense'", "", 6, 8},
      {"image_layer_for_rows", page_with("", "[[layer]]\nkind = \"max_pool\"\n"),
       "'max_pool' takes images [batch, height, width, channels], it is given bf16[2,8]", "", 6, 8},
      {"sum_of_shapes",
       page_with("", "[[layer]]\nkind = \"dense\"\nunits = 3\n[[layer]]\nkind = \"add\"\nfrom = [\"dense\", \"x\"]\n"),
       "'add' adds bf16[2,3] and bf16[2,8]", "", 9, 8},
      {"no_loss", "batch_per_core = 2\n[inputs]\nx = { sizes = [8] }\n[[layer]]\nkind = \"dense\"\nunits = 2\n",
       "the net has no loss", "cross_entropy", 1, 1},
      {"deep_repeat", page_with("", "[[layer]]\nkind = \"repeat\"\ntimes = 2\n"), "a repeat needs layers", "", 6, 8},
      {"more_layers_than_memory",
       page_with("",
                 "[[layer]]\nkind = \"repeat\"\ntimes = 1024\n[[layer.layer]]\nkind = \"repeat\"\ntimes = 1024\n"
                 "[[layer.layer.layer]]\nkind = \"dense\"\nunits = 8\n"),
       "the net has more than 20000 layers", "", 1, 1},
  };
  return all;
}

class NetMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(NetMistake, IsNamedAtItsPlace) {
  const Mistake& mistake = GetParam();
  try {
    static_cast<void>(net_workload(read_net("net.toml", mistake.page), on_cores(1)));
    FAIL() << "it is accepted";
  } catch (const base::InputError& error) {
    const auto is_it = [&](const base::Diagnostic& d) { return d.message.find(mistake.message) != std::string::npos; };
    const auto found = std::ranges::find_if(error.diagnostics(), is_it);
    ASSERT_NE(found, error.diagnostics().end()) << error.what();
    EXPECT_EQ(found->location.file, "net.toml");
    EXPECT_EQ(found->location.line, mistake.line);
    EXPECT_EQ(found->location.column, mistake.column);
    EXPECT_NE(found->hint.find(mistake.hint), std::string::npos) << found->hint;
  }
}

INSTANTIATE_TEST_SUITE_P(Net, NetMistake, ::testing::ValuesIn(mistakes()),
                         [](const auto& mistake) { return mistake.param.name; });

}  // namespace
}  // namespace podsim::workloads::nets
