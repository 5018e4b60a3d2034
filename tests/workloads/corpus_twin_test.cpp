// SPDX-License-Identifier: Apache-2.0
// Training steps that another compiler partitioned (../shared/hlo_corpus), and their unpartitioned twins built here
// from the published hyperparameters: the partitioner gives the same collectives, by kind, group and size.
//
// Differences, with reasons:
// - Sums of gradients. The other compiler reduces whole arrays over all cores and then slices (its target had no
//   reduce-scatter pass); here they are reduce-scattered. Both are counted as a sum of as many bytes.
// - Scalars. Its step reports norms of every tensor, some 900 sums of one number, that the twin does not compute.
// - The type of norms' gradients, where weights are f32: bf16 there, f32 here.
// - The embedding, split along its columns. The other one gathers the table to look rows up, and sums its
//   gradient as a table; here every core looks up its columns for all tokens, and the rows are exchanged. The gathered
//   table that makes logits is kept for their gradients there, and gathered again here.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "hlo/device_groups.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/transform/rematerialize.h"
#include "tests/hlo/text/corpus.h"
#include "workloads/models/transformer.h"

namespace podsim::workloads {
namespace {

/// Kind ("gather", "sum", "exchange"), members of a group, type, bytes of the larger of operand and result.
using Collective = std::tuple<std::string, std::int64_t, hlo::ElementType, std::int64_t>;
using Counts = std::map<Collective, std::int64_t>;

std::string kind_of(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::all_gather:
      return "gather";
    case hlo::Opcode::all_reduce:
    case hlo::Opcode::reduce_scatter:
      return "sum";
    case hlo::Opcode::all_to_all:
      return "exchange";
    default:
      return "";
  }
}

/// Counts collectives of arrays with two or more elements; those in loops count once.
Counts collectives_of(const hlo::Module& module) {
  Counts counts;
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (std::size_t c = 0; c < module.computations.size(); ++c) {
    if (!executed[c]) continue;
    const hlo::Computation& computation = module.computations[c];
    for (const hlo::Instruction& instruction : computation.instructions) {
      const std::string kind = kind_of(instruction.opcode);
      if (kind.empty()) continue;
      const auto groups = hlo::device_groups(instruction, module.replicas, module.partitions);
      std::int64_t bytes = hlo::logical_bytes(instruction.shape).value();
      std::int64_t operands = 0;
      for (const hlo::InstructionId operand : instruction.operands) {
        operands += hlo::logical_bytes(computation[operand].shape).value();
      }
      const hlo::Shape& shape = computation[instruction.operands.front()].shape;
      if (shape.element_count() < 2) continue;
      ++counts[{kind, std::int64_t(groups.front().size()), shape.element_type, std::max(bytes, operands)}];
    }
  }
  return counts;
}

std::string to_text(const Counts& counts) {
  std::string text;
  for (const auto& [collective, count] : counts) {
    const auto& [kind, members, type, bytes] = collective;
    text += fmt::format("{} x {} of {} bytes of {} over {}\n", count, kind, bytes, hlo::to_string(type), members);
  }
  return text;
}

Counts collectives_of_corpus(const std::string& name) {
  const auto files = hlo::text::corpus(false);
  const auto file = std::ranges::find_if(files, [&](const auto& path) { return path.filename() == name; });
  if (file == files.end()) return {};
  std::ifstream stream(*file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const hlo::text::ReadResult read = hlo::text::read(name, text);
  return collectives_of(hlo::text::graph::to_graph(read.modules.back()));
}

Counts collectives_of_twin(const models::TransformerOptions& options, const std::string& sharding) {
  hlo::Module module = models::transformer_training_step(options).module;
  const hlo::spmd::mesh::ShardingFile file = hlo::spmd::mesh::read_sharding_file("sharding", sharding);
  hlo::spmd::mesh::annotate(module, *file.mesh, file);
  module = hlo::transform::rematerialise(module, hlo::transform::Rematerialisation::layer).module;
  const hlo::spmd::propagate::ModuleShardings shardings = hlo::spmd::propagate::propagate(module, *file.mesh);
  return collectives_of(hlo::spmd::partition::partition(module, *file.mesh, shardings));
}

/// Llama 3.1 (Grattafiori et al. 2024), two sequences of 8192 tokens a core.
models::TransformerOptions llama_8b(std::int64_t cores) {
  models::TransformerOptions options;
  options.batch = 2 * cores;
  options.sequence = 8192;
  options.vocabulary = 128256;
  options.layers = 32;
  options.model = 4096;
  options.attention = {32, 128};
  options.attention.key_heads = 8;
  options.feed_forward = {14336, layers::Activation::swiglu};
  options.norm = layers::NormKind::rms_norm;
  options.lookup = layers::EmbeddingLookup::gather;
  options.tied_embedding = false;
  options.position_embedding = false;
  options.optimizer.kind = OptimizerKind::adam;
  return options;
}

/// The batch, tables and attention along one axis: fully sharded data parallelism, as the others' parameters are
/// annotated.
constexpr const char* along_one_axis = R"(
[mesh]
axes = "x=8"
[sharding]
"tokens" = ["x"]
"targets" = ["x"]
"embedding" = ["", "x"]
"unembedding" = ["", "x"]
"embed/lookup" = ["x"]
"layer*/residual" = ["x"]
"layer*/attention/w_q" = ["x"]
"layer*/attention/w_k" = ["x"]
"layer*/attention/w_v" = ["x"]
"layer*/attention/w_o" = ["", "", "x"]
)";

const std::string fully_sharded = along_one_axis + std::string(R"(
"layer*/ffn/w_in" = ["x"]
"layer*/ffn/w_gate" = ["x"]
"layer*/ffn/w_out" = ["", "x"]
)");

/// Mixtral 8x7B (Jiang et al. 2024): a sequence of 4096 tokens and an expert on each core, weights in bf16.
models::TransformerOptions mixtral() {
  models::TransformerOptions options = llama_8b(8);
  options.batch = 8;
  options.sequence = 4096;
  options.vocabulary = 32000;
  options.mixture.experts = 8;
  options.mixture.interval = 1;
  options.mixture.capacity_factor = 2;
  options.precision.parameter = hlo::ElementType::bf16;
  return options;
}

const std::string an_expert_each = along_one_axis + std::string(R"(
"layer*/moe/w_gating" = ["x"]
"layer*/moe/w_in" = ["x"]
"layer*/moe/w_up" = ["x"]
"layer*/moe/w_out" = ["x"]
"layer*/moe/dispatch" = ["x"]
"layer*/moe/dispatched" = ["", "x"]
"layer*/moe/hidden" = ["x"]
"layer*/moe/expert_out" = ["x"]
)");

/// Removes the collectives that look rows up in the embedding, sum its gradient and make logits (see above). Theirs
/// gather and sum whole tables; ours exchange rows and the cores' columns, and gather the tokens, so that all cores
/// have them.
void take_out_tables(const models::TransformerOptions& options, Counts& ours, Counts& theirs) {
  const std::int64_t table = 2 * options.vocabulary * options.model;
  const std::int64_t tokens = options.batch * options.sequence, rows = tokens / 8 * options.model;
  const Collective gathered{"gather", 8, hlo::ElementType::bf16, table};
  const Collective summed{"sum", 8, hlo::ElementType::bf16, table};
  EXPECT_EQ(theirs[gathered], 2);
  EXPECT_EQ(theirs[summed], 2);
  EXPECT_EQ(ours[gathered], 2);
  EXPECT_EQ(ours[summed], 1);
  std::int64_t moved = table;  // the sum that they have more
  for (const Collective& collective : {Collective{"exchange", 8, hlo::ElementType::bf16, 2 * rows},
                                       Collective{"exchange", 8, hlo::ElementType::f32, 4 * rows},
                                       Collective{"gather", 8, hlo::ElementType::s32, 4 * tokens}}) {
    moved -= ours[collective] * std::get<3>(collective);
    ours.erase(collective);
  }
  EXPECT_GT(moved, 0);
  for (const Collective& collective : {gathered, summed}) {
    theirs.erase(collective);
    ours.erase(collective);
  }
}

TEST(CorpusTwin, Llama8bOn8CoresHasTheSameCollectives) {
  Counts theirs = collectives_of_corpus("hlo_llama31_8b_bf16_1x8.hlo");
  if (theirs.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  const models::TransformerOptions options = llama_8b(8);
  Counts ours = collectives_of_twin(options, fully_sharded);
  // Two norms a layer and the last one.
  EXPECT_EQ((theirs[{"sum", 8, hlo::ElementType::bf16, 2 * options.model}]), 65);
  EXPECT_EQ((ours[{"sum", 8, hlo::ElementType::f32, 4 * options.model}]), 65);
  theirs.erase({"sum", 8, hlo::ElementType::bf16, 2 * options.model});
  ours.erase({"sum", 8, hlo::ElementType::f32, 4 * options.model});
  take_out_tables(options, ours, theirs);
  EXPECT_EQ(to_text(ours), to_text(theirs));
}

TEST(CorpusTwin, MixtralOn8CoresHasTheSameCollectives) {
  Counts theirs = collectives_of_corpus("hlo_mixtral_8x7b_bf16_1x8.hlo");
  if (theirs.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  const models::TransformerOptions options = mixtral();
  Counts ours = collectives_of_twin(options, an_expert_each);
  take_out_tables(options, ours, theirs);
  EXPECT_EQ(to_text(ours), to_text(theirs));
}

}  // namespace
}  // namespace podsim::workloads
