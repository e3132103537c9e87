#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "Parallel.hpp"
#include "VectorMath.hpp"
#include "include/CPointwise.h"

namespace atelier {
namespace {

// Elements of a tile: three of them are 12 kB, well within a first-level cache.
constexpr int64_t tileSize = 1024;

// MARK: Loops

#define CPW_UNARY(name, expression)                                                            \
  CPW_CLONES void name(const float *a, float *r, int64_t count, float alpha, float beta) {     \
    (void)alpha;                                                                               \
    (void)beta;                                                                                \
    CPW_VECTORIZE for (int64_t i = 0; i < count; ++i) {                                        \
      const float x = a[i];                                                                    \
      r[i] = (expression);                                                                     \
    }                                                                                          \
  }

// Functions of the C library: exact, one element at a time.
#define CPW_LIBRARY(name, expression)                                                          \
  void name(const float *a, float *r, int64_t count, float alpha, float) {                     \
    (void)alpha;                                                                               \
    for (int64_t i = 0; i < count; ++i) {                                                      \
      const float x = a[i];                                                                    \
      r[i] = (expression);                                                                     \
    }                                                                                          \
  }

#define CPW_BINARY(name, expression)                                                           \
  CPW_CLONES void name(const float *a, const float *b, float *r, int64_t count) {              \
    CPW_VECTORIZE for (int64_t i = 0; i < count; ++i) {                                        \
      const float x = a[i];                                                                    \
      const float y = b[i];                                                                    \
      r[i] = (expression);                                                                     \
    }                                                                                          \
  }

CPW_UNARY(affineLoop, alpha *x + beta)
CPW_UNARY(leakyLoop, x >= 0.0f ? x : alpha * x)
CPW_UNARY(rectifiedLoop, x < 0.0f ? 0.0f : x)
// Written so that NaN stays NaN.
CPW_UNARY(clipLoop, (x < alpha ? alpha : x) > beta ? beta : (x < alpha ? alpha : x))
CPW_UNARY(tanhLoop, hyperbolicTangent(x))
CPW_UNARY(sigmoidLoop, sigmoid(x))
CPW_UNARY(expLoop, exponential(x))
CPW_UNARY(logLoop, logarithm(x))
CPW_UNARY(sqrtLoop, __builtin_elementwise_sqrt(x))
CPW_UNARY(rsqrtLoop, 1.0f / __builtin_elementwise_sqrt(x))
CPW_UNARY(inverseLoop, 1.0f / x)
CPW_UNARY(squareLoop, x *x)
CPW_UNARY(cubeLoop, x *x *x)
CPW_LIBRARY(powerLoop, std::pow(x, alpha))
CPW_UNARY(absLoop, __builtin_fabsf(x))
CPW_UNARY(thresholdLoop, x < alpha ? 0.0f : x)
CPW_UNARY(eluLoop, x >= 0.0f ? x : alpha * exponentialMinusOne(x))
CPW_UNARY(softplusLoop, softplus(x))
CPW_UNARY(softsignLoop, x / (1.0f + __builtin_fabsf(x)))
CPW_UNARY(floorLoop, __builtin_floorf(x))
CPW_UNARY(ceilLoop, __builtin_ceilf(x))
CPW_UNARY(roundLoop, __builtin_rintf(x))
CPW_UNARY(signLoop, float(x > 0.0f) - float(x < 0.0f))
CPW_LIBRARY(exp2Loop, std::exp2(x))
CPW_LIBRARY(sinLoop, std::sin(x))
CPW_LIBRARY(cosLoop, std::cos(x))
CPW_LIBRARY(tanLoop, std::tan(x))
CPW_LIBRARY(asinLoop, std::asin(x))
CPW_LIBRARY(acosLoop, std::acos(x))
CPW_LIBRARY(atanLoop, std::atan(x))
CPW_LIBRARY(sinhLoop, std::sinh(x))
CPW_LIBRARY(coshLoop, std::cosh(x))
CPW_LIBRARY(asinhLoop, std::asinh(x))
CPW_LIBRARY(acoshLoop, std::acosh(x))
CPW_LIBRARY(atanhLoop, std::atanh(x))
CPW_LIBRARY(erfLoop, std::erf(x))
CPW_UNARY(notLoop, x == 0.0f ? 1.0f : 0.0f)

CPW_BINARY(addLoop, x + y)
CPW_BINARY(subtractLoop, x - y)
CPW_BINARY(multiplyLoop, x *y)
CPW_BINARY(divideLoop, x / y)
// NaN where one of the two is NaN.
CPW_BINARY(maximumLoop, ((x < y) | (y != y)) ? y : x)
CPW_BINARY(minimumLoop, ((x > y) | (y != y)) ? y : x)
CPW_BINARY(preluLoop, x >= 0.0f ? x : x * y)
void powLoop(const float *a, const float *b, float *r, int64_t count) {
  for (int64_t i = 0; i < count; ++i) r[i] = std::pow(a[i], b[i]);
}
CPW_BINARY(moduloLoop, x - __builtin_floorf(x / y) * y)
CPW_BINARY(floorDivideLoop, __builtin_floorf(x / y))
CPW_BINARY(equalLoop, x == y ? 1.0f : 0.0f)
CPW_BINARY(notEqualLoop, x != y ? 1.0f : 0.0f)
CPW_BINARY(lessLoop, x < y ? 1.0f : 0.0f)
CPW_BINARY(lessEqualLoop, x <= y ? 1.0f : 0.0f)
CPW_BINARY(greaterLoop, x > y ? 1.0f : 0.0f)
CPW_BINARY(greaterEqualLoop, x >= y ? 1.0f : 0.0f)
CPW_BINARY(andLoop, float((x != 0.0f) & (y != 0.0f)))
CPW_BINARY(orLoop, float((x != 0.0f) | (y != 0.0f)))
CPW_BINARY(gateLoop, y > 0.0f ? x : 0.0f)
CPW_BINARY(keepLoop, y != 0.0f ? x : 0.0f)
CPW_BINARY(dropLoop, y == 0.0f ? x : 0.0f)
CPW_BINARY(uniteLoop, floatOf(bitsOf(x) | bitsOf(y)))
CPW_BINARY(xorLoop, (x != 0.0f) != (y != 0.0f) ? 1.0f : 0.0f)

CPW_CLONES void widen(const uint16_t *source, float *result, int64_t count) {
  CPW_VECTORIZE for (int64_t i = 0; i < count; ++i) result[i] = fromBFloat16(source[i]);
}

CPW_CLONES void narrow(const float *source, uint16_t *result, int64_t count) {
  CPW_VECTORIZE for (int64_t i = 0; i < count; ++i) result[i] = toBFloat16(source[i]);
}

CPW_CLONES void fill(float value, float *result, int64_t count) {
  for (int64_t i = 0; i < count; ++i) result[i] = value;
}

using Unary = void (*)(const float *, float *, int64_t, float, float);
using Binary = void (*)(const float *, const float *, float *, int64_t);

Unary unaryLoop(const cpw_operation &operation) {
  switch (operation.kind) {
    case CPW_AFFINE: return affineLoop;
    case CPW_LEAKY_RELU: return operation.alpha == 0.0f ? rectifiedLoop : leakyLoop;
    case CPW_CLIP: return clipLoop;
    case CPW_TANH: return tanhLoop;
    case CPW_SIGMOID: return sigmoidLoop;
    case CPW_EXP: return expLoop;
    case CPW_LOG: return logLoop;
    case CPW_SQRT: return sqrtLoop;
    case CPW_RSQRT: return rsqrtLoop;
    case CPW_INVERSE: return inverseLoop;
    case CPW_POWER:
      if (operation.alpha == 2.0f) return squareLoop;
      if (operation.alpha == 3.0f) return cubeLoop;
      return powerLoop;
    case CPW_ABS: return absLoop;
    case CPW_THRESHOLDED_RELU: return thresholdLoop;
    case CPW_ELU: return eluLoop;
    case CPW_SOFTPLUS: return softplusLoop;
    case CPW_SOFTSIGN: return softsignLoop;
    case CPW_FLOOR: return floorLoop;
    case CPW_CEIL: return ceilLoop;
    case CPW_ROUND: return roundLoop;
    case CPW_SIGN: return signLoop;
    case CPW_EXP2: return exp2Loop;
    case CPW_SIN: return sinLoop;
    case CPW_COS: return cosLoop;
    case CPW_TAN: return tanLoop;
    case CPW_ASIN: return asinLoop;
    case CPW_ACOS: return acosLoop;
    case CPW_ATAN: return atanLoop;
    case CPW_SINH: return sinhLoop;
    case CPW_COSH: return coshLoop;
    case CPW_ASINH: return asinhLoop;
    case CPW_ACOSH: return acoshLoop;
    case CPW_ATANH: return atanhLoop;
    case CPW_ERF: return erfLoop;
    case CPW_NOT: return notLoop;
    default: return nullptr;
  }
}

Binary binaryLoop(cpw_operation_kind kind) {
  switch (kind) {
    case CPW_ADD: return addLoop;
    case CPW_SUBTRACT: return subtractLoop;
    case CPW_MULTIPLY: return multiplyLoop;
    case CPW_DIVIDE: return divideLoop;
    case CPW_MAXIMUM: return maximumLoop;
    case CPW_MINIMUM: return minimumLoop;
    case CPW_PRELU: return preluLoop;
    case CPW_POW: return powLoop;
    case CPW_MODULO: return moduloLoop;
    case CPW_FLOOR_DIVIDE: return floorDivideLoop;
    case CPW_EQUAL: return equalLoop;
    case CPW_NOT_EQUAL: return notEqualLoop;
    case CPW_LESS: return lessLoop;
    case CPW_LESS_EQUAL: return lessEqualLoop;
    case CPW_GREATER: return greaterLoop;
    case CPW_GREATER_EQUAL: return greaterEqualLoop;
    case CPW_AND: return andLoop;
    case CPW_OR: return orLoop;
    case CPW_XOR: return xorLoop;
    case CPW_GATE: return gateLoop;
    case CPW_KEEP: return keepLoop;
    case CPW_DROP: return dropLoop;
    case CPW_UNITE: return uniteLoop;
    default: return nullptr;
  }
}

struct Operation {
  Unary unary;
  Binary binary;
  int32_t a, b;
  float alpha, beta;
};

}  // namespace
}  // namespace atelier

