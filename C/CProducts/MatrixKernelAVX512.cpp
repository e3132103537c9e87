#define PRODUCT_LANES 16
#define PRODUCT_ROWS 12
#define PRODUCT_KERNEL avx512Kernel
#define PRODUCT_NAME "products:avx512"
#include "MatrixKernel.inl.hpp"
