#include "CKernels.h"
#include "Primitive.hpp"

extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace atelier {

using dnnl::memory;

static thread_local std::string lastError;

adnn_status fail(adnn_status status, const std::string &sentence) {
  try {
    lastError = sentence;
  } catch (...) {
  }
  return status;
}

/// oneDNN's names for the instruction sets of ATELIER_MAX_ISA, by level.
static const dnnl::cpu_isa kInstructionSets[] = {
    dnnl::cpu_isa::sse41,
    dnnl::cpu_isa::avx2,
    dnnl::cpu_isa::avx512_core_vnni,
    dnnl::cpu_isa::avx512_core_bf16,
};

/// Returns the highest level of instruction sets that the environment permits. The first call also sets oneDNN's limit.
static int allowedInstructionSet() {
  static const int allowed = [] {
    const int level = ck_allowed_instructions();
    if (level < 4) dnnl::set_max_cpu_isa(kInstructionSets[level]);
    return level;
  }();
  return allowed;
}

bool sumsBytesExactly() {
#if DNNL_VERSION_MAJOR >= 3
  return false;
#else
  allowedInstructionSet();
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx: return true;
    default: return false;
  }
#endif
}

std::mutex &makingLock() {
  static std::mutex *lock = new std::mutex();
  return *lock;
}