// Dimensions after merging: `rows` and `columns` are the two innermost, the others stand before.
struct cpw_program {
  int32_t outerRank;
  int64_t outer[CPW_MAX_RANK];
  int64_t rows, columns;
  int64_t count;
  int64_t rowsPerTile, tilesPerRow, rowTiles, tiles;
  int32_t inputCount;
  cpw_type inputTypes[CPW_MAX_INPUTS];
  // Some inputs only tell a shape.
  bool isRead[CPW_MAX_INPUTS];
  int64_t outerStrides[CPW_MAX_INPUTS][CPW_MAX_RANK];
  int64_t rowStrides[CPW_MAX_INPUTS], columnStrides[CPW_MAX_INPUTS];
  cpw_type outputType;
  int32_t operationCount;
  atelier::Operation operations[CPW_MAX_OPERATIONS];
};

namespace atelier {
namespace {

// Brings rows × columns elements of an input, which starts at `source`, to a float32 tile. Returns
// the tile, or the input's own memory where it is one already.
const float *gather(
    const cpw_program &program, int32_t input, const void *source, int64_t offset, int64_t rows,
    int64_t columns, float *tile) {
  const int64_t rowStride = program.rowStrides[input];
  const int64_t columnStride = program.columnStrides[input];
  const bool wide = program.inputTypes[input] == CPW_F32;
  const float *floats = static_cast<const float *>(source) + (wide ? offset : 0);
  const uint16_t *halves = static_cast<const uint16_t *>(source) + (wide ? 0 : offset);
  if (columnStride == 1 && (rows == 1 || rowStride == columns)) {
    if (wide) return floats;
    widen(halves, tile, rows * columns);
    return tile;
  }
  if (columnStride == 1) {
    for (int64_t row = 0; row < rows; ++row) {
      float *target = tile + row * columns;
      if (rowStride == 0 && row > 0) {
        std::memcpy(target, tile, size_t(columns) * 4);
      } else if (wide) {
        std::memcpy(target, floats + row * rowStride, size_t(columns) * 4);
      } else {
        widen(halves + row * rowStride, target, columns);
      }
    }
    return tile;
  }
  if (columnStride == 0) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t at = row * rowStride;
      fill(wide ? floats[at] : fromBFloat16(halves[at]), tile + row * columns, columns);
    }
    return tile;
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t at = row * rowStride + column * columnStride;
      tile[row * columns + column] = wide ? floats[at] : fromBFloat16(halves[at]);
    }
  }
  return tile;
}

