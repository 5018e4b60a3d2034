// SPDX-License-Identifier: Apache-2.0
// ResNet of any depth and width: podsim run libmynet.so --set model.layer3=23 is ResNet-101.
#include <podsim/net.h>

#include <string>

namespace {

podsim::net::Net mynet() {
  using namespace podsim::net;
  Net net("mynet");
  net.batch_per_core = 128;
  net.optimizer.kind = "lars";
  const Size width = net.model("width", 64);
  const Size blocks[] = {net.model("layer1", 3), net.model("layer2", 4), net.model("layer3", 6),
                         net.model("layer4", 3)};

  net.input("images", {224, 224, 3});
  net.input("labels", {}, "s32");

  net.add(Convolution{.name = "stem", .filters = width, .size = 7, .stride = 2, .norm = "batch", .activation = "relu"});
  net.add(MaxPool{.size = 3, .stride = 2});
  for (int group = 0; group < 4; ++group) {
    net.add(Bottleneck{.name = "layer" + std::to_string(group + 1),
                       .width = width * (1 << group),
                       .blocks = blocks[group],
                       .stride = group == 0 ? 1 : 2});
  }
  net.add(AveragePool{});
  net.add(Dense{.name = "head", .units = 1000, .wide = true});
  net.add(CrossEntropy{.name = "loss", .labels = "labels", .smoothing = 0.1});
  return net;
}

}  // namespace

PODSIM_NET(mynet)
