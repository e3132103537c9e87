#include <algorithm>
#include <cmath>
#include <new>

#include "common/Table.hpp"

using namespace ck;

namespace {

template <typename Function>
void each(const float *a, float *result, int64_t count, Function function) {
  for (int64_t i = 0; i < count; ++i) result[i] = function(a[i]);
}

bool isKnown(ck_function function) {
  return (function >= CK_IDENTITY && function <= CK_ROUND_BF16)
      || (function >= CK_ADD && function <= CK_BITWISE_OR);
}

bool isKept(ck_type type) {
  return type == CK_F32 || type == CK_BF16 || type == CK_F16 || type == CK_U8;
}

bool makesSense(const ck_program_description &d) {
  if (d.rank < 0 || d.rank > CK_MAX_RANK || d.input_count < 1 || d.input_count > CK_MAX_INPUTS
      || d.operation_count < 1 || d.operation_count > CK_MAX_OPERATIONS || !isKept(d.output_type))
    return false;
  for (int32_t axis = 0; axis < d.rank; ++axis)
    if (d.dimensions[axis] < 0) return false;
  for (int32_t input = 0; input < d.input_count; ++input)
    if (!isKept(d.inputs[input].type)) return false;
  for (int32_t step = 0; step < d.operation_count; ++step) {
    const ck_operation &operation = d.operations[step];
    const int32_t known = d.input_count + step;
    if (!isKnown(operation.kind) || operation.a < 0 || operation.a >= known) return false;
    if (isBinary(operation.kind) && (operation.b < 0 || operation.b >= known)) return false;
  }
  return true;
}

/// Copies the operations and notes which inputs they read.
void adoptOperations(ck_program &program, const ck_program_description &from) {
  program.operationCount = from.operation_count;
  for (int32_t step = 0; step < from.operation_count; ++step) {
    ck_operation &operation = program.operations[step] = from.operations[step];
    if (operation.kind == CK_LEAKY_RELU && operation.alpha == 0.0f) operation.kind = CK_RELU;
    if (operation.kind == CK_CONSTANT) continue;
    if (operation.a < from.input_count) program.isRead[operation.a] = true;
    if (isBinary(operation.kind) && operation.b < from.input_count)
      program.isRead[operation.b] = true;
  }
}

/// Merges neighbouring dimensions that are contiguous for every input, and removes dimensions of extent one.
void adoptShape(ck_program &program, const ck_program_description &from) {
  int64_t dimensions[CK_MAX_RANK + 1];
  int64_t strides[CK_MAX_INPUTS][CK_MAX_RANK + 1];
  int32_t rank = 0;
  program.count = 1;
  for (int32_t axis = 0; axis < from.rank; ++axis) {
    const int64_t extent = from.dimensions[axis];
    program.count *= extent;
    if (extent == 1) continue;
    bool merges = rank > 0;
    for (int32_t input = 0; merges && input < from.input_count; ++input)
      merges = strides[input][rank - 1] == from.inputs[input].strides[axis] * extent;
    if (!merges) ++rank;
    dimensions[rank - 1] = merges ? dimensions[rank - 1] * extent : extent;
    for (int32_t input = 0; input < from.input_count; ++input)
      strides[input][rank - 1] = from.inputs[input].strides[axis];
  }
  program.columns = rank > 0 ? dimensions[rank - 1] : 1;
  program.rows = rank > 1 ? dimensions[rank - 2] : 1;
  program.outerRank = rank > 2 ? rank - 2 : 0;
  for (int32_t input = 0; input < from.input_count; ++input) {
    program.inputTypes[input] = from.inputs[input].type;
    program.columnStrides[input] = rank > 0 ? strides[input][rank - 1] : 1;
    program.rowStrides[input] = rank > 1 ? strides[input][rank - 2] : 0;
    for (int32_t axis = 0; axis < program.outerRank; ++axis)
      program.outerStrides[input][axis] = strides[input][axis];
  }
  int64_t planes = 1;
  for (int32_t axis = 0; axis < program.outerRank; ++axis) {
    program.outer[axis] = dimensions[axis];
    planes *= dimensions[axis];
  }
  const int64_t columns = program.columns;
  program.rowsPerTile = columns >= kPointwiseTile || columns == 0 ? 1 : kPointwiseTile / columns;
  program.tilesPerRow = ceilDivide(columns, kPointwiseTile);
  program.rowTiles = ceilDivide(program.rows, program.rowsPerTile);
  program.tiles = planes * program.rowTiles * program.tilesPerRow;
}

}  // namespace

bool ck::libraryRun(
    const ck_operation &operation, const float *a, float *result, int64_t count) {
  const float alpha = operation.alpha;
  switch (operation.kind) {
    case CK_POWER: each(a, result, count, [=](float x) { return std::pow(x, alpha); }); break;
    case CK_EXP2: each(a, result, count, [](float x) { return std::exp2(x); }); break;
    case CK_SIN: each(a, result, count, [](float x) { return std::sin(x); }); break;
    case CK_COS: each(a, result, count, [](float x) { return std::cos(x); }); break;
    case CK_TAN: each(a, result, count, [](float x) { return std::tan(x); }); break;
    case CK_ASIN: each(a, result, count, [](float x) { return std::asin(x); }); break;
    case CK_ACOS: each(a, result, count, [](float x) { return std::acos(x); }); break;
    case CK_ATAN: each(a, result, count, [](float x) { return std::atan(x); }); break;
    case CK_SINH: each(a, result, count, [](float x) { return std::sinh(x); }); break;
    case CK_COSH: each(a, result, count, [](float x) { return std::cosh(x); }); break;
    case CK_ASINH: each(a, result, count, [](float x) { return std::asinh(x); }); break;
    case CK_ACOSH: each(a, result, count, [](float x) { return std::acosh(x); }); break;
    case CK_ATANH: each(a, result, count, [](float x) { return std::atanh(x); }); break;
    default: return false;
  }
  return true;
}

void ck::powerRun(const float *a, const float *b, float *result, int64_t count) {
  for (int64_t i = 0; i < count; ++i) result[i] = std::pow(a[i], b[i]);
}

extern "C" {

ck_program *ck_program_create(const ck_program_description *description) {
  if (!description || !makesSense(*description)) return nullptr;
  ck_program *program = new (std::nothrow) ck_program();
  if (!program) return nullptr;
  program->inputCount = description->input_count;
  program->outputType = description->output_type;
  adoptOperations(*program, *description);
  adoptShape(*program, *description);
  return program;
}

void ck_program_destroy(ck_program *program) { delete program; }

int32_t ck_program_run(const ck_program *program, const void *const *inputs, void *output) {
  if (program->count == 0) return 0;
  const Table &kernels = table();
  // The number of tiles per part, about 20 µs of work.
  const int64_t together = std::max(1, 32 / program->operationCount);
  forParts(ceilDivide(program->tiles, together), [&](int64_t part, int) {
    const int64_t first = part * together;
    kernels.pointwiseTiles(
        {program, inputs, output, first, std::min(program->tiles, first + together)});
  });
  return 0;
}

}  // extern "C"
