#pragma once

#include <string>
#include <vector>

#include "Internal.hpp"

namespace ck {

/// The outputs of a convolution by what they see, without blocks of outputs. With `hasColumns` the
/// window's columns are outputs, and each phase sees the first of them.
std::vector<ConvolutionPhase> convolutionPhases(const ck_convolution &description, bool hasColumns);

/// Cuts `channels` outputs into blocks that the registers hold.
std::vector<ConvolutionBlock> outputBlocks(int64_t channels, int mostVectors);

/// What packed weights depend on: the elements of the window that each tap joins, such as `0,1.2` for two
/// taps. Where taps lie in the picture is not told: weights of other paddings are packed alike.
std::string nameOfPhases(const std::vector<ConvolutionPhase> &phases);

/// Whether the columns of the window are outputs, and in which order they lie.
enum class ColumnOrder { none, rising, falling };

/// Writes weights where the inner loops read them, zeros between them: for each tap pairs, or in float32
/// single inputs, of all outputs of a block.
void packConvolution(
    const ck_convolution &description, const std::vector<ConvolutionPhase> &phases,
    ColumnOrder order, const float *weights, void *packed);

}  // namespace ck
