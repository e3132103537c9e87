// Included last for each instruction set: the table of its functions.

/// A constant, so that no code of this instruction set runs before it is chosen.
static constexpr Kernels kKernels = {
    reducedLuma, searchLevel, searchFinest, confidenceOf, followKey, checkKey, blend, renew, makeKey,
    warpingError, applyColors, keepColors, mix, soften, reduce, enlarge, toPlanes, fromPlanes};
