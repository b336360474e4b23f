// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions in the shapes of the first paper's clusters (its figures 4 to 18), and the awkward
// ones. Invented durations: what is planted, not what was measured anywhere.
#include "bench/sampling/planted.h"

namespace nmt::bench {

std::string planted_rails() {
  const std::string noise =
      R"("noise":{"cv":0.02,"outlier_rate":0.01,"outlier_factor":20,"session_drift":0.08})";
  const std::string copy_of_memory =
      R"("memcpy":[[1,20],[1024,110],[16384,2200],
        [65536,9500],[1048576,160000],[16777216,3100000]])";
  // Each decision changes once: iovec near 700 B, rendezvous near 25 KB, aggregation near 9 KB.
  const std::string once =
      R"({"name":"once","methods":{
        "copy":[[1,3000],[1024,3800],[4096,6000],[65536,60000],[16777216,14400000]],
        "iovec":[[1,3200],[1024,3700],[4096,5500],[65536,52000],[16777216,13600000]],
        "rendezvous":[[1,9000],[1024,9600],[16384,22000],[65536,52000],[16777216,13500000]],
        "two_packets":[[1,4200],[1024,5300],[4096,9000],[16384,29000],[32768,54000]],
        "aggregate":[[1,3100],[1024,4600],[4096,8400],[16384,31000],[32768,60000]],)" +
      copy_of_memory + "}," + noise + "}";
  // iovec always, rendezvous never below the bound, aggregation always.
  const std::string always =
      R"({"name":"always","methods":{
        "copy":[[1,2500],[1024,3600],[65536,70000],[16777216,18000000]],
        "iovec":[[1,2000],[1024,2900],[65536,50000],[16777216,12800000]],
        "rendezvous":[[1,30000],[65536,90000],[16777216,13000000]],
        "two_packets":[[1,4000],[1024,5800],[32768,56000]],
        "aggregate":[[1,2100],[1024,3600],[32768,51000]],)" +
      copy_of_memory + "}," + noise + "}";
  // copy, then iovec from 300 B, then copy again from 9 KB.
  const std::string twice =
      R"({"name":"twice","methods":{
        "copy":[[1,2000],[128,2300],[1024,4000],[4096,7000],[16384,16000],
          [65536,52000],[16777216,12500000]],
        "iovec":[[1,2300],[128,2500],[1024,3300],[4096,6000],[16384,18500],
          [65536,60000],[16777216,14500000]],
        "rendezvous":[[1,8000],[4096,12000],[16384,20000],[65536,55000],[16777216,12600000]],)" +
      copy_of_memory + "}," + noise + "}";
  // Within one percent and a half of each other everywhere.
  const std::string coincide =
      R"({"name":"coincide","methods":{
        "copy":[[1,4000],[1024,5000],[16384,20000],[65536,66000],[16777216,16500000]],
        "iovec":[[1,4040],[1024,5030],[16384,19900],[65536,65200],[16777216,16300000]],
        "rendezvous":[[1,4100],[1024,5150],[16384,22200],[65536,75000],[16777216,18000000]],)" +
      copy_of_memory + "}," + noise + "}";
  return R"({"seed":1,"rails":[)" + once + "," + always + "," + twice + "," + coincide + "]}";
}

}  // namespace nmt::bench
