// SPDX-License-Identifier: Apache-2.0
// Every line is wrong.
loop:
  { v.ad.f32 v3, v1, v2 ; s.add s0, s2, 8 }
  vld v1, [s1 + undefined]
  sync.wait 0
  { s.add s1, s2, 70000 ; s.add s3, s2, 80000 ; v.add.f32 v1, v2, 1.1 ; v.add.f32 v3, v2, 1.2 }
.dma load { route = hbm_to_vrem ; words = 8 }
