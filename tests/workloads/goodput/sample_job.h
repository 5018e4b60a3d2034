// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/goodput/job_plan.h"

/// Jobs with round times on a slice of TPU v3.
namespace podsim::test {

inline workloads::goodput::Nanoseconds ns(double seconds) {
  return workloads::goodput::nanoseconds(base::Duration(seconds));
}

inline const workloads::goodput::Site& sample_site() {
  static const noc::PodShape pods{{32, 32}, 4};
  static const workloads::goodput::Site site(noc::slice_topology(pods, {8, 8}), pods, 8);
  return site;
}

/// Steps of 1 s, a checkpoint of 20 s after 100 of them, restarts of 60 s, 30 s until a failure is known, 10 s of
/// diagnosis; half of the slice with steps of 2 s; steps of 1.5 s around a dead link.
inline workloads::goodput::JobPlan sample_plan(double horizon_s) {
  workloads::goodput::JobPlan plan;
  plan.site = &sample_site();
  plan.horizon = ns(horizon_s);
  plan.ways.push_back({{8, 8}, ns(1), ns(60), ns(5), ns(15)});
  plan.ways.push_back({{8, 4}, ns(2), ns(60), ns(5), ns(15)});
  plan.rerouted = ns(1.5);
  plan.checkpoint_steps = 100;
  plan.detection = ns(30);
  plan.diagnosis = ns(10);
  plan.exchange = ns(300);
  plan.repair = ns(8000);
  plan.cable_repair = ns(4000);
  return plan;
}

}  // namespace podsim::test
