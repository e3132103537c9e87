// Included once per instruction set, after Functions.hpp and Conversion.inl.hpp.

// MARK: Runs of elements

template <ck_function function>
struct OneValue {
  CK_INLINE Vector of(Vector x, Vector alpha, Vector beta) { return apply(function, x, alpha, beta); }
};
struct Square {
  CK_INLINE Vector of(Vector x, Vector, Vector) { return x * x; }
};
struct Cube {
  CK_INLINE Vector of(Vector x, Vector, Vector) { return x * x * x; }
};

template <typename Function>
static void mapRun(const float *a, float *result, int64_t count, float alpha, float beta) {
  const Vector first = splat(alpha), second = splat(beta);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) store(result + i, Function::of(load(a + i), first, second));
  if (i < count) {
    const int64_t left = count - i;
    storeSome(result + i, Function::of(loadSome(a + i, left), first, second), left);
  }
}

template <ck_function function>
static void joinRun(const float *a, const float *b, float *result, int64_t count) {
  int64_t i = 0;
#pragma clang loop unroll_count(4)
  for (; i + 16 <= count; i += 16)
    store(result + i, combine(function, load(a + i), load(b + i)));
  if (i < count) {
    const int64_t left = count - i;
    storeSome(result + i, combine(function, loadSome(a + i, left), loadSome(b + i, left)), left);
  }
}

static void fillRun(float value, float *result, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) store(result + i, splat(value));
  for (; i < count; ++i) result[i] = value;
}

static void unaryRun(
    const ck_operation &operation, const float *a, float *result, int64_t count) {
  const float alpha = operation.alpha, beta = operation.beta;
  if (operation.kind == CK_POWER && alpha == 2.0f)
    return mapRun<Square>(a, result, count, alpha, beta);
  if (operation.kind == CK_POWER && alpha == 3.0f)
    return mapRun<Cube>(a, result, count, alpha, beta);
  switch (operation.kind) {
#define CK_CASE(name) \
  case name: return mapRun<OneValue<name>>(a, result, count, alpha, beta);
    CK_CASE(CK_IDENTITY)
    CK_CASE(CK_AFFINE)
    CK_CASE(CK_RELU)
    CK_CASE(CK_LEAKY_RELU)
    CK_CASE(CK_ELU)
    CK_CASE(CK_TANH)
    CK_CASE(CK_SCALED_TANH)
    CK_CASE(CK_SIGMOID)
    CK_CASE(CK_HARD_SIGMOID)
    CK_CASE(CK_SOFTPLUS)
    CK_CASE(CK_SOFTSIGN)
    CK_CASE(CK_THRESHOLDED_RELU)
    CK_CASE(CK_PARAMETRIC_SOFTPLUS)
    CK_CASE(CK_CLIP)
    CK_CASE(CK_EXP)
    CK_CASE(CK_LOG)
    CK_CASE(CK_ERF)
    CK_CASE(CK_SQRT)
    CK_CASE(CK_RSQRT)
    CK_CASE(CK_INVERSE)
    CK_CASE(CK_ABS)
    CK_CASE(CK_FLOOR)
    CK_CASE(CK_CEIL)
    CK_CASE(CK_ROUND)
    CK_CASE(CK_SIGN)
    CK_CASE(CK_NOT)
    CK_CASE(CK_ROUND_F16)
    CK_CASE(CK_ROUND_BF16)
#undef CK_CASE
    case CK_CONSTANT: return fillRun(alpha, result, count);
    default: libraryRun(operation, a, result, count);
  }
}

static void binaryRun(
    ck_function function, const float *a, const float *b, float *result, int64_t count) {
  switch (function) {
#define CK_CASE(name) \
  case name: return joinRun<name>(a, b, result, count);
    CK_CASE(CK_ADD)
    CK_CASE(CK_SUBTRACT)
    CK_CASE(CK_MULTIPLY)
    CK_CASE(CK_DIVIDE)
    CK_CASE(CK_MAXIMUM)
    CK_CASE(CK_MINIMUM)
    CK_CASE(CK_PRELU)
    CK_CASE(CK_MODULO)
    CK_CASE(CK_FLOOR_DIVIDE)
    CK_CASE(CK_EQUAL)
    CK_CASE(CK_NOT_EQUAL)
    CK_CASE(CK_LESS)
    CK_CASE(CK_LESS_EQUAL)
    CK_CASE(CK_GREATER)
    CK_CASE(CK_GREATER_EQUAL)
    CK_CASE(CK_AND)
    CK_CASE(CK_OR)
    CK_CASE(CK_XOR)
    CK_CASE(CK_GATE)
    CK_CASE(CK_MASK)
    CK_CASE(CK_INVERTED_MASK)
    CK_CASE(CK_BITWISE_OR)
#undef CK_CASE
    default: powerRun(a, b, result, count);
  }
}

