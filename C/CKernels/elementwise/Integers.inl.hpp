// Included once per instruction set: functions of int32 along a row.

CK_INLINE int32_t wrapped(uint32_t bits) { return __builtin_bit_cast(int32_t, bits); }

/// Returns the quotient rounded down, or 0 if the divisor is 0. In 64 bits, dividing the smallest int32 by -1 does not
/// trap.
CK_INLINE int64_t flooredQuotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Returns the quotient truncated towards zero, or 0 if the divisor is 0. In 64 bits, dividing the smallest int32 by -1
/// does not trap.
CK_INLINE int64_t truncatedQuotient(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }

CK_INLINE int32_t saturated(int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : int32_t(value);
}

/// Returns the base to the power of a negative exponent, truncated towards zero. The result for base 0 is 0.
CK_INLINE int32_t inversePower(int32_t base, int32_t exponent) {
  if (base == 1) return 1;
  return base == -1 ? (exponent & 1 ? -1 : 1) : 0;
}

static int32_t wrappedPower(int32_t base, int32_t exponent) {
  if (exponent < 0) return inversePower(base, exponent);
  uint32_t result = 1, factor = uint32_t(base);
  for (uint32_t rest = uint32_t(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return wrapped(result);
}

static int32_t saturatedPower(int32_t base, int32_t exponent) {
  if (exponent < 0) return inversePower(base, exponent);
  // `most` is greater by one than every magnitude in range. The product of two numbers up to `most` fits 64 bits.
  constexpr uint64_t most = (uint64_t(1) << 31) + 1;
  uint64_t result = 1, factor = base < 0 ? uint64_t(-int64_t(base)) : uint64_t(base);
  for (uint32_t rest = uint32_t(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result = result * factor < most ? result * factor : most;
    factor = factor * factor < most ? factor * factor : most;
  }
  return saturated(base < 0 && (exponent & 1) ? -int64_t(result) : int64_t(result));
}

/// For all steps, and for functions that no instruction computes for vectors: divisions and powers.
template <typename Function>
CK_INLINE void integerRowOneByOne(const IntegerRow &row, Function function) {
  const int32_t *a = row.first, *b = row.second;
#pragma clang loop vectorize(disable) unroll(disable)
  for (int64_t i = 0; i < row.count; ++i)
    row.destination[i] = function(a[i * row.firstStep], b[i * row.secondStep]);
}

template <typename Function>
CK_INLINE void integerRowOf(const IntegerRow &row, Function function) {
  const int32_t *a = row.first, *b = row.second;
  int32_t *to = row.destination;
  // The compiler vectorises these loops.
  if (row.firstStep == 1 && row.secondStep == 1) {
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(a[i], b[i]);
  } else if (row.firstStep == 1 && row.secondStep == 0) {
    const int32_t fixed = *b;
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(a[i], fixed);
  } else if (row.firstStep == 0 && row.secondStep == 1) {
    const int32_t fixed = *a;
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(fixed, b[i]);
  } else {
    integerRowOneByOne(row, function);
  }
}

static void integerRow(const IntegerRow &row) {
  using W = int32_t;
  using U = uint32_t;
  switch (row.function) {
    case CK_INTEGER_ADD: return integerRowOf(row, [](W a, W b) { return wrapped(U(a) + U(b)); });
    case CK_INTEGER_SUBTRACT: return integerRowOf(row, [](W a, W b) { return wrapped(U(a) - U(b)); });
    case CK_INTEGER_MULTIPLY: return integerRowOf(row, [](W a, W b) { return wrapped(U(a) * U(b)); });
    case CK_INTEGER_FLOOR_DIVIDE:
      return integerRowOneByOne(row, [](W a, W b) { return wrapped(U(flooredQuotient(a, b))); });
    case CK_INTEGER_MODULO:
      return integerRowOneByOne(row, [](W a, W b) { return wrapped(U(a - flooredQuotient(a, b) * b)); });
    case CK_INTEGER_MAXIMUM: return integerRowOf(row, [](W a, W b) { return a < b ? b : a; });
    case CK_INTEGER_MINIMUM: return integerRowOf(row, [](W a, W b) { return b < a ? b : a; });
    case CK_INTEGER_EQUAL: return integerRowOf(row, [](W a, W b) { return W(a == b); });
    case CK_INTEGER_NOT_EQUAL: return integerRowOf(row, [](W a, W b) { return W(a != b); });
    case CK_INTEGER_LESS: return integerRowOf(row, [](W a, W b) { return W(a < b); });
    case CK_INTEGER_LESS_EQUAL: return integerRowOf(row, [](W a, W b) { return W(a <= b); });
    case CK_INTEGER_GREATER: return integerRowOf(row, [](W a, W b) { return W(a > b); });
    case CK_INTEGER_GREATER_EQUAL: return integerRowOf(row, [](W a, W b) { return W(a >= b); });
    case CK_INTEGER_AND: return integerRowOf(row, [](W a, W b) { return W((a != 0) & (b != 0)); });
    case CK_INTEGER_OR: return integerRowOf(row, [](W a, W b) { return W((a | b) != 0); });
    case CK_INTEGER_XOR: return integerRowOf(row, [](W a, W b) { return W((a != 0) != (b != 0)); });
    case CK_INTEGER_GATE: return integerRowOf(row, [](W a, W b) { return b > 0 ? a : 0; });
    case CK_INTEGER_DIVIDE:
      return integerRowOneByOne(row, [](W a, W b) { return wrapped(U(truncatedQuotient(a, b))); });
    case CK_INTEGER_POWER: return integerRowOneByOne(row, [](W a, W b) { return wrappedPower(a, b); });
    case CK_INTEGER_SATURATED_ADD:
      return integerRowOf(row, [](W a, W b) { return saturated(int64_t(a) + b); });
    case CK_INTEGER_SATURATED_SUBTRACT:
      return integerRowOf(row, [](W a, W b) { return saturated(int64_t(a) - b); });
    case CK_INTEGER_SATURATED_MULTIPLY:
      return integerRowOf(row, [](W a, W b) { return saturated(int64_t(a) * b); });
    case CK_INTEGER_SATURATED_FLOOR_DIVIDE:
      return integerRowOneByOne(row, [](W a, W b) { return saturated(flooredQuotient(a, b)); });
    case CK_INTEGER_SATURATED_DIVIDE:
      return integerRowOneByOne(row, [](W a, W b) { return saturated(truncatedQuotient(a, b)); });
    case CK_INTEGER_SATURATED_POWER:
      return integerRowOneByOne(row, [](W a, W b) { return saturatedPower(a, b); });
  }
}
