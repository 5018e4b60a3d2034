// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/drafting.h"

#include "workloads/goodput/random_times.h"

namespace podsim::workloads::serving {
namespace {

constexpr std::uint64_t drafting_stream = 71;  ///< apart from those of arrivals and lengths

double uniform_of(std::uint64_t bits) { return (double(bits >> 11) + 0.5) * 0x1p-53; }

}  // namespace

std::int64_t Drafting::tokens_after(int request, std::int64_t made) const {
  const std::uint64_t of_request = goodput::seed_of(goodput::seed_of(seed, drafting_stream), std::uint64_t(request));
  std::int64_t accepted = 0;
  while (accepted < tokens && uniform_of(goodput::seed_of(of_request, std::uint64_t(made + accepted))) < accept) {
    ++accepted;
  }
  return accepted + 1;
}

}  // namespace podsim::workloads::serving