// MARK: Tiles

/// Reads one element and converts it to float32. The type is one of those that `ck_input` allows.
static float valueAt(const void *source, ck_type type, int64_t at) {
  float value;
  if (type == CK_F32) return static_cast<const float *>(source)[at];
  anyToFloat(source, type, at, &value, 1);
  return value;
}

/// Converts rows × columns elements of an input, which start at `offset`, to a float32 tile. If the input's own memory
/// is a float32 tile already, returns that memory.
static const float *gatherTile(
    const ck_program &program, int32_t input, const void *source, int64_t offset, int64_t rows,
    int64_t columns, float *tile) {
  const int64_t rowStride = program.rowStrides[input];
  const int64_t columnStride = program.columnStrides[input];
  const ck_type type = program.inputTypes[input];
  if (columnStride == 1 && (rows == 1 || rowStride == columns)) {
    if (type == CK_F32) return static_cast<const float *>(source) + offset;
    anyToFloat(source, type, offset, tile, rows * columns);
    return tile;
  }
  for (int64_t row = 0; row < rows; ++row) {
    float *target = tile + row * columns;
    const int64_t from = offset + row * rowStride;
    if (columnStride == 0) {
      fillRun(valueAt(source, type, from), target, columns);
    } else if (rowStride == 0 && row > 0) {
      __builtin_memcpy(target, tile, size_t(columns) * sizeof(float));
    } else if (columnStride == 1) {
      anyToFloat(source, type, from, target, columns);
    } else {
      for (int64_t column = 0; column < columns; ++column)
        target[column] = valueAt(source, type, from + column * columnStride);
    }
  }
  return tile;
}

static void pointwiseTiles(const PointwiseTiles &tiles) {
  const ck_program &program = *tiles.program;
  alignas(64) float gatheredTiles[CK_MAX_INPUTS][kPointwiseTile];
  alignas(64) float results[CK_MAX_OPERATIONS][kPointwiseTile];
  const float *registers[CK_MAX_INPUTS + CK_MAX_OPERATIONS] = {};
  // Remembers from which offset each broadcast tile was gathered, and uses the tile again for the same offset.
  int64_t gatheredFrom[CK_MAX_INPUTS], gatheredCount[CK_MAX_INPUTS];
  for (int64_t &offset : gatheredFrom) offset = -1;
  for (int64_t &count : gatheredCount) count = 0;

  const int64_t tilesPerPlane = program.rowTiles * program.tilesPerRow;
  for (int64_t index = tiles.first; index < tiles.end; ++index) {
    const int64_t plane = index / tilesPerPlane, within = index % tilesPerPlane;
    const int64_t row = within / program.tilesPerRow * program.rowsPerTile;
    const int64_t column = within % program.tilesPerRow * kPointwiseTile;
    const int64_t rowsLeft = program.rows - row, columnsLeft = program.columns - column;
    const int64_t rows = rowsLeft < program.rowsPerTile ? rowsLeft : program.rowsPerTile;
    const int64_t columns = columnsLeft < kPointwiseTile ? columnsLeft : kPointwiseTile;
    const int64_t count = rows * columns;

    for (int32_t input = 0; input < program.inputCount; ++input) {
      if (!program.isRead[input]) continue;
      int64_t offset = row * program.rowStrides[input] + column * program.columnStrides[input];
      int64_t rest = plane;
      for (int32_t axis = program.outerRank - 1; axis >= 0; --axis) {
        offset += rest % program.outer[axis] * program.outerStrides[input][axis];
        rest /= program.outer[axis];
      }
      float *tile = gatheredTiles[input];
      const bool repeats = gatheredFrom[input] == offset && gatheredCount[input] == count
          && (program.rowStrides[input] == 0 || program.columnStrides[input] == 0);
      if (repeats && registers[input] == tile) continue;
      registers[input] =
          gatherTile(program, input, tiles.inputs[input], offset, rows, columns, tile);
      gatheredFrom[input] = offset;
      gatheredCount[input] = count;
    }

    const int64_t position = (plane * program.rows + row) * program.columns + column;
    const int32_t last = program.operationCount - 1;
    for (int32_t step = 0; step <= last; ++step) {
      const ck_operation &operation = program.operations[step];
      float *result = results[step];
      if (step == last && program.outputType == CK_F32)
        result = static_cast<float *>(tiles.output) + position;
      if (isBinary(operation.kind)) {
        binaryRun(operation.kind, registers[operation.a], registers[operation.b], result, count);
      } else {
        unaryRun(operation, registers[operation.a], result, count);
      }
      registers[program.inputCount + step] = result;
    }
    if (program.outputType != CK_F32)
      floatToAny(results[last], tiles.output, program.outputType, position, count);
  }
}
