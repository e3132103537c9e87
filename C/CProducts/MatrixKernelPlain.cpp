#define PRODUCT_LANES 4
#define PRODUCT_ROWS 4
#define PRODUCT_KERNEL plainKernel
#define PRODUCT_NAME "products:plain"
#include "MatrixKernel.inl.hpp"
