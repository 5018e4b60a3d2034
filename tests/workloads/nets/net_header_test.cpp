// SPDX-License-Identifier: Apache-2.0
#include "include/podsim/net.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "tests/workloads/nets/net_pages.h"
#include "workloads/models/registry.h"
#include "workloads/nets/net_reader.h"
#include "workloads/nets/net_workload.h"

namespace podsim::workloads {
namespace {

using nets::net_workload;
using nets::read_net;
using nets::without_names;

/// The words of the hint behind `begin` that a page with one mistake gets, such as "one of: a, b".
std::set<std::string> hinted(const std::string& page, const std::string& begin) {
  std::set<std::string> words;
  try {
    static_cast<void>(read_net("net.toml", page));
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& diagnostic : error.diagnostics()) {
      if (!diagnostic.hint.starts_with(begin)) continue;
      std::istringstream list(diagnostic.hint.substr(begin.size()));
      for (std::string word; list >> word;) words.insert(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
    }
  }
  return words;
}

/// The keys at the beginnings of lines.
std::set<std::string> keys_in(const std::string& text) {
  std::set<std::string> keys;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t end = line.find(" = "); end != std::string::npos) keys.insert(line.substr(0, end));
  }
  return keys;
}

/// A layer of every kind with all of its keys.
std::map<std::string, net::Layer> full_layers() {
  using namespace net;  // NOLINT(google-build-using-namespace)
  const std::string name = "a", from = "x";
  return {
      {"convolution", Convolution{name, from, 8, 3, 1, true, "group", 4, true, "relu"}},
      {"bottleneck", Bottleneck{name, from, 4, 2, 2}},
      {"max_pool", MaxPool{name, from, 3, 2}},
      {"average_pool", AveragePool{name, from}},
      {"dense", Dense{name, from, 8, false, true, "tanh"}},
      {"embedding", Embedding{name, from, 10, 8, "one_hot", true, "kinds", 3}},
      {"patches", Patches{name, from, 4, 8, true, true}},
      {"attention",
       Attention{name, from, 4, 8, 2, true, true, true, 0.1, true, "p", "m", "after", "rms_norm", false, 0.5}},
      {"feed_forward", FeedForward{name, from, 8, "swiglu", true, 0.25, "none", "rms_norm", false, 0.5}},
      {"mixture", Mixture{name, from, 4, 8, "relu", 16, 1.25, 0.001, "after", "rms_norm", false, 0.5}},
      {"norm", net::Norm{name, from, "rms_norm"}},
      {"logits", Logits{name, from, "", 8, true}},
      {"rows", Rows{name, from, "places"}},
      {"first", First{name, from}},
      {"add", Add{name, {"x", "y"}}},
      {"activation", net::Activation{name, from, "gelu"}},
      {"dropout", Dropout{name, from, 0.1}},
      {"cross_entropy", CrossEntropy{name, from, "labels", 0.1, 2.0, true}},
      {"repeat", Repeat{name, from, 2, {First{}}}},
  };
}

TEST(NetHeader, SaysAllThatThePageCan) {
  const std::set<std::string> kinds = hinted("[[layer]]\nkind = \"zzzzzzzzzzzzzzzz\"\n", "one of: ");
  std::map<std::string, net::Layer> layers = full_layers();
  ASSERT_EQ(kinds.size(), layers.size());
  for (const std::string& kind : kinds) {
    ASSERT_TRUE(layers.contains(kind)) << kind;
    const std::set<std::string> known =
        hinted("[[layer]]\nkind = \"" + kind + "\"\nzzzzzzzzzzzzzzzzzz = 1\n", "its keys: ");
    std::set<std::string> said = keys_in(layers.at(kind).toml("layer"));
    if (kind == "logits") said.insert("table");  // or a vocabulary
    if (kind == "repeat") said.insert("layer");  // [[layer.layer]]
    EXPECT_EQ(said, known) << kind;
  }
}

TEST(NetHeader, WritesWhatThePageReads) {
  for (const auto& [kind, layer] : full_layers()) {
    net::Net all("all");
    all.batch_per_core = 1;
    all.input("x", {4});
    all.add(layer);
    EXPECT_NO_THROW(static_cast<void>(read_net("all", all.text()))) << kind << all.text();
  }
}

