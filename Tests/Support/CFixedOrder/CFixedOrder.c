#include "CFixedOrder.h"

#include <stdlib.h>

__attribute__((constructor)) static void choose_in_fixed_order(void) {
  setenv("ATELIER_TUNING", "off", 0);
}