void runTiles(
    const cpw_program &program, const void *const *inputs, void *output, int64_t first,
    int64_t end) {
  alignas(64) float tiles[CPW_MAX_INPUTS][tileSize];
  alignas(64) float results[CPW_MAX_OPERATIONS][tileSize];
  const float *registers[CPW_MAX_INPUTS + CPW_MAX_OPERATIONS];
  // A broadcast tile stays as it is while it would be gathered from the same place.
  int64_t gathered[CPW_MAX_INPUTS];
  int64_t gatheredCount[CPW_MAX_INPUTS];
  for (int32_t input = 0; input < CPW_MAX_INPUTS; ++input) {
    gathered[input] = -1;
    gatheredCount[input] = 0;
  }

  const int64_t tilesPerPlane = program.rowTiles * program.tilesPerRow;
  for (int64_t index = first; index < end; ++index) {
    const int64_t plane = index / tilesPerPlane;
    const int64_t within = index % tilesPerPlane;
    const int64_t row = within / program.tilesPerRow * program.rowsPerTile;
    const int64_t column = within % program.tilesPerRow * tileSize;
    const int64_t rowsLeft = program.rows - row;
    const int64_t rows = rowsLeft < program.rowsPerTile ? rowsLeft : program.rowsPerTile;
    const int64_t columnsLeft = program.columns - column;
    const int64_t columns = columnsLeft < tileSize ? columnsLeft : tileSize;
    const int64_t count = rows * columns;

    for (int32_t input = 0; input < program.inputCount; ++input) {
      if (!program.isRead[input]) continue;
      int64_t offset =
          row * program.rowStrides[input] + column * program.columnStrides[input];
      int64_t rest = plane;
      for (int32_t axis = program.outerRank - 1; axis >= 0; --axis) {
        offset += rest % program.outer[axis] * program.outerStrides[input][axis];
        rest /= program.outer[axis];
      }
      const bool repeats =
          gathered[input] == offset && gatheredCount[input] == count
          && (program.rowStrides[input] == 0 || program.columnStrides[input] == 0);
      if (repeats && registers[input] == tiles[input]) continue;
      registers[input] =
          gather(program, input, inputs[input], offset, rows, columns, tiles[input]);
      gathered[input] = offset;
      gatheredCount[input] = count;
    }

    const int64_t position =
        (plane * program.rows + row) * program.columns + column;
    for (int32_t step = 0; step < program.operationCount; ++step) {
      const Operation &operation = program.operations[step];
      float *result = results[step];
      if (step == program.operationCount - 1 && program.outputType == CPW_F32) {
        result = static_cast<float *>(output) + position;
      }
      if (operation.binary) {
        operation.binary(registers[operation.a], registers[operation.b], result, count);
      } else if (operation.unary) {
        operation.unary(registers[operation.a], result, count, operation.alpha, operation.beta);
      } else {
        fill(operation.alpha, result, count);
      }
      registers[program.inputCount + step] = result;
    }
    if (program.outputType == CPW_BF16) {
      narrow(
          results[program.operationCount - 1], static_cast<uint16_t *>(output) + position, count);
    }
  }
}

}  // namespace
}  // namespace atelier

