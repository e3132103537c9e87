#pragma once

#include <string>
#include <vector>

#include "common/Table.hpp"

namespace ck {

/// Returns the phases of a convolution (see `ConvolutionPhase`). Their `blocks` are empty; the caller fills them. With
/// `hasColumns`, each kernel column of an output channel is treated as a separate output channel. `tapsX` then has one
/// tap, at the offset of the first kernel column.
std::vector<ConvolutionPhase> convolutionPhases(const ck_convolution &description, bool hasColumns);

/// Divides `channels` outputs into blocks that fit the registers.
std::vector<ConvolutionBlock> outputBlocks(int64_t channels, int maxVectors);

/// Returns a name for the layout of the packed weights. It lists the kernel positions of each tap. A tap adds up the
/// weights at its positions. For example, `0,1.2` stands for two taps: the first adds up the weights at 0 and 1, the
/// second has the weight at 2. The name does not contain the taps' offsets: they change with the padding, but the
/// layout does not.
std::string nameOfPhases(const std::vector<ConvolutionPhase> &phases);

/// The order of the kernel's columns, if each column of an output channel is treated as a separate output channel
/// (`hasColumns`). Otherwise `none`.
enum class ColumnOrder { none, rising, falling };

/// Writes weights in the order in which the inner loops read them: for each tap, the weights of all outputs of a
/// block. float32 weights are in the order of the inputs. bfloat16 weights are in pairs: the weights of one output for
/// two consecutive inputs. The layout has space for full pairs and full vectors. Elements without a weight are zeros.
void packConvolution(
    const ck_convolution &description, const std::vector<ConvolutionPhase> &phases,
    ColumnOrder order, const float *weights, void *packed);

}  // namespace ck
