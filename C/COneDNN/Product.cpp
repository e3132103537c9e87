#include <algorithm>

#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

namespace {

/// kProductsPerPart: the minimum number of multiply-adds in a part, about 10 µs of work. kMostParts: the maximum number
/// of parts.
constexpr int64_t kProductsPerPart = 1 << 18;
constexpr int64_t kMostParts = 16;
/// Parts are divided at multiples of this number of rows or columns.
constexpr int64_t kPartStep = 16;

/// The sums are divided if the inner dimension has at least kLongInner elements and there are at most kFewResults
/// results.
constexpr int64_t kLongInner = 1024;
constexpr int64_t kFewResults = 1 << 16;

/// A part of the work: some matrices of the batch, some of their rows and columns, and a range of the inner
/// dimension.
struct Slice {
  int64_t firstBatch, batch, firstRow, rows, firstColumn, columns, firstInner, inner;
};

/// A matrix product as memory descriptions. If all matrices of the batch are multiplied by one matrix of weights,
/// `rows` may count the rows of the whole batch. `batch` is then 1.
struct Product {
  const adnn_matmul &d;
  int64_t batch, rows;
  bool hasOneMatrix;

  explicit Product(const adnn_matmul &d)
      : d(d), batch(d.batch), rows(d.rows),
        hasOneMatrix(d.broadcast_weights || d.weights_are_constant) {
    if (batch > 1 && hasOneMatrix && !d.broadcast_source && !d.transpose_source) {
      rows *= batch;
      batch = 1;
    }
  }

  Slice whole() const { return {0, batch, 0, rows, 0, d.columns, 0, d.inner}; }

  /// Whether the parts divide the inner dimension. They do if there are few results with many multiply-adds each, and
  /// neither a bias nor a non-linear post-op.
  bool cutsSums() const {
    bool isPlain = !d.has_bias && !d.weights_are_constant && d.destination_type == ADNN_F32;
    for (int index = 0; index < d.post_op_count; ++index)
      isPlain = isPlain && d.post_ops && d.post_ops[index].kind == ADNN_LINEAR
          && d.post_ops[index].beta == 0;
    return isPlain && d.inner >= kLongInner && batch * rows * d.columns <= kFewResults;
  }

  memory::dims sizes(int64_t batches, int64_t rows, int64_t columns) const {
    return batch == 1 ? memory::dims{rows, columns} : memory::dims{batches, rows, columns};
  }

  /// Describes some rows and columns of matrices that have `allRows` rows and `allColumns` columns. With `transposed`,
  /// the elements of a column are contiguous.
  memory::desc matrix(int64_t batches, int64_t rows, int64_t columns, int64_t allRows,
      int64_t allColumns, adnn_type type, bool transposed) const {
    memory::dims strides{transposed ? 1 : allColumns, transposed ? allRows : 1};
    if (batch > 1) strides.insert(strides.begin(), allRows * allColumns);
    return memory::desc(sizes(batches, rows, columns), dataType(type), strides);
  }

  memory::desc source(const Slice &s) const {
    return matrix(d.broadcast_source ? 1 : s.batch, s.rows, s.inner, rows, d.inner, d.source_type,
        d.transpose_source);
  }
  memory::desc weights(const Slice &s, adnn_type type) const {
    return matrix(hasOneMatrix ? 1 : s.batch, s.inner, s.columns, d.inner, d.columns, type,
        d.transpose_weights);
  }
  memory::desc destination(const Slice &s) const {
    return matrix(s.batch, s.rows, s.columns, rows, d.columns, d.destination_type, false);
  }

