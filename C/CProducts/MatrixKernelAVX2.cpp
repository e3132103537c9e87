#define PRODUCT_LANES 8
#define PRODUCT_ROWS 6
#define PRODUCT_KERNEL avx2Kernel
#define PRODUCT_NAME "products:avx2"
#include "MatrixKernel.inl.hpp"