dnnl::engine &cpuEngine() {
  allowedInstructionSet();
  static dnnl::engine *engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

adnn_status statusOf(dnnl_status_t status) {
  switch (status) {
    case dnnl_success: return ADNN_OK;
    case dnnl_out_of_memory: return ADNN_OUT_OF_MEMORY;
    case dnnl_invalid_arguments: return ADNN_INVALID_ARGUMENT;
    case dnnl_unimplemented: return ADNN_UNIMPLEMENTED;
    default: return ADNN_FAILED;
  }
}

memory::data_type dataType(adnn_type type) {
  switch (type) {
    case ADNN_F32: return memory::data_type::f32;
    case ADNN_BF16: return memory::data_type::bf16;
    case ADNN_F16: return memory::data_type::f16;
    case ADNN_S32: return memory::data_type::s32;
    case ADNN_S8: return memory::data_type::s8;
    case ADNN_U8: return memory::data_type::u8;
  }
  throw InvalidArgument{"unknown element type"};
}

void requireCountable(std::initializer_list<memory::dims> sizes) {
  for (const auto &dims : sizes)
    for (auto size : dims)
      if (size > INT32_MAX || size < INT32_MIN) throw TooLarge{};
}

memory::desc pictures(const memory::dims &dims, adnn_type type, adnn_layout layout) {
  for (auto size : dims) require(size > 0, "every dimension must be at least 1");
  requireCountable({dims});
  require(layout == ADNN_NCHW || layout == ADNN_NHWC, "images have no such layout");
  return memory::desc(dims, dataType(type),
      layout == ADNN_NHWC ? memory::format_tag::nhwc : memory::format_tag::nchw);
}

memory::desc volumes(
    int64_t batch, int64_t channels, const int64_t *extents, adnn_type type, adnn_layout layout) {
  require(layout == ADNN_NCHW || layout == ADNN_NHWC, "volumes have no such layout");
  const memory::dims dims{batch, channels, extents[0], extents[1], extents[2]};
  for (auto size : dims) require(size > 0, "every dimension must be at least 1");
  requireCountable({dims});
  return memory::desc(dims, dataType(type),
      layout == ADNN_NHWC ? memory::format_tag::ndhwc : memory::format_tag::ncdhw);
}

static dnnl::algorithm eltwiseAlgorithm(adnn_post_op_kind kind) {
  using dnnl::algorithm;
  switch (kind) {
    case ADNN_RELU: return algorithm::eltwise_relu;
    case ADNN_TANH: return algorithm::eltwise_tanh;
    case ADNN_SIGMOID: return algorithm::eltwise_logistic;
    case ADNN_ELU: return algorithm::eltwise_elu;
    case ADNN_LINEAR: return algorithm::eltwise_linear;
    case ADNN_CLIP: return algorithm::eltwise_clip;
    case ADNN_SOFT_RELU: return algorithm::eltwise_soft_relu;
    case ADNN_SWISH: return algorithm::eltwise_swish;
    case ADNN_GELU_TANH: return algorithm::eltwise_gelu_tanh;
    case ADNN_GELU_ERF: return algorithm::eltwise_gelu_erf;
    case ADNN_HARD_SWISH: return algorithm::eltwise_hardswish;
    default: throw InvalidArgument{"this post-op is not a function of one value"};
  }
}

/// Returns the parameters that oneDNN expects for a function.
static std::pair<float, float> eltwiseParameters(const adnn_post_op &op) {
  // oneDNN 3 gives soft_relu a steepness; version 2 ignores it.
  if (op.kind == ADNN_SOFT_RELU) return {1.0f, 0.0f};
  // The same for the gate of hardswish.
  if (op.kind == ADNN_HARD_SWISH) return {1.0f / 6, 0.5f};
  return {op.alpha, op.beta};
}

/// Returns the row-major memory description of any rank.
static memory::desc plain(const memory::dims &dims, memory::data_type type) {
  memory::dims strides(dims.size(), 1);
  for (size_t axis = dims.size() - 1; axis > 0; --axis)
    strides[axis - 1] = strides[axis] * dims[axis];
  return memory::desc(dims, type, strides);
}

dnnl::primitive_attr attributes(
    const adnn_post_op *ops, int count, const memory::dims &full, int channelAxis,
    std::vector<adnn_primitive::Operand> &operands) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  require(count == 0 || ops != nullptr, "the post-ops are missing");
  dnnl::post_ops chain;
  memory::dims perChannel(full.size(), 1);
  perChannel[channelAxis] = full[channelAxis];
  for (int index = 0; index < count; ++index) {
    const adnn_post_op &op = ops[index];
    const int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index);
    if (op.kind == ADNN_SUM) {
      require(index == 0, "a sum must be the first post-op");
      chain.append_sum(op.scale);
    } else if (op.kind == ADNN_PRELU) {
      chain.append_prelu(1 << channelAxis);
      operands.push_back({
          index, argument | DNNL_ARG_WEIGHTS, plain(perChannel, memory::data_type::f32)});
    } else {
      const auto parameters = eltwiseParameters(op);
#if DNNL_VERSION_MAJOR >= 3
      chain.append_eltwise(eltwiseAlgorithm(op.kind), parameters.first, parameters.second);
#else
      chain.append_eltwise(1.0f, eltwiseAlgorithm(op.kind), parameters.first, parameters.second);
#endif
    }
  }
  attr.set_post_ops(chain);
  return attr;
}

}  // namespace atelier

extern "C" {

const char *adnn_last_error(void) { return atelier::lastError.c_str(); }

const char *adnn_version(void) {
  static const std::string text = [] {
    atelier::allowedInstructionSet();
    const dnnl_version_t *version = dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "."
        + std::to_string(version->patch) + " isa "
        + std::to_string(static_cast<int>(dnnl::get_effective_cpu_isa()));
  }();
  return text.c_str();
}

uint32_t adnn_cpu_features(void) {
  uint32_t bits = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
      && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const int most = atelier::allowedInstructionSet();
  if (avx512 && most >= 2) bits |= ADNN_CPU_AVX512;
  if (avx512 && most >= 3 && __builtin_cpu_supports("avx512bf16")) bits |= ADNN_CPU_AVX512_BF16;
  if (most >= 4 && __builtin_cpu_supports("amx-bf16")) bits |= ADNN_CPU_AMX_BF16;
#endif
  return bits;
}

void adnn_set_threads(int32_t count) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  // One thread: ThreadSanitizer does not see how libgomp's threads wait for each other (Scripts/sanitize.sh).
  count = 1;
#endif
#endif
  omp_set_num_threads(count < 1 ? 1 : count);
}

int32_t adnn_threads(void) { return omp_get_max_threads(); }

}  // extern "C"
