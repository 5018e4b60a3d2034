// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "tests/workloads/models/mask_rcnn/tiny_mask_rcnn.h"
#include "tests/workloads/tiny.h"
#include "workloads/models/bert.h"
#include "workloads/models/bit_resnet.h"
#include "workloads/models/gnmt.h"
#include "workloads/models/patch_network.h"
#include "workloads/models/recommenders/dlrm.h"
#include "workloads/models/recommenders/ncf.h"
#include "workloads/models/registry.h"
#include "workloads/models/resnet50.h"
#include "workloads/models/ssd.h"
#include "workloads/models/transformer.h"
#include "workloads/models/transformer_shardings.h"
#include "workloads/shardings/shardings.h"

/// Whole training steps, small, on a few partitions: every sharding gives the update of one device.
namespace podsim::workloads {
namespace {

using hlo::Literal;
using hlo::Module;

/// A random argument that suits the parameter: whole numbers are 0 or 1, second moments not negative, the step is the
/// first.
hlo::Literal argument(const hlo::Instruction& parameter, unsigned seed) {
  double low = -0.7, high = 0.7;
  if (parameter.shape.element_type == hlo::ElementType::s32) low = 0, high = 2;
  if (parameter.name.ends_with("_moment")) low = 0.1, high = 1;
  if (parameter.name.ends_with("scale") || parameter.name.ends_with("gamma")) low = 0.8, high = 1.2;
  if (parameter.name == "learning_rate") low = high = 0.1;
  if (parameter.name == "step") low = high = 1;
  if (parameter.name == "matches") low = 2, high = 5;
  hlo::Literal literal = hlo::testing::random_literal(parameter.shape, seed, low, high);
  if (parameter.shape.element_type == hlo::ElementType::s32) {
    for (double& value : literal.values) value = std::floor(value);
  }
  return literal;
}

using Argument = std::function<hlo::Literal(const hlo::Instruction& parameter, unsigned seed)>;

/// Evaluates `step` as a whole and partitioned by `sharding`, the text of a file; `axes` replaces the mesh of the file.
void expect_same_step(TrainingStep step, const std::string& axes, const std::string& sharding,
                      const Argument& argument_for = argument) {
  hlo::Module& module = step.module;
  module.donations = step.donations;
  const hlo::spmd::mesh::Mesh mesh = hlo::spmd::mesh::Mesh::parse(axes);
  hlo::spmd::mesh::annotate(module, mesh, hlo::spmd::mesh::read_sharding_file("test", sharding));
  const hlo::spmd::propagate::ModuleShardings shardings = hlo::spmd::propagate::propagate(module, mesh);
  const hlo::Module local = hlo::spmd::partition::partition(module, mesh, shardings);
  hlo::build::verify(local);
  const hlo::Computation& entry = module.entry_computation();
  const std::vector<hlo::spmd::mesh::ValueSharding>& values = shardings.values[std::size_t(module.entry)];
  std::vector<hlo::Literal> arguments;
  std::vector<std::vector<hlo::Literal>> shards(std::size_t(mesh.partitions()));
  for (const hlo::InstructionId id : entry.parameters) {
    arguments.push_back(argument_for(entry[id], unsigned(id) + 1));
    const bool whole_number = entry[id].shape.element_type == hlo::ElementType::s32;
    const double beyond = whole_number ? 12345 : std::nan("");
    const std::vector<hlo::Literal> parts =
        hlo::spmd::partition::split_into_shards(mesh, arguments.back(), values[std::size_t(id)], beyond);
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const hlo::Literal expected = hlo::eval::evaluate(module, arguments);
  const hlo::Literal actual = hlo::spmd::partition::join(
      mesh, expected.shape, hlo::eval::evaluate_partitions(local, shards), values[std::size_t(entry.root)]);
  ASSERT_EQ(actual.elements.size(), expected.elements.size());
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    SCOPED_TRACE(i < step.donations.size() ? entry[entry.parameters[std::size_t(step.donations[i].parameter)]].name
                                           : "loss");
    hlo::testing::expect_near(actual.elements[i], expected.elements[i], 1e-9, 1e-11);
  }
}

models::TransformerOptions tiny_transformer() {
  models::TransformerOptions options;
  options.batch = 4;
  options.sequence = 4;
  options.vocabulary = 8;
  options.layers = 2;
  options.model = 8;
  options.attention = {4, 2};
  options.feed_forward = {12, layers::Activation::geglu, false};
  options.norm = layers::NormKind::rms_norm;
  options.position_embedding = false;
  options.precision = testing::double_precision();
  options.optimizer.kind = OptimizerKind::adafactor;
  return options;
}

const std::string cut_tokens = "[sharding]\n\"tokens\" = [\"x\"]\n\"targets\" = [\"x\"]\n";

TEST(Partitioned, ATransformerByItsBatch) {
  expect_same_step(models::transformer_training_step(tiny_transformer()), "x=4", cut_tokens);
  // Five sequences over four partitions: one has two, one none... and a lookup by gather.
  models::TransformerOptions options = tiny_transformer();
  options.batch = 5;
  options.lookup = layers::EmbeddingLookup::gather;
  options.tied_embedding = false;
  options.optimizer.kind = OptimizerKind::adam;
  expect_same_step(models::transformer_training_step(options), "x=4", cut_tokens);
}

TEST(Partitioned, ATransformerByItsBatchWithItsWeightsInShards) {
  const std::string weights =
      cut_tokens + "\"*/w_q\" = [\"x\"]\n\"*/w_k\" = [\"x\"]\n\"*/w_v\" = [\"x\"]\n\"*/w_o\" = [\"\", \"\", \"x\"]\n" +
      "\"*/w_in\" = [\"x\"]\n\"*/w_gate\" = [\"x\"]\n\"*/w_out\" = [\"\", \"x\"]\n";
  expect_same_step(models::transformer_training_step(tiny_transformer()), "x=4", weights);
}

TEST(Partitioned, ATransformerAlongTwoAxesAsTheDenseModelIs) {
  expect_same_step(models::transformer_training_step(tiny_transformer()), "x=2,y=2",
                   shardings::sharding_text("dense_137b"));
  // Nothing divides.
  models::TransformerOptions options = tiny_transformer();
  options.batch = 3;
  options.vocabulary = 7;
  options.model = 9;
  options.attention = {3, 2};
  options.feed_forward.hidden = 11;
  expect_same_step(models::transformer_training_step(options), "x=2,y=4", shardings::sharding_text("dense_137b"));
}

TEST(Partitioned, BlocksBesideEachOtherInParts) {
  models::TransformerOptions options = tiny_transformer();
  options.feed_forward.activation = layers::Activation::gelu;
  options.parallel_blocks = true;
  options.accumulate = 2;
  options.tied_embedding = false;
  expect_same_step(models::transformer_training_step(options), "data=2,model=2", shardings::sharding_text("gpt_6b"));
}

TEST(Partitioned, ExpertsEachOnAPartition) {
  models::TransformerOptions options = tiny_transformer();
  options.feed_forward.activation = layers::Activation::relu;
  options.mixture.experts = 4;
  options.mixture.capacity_factor = 1;
  expect_same_step(models::transformer_training_step(options), "x=4", shardings::sharding_text("moe_decoder"));
  options.batch = 8;
  options.mixture.group = 8;  // two sequences
  expect_same_step(models::transformer_training_step(options), "x=4", shardings::sharding_text("moe_decoder"));
}

TEST(Partitioned, ExpertsOfAnEncoderAndADecoder) {
  models::TransformerOptions options = tiny_transformer();
  options.batch = 4;
  options.encoder_layers = options.layers = 2;
  options.source_sequence = 6;
  options.feed_forward.activation = layers::Activation::relu;
  options.mixture.experts = 4;
  options.mixture.group = 0;
  expect_same_step(models::transformer_training_step(options), "x=4", shardings::sharding_text("gshard"));
}

TEST(Partitioned, PackedSequencesByTheirBatch) {
  models::TransformerOptions options = tiny_transformer();
  options.batch = 4;
  options.encoder_layers = options.layers = 1;
  options.source_sequence = 6;
  options.packed = true;
  options.label_smoothing = 0.1;
  expect_same_step(models::transformer_training_step(options), "x=4",
                   "[sharding]\n\"tokens\" = [\"x\"]\n\"source_tokens\" = [\"x\"]\n\"targets\" = [\"x\"]\n"
                   "\"sentences\" = [\"x\"]\n\"source_sentences\" = [\"x\"]\n");
}

TEST(Partitioned, AnEncoderAndADecoderByTheirHeads) {
  models::TransformerOptions options = tiny_transformer();
  options.encoder_layers = 1;
  options.source_sequence = 6;
  options.layers = 1;
  const std::string heads =
      "[sharding]\n\"source_tokens\" = [\"x\"]\n\"tokens\" = [\"x\"]\n\"*/w_q\" = [\"\", \"y\"]\n"
      "\"*/w_k\" = [\"\", \"y\"]\n\"*/w_v\" = [\"\", \"y\"]\n\"*/w_o\" = [\"y\"]\n\"*/w_in\" = [\"\", \"y\"]\n";
  expect_same_step(models::transformer_training_step(options), "x=2,y=2", heads);
}

TEST(Partitioned, BertByItsBatchAndByItsSequence) {
  models::BertOptions options;
  options.batch = 4;
  options.sequence = 6;
  options.predictions = 2;
  options.vocabulary = 7;
  options.layers = 1;
  options.model = 6;
  options.attention = {.heads = 3, .head_size = 2, .biases = true};
  options.feed_forward.hidden = 5;
  options.precision = testing::double_precision();
  const std::string batch =
      "[sharding]\n\"tokens\" = [\"x\"]\n\"segments\" = [\"x\"]\n\"present\" = [\"x\"]\n\"masked_places\" = [\"x\"]\n"
      "\"masked_tokens\" = [\"x\"]\n\"follows\" = [\"x\"]\n";
  expect_same_step(models::bert_training_step(options), "x=4", batch);
  expect_same_step(models::bert_training_step(options), "x=2,y=2",
                   "[sharding]\n\"tokens\" = [\"x\", \"y\"]\n\"present\" = [\"x\", \"y\"]\n");
}

TEST(Partitioned, GnmtByItsBatch) {
  models::GnmtOptions options;
  options.batch = 4;
  options.length = options.longest = 3;
  options.units = 4;
  options.layers = 2;
  options.vocabulary = 2;
  options.dropout = 0;
  options.precision = testing::double_precision();
  expect_same_step(models::gnmt_training_step(options), "x=4",
                   "[sharding]\n\"source\" = [\"x\"]\n\"target_inputs\" = [\"x\"]\n\"targets\" = [\"x\"]\n");
}

TEST(Partitioned, NcfByItsBatchAndItsTables) {
  models::recommenders::NcfOptions options;
  options.batch = 8;
  options.users = 6;
  options.items = 5;
  options.factors = 2;
  options.perceptron_factors = 3;
  options.units = {4, 2};
  options.precision = testing::double_precision();
  const std::string batch = "[sharding]\n\"users\" = [\"x\"]\n\"items\" = [\"x\"]\n\"labels\" = [\"x\"]\n";
  expect_same_step(models::recommenders::ncf_training_step(options), "x=4", batch);
  expect_same_step(models::recommenders::ncf_training_step(options), "x=4", batch + "\"*/users\" = [\"x\"]\n");
}

TEST(Partitioned, DlrmWithLargeTablesCut) {
  models::recommenders::DlrmOptions options;
  options.batch = 8;
  options.dense_features = 3;
  options.rows = {5, 2, 9};
  options.bottom = {4, 3};
  options.top = {5, 1};
  options.type = hlo::ElementType::f64;
  expect_same_step(models::recommenders::dlrm_training_step(options), "x=4",
                   models::recommenders::dlrm_sharding(options, 4, 3));
}

TEST(Partitioned, BitResnetByImages) {
  models::BitResNetOptions options;
  options.batch = 4;
  options.image_size = 32;
  options.classes = 3;
  options.width = 4;
  options.blocks = {1, 1, 1, 1};
  options.groups = 2;
  options.precision = testing::double_precision();
  expect_same_step(models::bit_resnet_training_step(options), "b=4",
                   "[sharding]\n\"images\" = [\"b\"]\n\"labels\" = [\"b\"]\n");
}

TEST(Partitioned, ResnetByImagesRowsAndColumns) {
  models::ResNetOptions options = testing::tiny_resnet();
  options.batch = 2;
  options.training.optimizer.kind = OptimizerKind::lars;
  expect_same_step(models::resnet_global_training_step(options), "b=2,h=2",
                   "[sharding]\n\"images\" = [\"b\", \"h\"]\n");
  expect_same_step(models::resnet_global_training_step(options), "h=2,w=2",
                   "[sharding]\n\"images\" = [\"\", \"h\", \"w\"]\n");
}

models::PatchNetworkOptions tiny_patch_network(models::PatchMixing mixing) {
  models::PatchNetworkOptions options;
  options.batch = 2;
  options.image_size = 6;
  options.patch = 2;
  options.classes = 2;
  options.layers = 1;
  options.model = 4;
  options.mixing = mixing;
  options.attention = {.heads = 2, .head_size = 3, .biases = true};
  options.hidden_patches = 6;
  options.feed_forward.hidden = 8;
  options.precision = testing::double_precision();
  return options;
}

TEST(Partitioned, VisionTransformerByImagesHeadsAndHiddenUnits) {
  expect_same_step(models::patch_training_step(tiny_patch_network(models::PatchMixing::attention)), "b=2,m=2",
                   "[sharding]\n\"images\" = [\"b\"]\n\"layer0/attention/w_q\" = [\"\", \"m\"]\n"
                   "\"layer0/ffn/w_in\" = [\"\", \"m\"]\n");
}

TEST(Partitioned, MixerByImagesAndHiddenPatches) {
  expect_same_step(models::patch_training_step(tiny_patch_network(models::PatchMixing::perceptron)), "b=2,m=2",
                   "[sharding]\n\"images\" = [\"b\"]\n\"layer0/patches/w_in\" = [\"\", \"m\"]\n");
}

TEST(Partitioned, SsdByRows) {
  models::SsdOptions options;
  options.batch = 1;
  options.image_size = 257;
  options.classes = 3;
  options.width = 1;
  options.blocks = {1, 1, 1};
  options.precision = testing::double_precision();
  expect_same_step(models::ssd_training_step(options), "h=4", "[sharding]\n\"images\" = [\"\", \"h\"]\n");
}

// Statistics of pairs of images, images on two pairs of partitions that share them by rows, boxes of an image on one
// partition in the loss.
TEST(Partitioned, SsdByImagesAndRowsWithStatisticsOfGroups) {
  models::SsdOptions options;
  options.batch = 4;
  options.image_size = 257;
  options.classes = 2;
  options.width = 1;
  options.blocks = {1, 1, 1};
  options.norm_groups = 2;
  options.precision = testing::double_precision();
  expect_same_step(models::ssd_training_step(options), "data=2,rows=2",
                   "[sharding]\n\"images\" = [\"data\", \"rows\"]\n\"boxes\" = [\"data+rows\"]\n"
                   "\"classes\" = [\"data+rows\"]\n\"matches\" = [\"data+rows\"]\n"
                   "\"logits\" = [\"data+rows\"]\n\"found\" = [\"data+rows\"]\n");
}

// Decoders and translators, dense and with experts, with every option that adds tensors.
TEST(Partitioned, TransformersAsTheirKeysShardThem) {
  models::TransformerOptions options;
  options.batch = 4;
  options.sequence = 4;
  options.vocabulary = 6;
  options.layers = 2;
  options.model = 4;
  options.attention = {2, 3};
  options.attention.query_key_norm = true;
  options.feed_forward = {8, layers::Activation::swiglu, false};
  options.lookup = layers::EmbeddingLookup::gather;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  for (const bool with_encoder : {false, true}) {
    SCOPED_TRACE(with_encoder ? "translator" : "decoder");
    options.attention.relative_buckets = with_encoder ? 0 : 4;
    options.encoder_layers = with_encoder ? 2 : 0;
    options.source_sequence = 4;
    options.source_vocabulary = with_encoder ? 5 : 0;
    options.packed = with_encoder;
    options.tied_embedding = !with_encoder;
    options.mixture.experts = with_encoder ? 2 : 0;
    expect_same_step(models::transformer_training_step(options), "x=2", models::fully_sharded(options, 2));
    expect_same_step(models::transformer_training_step(options), "data=2,model=2",
                     models::tensor_parallel(options, 4, 2));
    expect_same_step(models::transformer_training_step(options), "data=2,model=2",
                     models::tensor_parallel_fully_sharded(options, 4, 2));
  }
}

// Two images on each four partitions that share them by rows: in the loss, each image is on two partitions.
TEST(Partitioned, SsdWithFewerImagesThanPartitionsThatShareThem) {
  models::SsdOptions options;
  options.batch = 4;
  options.image_size = 257;
  options.classes = 2;
  options.width = 1;
  options.blocks = {1, 1, 1};
  options.precision = testing::double_precision();
  WorkloadOptions sharing;
  sharing.replicas = 8;
  sharing.model = {{"model.spatial", "4"}, {"model.batch", "4"}};
  std::string sharding = models::build_workload("ssd", sharing).sharding;
  EXPECT_NE(sharding.find("rows+band"), std::string::npos) << sharding;
  // In double precision maps are not converted, so that no value has their names.
  for (std::size_t at = 0; (at = sharding.find("/map\"")) != std::string::npos;) {
    const std::size_t line = sharding.rfind('\n', at) + 1;
    sharding.erase(line, sharding.find('\n', at) + 1 - line);
  }
  expect_same_step(models::ssd_training_step(options), "data=2,rows=2,band=2", sharding);
}

// Heads are trained with proposals too, which suppression leaves.
models::mask_rcnn::MaskRcnnOptions mask_rcnn_with_proposals() {
  models::mask_rcnn::MaskRcnnOptions options = testing::tiny_mask_rcnn();
  options.rois = 8;
  return options;
}

TEST(Partitioned, MaskRcnnByImages) {
  const models::mask_rcnn::MaskRcnnOptions options = mask_rcnn_with_proposals();
  expect_same_step(
      models::mask_rcnn::mask_rcnn_training_step(options), "data=2",
      "[sharding]\n\"images\" = [\"data\"]\n\"anchor_*\" = [\"data\"]\n\"true_*\" = [\"data\"]\n",
      [&](const auto& parameter, unsigned seed) { return testing::mask_rcnn_argument(parameter, options, seed); });
}

// Images by rows, boxes of heads by their number.
TEST(Partitioned, MaskRcnnByImagesAndRows) {
  models::mask_rcnn::MaskRcnnOptions options = mask_rcnn_with_proposals();
  expect_same_step(
      models::mask_rcnn::mask_rcnn_training_step(options), "data=2,rows=2",
      "[sharding]\n\"images\" = [\"data\", \"rows\"]\n\"anchor_*\" = [\"data\", \"rows\"]\n"
      "\"true_*\" = [\"data\"]\n\"boxes/flat\" = [\"data\", \"rows\"]\n"
      "\"masks/flat\" = [\"data+rows\"]\n",
      [&](const auto& parameter, unsigned seed) { return testing::mask_rcnn_argument(parameter, options, seed); });
}

}  // namespace
}  // namespace podsim::workloads
