// SPDX-License-Identifier: Apache-2.0
// Programs with annotations by others, if they are available.
#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/annotation_mesh.h"
#include "hlo/spmd/propagate/op_rule.h"
#include "hlo/spmd/propagate/propagation.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"
#include "tests/hlo/spmd/cut_op.h"
#include "tests/hlo/text/corpus.h"

namespace podsim::hlo::spmd {
namespace {

struct NamedModule {
  std::string name;
  hlo::Module module;
};

/// The modules whose shapes hold.
std::vector<NamedModule> corpus_modules() {
  std::vector<NamedModule> modules;
  for (const auto& file : text::corpus(false)) {
    const std::string name = file.filename().string();
    for (const text::Module& read : text::read(name, text::text_of(file)).modules) {
      hlo::Module module = text::graph::to_graph(read);
      if (text::check_shapes(read, module).empty()) modules.push_back({name, std::move(module)});
    }
  }
  return modules;
}

TEST(PropagationCorpus, EveryInstructionHasARuleOfItsSizes) {
  const std::vector<NamedModule> modules = corpus_modules();
  if (modules.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  std::int64_t rules = 0;
  for (const auto& [name, module] : modules) {
    for (const hlo::Computation& computation : module.computations) {
      for (hlo::InstructionId id = 0; id < int(computation.instructions.size()); ++id, ++rules) {
        if (computation[id].shape.is_tuple()) continue;
        const propagate::OpRule rule = propagate::op_rule(module, computation, id);
        SCOPED_TRACE(name + " " + computation[id].name);
        testing::expect_sizes(rule, rule.results.at(0), computation[id].shape);
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    }
  }
  EXPECT_GT(rules, 10000);
}

/// The module without annotations except those of parameters and of the result.
hlo::Module with_outer_annotations(hlo::Module module) {
  for (hlo::Computation& computation : module.computations) {
    const bool is_entry = &computation == &module.computations[std::size_t(module.entry)];
    for (hlo::Instruction& instruction : computation.instructions) {
      const bool is_result = is_entry && &instruction == &computation[computation.root];
      if (instruction.opcode != hlo::Opcode::parameter && !is_result) instruction.sharding = nullptr;
    }
  }
  return module;
}

struct Agreement {
  int inner = 0, same = 0;
};

/// The number of inner annotations that follow from the outer ones.
Agreement agreement_of(const hlo::Module& module) {
  const mesh::Mesh mesh = mesh::annotation_mesh(module);
  const hlo::Module outer = with_outer_annotations(module);
  const propagate::ModuleShardings annotated = propagate::propagate(module, mesh),
                                   followed = propagate::propagate(outer, mesh);
  Agreement agreement;
  for (std::size_t c = 0; c < module.computations.size(); ++c) {
    for (std::size_t id = 0; id < annotated.values[c].size(); ++id) {
      const bool is_inner =
          module.computations[c].instructions[id].sharding && !outer.computations[c].instructions[id].sharding;
      if (!is_inner) continue;
      ++agreement.inner;
      if (annotated.values[c][id] == followed.values[c][id]) ++agreement.same;
    }
  }
  return agreement;
}

// A training step of MaxText, whose activations are annotated everywhere. Annotations that do not follow are after
// attention by a custom call, or move experts' inputs from the batch to the experts.
TEST(PropagationCorpus, AnnotationsOfATrainingStepFollowFromThoseOfItsParameters) {
  const std::vector<NamedModule> modules = corpus_modules();
  if (modules.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  int trained = 0;
  Agreement all;
  for (const auto& [name, module] : modules) {
    Agreement agreement;
    try {
      agreement = agreement_of(module);
    } catch (const base::InputError&) {
      continue;  // device lists that are not a grid
    }
    all.inner += agreement.inner;
    all.same += agreement.same;
    if (name.find("maxtext_deepseek") == std::string::npos || agreement.inner == 0) continue;
    ++trained;
    EXPECT_GT(agreement.inner, 300);
    EXPECT_GT(double(agreement.same) / agreement.inner, 0.9);
  }
  EXPECT_EQ(trained, 1);
  RecordProperty("annotations in between", all.inner);
  RecordProperty("that follow", all.same);
}

}  // namespace
}  // namespace podsim::hlo::spmd