TEST(NetHeader, SaysWhatIsAroundTheLayers) {
  net::Net all("all");
  const net::Size width = all.model("width", 6);
  all.batch_per_core = 4;
  all.program = "machine";
  all.precision = {"f32", "f32", "f32"};
  all.optimizer = {"adam", 0.5, 0.25, 1e-9, 0.125, 1e-3, 2, 0.75};
  all.mesh = "x=2,y=2";
  all.shard("x", {"x+y"});
  all.shard_as("a/*", "replicated");
  all.input("x", {width * 4 / (width * 2), 3}, "bf16");
  all.add(net::Dense{.name = "a", .units = width});
  const nets::Net read = read_net("all", all.text(), {{"model.width", "12"}});
  EXPECT_EQ(read.name, "all");
  EXPECT_EQ(read.batch_per_core, 4);
  EXPECT_TRUE(read.of_machine);
  EXPECT_EQ(read.precision.activation, hlo::ElementType::f32);
  EXPECT_EQ(read.precision.parameter, hlo::ElementType::f32);
  EXPECT_EQ(read.gradients, hlo::ElementType::f32);
  EXPECT_EQ(read.optimizer.kind, OptimizerKind::adam);
  EXPECT_EQ(read.optimizer.momentum, 0.5);
  EXPECT_EQ(read.optimizer.decay, 0.25);
  EXPECT_EQ(read.optimizer.epsilon, 1e-9);
  EXPECT_EQ(read.optimizer.weight_decay, 0.125);
  EXPECT_EQ(read.optimizer.trust, 1e-3);
  EXPECT_EQ(read.optimizer.clip_norm, 2);
  EXPECT_EQ(read.optimizer.average_decay, 0.75);
  ASSERT_TRUE(read.sharding && read.sharding->mesh);
  EXPECT_EQ(read.sharding->mesh->partitions(), 4);
  EXPECT_EQ(read.sharding->rules.size(), 2u);
  ASSERT_EQ(read.inputs.size(), 1u);
  EXPECT_EQ(read.inputs[0].sizes, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::get<nets::Dense>(read.layers[0].kind).units, 12);
}

net::Net bert() {
  using namespace net;  // NOLINT(google-build-using-namespace)
  Net net("bert");
  net.batch_per_core = 8;
  net.program = "machine";
  net.optimizer = {.kind = "lamb", .weight_decay = 0.01, .clip_norm = 1};
  const Size width = net.model("d_model", 1024);
  for (const char* tokens : {"tokens", "segments", "present"}) net.input(tokens, {512}, "s32");
  for (const char* masked : {"masked_places", "masked_tokens"}) net.input(masked, {76}, "s32");
  net.input("follows", {}, "s32");
  net.add(Embedding{.name = "embed", .vocabulary = 30522, .width = width, .positions = true, .segments = "segments"});
  net.add(net::Norm{});
  net.add(Dropout{.rate = 0.1});
  net.add(Repeat{.name = "layer",
                 .times = 24,
                 .layers = {Attention{.heads = 16,
                                      .head_size = width / 16,
                                      .biases = true,
                                      .narrow_scores = true,
                                      .late_division = true,
                                      .probability_dropout = 0.1,
                                      .present = "present",
                                      .norm = "after",
                                      .dropout = 0.1},
                            FeedForward{.hidden = 4 * width, .biases = true, .norm = "after", .dropout = 0.1}}});
  net.add(Rows{.places = "masked_places"});
  net.add(Dense{.units = width, .activation = "gelu"});
  net.add(net::Norm{});
  net.add(Logits{.table = "embed", .bias = true});
  net.add(CrossEntropy{.labels = "masked_tokens", .recompute = true});
  net.add(First{.from = "layer"});
  net.add(Dense{.units = width, .activation = "tanh"});
  net.add(Dense{.units = 2});
  net.add(CrossEntropy{.labels = "follows"});
  return net;
}

TEST(NetHeader, BertLargeIsTheBuiltInProgramInstructionByInstruction) {
  const Workload ours = net_workload(read_net("libbert.so", bert().text()), nets::on_cores(8));
  const Workload theirs = models::build_workload("bert_large", nets::on_cores(8));
  EXPECT_TRUE(without_names(ours.step.module) == without_names(theirs.step.module));
}

net::Net refused() { throw std::invalid_argument("no such depth"); }

TEST(NetHeader, TellsWhyThereIsNoPage) {
  const char* problem = nullptr;
  EXPECT_EQ(net::detail::page(refused, 1, &problem), nullptr);
  EXPECT_STREQ(problem, "no such depth");
  EXPECT_EQ(net::detail::page(bert, 2, &problem), nullptr);
  EXPECT_NE(std::string(problem).find("form 2 is needed"), std::string::npos);
  EXPECT_EQ(net::detail::page(bert, 1, &problem), bert().text());
}

}  // namespace
}  // namespace podsim::workloads
