#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "ConvolutionPhases.hpp"
#include "Internal.hpp"
#include "TileConvolution.hpp"
#include "Winograd.hpp"

using namespace ck;

struct ck_convolution_plan {
  ck_convolution description;
  const Table *table;
  std::string name;
  /// Names all that the packed weights depend on, beside the weights.
  std::string form;
  std::vector<ConvolutionPhase> phases;
  bool columns = false;
  size_t weightElements = 0;
  /// Elements of one row of a patch, elements of a patch, floats of a column line.
  int64_t patchStride = 0, patchElements = 0, columnFloats = 0;
  /// Not null: computes everything.
  std::unique_ptr<Winograd> winograd;
  /// The same on matrix tiles.
  std::unique_ptr<TileConvolution> tiles;
};

std::vector<ConvolutionBlock> ck::outputBlocks(int64_t channels, int mostVectors) {
  std::vector<ConvolutionBlock> result;
  for (int64_t channel = 0; channel < channels;) {
    const int64_t vectors = std::min<int64_t>(ceilDivide(channels - channel, 16), mostVectors);
    result.push_back({static_cast<int>(vectors), channel, 0, 0});
    channel += vectors * 16;
  }
  return result;
}

namespace {

std::string formOf(const ck_convolution_plan &plan) {
  const ck_convolution &d = plan.description;
  return plan.name + (d.deconvolution ? " transposed " : " ") + std::to_string(d.input_channels)
      + " to " + std::to_string(d.output_channels) + ", " + std::to_string(d.kernel_height) + " x "
      + std::to_string(d.kernel_width) + ", type " + std::to_string(int(d.source_type))
      + nameOfPhases(plan.tiles ? plan.tiles->allPhases() : plan.phases);
}

bool makesSense(const ck_convolution &d) {
  const bool positive = d.batch > 0 && d.input_channels > 0 && d.input_height > 0
      && d.input_width > 0 && d.output_channels > 0 && d.output_height > 0 && d.output_width > 0
      && d.kernel_height > 0 && d.kernel_width > 0 && d.stride_height > 0 && d.stride_width > 0
      && d.dilation_height > 0 && d.dilation_width > 0 && d.upsample > 0;
  const bool strided = d.stride_height > 1 || d.stride_width > 1;
  const bool types = (d.source_type == CK_F32 || d.source_type == CK_BF16)
      && (d.destination_type == CK_F32 || d.destination_type == CK_BF16);
  return positive && types && !(d.upsample > 1 && (strided || d.deconvolution))
      && d.kernel_height <= kMostTaps && d.kernel_width <= kMostTaps
      && d.kernel_height * d.kernel_width <= kMostTaps
      && (d.tile == 0 || Winograd::suits(d)) && (d.tiles == 0 || TileConvolution::suits(d));
}

void build(ck_convolution_plan &plan) {
  ck_convolution &d = plan.description;
  if (!d.source_row_stride) d.source_row_stride = d.input_width * d.input_channels;
  if (!d.source_batch_stride) d.source_batch_stride = d.source_row_stride * d.input_height;
  if (!d.destination_row_stride)
    d.destination_row_stride = int64_t(d.output_width) * d.output_channels;
  if (!d.destination_batch_stride)
    d.destination_batch_stride = d.destination_row_stride * d.output_height;
  if (!d.residual_row_stride) d.residual_row_stride = d.destination_row_stride;
  if (!d.residual_batch_stride) d.residual_batch_stride = d.destination_batch_stride;
  plan.table = &table();
  if (d.tile) {
    plan.winograd = std::make_unique<Winograd>(d, *plan.table);
    plan.weightElements = plan.winograd->weightElements();
    plan.name = (d.tile == 2 ? "winograd 2:" : "winograd 4:") + std::string(plan.table->name);
    return;
  }
  if (d.tiles) {
    plan.tiles = std::make_unique<TileConvolution>(d);
    plan.weightElements = plan.tiles->weightElements();
    plan.name = plan.tiles->name();
    return;
  }
  const bool brain = d.source_type == CK_BF16;
  const int64_t outputs = d.output_channels, width = d.kernel_width;
  plan.columns = !d.deconvolution && d.upsample == 1 && d.stride_width == 1
      && d.dilation_width == 1 && width > 1 && outputs <= 16 && outputs * width <= 64
      && outputs * width <= plan.table->mostVectors * 16 && !(brain && d.input_channels % 2)
      && ceilDivide(outputs * width, 16) * 5 < ceilDivide(outputs, 16) * width * 4;
  plan.phases = convolutionPhases(d, plan.columns);
  int64_t weights = 0;
  for (auto &phase : plan.phases) {
    phase.overread = brain && phase.length % 2 ? 1 : 0;
    const int64_t stored = brain ? (phase.length + 1) / 2 * 2 : phase.length;
    const int64_t taken = phase.tapsX.empty() ? 0 : int64_t(phase.tapsX.size()) / phase.merged;
    phase.blocks = outputBlocks(plan.columns ? outputs * width : outputs, plan.table->mostVectors);
    for (auto &block : phase.blocks) {
      block.weights = weights;
      block.tapSize = stored * block.vectors * 16;
      weights += block.tapSize * taken * int64_t(phase.tapsY.size());
      const int64_t pixels = plan.table->pixels[block.vectors];
      const int64_t stride =
          ((pixels - 1) * phase.stepX + phase.span()) * d.input_channels + 32;
      plan.patchStride = std::max(plan.patchStride, (stride + 31) / 32 * 32);
    }
  }
  plan.patchElements = plan.patchStride * d.kernel_height;
  plan.weightElements = static_cast<size_t>(std::max<int64_t>(weights, 1));
  if (plan.columns)
    plan.columnFloats =
        (d.output_width + width + 32) * int64_t(plan.phases[0].blocks[0].vectors) * 16;
  plan.name = std::string(plan.columns ? "columns" : plan.phases.size() > 1 ? "phases" : "direct")
      + ":" + plan.table->name;
}

size_t patchBytes(const ck_convolution_plan &plan) {
  return rounded(plan.patchElements * sizeOf(plan.description.source_type));
}

}  // namespace

