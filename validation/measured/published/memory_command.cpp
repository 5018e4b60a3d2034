// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/published/published_memory.h.
#include <fmt/format.h>

#include <utility>

#include "validation/measured/published/published_memory.h"
#include "validation/measured/published/row_words.h"

namespace podsim::validation::measured::published {
namespace {

using Sizes = std::vector<std::pair<std::string, std::optional<std::int64_t>>>;

/// Appends "--set model.NAME=SIZE" of every size; the row has no command if one is missing.
void set_sizes(PublishedMemory& row, const Sizes& sizes) {
  for (const auto& [name, size] : sizes) {
    if (!size || *size < 1) {
      row.reason = fmt::format("the row states no {}", name);
      row.command.clear();
      return;
    }
    row.command.insert(row.command.end(), {"--set", fmt::format("model.{}={}", name, *size)});
  }
}

/// "6 layers; d 512; ff 2048; 8 heads; batch 32 over 16 chips". A device is taken to be a core that has the sequences
/// of a chip. Tokens are bytes; the paper's code is in f32 and drops out a tenth.
void run_long_range_arena(PublishedMemory& row) {
  const auto batch = number_after(row.sizes, "batch "), chips = number_after(row.sizes, " over ");
  const auto model = number_after(row.sizes, "d "), heads = number_before(row.sizes, " heads");
  if (!batch || !chips || *chips < 1 || *batch % *chips != 0 || !model || !heads || *heads < 1) {
    row.reason = "the row states no batch that its chips can share, no width or no heads";
    return;
  }
  row.command = {"run", "transformer", "--slice", "1x1", "--batch-per-core", fmt::to_string(*batch / *chips)};
  set_sizes(row, {{"layers", number_before(row.sizes, " layers")},
                  {"d_model", model},
                  {"d_ff", number_after(row.sizes, "ff ")},
                  {"heads", heads},
                  {"d_head", *model / *heads},
                  {"vocabulary", 256},
                  {"sequence", row.sequence}});
  if (row.command.empty()) return;
  row.command.insert(row.command.end(), {"--set", "model.activation_type=f32", "--set", "model.dropout=0.1"});
}

/// "GPipe Naive-1 L=3", "d 2048; ff 8192; batch 32 x 1024; RMSProp": one core without a pipeline. The 282.2 million
/// parameters are 3 layers of 4 d^2 + 2 d ff and two embeddings of 32,000 tokens. The paper's models have 32 heads of
/// d / 32. Adam keeps two slots for each weight, as this RMSProp does. Scores in f32 alone would need more than is
/// published, so that activations are in bf16.
void run_gpipe(PublishedMemory& row) {
  if (row.model.find("Naive-1") == std::string::npos) {
    row.reason = "pipelines of Transformers are no workload";
    return;
  }
  const auto batch = number_after(row.sizes, "batch "), model = number_after(row.sizes, "d ");
  if (!batch || !model) {
    row.reason = "the row states no batch or no width";
    return;
  }
  row.command = {"run", "transformer", "--slice", "1x1", "--batch-per-core", fmt::to_string(*batch)};
  set_sizes(row, {{"layers", number_after(row.model, "L=")},
                  {"d_model", model},
                  {"d_ff", number_after(row.sizes, "ff ")},
                  {"heads", 32},
                  {"d_head", *model / 32},
                  {"vocabulary", 32000},
                  {"sequence", row.sequence}});
  if (row.command.empty()) return;
  row.command.insert(row.command.end(), {"--set", "model.activation=relu", "--set", "model.tied_embedding=off", "--set",
                                         "model.position_embedding=off", "--optimizer", "adam"});
  if (row.contains.find("rematerialisation") == std::string::npos) {
    row.command.insert(row.command.end(), {"--rematerialise", "none"});
  }
}

}  // namespace

void choose_command(PublishedMemory& row) {
  if (row.model.starts_with("Long-range-arena Transformer")) return run_long_range_arena(row);
  if (row.model.starts_with("GPipe")) return run_gpipe(row);
  row.reason = "no workload of this network";
}

}  // namespace podsim::validation::measured::published
