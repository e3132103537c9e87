#ifndef ATELIER_CKERNELS_H
#define ATELIER_CKERNELS_H

/// Atelier's own vectorised kernels: one header for each folder of `C/CKernels`.
///
/// Every function picks its code at run time for the instruction set of the processor: AVX-512 with or without BF16,
/// AVX2 with FMA, or plain C++. Floating-point arithmetic is float32 whatever the stored type, unless stated otherwise.
/// Work is divided by shape, never by the number of threads, and sums run in a fixed order. The same input therefore
/// gives the same bits on one machine for any number of threads.
///
/// Images are N, H, W, C with C contiguous, unless stated otherwise. A batch of planes is an image with one channel.
/// Strides count elements. Only functions named `create` allocate memory.

#include "ck_attention.h"
#include "ck_convolution.h"
#include "ck_elementwise.h"
#include "ck_functions.h"
#include "ck_gather_scatter.h"
#include "ck_normalization.h"
#include "ck_pixels.h"
#include "ck_quantized.h"
#include "ck_recurrent.h"
#include "ck_reductions.h"
#include "ck_threads.h"
#include "ck_tiles.h"
#include "ck_types.h"
#include "ck_winograd.h"

#endif
