#include <memory>
#include <optional>
#include <string>

#include "CNormStatistics.h"
#include "common/Table.hpp"
#include "convolution/DirectConvolution.hpp"
#include "convolution/ProductConvolution.hpp"
#include "normalization/PixelBlocks.hpp"
#include "tiles/TileConvolution.hpp"
#include "winograd/WideWinograd.hpp"
#include "winograd/Winograd.hpp"

using namespace ck;

struct ck_convolution_plan {
  ck_convolution description;
  std::unique_ptr<const ConvolutionAlgorithm> algorithm;
  /// Identifies the layout of the packed weights.
  std::string form;
};

namespace {

bool makesSense(const ck_convolution &d) {
  const bool positive = d.batch > 0 && d.input_channels > 0 && d.input_height > 0
      && d.input_width > 0 && d.output_channels > 0 && d.output_height > 0 && d.output_width > 0
      && d.kernel_height > 0 && d.kernel_width > 0 && d.stride_height > 0 && d.stride_width > 0
      && d.dilation_height > 0 && d.dilation_width > 0 && d.upsample > 0;
  const bool strided = d.stride_height > 1 || d.stride_width > 1;
  const bool types = (d.source_type == CK_F32 || d.source_type == CK_BF16)
      && (d.destination_type == CK_F32 || d.destination_type == CK_BF16);
  return positive && types && !(d.upsample > 1 && (strided || d.deconvolution))
      && d.kernel_height <= kMaxTaps && d.kernel_width <= kMaxTaps
      && d.kernel_height * d.kernel_width <= kMaxTaps
      && !(d.deconvolution && int64_t(d.stride_height) * d.stride_width > kMaxPhases)
      && !(d.has_statistics && (d.destination_row_stride || d.destination_batch_stride))
      && !(d.norm_relu && !d.has_norm) && !(d.rounds && d.has_scale)
      && (d.winograd_tile == 0 || Winograd::suits(d) || WideWinograd::suits(d))
      && (d.matrix_tiles == 0 || TileConvolution::suits(d));
}

void fillInStrides(ck_convolution &d) {
  if (!d.source_row_stride) d.source_row_stride = d.input_width * d.input_channels;
  if (!d.source_batch_stride) d.source_batch_stride = d.source_row_stride * d.input_height;
  if (!d.destination_row_stride)
    d.destination_row_stride = int64_t(d.output_width) * d.output_channels;
  if (!d.destination_batch_stride)
    d.destination_batch_stride = d.destination_row_stride * d.output_height;
  if (!d.residual_row_stride) d.residual_row_stride = d.destination_row_stride;
  if (!d.residual_batch_stride) d.residual_batch_stride = d.destination_batch_stride;
}

std::unique_ptr<const ConvolutionAlgorithm> algorithmFor(const ck_convolution &d) {
  if (d.winograd_tile && Winograd::suits(d)) return std::make_unique<Winograd>(d, table());
  if (d.winograd_tile) return std::make_unique<WideWinograd>(d, table());
  if (d.matrix_tiles) return std::make_unique<TileConvolution>(d);
  if (ProductConvolution::suits(d, table())) return std::make_unique<ProductConvolution>(d, table());
  return std::make_unique<DirectConvolution>(d, table());
}

/// The byte offsets of the parts of a run's scratch memory. The algorithm's own memory comes first.
struct ScratchParts {
  size_t counts, factors, end;

  ScratchParts(const ck_convolution_plan &plan, int threads) {
    const ck_convolution &d = plan.description;
    counts = rounded(plan.algorithm->scratchBytes(std::max(threads, 1)));
    factors = counts + (d.has_statistics ? FinishedBlocks::bytes(d) : 0);
    end = factors
        + (d.has_norm ? rounded(size_t(d.batch * 3 * d.input_channels) * sizeof(float)) : 0);
  }
};

std::string formOf(const ck_convolution &d, const ConvolutionAlgorithm &algorithm) {
  return algorithm.name() + (d.deconvolution ? " transposed " : " ") + std::to_string(d.input_channels)
      + " to " + std::to_string(d.output_channels) + ", " + std::to_string(d.kernel_height) + " x "
      + std::to_string(d.kernel_width) + ", type " + std::to_string(int(algorithm.weightsType()))
      + algorithm.weightsOrder();
}

}  // namespace

extern "C" {

ck_convolution_plan *ck_convolution_create(const ck_convolution *description) {
  if (!description || !makesSense(*description)) return nullptr;
  try {
    auto plan = std::make_unique<ck_convolution_plan>();
    plan->description = *description;
    fillInStrides(plan->description);
    plan->algorithm = algorithmFor(plan->description);
    plan->form = formOf(plan->description, *plan->algorithm);
    return plan.release();
  } catch (...) {
    return nullptr;
  }
}

void ck_convolution_destroy(ck_convolution_plan *plan) { delete plan; }

const char *ck_convolution_name(const ck_convolution_plan *plan) {
  return plan->algorithm->name().c_str();
}

const char *ck_convolution_weights_form(const ck_convolution_plan *plan) {
  return plan->form.c_str();
}

size_t ck_convolution_weights_bytes(const ck_convolution_plan *plan) {
  return plan->algorithm->weightBytes();
}

size_t ck_convolution_scratch_bytes(const ck_convolution_plan *plan, int32_t threads) {
  return ScratchParts(*plan, threads).end;
}

void ck_convolution_pack(const ck_convolution_plan *plan, const float *weights, void *packed) {
  plan->algorithm->pack(weights, packed);
}

int32_t ck_convolution_pack_float16(const ck_convolution_plan *plan, const void *weights, void *packed) {
  return plan->algorithm->packFloat16(static_cast<const Half *>(weights), packed) ? 0 : -1;
}

int32_t ck_convolution_run(
    const ck_convolution_plan *plan, const ck_convolution_arguments *arguments) {
  const ck_convolution &d = plan->description;
  const ck_convolution_arguments &a = *arguments;
  if (!a.source || !a.weights || !a.destination || !a.scratch || (d.has_bias && !a.bias)
      || (d.has_statistics && !a.statistics) || (d.has_residual && !a.residual)
      || (d.has_scale && (!a.scale || !a.offset))
      || (d.has_norm && (!a.norm_gamma || !a.norm_beta || !a.norm_statistics)))
    return -1;
  char *scratch = static_cast<char *>(a.scratch);
  const ScratchParts parts(*plan, a.threads);
  Finish finish{d.has_bias ? a.bias : nullptr, d.has_scale ? a.scale : nullptr,
      d.has_scale ? a.offset : nullptr, d.activation, d.alpha, d.beta, d.output_channels,
      d.rounds != 0, nullptr};
  std::optional<FinishedBlocks> blocks;
  if (d.has_statistics && cns_needs_statistics())
    finish.blocks = &blocks.emplace(d, a, scratch + parts.counts);
  Reading reading{};
  if (d.has_norm) {
    float *factors = reinterpret_cast<float *>(scratch + parts.factors);
    const FeatureMaps maps{
        d.source_type, a.source, d.batch, d.input_height, d.input_width, d.input_channels};
    joinStatistics(
        maps, a.norm_statistics, a.norm_gamma, a.norm_beta, d.norm_epsilon, factors);
    reading = {factors, d.norm_relu != 0};
  }
  plan->algorithm->run({a, finish, reading});
  return 0;
}

}  // extern "C"