  std::unique_ptr<adnn_primitive> primitive(const Slice &slice, bool packs) const;
  std::vector<Slice> slices() const;
  adnn_primitive::Part part(const Slice &slice) const;
};

/// Creates the primitive of a slice. With `packs` the library chooses the layout of the weights.
std::unique_ptr<adnn_primitive> Product::primitive(const Slice &slice, bool packs) const {
  auto made = std::make_unique<adnn_primitive>();
  auto weights = this->weights(slice, d.weights_type);
  const auto weightSizes = sizes(hasOneMatrix ? 1 : slice.batch, slice.inner, slice.columns);
  if (packs)
    weights = memory::desc(weightSizes, dataType(d.weights_type), memory::format_tag::any);
  const auto full = sizes(slice.batch, slice.rows, slice.columns);
  if (d.has_bias)
    made->bias = matrix(1, 1, slice.columns, 1, slice.columns, ADNN_F32, false);
  requireCountable({full, weightSizes});
  const auto attr = attributes(d.post_ops, d.post_op_count, full,
      static_cast<int>(full.size()) - 1, made->operands);
  const auto source = this->source(slice), destination = this->destination(slice);
#if DNNL_VERSION_MAJOR >= 3
  const auto pd = d.has_bias
      ? dnnl::matmul::primitive_desc(cpuEngine(), source, weights, made->bias, destination, attr)
      : dnnl::matmul::primitive_desc(cpuEngine(), source, weights, destination, attr);
#else
  const auto desc = d.has_bias ? dnnl::matmul::desc(source, weights, made->bias, destination)
                               : dnnl::matmul::desc(source, weights, destination);
  const dnnl::matmul::primitive_desc pd(desc, attr, cpuEngine());
#endif
  adopt(*made, pd);
  made->weights = pd.weights_desc();
  made->primitive = dnnl::matmul(pd);
  return made;
}

/// Divides the inner dimension if `cutsSums` says so. Otherwise divides the batch and, if that gives too few parts,
/// also the rows, or the columns if there are more columns than rows. The division depends on the sizes alone, so that
/// sums are the same for any number of threads.
std::vector<Slice> Product::slices() const {
  const double products = double(batch) * double(rows) * double(d.inner) * double(d.columns);
  const int64_t wanted = std::clamp<int64_t>(int64_t(products / kProductsPerPart), 1, kMostParts);
  if (cutsSums()) {
    std::vector<Slice> result;
    const int64_t pieces = std::min(wanted, d.inner / (kLongInner / 4));
    for (int64_t piece = 0; piece < pieces; ++piece) {
      Slice slice = whole();
      slice.firstInner = piece * d.inner / pieces;
      slice.inner = (piece + 1) * d.inner / pieces - slice.firstInner;
      result.push_back(slice);
    }
    return result;
  }
  const int64_t batches = std::min(batch, wanted);
  const bool cutsRows = rows >= d.columns;
  const int64_t length = cutsRows ? rows : d.columns;
  const int64_t pieces = std::max<int64_t>(1, wanted / batches);
  const int64_t step = ((length + pieces - 1) / pieces + kPartStep - 1) / kPartStep * kPartStep;
  std::vector<Slice> result;
  for (int64_t index = 0; index < batches; ++index)
    for (int64_t first = 0; first < length; first += step) {
      Slice slice = whole();
      slice.firstBatch = index * batch / batches;
      slice.batch = (index + 1) * batch / batches - slice.firstBatch;
      (cutsRows ? slice.firstRow : slice.firstColumn) = first;
      (cutsRows ? slice.rows : slice.columns) = std::min(step, length - first);
      result.push_back(slice);
    }
  return result;
}

adnn_primitive::Part Product::part(const Slice &s) const {
  const auto at = [](int64_t batch, int64_t row, int64_t column, int64_t rows, int64_t columns,
                      adnn_type type, bool transposed) {
    const int64_t place = transposed ? column * rows + row : row * columns + column;
    return size_t(batch * rows * columns + place) * memory::data_type_size(dataType(type));
  };
  return {primitive(s, false),
      at(d.broadcast_source ? 0 : s.firstBatch, s.firstRow, s.firstInner, rows, d.inner,
          d.source_type, d.transpose_source),
      at(hasOneMatrix ? 0 : s.firstBatch, s.firstInner, s.firstColumn, d.inner, d.columns,
          d.weights_type, d.transpose_weights),
      at(s.firstBatch, s.firstRow, s.firstColumn, rows, d.columns, d.destination_type, false),
      size_t(s.firstColumn)};
}

}  // namespace

extern "C" adnn_status adnn_matmul_create(const adnn_matmul *d, adnn_primitive **result) {
  return make("matmul", d, result, [](const auto &d) {
    require(d.batch > 0 && d.rows > 0 && d.inner > 0 && d.columns > 0,
        "every dimension must be at least 1");
    const Product product(d);
    const Slice whole = product.whole();
    auto made = product.primitive(whole, d.weights_are_constant && product.batch == 1);
    // For few results with long sums (`cutsSums`), all matrix products of the library divide the sums among threads.
    if (sharesSums(made->implementation) || product.cutsSums()) {
      made->weights = product.weights(whole, d.weights_type);
      made->addsParts = product.cutsSums();
      // Some of the library's primitives depend on the number of threads at their creation.
      const OneThread one;
      for (const Slice &slice : product.slices()) made->add(product.part(slice));
    }
    if (d.weights_are_constant) {
      made->plainWeights = product.weights(whole, ADNN_F32);
      made->packsWeights = true;
    }
    return made;
  });
}
