// SPDX-License-Identifier: Apache-2.0
// Part of validation/kernels/agreement.h.
#include <string>
#include <vector>

#include "validation/kernels/agreement.h"

namespace podsim::validation::kernels {
namespace {

using Values = std::map<std::string, std::string>;

class Grid {
 public:
  std::vector<KernelChoice> take() && { return std::move(kernels_); }

  void matmul(int m, int n, int k, const Values& more = {}) { add("matmul", {{"m", m}, {"n", n}, {"k", k}}, more); }
  void conv2d(int n, int size, int cin, int cout, int kernel, int stride, const Values& more = {}) {
    add("conv2d",
        {{"n", n},
         {"h", size},
         {"w", size},
         {"cin", cin},
         {"cout", cout},
         {"kernel", kernel},
         {"stride", stride},
         {"pad", kernel / 2}},
        more);
  }
  void decode(int sequences, int heads, int cached, const Values& more = {}) {
    add("decode_attention", {{"sequences", sequences}, {"heads", heads}, {"cached", cached}}, more);
  }
  void flash(int heads, int queries, int cached, const Values& more = {}) {
    add("flash_attention", {{"heads", heads}, {"queries", queries}, {"cached", cached}}, more);
  }
  void matrix(const std::string& family, int rows, int columns, const Values& more = {}) {
    add(family, {{"rows", rows}, {"columns", columns}}, more);
  }

 private:
  void add(const std::string& family, const std::map<std::string, int>& sizes, const Values& more) {
    KernelChoice choice{family, more};
    for (const auto& [name, size] : sizes) choice.values[name] = std::to_string(size);
    kernels_.push_back(std::move(choice));
  }
  std::vector<KernelChoice> kernels_;
};

void add_matrix_work(Grid& grid) {
  const Values bf16{{"dtype", "bf16"}};
  for (int size : {128, 256, 512, 1024, 2048}) grid.matmul(size, size, size);
  for (int size : {256, 1024}) grid.matmul(size, size, size, bf16);
  grid.matmul(1024, 1024, 1024, {{"memory", "vmem"}});
  grid.matmul(512, 512, 512, {{"rhs", "nk"}});
  grid.matmul(512, 1024, 768, {{"bias", "yes"}, {"epilogue", "relu"}});
  grid.matmul(1024, 512, 512, {{"bias", "yes"}, {"epilogue", "gelu"}});
  grid.matmul(4096, 128, 128);
  grid.matmul(128, 4096, 256);
  grid.matmul(256, 256, 4096);
  grid.matmul(100, 300, 200);
  grid.matmul(64, 1024, 1024);
  grid.matmul(2048, 768, 3072, bf16);
  grid.conv2d(8, 28, 128, 128, 3, 1);
  grid.conv2d(8, 28, 128, 256, 1, 1);
  grid.conv2d(8, 28, 128, 128, 3, 2);
  grid.conv2d(16, 14, 256, 256, 3, 1);
  grid.conv2d(8, 56, 64, 64, 3, 1);
  grid.conv2d(32, 7, 512, 512, 3, 1);
  grid.conv2d(8, 56, 64, 256, 1, 1, bf16);
  grid.conv2d(2, 112, 8, 64, 7, 2);
}

void add_vector_work(Grid& grid) {
  const Values bf16{{"dtype", "bf16"}};
  for (const char* op : {"add", "relu", "gelu", "sigmoid", "exp", "tanh"}) {
    grid.matrix("elementwise", 1024, 1024, {{"op", op}});
  }
  for (const char* op : {"add", "gelu"}) {
    grid.matrix("elementwise", 2048, 2048, {{"op", op}});
    grid.matrix("elementwise", 1024, 1024, {{"op", op}, {"dtype", "bf16"}});
    grid.matrix("elementwise", 128, 256, {{"op", op}});
  }
  for (const char* over : {"columns", "rows"}) {
    grid.matrix("reduce", 1024, 1024, {{"over", over}});
    grid.matrix("reduce", 2048, 512, {{"over", over}, {"op", "max"}});
    grid.matrix("reduce", 512, 4096, {{"over", over}, {"dtype", "bf16"}});
  }
  for (const char* passes : {"3", "1"}) {
    grid.matrix("softmax", 1024, 1024, {{"passes", passes}});
    grid.matrix("softmax", 2048, 2048, {{"passes", passes}});
    grid.matrix("softmax", 256, 384, {{"passes", passes}});
  }
  for (const char* passes : {"4", "3", "1"}) {
    grid.matrix("layernorm", 1024, 1024, {{"passes", passes}});
    grid.matrix("layernorm", 2048, 768, {{"passes", passes}});
  }
  grid.matrix("softmax", 1024, 1024, bf16);
  grid.matrix("layernorm", 1024, 1024, bf16);
}

void add_attention(Grid& grid) {
  const Values bf16{{"dtype", "bf16"}};
  grid.decode(2, 8, 2048);
  grid.decode(2, 8, 2048, bf16);
  grid.decode(1, 4, 8192, bf16);
  grid.decode(2, 4, 3000, {{"page", "64"}});
  grid.flash(1, 2048, 2048);
  grid.flash(2, 1024, 0, bf16);
  grid.flash(2, 512, 3000, {{"head-dim", "64"}});
}

void add_moves(Grid& grid) {
  const Values bf16{{"dtype", "bf16"}};
  grid.matrix("transpose", 1024, 1024);
  grid.matrix("transpose", 256, 256);
  grid.matrix("transpose", 4096, 256);
  grid.matrix("transpose", 1024, 1024, bf16);
  for (const char* change : {"none", "convert", "layout", "tile", "untile"}) {
    grid.matrix("copy", 1024, 1024, {{"change", change}});
  }
  grid.matrix("copy", 4096, 2048);
  grid.matrix("copy", 128, 256);
}

}  // namespace

std::vector<KernelChoice> agreement_grid() {
  Grid grid;
  add_matrix_work(grid);
  add_vector_work(grid);
  add_attention(grid);
  add_moves(grid);
  return std::move(grid).take();
}

}  // namespace podsim::validation::kernels
