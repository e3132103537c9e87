// The interface COneDNN.h without oneDNN: plain matrix products and loops for the layers that our own kernels do not
// compute. The installed program uses this module, so it needs no oneDNN (Documentation/Installing.md). All sums are in
// a fixed order, for any number of threads.

#include <cmath>

#include "Tiles.hpp"

extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace products {

static thread_local std::string lastError;

adnn_status fail(adnn_status status, const std::string &sentence) {
  try {
    lastError = sentence;
  } catch (...) {
  }
  return status;
}

Buffers &buffers() {
  // On the heap, because thread-local memory is a part of the stack of every thread.
  static thread_local std::unique_ptr<Buffers> own(new Buffers);
  return *own;
}

const MatrixKernel &matrixKernel() {
#if defined(__x86_64__)
  switch (ck_instructions()) {
    case 0: return plainKernel;
    case 1: return avx2Kernel;
    default: return avx512Kernel;
  }
#else
  return plainKernel;
#endif
}

void read(const void *from, adnn_type type, int64_t first, int64_t count, float *to) {
  if (type == ADNN_F32) {
    std::memcpy(to, static_cast<const float *>(from) + first, size_t(count) * sizeof(float));
    return;
  }
  const uint16_t *values = static_cast<const uint16_t *>(from) + first;
  for (int64_t index = 0; index < count; ++index) to[index] = fromBFloat16(values[index]);
}

void write(const float *from, int64_t count, void *to, adnn_type type, int64_t first) {
  if (type == ADNN_F32) {
    std::memcpy(static_cast<float *>(to) + first, from, size_t(count) * sizeof(float));
    return;
  }
  uint16_t *values = static_cast<uint16_t *>(to) + first;
  for (int64_t index = 0; index < count; ++index) values[index] = toBFloat16(from[index]);
}

Epilogue::Epilogue(const adnn_post_op *list, int32_t count, bool hasBias) : hasBias(hasBias) {
  require(count == 0 || list != nullptr, "the post-ops are missing");
  for (int32_t index = 0; index < count; ++index) {
    require(list[index].kind != ADNN_SUM || index == 0, "a sum must be the first post-op");
    operations.push_back(list[index]);
  }
}

template <typename Function>
static void map(float *values, int64_t count, const Function &function) {
  for (int64_t index = 0; index < count; ++index) values[index] = function(values[index]);
}

static float softplus(float x) { return x > 20 ? x : std::log1p(std::exp(x)); }

static void apply(const adnn_post_op &op, float *values, int64_t count) {
  const float alpha = op.alpha, beta = op.beta;
  switch (op.kind) {
    case ADNN_RELU: return map(values, count, [=](float x) { return x > 0 ? x : x * alpha; });
    case ADNN_TANH: return map(values, count, [](float x) { return std::tanh(x); });
    case ADNN_SIGMOID:
      return map(values, count, [](float x) { return 1 / (1 + std::exp(-x)); });
    case ADNN_ELU:
      return map(values, count, [=](float x) { return x > 0 ? x : alpha * std::expm1(x); });
    case ADNN_LINEAR: return map(values, count, [=](float x) { return alpha * x + beta; });
    case ADNN_CLIP:
      return map(values, count, [=](float x) { return std::min(std::max(x, alpha), beta); });
    case ADNN_SOFT_RELU: return map(values, count, softplus);
    case ADNN_SWISH:
      return map(values, count, [=](float x) { return x / (1 + std::exp(-alpha * x)); });
    case ADNN_GELU_TANH:
      return map(values, count, [](float x) {
        return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
      });
    case ADNN_GELU_ERF:
      return map(
          values, count, [](float x) { return 0.5f * x * (1 + std::erf(x * 0.7071067812f)); });
    case ADNN_HARD_SWISH:
      return map(values, count, [](float x) {
        return x * std::min(std::max(x * (1.0f / 6) + 0.5f, 0.0f), 1.0f);
      });
    default: break;
  }
}

void Epilogue::apply(float *results, int64_t count, int64_t column, const adnn_arguments &arguments,
    const float *former) const {
  if (hasBias)
    for (int64_t index = 0; index < count; ++index) results[index] += arguments.bias[column + index];
  for (size_t place = 0; place < operations.size(); ++place) {
    const adnn_post_op &op = operations[place];
    if (op.kind == ADNN_SUM) {
      for (int64_t index = 0; index < count; ++index) results[index] += op.scale * former[index];
    } else if (op.kind == ADNN_PRELU) {
      const float *slopes = static_cast<const float *>(arguments.operands[place]) + column;
      for (int64_t index = 0; index < count; ++index)
        results[index] = results[index] > 0 ? results[index] : results[index] * slopes[index];
    } else {
      products::apply(op, results, count);
    }
  }
}

}  // namespace products

