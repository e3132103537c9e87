#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The number of elements in a chunk. The elements of a chunk are added up in float32, and the sums of the chunks in
/// double. This number is fixed, so that the bits of a sum do not depend on the number of threads.
constexpr int64_t kChunk = 16384;

/// The number of elements in one part: about 10 µs of work.
constexpr int64_t kPart = 32768;

bool foldsInChunks(ck_reduction_kind kind) {
  return kind != CK_REDUCE_ARGMAX && kind != CK_REDUCE_ARGMIN
      && kind != CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS;
}

float finish(ck_reduction_kind kind, double value, int64_t axis) {
  switch (kind) {
    case CK_REDUCE_MEAN: return float(value / double(axis));
    case CK_REDUCE_L2: return float(std::sqrt(value));
    case CK_REDUCE_LOG_OF_SUM: return float(std::log(value));
    default: return float(value);
  }
}

double foldPartials(ck_reduction_kind kind, double result, float partial) {
  switch (kind) {
    case CK_REDUCE_PRODUCT: return result * partial;
    case CK_REDUCE_MAXIMUM: return partial > result || partial != partial ? partial : result;
    case CK_REDUCE_MINIMUM: return partial < result || partial != partial ? partial : result;
    default: return result + partial;
  }
}

/// How a reduction is divided. The axis is divided into chunks, and neighbouring vectors into blocks of columns.
struct Cut {
  int64_t length, chunks, width, blocks;

  explicit Cut(const ck_reduction &d) {
    width = std::min(std::max<int64_t>(d.inner, 1), kReductionColumns);
    length = foldsInChunks(d.kind) ? std::max<int64_t>(1, kChunk / width) : d.axis;
    chunks = d.axis == 0 || !foldsInChunks(d.kind) ? 1 : ceilDivide(d.axis, length);
    blocks = ceilDivide(d.inner, width);
  }
};

/// Reduces every chunk of every block of columns to `results`, [outer, chunks, inner].
void foldBlocks(const ck_reduction &d, const Cut &cut, const void *source, float *results) {
  const Table &kernels = table();
  const int64_t size = int64_t(sizeOf(d.type));
  const int64_t work = std::max<int64_t>(1, std::min(cut.length, d.axis) * cut.width);
  const int64_t together = std::max<int64_t>(1, kPart / work);
  ReductionBlock common{};
  common.kind = d.kind;
  common.type = d.type;
  common.stride = d.inner;
  common.epsilon = d.epsilon;
  common.rows = 1;
  if (d.inner == 1 && cut.chunks == 1) {
    forParts(ceilDivide(d.outer, together), [&](int64_t part, int) {
      ReductionBlock block = common;
      const int64_t first = part * together;
      block.count = d.axis;
      block.columns = 1;
      block.rows = std::min(together, d.outer - first);
      block.source = static_cast<const char *>(source) + first * d.axis * size;
      block.result = results + first;
      kernels.reductionBlock(block);
    });
    return;
  }
  const int64_t units = d.outer * cut.chunks * cut.blocks;
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t column = unit % cut.blocks * cut.width;
      const int64_t chunk = unit / cut.blocks % cut.chunks;
      const int64_t plane = unit / cut.blocks / cut.chunks;
      const int64_t start = chunk * cut.length;
      ReductionBlock block = common;
      block.count = std::min(cut.length, d.axis - start);
      block.columns = std::min(cut.width, d.inner - column);
      block.source = static_cast<const char *>(source)
          + ((plane * d.axis + start) * d.inner + column) * size;
      block.result = results + (plane * cut.chunks + chunk) * d.inner + column;
      kernels.reductionBlock(block);
    }
  });
}

/// Combines the results of the chunks, in order.
void joinChunks(const ck_reduction &d, const Cut &cut, const float *partials, float *destination) {
  const int64_t results = d.outer * d.inner;
  const int64_t together = std::max<int64_t>(1, kPart / cut.chunks);
  forParts(ceilDivide(results, together), [&](int64_t part, int) {
    const int64_t end = std::min(results, (part + 1) * together);
    for (int64_t index = part * together; index < end; ++index) {
      const float *from = partials
          + (cut.chunks == 1 ? index : index / d.inner * cut.chunks * d.inner + index % d.inner);
      double result = *from;
      for (int64_t chunk = 1; chunk < cut.chunks; ++chunk)
        result = foldPartials(d.kind, result, from[chunk * d.inner]);
      destination[index] = finish(d.kind, result, d.axis);
    }
  });
}

}  // namespace

extern "C" {

size_t ck_reduction_scratch_bytes(const ck_reduction *description) {
  const ck_reduction &d = *description;
  const int64_t values = foldsInChunks(d.kind) ? d.outer * d.inner * Cut(d).chunks : 1;
  return size_t(std::max<int64_t>(values, 1)) * sizeof(float);
}

int32_t ck_reduction_run(
    const ck_reduction *description, const void *source, float *destination, void *scratch) {
  const ck_reduction &d = *description;
  const bool isFloat = d.type == CK_F32 || d.type == CK_BF16 || d.type == CK_F16;
  const bool isPosition = d.kind == CK_REDUCE_ARGMAX || d.kind == CK_REDUCE_ARGMIN;
  if (!isFloat || d.kind > CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS) return -1;
  if (isPosition && d.axis > INT32_MAX) return -1;
  if (d.outer <= 0 || d.inner <= 0) return 0;
  const Cut cut(d);
  if (!foldsInChunks(d.kind)) {
    foldBlocks(d, cut, source, destination);
    return 0;
  }
  float *partials = static_cast<float *>(scratch);
  foldBlocks(d, cut, source, partials);
  joinChunks(d, cut, partials, destination);
  return 0;
}

}  // extern "C"
