// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/arrivals.h"

#include "workloads/serving/event_time.h"

namespace podsim::workloads::serving {

double Arrivals::gap() {
  if (law_.cv == 0) return 1;
  if (law_.cv == 1) return random_.exponential(1);
  const double shape = 1 / (law_.cv * law_.cv);
  return random_.gamma(shape) / shape;
}

Nanoseconds Arrivals::next() {
  at_ += gap();
  return event_time(at_ / law_.rate, "requests arrive for longer", "a higher rate, or fewer requests");
}

}  // namespace podsim::workloads::serving
