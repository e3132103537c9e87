#include "convolution/ConvolutionPhases.hpp"

#include <algorithm>

namespace ck {

namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Returns the taps along one axis of the phase whose first output is at `origin`.
std::vector<Tap> taps(
    int64_t kernel, int64_t stride, int64_t dilation, int64_t pad, bool deconvolution,
    int64_t upsample, int64_t origin) {
  std::vector<Tap> result;
  for (int k = 0; k < kernel; ++k) {
    int64_t offset;
    if (deconvolution) {
      const int64_t distance = origin + pad - k * dilation;
      if (floorDivide(distance, stride) * stride != distance) continue;
      offset = floorDivide(distance, stride);
    } else {
      offset = floorDivide(origin - pad + k * dilation, upsample);
    }
    auto known = std::find_if(
        result.begin(), result.end(), [&](const Tap &tap) { return tap.offset == offset; });
    if (known == result.end())
      result.push_back({offset, {k}});
    else
      known->positions.push_back(k);
  }
  std::sort(result.begin(), result.end(),
      [](const Tap &a, const Tap &b) { return a.offset < b.offset; });
  return result;
}

/// Appends the kernel positions of each tap. A tap adds up the weights at its positions. For example, `0,1.2` are two
/// taps: the first adds up the weights 0 and 1, the second has the weight 2.
void append(std::string &text, const std::vector<Tap> &taps) {
  for (size_t tap = 0; tap < taps.size(); ++tap) {
    if (tap > 0) text += '.';
    for (size_t index = 0; index < taps[tap].positions.size(); ++index)
      text += (index > 0 ? "," : "") + std::to_string(taps[tap].positions[index]);
  }
}

/// Writes weights in the order in which the inner loop reads them.
template <typename Element>
void packInto(
    const ck_convolution &d, const std::vector<ConvolutionPhase> &phases, ColumnOrder order,
    const float *weights, Element *packed) {
  const bool isBFloat16 = sizeof(Element) == 2, hasColumns = order != ColumnOrder::none;
  const int64_t area = d.kernel_height * d.kernel_width;
  for (const auto &phase : phases) {
    const int64_t groups = phase.groups();
    for (const auto &block : phase.blocks) {
      const int64_t lanes = block.vectors * 16;
      for (size_t ty = 0; ty < phase.tapsY.size(); ++ty)
        for (int64_t group = 0; group < groups; ++group) {
          Element *tap = packed + block.weights + (int64_t(ty) * groups + group) * block.tapSize;
          std::memset(tap, 0, size_t(block.tapSize) * sizeof(Element));
          for (int64_t k = 0; k < phase.length; ++k) {
            const int64_t input = k % d.input_channels;
            const auto &tapX = phase.tapsX[group * phase.merged + k / d.input_channels];
            for (int64_t lane = 0; lane < lanes; ++lane) {
              int64_t output = block.channel + lane;
              int64_t column = -1;
              if (hasColumns) {
                if (output >= d.output_channels * d.kernel_width) break;
                column = output / d.output_channels;
                if (order == ColumnOrder::falling) column = d.kernel_width - 1 - column;
                output %= d.output_channels;
              }
              if (output >= d.output_channels) break;
              const float *kernel = weights
                  + (d.deconvolution ? input * d.output_channels + output
                                     : output * d.input_channels + input)
                      * area;
              double sum = 0;
              for (int ky : phase.tapsY[ty].positions) {
                if (hasColumns) sum += kernel[ky * d.kernel_width + column];
                for (int kx : tapX.positions) sum += kernel[ky * d.kernel_width + kx];
              }
              const int64_t index = isBFloat16 ? (k / 2 * lanes + lane) * 2 + k % 2 : k * lanes + lane;
              fromFloat(static_cast<float>(sum), tap[index]);
            }
          }
        }
    }
  }
}

}  // namespace

std::vector<ConvolutionPhase> convolutionPhases(const ck_convolution &d, bool hasColumns) {
  std::vector<ConvolutionPhase> phases;
  const int64_t everyY = d.deconvolution ? d.stride_height : d.upsample;
  const int64_t everyX = d.deconvolution ? d.stride_width : d.upsample;
  for (int64_t originY = 0; originY < std::min<int64_t>(everyY, d.output_height); ++originY) {
    for (int64_t originX = 0; originX < std::min<int64_t>(everyX, d.output_width); ++originX) {
      ConvolutionPhase phase{};
      phase.originY = originY;
      phase.originX = originX;
      phase.everyY = everyY;
      phase.everyX = everyX;
      phase.rows = ceilDivide(d.output_height - originY, everyY);
      phase.columns = ceilDivide(d.output_width - originX, everyX);
      const bool split = d.deconvolution || d.upsample > 1;
      phase.stepY = split ? 1 : d.stride_height;
      phase.stepX = split ? 1 : d.stride_width;
      phase.tapsY = taps(d.kernel_height, d.stride_height, d.dilation_height, d.pad_top,
          d.deconvolution, d.upsample, originY);
      phase.tapsX = hasColumns
          ? std::vector<Tap>{{-d.pad_left, {}}}
          : taps(d.kernel_width, d.stride_width, d.dilation_width, d.pad_left, d.deconvolution,
                d.upsample, originX);
      if (phase.tapsX.empty() || phase.tapsY.empty()) {
        phase.tapsX.clear();
        phase.tapsY.clear();
      } else {
        phase.firstX = phase.tapsX.front().offset;
        phase.lastX = phase.tapsX.back().offset;
      }
      const bool sideBySide = !phase.tapsX.empty() && phase.span() == int64_t(phase.tapsX.size());
      phase.merged = sideBySide ? phase.span() : 1;
      phase.length = phase.merged * d.input_channels;
      phases.push_back(std::move(phase));
    }
  }
  return phases;
}

std::vector<ConvolutionBlock> outputBlocks(int64_t channels, int maxVectors) {
  std::vector<ConvolutionBlock> result;
  for (int64_t channel = 0; channel < channels;) {
    const int64_t vectors = std::min<int64_t>(ceilDivide(channels - channel, 16), maxVectors);
    result.push_back({static_cast<int>(vectors), channel, 0, 0});
    channel += vectors * 16;
  }
  return result;
}

std::string nameOfPhases(const std::vector<ConvolutionPhase> &phases) {
  std::string text;
  for (const auto &phase : phases) {
    text += ", ";
    append(text, phase.tapsY);
    text += " x ";
    append(text, phase.tapsX);
    text += " by " + std::to_string(phase.merged);
  }
  return text;
}

void packConvolution(
    const ck_convolution &d, const std::vector<ConvolutionPhase> &phases, ColumnOrder order,
    const float *weights, void *packed) {
  if (d.source_type == CK_BF16)
    packInto(d, phases, order, weights, static_cast<BFloat16 *>(packed));
  else
    packInto(d, phases, order, weights, static_cast<float *>(packed));
}

}  // namespace ck
