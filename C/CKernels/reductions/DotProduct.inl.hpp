// Included once per instruction set, after Vector.hpp.

typedef double Doubles __attribute__((ext_vector_type(16)));

static float dotProduct(const float *a, const float *b, int64_t count, bool cosine) {
  Doubles products = 0, firsts = 0, seconds = 0;
  for (int64_t i = 0; i < count; i += 16) {
    const Doubles x = __builtin_convertvector(loadSome(a + i, count - i), Doubles);
    const Doubles y = __builtin_convertvector(loadSome(b + i, count - i), Doubles);
    products += x * y;
    if (!cosine) continue;
    firsts += x * x;
    seconds += y * y;
  }
  double product = 0, first = 0, second = 0;
  for (int lane = 0; lane < 16; ++lane) {
    product += products[lane];
    first += firsts[lane];
    second += seconds[lane];
  }
  if (!cosine) return static_cast<float>(product);
  const double lengths = __builtin_sqrt(first * second);
  return static_cast<float>(lengths == 0 ? 0 : product / lengths);
}
