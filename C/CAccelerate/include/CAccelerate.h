// The C functions of Accelerate: vDSP, vForce, BLAS, LAPACK and vImage, with Apple's names and argument order.

#ifndef CACCELERATE_H
#define CACCELERATE_H

#include "accelerate_blas.h"
#include "accelerate_lapack.h"
#include "vDSP_complex.h"
#include "vDSP_conversions.h"
#include "vDSP_elementwise.h"
#include "vDSP_matrices.h"
#include "vDSP_reductions.h"
#include "vDSP_series.h"
#include "vDSP_transforms.h"
#include "vDSP_types.h"
#include "vForce.h"
#include "vImage_alpha.h"
#include "vImage_conversions.h"
#include "vImage_geometry.h"
#include "vImage_types.h"

#endif