static cpw_program *makeProgram(const cpw_program_description &from) {
  using namespace atelier;
  if (from.rank < 0 || from.rank > CPW_MAX_RANK || from.input_count < 1
      || from.input_count > CPW_MAX_INPUTS || from.operation_count < 1
      || from.operation_count > CPW_MAX_OPERATIONS) {
    return nullptr;
  }
  cpw_program *program = new (std::nothrow) cpw_program();
  if (!program) return nullptr;
  program->inputCount = from.input_count;
  program->outputType = from.output_type;
  program->operationCount = from.operation_count;
  for (int32_t step = 0; step < from.operation_count; ++step) {
    const cpw_operation &operation = from.operations[step];
    const bool isBinary = operation.kind >= CPW_ADD;
    const int32_t known = from.input_count + step;
    Operation &to = program->operations[step];
    to = Operation{
        unaryLoop(operation), isBinary ? binaryLoop(operation.kind) : nullptr,
        operation.a, operation.b, operation.alpha, operation.beta};
    const bool inRange = operation.a >= 0 && operation.a < known
        && (!isBinary || (operation.b >= 0 && operation.b < known));
    if (!inRange || (!to.unary && !to.binary && operation.kind != CPW_CONSTANT)) {
      delete program;
      return nullptr;
    }
    if (operation.kind == CPW_CONSTANT) continue;
    if (operation.a < from.input_count) program->isRead[operation.a] = true;
    if (isBinary && operation.b < from.input_count) program->isRead[operation.b] = true;
  }

  // Merges neighbouring dimensions over which every input steps evenly, and drops those of one.
  int64_t dimensions[CPW_MAX_RANK + 2];
  int64_t strides[CPW_MAX_INPUTS][CPW_MAX_RANK + 2];
  int32_t rank = 0;
  program->count = 1;
  for (int32_t axis = 0; axis < from.rank; ++axis) {
    const int64_t extent = from.dimensions[axis];
    program->count *= extent;
    if (extent == 1) continue;
    bool merges = rank > 0;
    for (int32_t input = 0; merges && input < from.input_count; ++input) {
      merges = strides[input][rank - 1] == from.inputs[input].strides[axis] * extent;
    }
    if (!merges) ++rank;
    dimensions[rank - 1] = merges ? dimensions[rank - 1] * extent : extent;
    for (int32_t input = 0; input < from.input_count; ++input) {
      strides[input][rank - 1] = from.inputs[input].strides[axis];
    }
  }
  program->columns = rank > 0 ? dimensions[rank - 1] : 1;
  program->rows = rank > 1 ? dimensions[rank - 2] : 1;
  program->outerRank = rank > 2 ? rank - 2 : 0;
  for (int32_t input = 0; input < from.input_count; ++input) {
    program->inputTypes[input] = from.inputs[input].type;
    program->columnStrides[input] = rank > 0 ? strides[input][rank - 1] : 1;
    program->rowStrides[input] = rank > 1 ? strides[input][rank - 2] : 0;
    for (int32_t axis = 0; axis < program->outerRank; ++axis) {
      program->outerStrides[input][axis] = strides[input][axis];
    }
  }
  int64_t planes = 1;
  for (int32_t axis = 0; axis < program->outerRank; ++axis) {
    program->outer[axis] = dimensions[axis];
    planes *= dimensions[axis];
  }
  const int64_t columns = program->columns;
  program->rowsPerTile = columns >= tileSize || columns == 0 ? 1 : tileSize / columns;
  program->tilesPerRow = (columns + tileSize - 1) / tileSize;
  program->rowTiles = (program->rows + program->rowsPerTile - 1) / program->rowsPerTile;
  program->tiles = planes * program->rowTiles * program->tilesPerRow;
  return program;
}

extern "C" {

cpw_program *cpw_program_create(const cpw_program_description *description) {
  cpw_program *program = nullptr;
  atelier::guarded([&] { program = makeProgram(*description); });
  return program;
}

void cpw_program_destroy(cpw_program *program) { delete program; }

int32_t cpw_program_run(const cpw_program *program, const void *const *inputs, void *output) {
  if (program->count == 0) return 0;
  return atelier::guarded([=] {
    atelier::parallelRanges(
        program->tiles, program->count * program->operationCount, [=](int64_t first, int64_t end) {
          atelier::runTiles(*program, inputs, output, first, end);
        });
  });
}

}  // extern "C"
