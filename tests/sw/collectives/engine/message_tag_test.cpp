// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/message_tag.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::sw::collectives::engine {
namespace {

RC_GTEST_PROP(MessageTag, SurvivesTheTagOfAMessage, ()) {
  const MessageTag tag{{.stripe = *rc::gen::inRange(0, 16),
                        .phase = *rc::gen::inRange(0, 12),
                        .direction = *rc::gen::element(1, -1),
                        .distance = *rc::gen::inRange(0, 1 << 20),
                        .number = *rc::gen::inRange(0, 1 << 20)},
                       *rc::gen::inRange(0, 16),
                       *rc::gen::inRange(0, 16)};
  RC_ASSERT(unpack(pack(tag)) == tag);
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
