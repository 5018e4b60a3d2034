// SPDX-License-Identifier: Apache-2.0
// Part of report/serving/serving_report.h.
#include <fmt/format.h>

#include <iterator>

#include "report/serving/serving_report.h"

namespace podsim::report::serving {

namespace model = workloads::serving;

std::string requests_csv(const ServingReport& r) {
  std::string text =
      "request,arrival_s,input,output,priority,wait_s,ttft_s,tpot_s,latency_s,replica,preempted,requeued,reused,met\n";
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < r.requests.size(); ++i) {
    const model::Request& request = r.requests[i];
    const model::Served& served = r.outcome.served[i];
    fmt::format_to(out, "{},{:.9f},{},{},{},", i, workloads::goodput::seconds(request.arrival), request.input,
                   request.output, request.priority);
    if (served.refused()) {
      fmt::format_to(out, ",,,,,0,0,0,0\n");
      continue;
    }
    const model::RequestTimes times = model::times_of(request, served);
    fmt::format_to(out, "{:.9f},{:.9f},{:.9f},{:.9f},{},{},{},{},{}\n", times.wait, times.first_token, times.per_token,
                   times.latency, served.replica, served.preempted, served.requeued, served.reused,
                   r.level.met(times) ? 1 : 0);
  }
  return text;
}

std::string series_csv(const ServingReport& r) {
  std::string text = "begin_s,waiting,running,cache_pages_share,mxu_share,hbm_share,watts";
  auto out = std::back_inserter(text);
  const std::vector<double> waiting = r.outcome.waiting.means(), running = r.outcome.running.means(),
                            pages = r.outcome.pages.means(), mxu = r.outcome.mxu.means(), hbm = r.outcome.hbm.means(),
                            watts = r.outcome.watts.means();
  std::vector<std::vector<double>> replicas;
  for (std::size_t i = 0; i < r.outcome.replicas.size(); ++i) {
    replicas.push_back(r.outcome.replicas[i].running.means());
    fmt::format_to(out, ",running_{}", i);
  }
  text += '\n';
  const double width = workloads::goodput::seconds(r.outcome.waiting.width());
  for (std::size_t bin = 0; bin < waiting.size(); ++bin) {
    fmt::format_to(out, "{:.9g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", double(bin) * width, waiting[bin],
                   running[bin], pages[bin], mxu[bin], hbm[bin], watts[bin]);
    for (const std::vector<double>& of : replicas) fmt::format_to(out, ",{:.6g}", of[bin]);
    text += '\n';
  }
  return text;
}

}  // namespace podsim::report::serving
