#include "ck_elementwise.h"

namespace {

template <typename Element> bool hasNegative(int64_t count, const Element *values) {
  bool found = false;
  for (int64_t position = 0; position < count; ++position) found |= values[position] < 0;
  return found;
}

}  // namespace

extern "C" bool ck_has_negative(ck_type type, int64_t count, const void *values) {
  switch (type) {
    case CK_F32: return hasNegative(count, static_cast<const float *>(values));
    case CK_S32: return hasNegative(count, static_cast<const int32_t *>(values));
    default: return true;
  }
}
