#include "Tiles.hpp"

namespace products {
namespace {

/// A batch of matrix products. Packs the right matrices into panels: constant matrices once, other matrices in each
/// run.
struct MatrixProduct : adnn_primitive {
  adnn_matmul d;
  Epilogue epilogue;
  Panels panels;
  int64_t rowsPerTile;

  explicit MatrixProduct(const adnn_matmul &d)
      : d(d), epilogue(d.post_ops, d.post_op_count, d.has_bias), panels(d.inner, d.columns),
        rowsPerTile(tileRows(d.rows)) {
    name = panels.kernel.name;
    const size_t packed = size_t(panels.floats()) * sizeof(float);
    if (d.weights_are_constant) {
      weightsBytes = packed;
      form = name + " " + std::to_string(d.inner) + " x " + std::to_string(d.columns)
          + (d.transpose_weights ? " transposed" : "");
    } else {
      scratchBytes = packed * size_t(matrices());
    }
    destinationBytes = size_t(d.batch * d.rows * d.columns) * bytesOf(d.destination_type);
  }

  /// The number of right matrices.
  int64_t matrices() const { return d.broadcast_weights || d.weights_are_constant ? 1 : d.batch; }

  template <typename Value>
  void packMatrix(const Value *from, int64_t panel, float *packed, float (*convert)(Value)) const {
    const int64_t kStep = d.transpose_weights ? 1 : d.columns;
    const int64_t columnStep = d.transpose_weights ? d.inner : 1;
    panels.pack(panel, packed, [=](int64_t k, int64_t column) {
      return convert(from[k * kStep + column * columnStep]);
    });
  }

  void pack(const float *weights, float *packed) const override {
    forParts(panels.count(), [&](int64_t panel) {
      packMatrix<float>(weights, panel, packed, [](float value) { return value; });
    });
  }

  const float *packed(const adnn_arguments &a) const {
    if (d.weights_are_constant) return static_cast<const float *>(a.weights);
    float *to = static_cast<float *>(a.scratchpad);
    forParts(matrices() * panels.count(), [&](int64_t index) {
      const int64_t matrix = index / panels.count(), panel = index % panels.count();
      const int64_t first = matrix * d.inner * d.columns;
      float *begin = to + matrix * panels.floats();
      if (d.weights_type == ADNN_F32)
        packMatrix<float>(static_cast<const float *>(a.weights) + first, panel, begin,
            [](float value) { return value; });
      else
        packMatrix<uint16_t>(
            static_cast<const uint16_t *>(a.weights) + first, panel, begin, fromBFloat16);
    });
    return to;
  }

  void run(const adnn_arguments &a) const override {
    const float *right = packed(a);
    const int64_t downward = ceilings(d.rows, rowsPerTile), tiles = panels.tiles();
    forParts(d.batch * downward * tiles, [&](int64_t index) {
      const int64_t batch = index / (downward * tiles), tile = index % tiles;
      const int64_t row = index / tiles % downward * rowsPerTile;
      const int64_t rows = std::min(rowsPerTile, d.rows - row);
      const int64_t matrix = (d.broadcast_source ? 0 : batch) * d.rows * d.inner;
      const auto chunk = [&](int64_t k) { return std::min(kDepth, d.inner - k); };
      const auto left = [&](int64_t k, int64_t count, int64_t &length) -> const float * {
        if (d.source_type == ADNN_F32 && !d.transpose_source) {
          length = d.inner;
          return static_cast<const float *>(a.source) + matrix + row * d.inner + k;
        }
        length = count;
        float *to = buffers().left;
        if (!d.transpose_source) {
          for (int64_t each = 0; each < rows; ++each)
            read(a.source, d.source_type, matrix + (row + each) * d.inner + k, count,
                to + each * count);
          return to;
        }
        float line[kTileRows];
        for (int64_t term = 0; term < count; ++term) {
          read(a.source, d.source_type, matrix + (k + term) * d.rows + row, rows, line);
          for (int64_t each = 0; each < rows; ++each) to[each * count + term] = line[each];
        }
        return to;
      };
      multiply(panels, right + (matrices() == 1 ? 0 : batch) * panels.floats(), tile, rows, chunk,
          left, [&](int64_t each, float *results, int64_t column, int64_t count) {
            const int64_t place = (batch * d.rows + row + each) * d.columns + column;
            if (epilogue.sums())
              read(a.destination, d.destination_type, place, count, buffers().former);
            epilogue.apply(results, count, column, a, buffers().former);
            write(results, count, a.destination, d.destination_type, place);
          });
    });
  }
};

}  // namespace
}  // namespace products

extern "C" adnn_status adnn_matmul_create(const adnn_matmul *d, adnn_primitive **result) {
  using namespace products;
  return make("matmul", d, result, [](const adnn_matmul &d) {
    require(d.batch > 0 && d.rows > 0 && d.inner > 0 && d.columns > 0,
        "every dimension must be at least 1");
    requireFloats({d.source_type, d.weights_type, d.destination_type});
    return std::make_unique<MatrixProduct>(d);
  });
}