extern "C" {

ck_convolution_plan *ck_convolution_create(const ck_convolution *description) {
  if (!description || !makesSense(*description)) return nullptr;
  try {
    auto plan = std::make_unique<ck_convolution_plan>();
    plan->description = *description;
    build(*plan);
    plan->form = formOf(*plan);
    return plan.release();
  } catch (...) {
    return nullptr;
  }
}

void ck_convolution_destroy(ck_convolution_plan *plan) { delete plan; }

const char *ck_convolution_name(const ck_convolution_plan *plan) { return plan->name.c_str(); }

const char *ck_convolution_weights_form(const ck_convolution_plan *plan) {
  return plan->form.c_str();
}

size_t ck_convolution_weights_bytes(const ck_convolution_plan *plan) {
  return rounded(plan->weightElements * sizeOf(plan->description.source_type));
}

size_t ck_convolution_scratch_bytes(const ck_convolution_plan *plan, int32_t threads) {
  const int most = threads < 1 ? 1 : threads;
  if (plan->winograd) return plan->winograd->scratchBytes(most);
  if (plan->tiles) return plan->tiles->scratchBytes(most);
  return (patchBytes(*plan) + rounded(plan->columnFloats * sizeof(float)))
      * static_cast<size_t>(most);
}

void ck_convolution_pack(const ck_convolution_plan *plan, const float *weights, void *packed) {
  if (plan->winograd) return plan->winograd->pack(weights, packed);
  if (plan->tiles) return plan->tiles->pack(weights, packed);
  packConvolution(plan->description, plan->phases,
      plan->columns ? ColumnOrder::rising : ColumnOrder::none, weights, packed);
}

int32_t ck_convolution_run(
    const ck_convolution_plan *plan, const ck_convolution_arguments *arguments) {
  const ck_convolution &d = plan->description;
  const ck_convolution_arguments &a = *arguments;
  if (!a.source || !a.weights || !a.destination || !a.scratch || (d.has_bias && !a.bias)
      || (d.has_residual && !a.residual) || (d.has_scale && (!a.scale || !a.offset)))
    return -1;
  const Finish finish{d.has_bias ? a.bias : nullptr, d.has_scale ? a.scale : nullptr,
      d.has_scale ? a.offset : nullptr, d.activation, d.alpha, d.beta, d.output_channels};
  if (plan->winograd) {
    plan->winograd->run(a, finish);
    return 0;
  }
  if (plan->tiles) {
    plan->tiles->run(a, finish);
    return 0;
  }
  const int threads = a.threads < 1 ? 1 : a.threads;
  const size_t patch = patchBytes(*plan), line = rounded(plan->columnFloats * sizeof(float));
  const size_t sourceSize = sizeOf(d.source_type), destinationSize = sizeOf(d.destination_type);
  // Rows of one phase lie together, a few to a part, so that neighbours share input in the cache.
  constexpr int64_t rowsPerPart = 2;
  int64_t partsPerPicture = 0;
  for (const auto &phase : plan->phases) partsPerPicture += ceilDivide(phase.rows, rowsPerPart);
  forParts(
      partsPerPicture * d.batch,
      [&](int64_t part, int thread) {
        const int64_t picture = part / partsPerPicture;
        int64_t index = part % partsPerPicture;
        const ConvolutionPhase *phase = plan->phases.data();
        // Phases alternate, so that the rows of all phases above one input row follow each other.
        const int64_t phases = static_cast<int64_t>(plan->phases.size());
        if (phases > 1) {
          for (int64_t pair = 0;; ++pair) {
            int64_t here = 0;
            for (const auto &candidate : plan->phases)
              here += pair * rowsPerPart < candidate.rows ? 1 : 0;
            if (index < here) {
              for (const auto &candidate : plan->phases) {
                if (pair * rowsPerPart >= candidate.rows) continue;
                if (index-- == 0) {
                  phase = &candidate;
                  break;
                }
              }
              index = pair;
              break;
            }
            index -= here;
          }
        }
        char *scratch = static_cast<char *>(a.scratch) + (patch + line) * thread;
        ConvolutionRow row{};
        row.phase = phase;
        row.finish = &finish;
        row.sourceType = d.source_type;
        row.destinationType = d.destination_type;
        row.source = static_cast<const char *>(a.source)
            + picture * d.source_batch_stride * int64_t(sourceSize);
        row.weights = a.weights;
        row.pixelStep = phase->everyX * d.output_channels;
        row.patch = scratch;
        row.patchStride = plan->patchStride;
        row.columns = plan->columns ? reinterpret_cast<float *>(scratch + patch) : nullptr;
        row.outputWidth = phase->columns;
        row.inputHeight = d.input_height;
        row.inputWidth = d.input_width;
        row.inputChannels = d.input_channels;
        row.sourceRowStride = d.source_row_stride;
        row.kernelWidth = d.kernel_width;
        row.padLeft = d.pad_left;
        row.pixels = plan->table->pixels;
        const int64_t end = std::min(phase->rows, (index + 1) * rowsPerPart);
        for (row.y = index * rowsPerPart; row.y < end; ++row.y) {
          const int64_t y = phase->originY + row.y * phase->everyY;
          const int64_t x = phase->originX * d.output_channels;
          row.destination = static_cast<char *>(a.destination)
              + (picture * d.destination_batch_stride + y * d.destination_row_stride + x)
                  * int64_t(destinationSize);
          row.residual = d.has_residual
              ? static_cast<const char *>(a.residual)
                  + (picture * d.residual_batch_stride + y * d.residual_row_stride + x)
                      * int64_t(destinationSize)
              : nullptr;
          plan->table->convolutionRow(row);
        }
      },
      threads);
  return 0;
}

}  // extern "C"
