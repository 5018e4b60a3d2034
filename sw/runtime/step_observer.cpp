// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_observer.h"

#include <utility>

namespace podsim::sw {

void StepObserver::item_ended(ProgramItem::Kind kind, const ItemResult& item, base::Time end) {
  switch (kind) {
    case ProgramItem::Kind::op:
      current_.compute += item.duration;
      current_.hbm_bytes += item.cost.read_bytes + item.cost.written_bytes;
      break;
    case ProgramItem::Kind::collective:
      current_.collective += item.duration;
      break;
    case ProgramItem::Kind::infeed:
      current_.infeed += item.duration;
      break;
    case ProgramItem::Kind::outfeed:
    case ProgramItem::Kind::repeat:
      break;
  }
  if (kind != ProgramItem::Kind::repeat) current_.items.push_back(item);
  current_.end = end;
}

void StepObserver::step_ended() {
  last_ = std::exchange(current_, {});
  current_.begin = current_.end = last_.end;
  step_times_.push_back(last_.duration());
}

}  // namespace podsim::sw
