// SPDX-License-Identifier: Apache-2.0
#include "workloads/input_samples.h"

#include <gtest/gtest.h>

namespace podsim::workloads {
namespace {

// A crop for training has an area that is uniform between 8 and 100 % of the image's (C. Szegedy et al., Going deeper
// with convolutions, CVPR 2015, section 6). Images of ImageNet have 469 x 387 pixels on average (image-net.org); the
// sizes of the sets are those of O. Russakovsky et al., IJCV 2015, table 2.
TEST(InputSamples, OfImageNetAreDecodedInTheirCropAndLeaveThePixelsOfTheNetwork) {
  for (const char* network : {"resnet50", "resnet50_global"}) {
    const auto samples = input_samples(network);
    ASSERT_TRUE(samples.has_value()) << network;
    EXPECT_NEAR(samples->work.decoded_pixels, (0.08 + 1) / 2 * 469 * 387, 1) << network;
    EXPECT_EQ(samples->work.output_pixels, 224 * 224) << network;
    EXPECT_EQ(samples->training, 1'281'167) << network;
    EXPECT_EQ(samples->evaluation, 50'000) << network;
  }
}

// Images of COCO 2017 have 578 x 484 pixels on average. SSD's augmentation decodes them whole.
TEST(InputSamples, OfCocoAreDecodedWhole) {
  const auto samples = input_samples("ssd");
  ASSERT_TRUE(samples.has_value());
  EXPECT_NEAR(samples->work.decoded_pixels, 578 * 484, 1);
  EXPECT_EQ(samples->work.output_pixels, 300 * 300);
}

// BERT's phase two: 512 ids, masks and segments and 76 positions, ids and weights of masked tokens, of 4 bytes each.
// DLRM on the Criteo terabyte set: 13 numbers, 26 categories and a label.
TEST(InputSamples, RecordsAreReadWithAllTheirNumbers) {
  EXPECT_EQ(input_samples("bert_large")->work.stored.value(), 4 * (3 * 512 + 3 * 76));
  EXPECT_EQ(input_samples("dlrm")->work.stored.value(), 4 * (13 + 26 + 1));
  for (const char* network : {"bert_large", "dlrm"}) EXPECT_EQ(input_samples(network)->work.decoded_pixels, 0);
}

}  // namespace
}  // namespace podsim::workloads
