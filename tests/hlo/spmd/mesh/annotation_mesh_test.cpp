// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/annotation_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/diagnostic.h"
#include "hlo/spmd/mesh/axis_sharding.h"
#include "tests/hlo/text/corpus.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::mesh {
namespace {

hlo::Module sharded(const std::string& first, const std::string& second = "{replicated}") {
  return text::testing::graph_of("HloModule m\nENTRY main { p = f32[24,24] parameter(0), sharding=" + first +
                                 "\n  ROOT r = f32[24,24] negate(p), sharding=" + second + " }\n");
}

TEST(AnnotationMesh, HasAnAxisForEachCommonFactor) {
  const auto mesh = [](const std::string& first, const std::string& second) {
    return to_string(annotation_mesh(sharded(first, second)));
  };
  EXPECT_EQ(mesh("{replicated}", "{maximal device=0}"), "");
  EXPECT_EQ(mesh("{devices=[8,1]<=[8]}", "{replicated}"), "a0=8");
  EXPECT_EQ(mesh("{devices=[8,1]<=[8]}", "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}"), "a0=4,a1=2");
  EXPECT_EQ(mesh("{devices=[3,4]<=[12]}", "{devices=[12,1]<=[12]}"), "a0=3,a1=4");
  EXPECT_EQ(mesh("{devices=[2,2]0,2,1,3}", "{devices=[4,1]0,1,2,3}"), "a0=2,a1=2");
  EXPECT_EQ(mesh("{devices=[1,1,6]<=[6] last_tile_dims={manual}}", "{replicated}"), "a0=6");
}

std::string error_of(const hlo::Module& module) {
  try {
    annotation_mesh(module);
  } catch (const base::InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "none";
}

TEST(AnnotationMesh, NamesWhatHasNoMesh) {
  EXPECT_EQ(error_of(sharded("{devices=[4,1]0,1,3,2}")),
            "the sharding of %p, {devices=[4,1]0,1,3,2}, has its devices in an order that no grid gives");
  EXPECT_EQ(error_of(sharded("{devices=[4,1]<=[4]}", "{devices=[8,1]<=[8]}")),
            "the sharding of %p, {devices=[4,1]<=[4]}, is not over all 8 partitions");
  EXPECT_EQ(error_of(sharded("{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}")),
            "no mesh of 6 partitions has lines of 2 and of 3");
}

/// The part of a value that each device holds, for any order of the copies.
std::map<std::int64_t, std::int64_t> parts_of_devices(const hlo::Sharding& sharding) {
  std::int64_t copies = 1;
  for (auto size = sharding.tiles.begin() + sharding.rank(); size != sharding.tiles.end(); ++size) copies *= *size;
  std::map<std::int64_t, std::int64_t> parts;
  const std::vector<std::int64_t> devices = sharding.device_list();
  for (std::size_t i = 0; i < devices.size(); ++i) parts[devices[i]] = std::int64_t(i) / copies;
  return parts;
}

TEST(AnnotationMesh, HoldsEveryShardingOfTheCorpus) {
  const auto files = text::corpus(false);
  if (files.empty()) GTEST_SKIP() << "no ../shared/hlo_corpus";
  int tiled = 0;
  for (const std::filesystem::path& file : files) {
    for (const text::Module& written : text::read(file.filename().string(), text::text_of(file)).modules) {
      const hlo::Module module = text::graph::to_graph(written);
      const Mesh mesh = annotation_mesh(module);
      for (const hlo::Computation& computation : module.computations) {
        for (const hlo::Instruction& instruction : computation.instructions) {
          if (!instruction.sharding || instruction.sharding->kind != hlo::Sharding::Kind::tiled) continue;
          const auto over_axes = from_hlo(mesh, *instruction.sharding, instruction.shape.rank());
          ASSERT_TRUE(over_axes) << file << " " << instruction.name;
          if (over_axes->manual || over_axes->is_replicated()) continue;
          ASSERT_EQ(parts_of_devices(to_hlo(mesh, *over_axes)), parts_of_devices(*instruction.sharding)) << file;
          ++tiled;
        }
      }
    }
  }
  EXPECT_GT(tiled, 1000);
}

}  // namespace
}  // namespace podsim::hlo::spmd::mesh