using namespace products;

extern "C" {

const char *adnn_last_error(void) { return lastError.c_str(); }

const char *adnn_version(void) {
  static const std::string text = "products isa " + std::to_string(ck_allowed_instructions());
  return text.c_str();
}

uint32_t adnn_cpu_features(void) {
  uint32_t bits = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
      && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const int most = ck_allowed_instructions();
  if (avx512 && most >= 2) bits |= ADNN_CPU_AVX512;
  if (avx512 && most >= 3 && __builtin_cpu_supports("avx512bf16")) bits |= ADNN_CPU_AVX512_BF16;
  if (most >= 4 && __builtin_cpu_supports("amx-bf16")) bits |= ADNN_CPU_AMX_BF16;
#endif
  return bits;
}

void adnn_set_threads(int32_t count) { omp_set_num_threads(count < 1 ? 1 : count); }
int32_t adnn_threads(void) { return omp_get_max_threads(); }

void adnn_primitive_destroy(adnn_primitive *primitive) { delete primitive; }
const char *adnn_primitive_implementation(const adnn_primitive *primitive) {
  return primitive->name.c_str();
}
size_t adnn_primitive_scratchpad_bytes(const adnn_primitive *primitive) {
  return primitive->scratchBytes;
}
size_t adnn_primitive_weights_bytes(const adnn_primitive *primitive) {
  return primitive->weightsBytes;
}
size_t adnn_primitive_weights_form(const adnn_primitive *primitive, char *name, size_t capacity) {
  if (capacity > 0) name[primitive->form.copy(name, capacity - 1)] = 0;
  return primitive->form.size();
}
size_t adnn_primitive_destination_bytes(const adnn_primitive *primitive) {
  return primitive->destinationBytes;
}

adnn_status adnn_pack_weights(const adnn_primitive *primitive, const float *weights, void *packed) {
  return guarded("packing weights", [&] {
    require(primitive != nullptr && weights != nullptr && packed != nullptr, "no memory given");
    primitive->pack(weights, static_cast<float *>(packed));
  });
}

adnn_status adnn_unpack_weights(const adnn_primitive *primitive, const void *packed, float *weights) {
  return guarded("unpacking weights", [&] {
    require(primitive != nullptr && weights != nullptr && packed != nullptr, "no memory given");
    primitive->unpack(static_cast<const float *>(packed), weights);
  });
}

adnn_status adnn_execution_create(const adnn_primitive *primitive, adnn_execution **result) {
  return guarded("preparing a run", [&] {
    require(primitive != nullptr && result != nullptr, "no primitive given");
    *result = new adnn_execution{primitive};
  });
}

void adnn_execution_destroy(adnn_execution *execution) { delete execution; }

adnn_status adnn_execution_run(adnn_execution *e, const adnn_arguments *a) {
  return guarded("run", [&] {
    require(e != nullptr && a != nullptr, "no execution or arguments given");
    e->primitive->run(*a);
  });
}

}  // extern "C"
