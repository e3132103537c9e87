// Included once per instruction set: functions of int32 along a row.

CK_INLINE int32_t wrapped(uint32_t bits) { return __builtin_bit_cast(int32_t, bits); }

/// Rounded down; 0 where the divisor is 0. In 64 bits the least number by -1 does not trap.
CK_INLINE int64_t flooredQuotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// The fraction cut off; 0 where the divisor is 0. In 64 bits the least number by -1 does not trap.
CK_INLINE int64_t truncatedQuotient(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }

CK_INLINE int32_t saturated(int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : int32_t(value);
}

/// 1 / xⁿ without its fraction, for an exponent below 0.
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
  // One beyond every magnitude that fits: products of two such numbers fit 64 bits.
  constexpr uint64_t most = (uint64_t(1) << 31) + 1;
  uint64_t result = 1, factor = base < 0 ? uint64_t(-int64_t(base)) : uint64_t(base);
  for (uint32_t rest = uint32_t(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result = result * factor < most ? result * factor : most;
    factor = factor * factor < most ? factor * factor : most;
  }
  return saturated(base < 0 && (exponent & 1) ? -int64_t(result) : int64_t(result));
}

template <typename Function>
CK_INLINE void wholeRowOf(const WholeRow &row, Function function) {
  const int32_t *a = row.first, *b = row.second;
  int32_t *to = row.destination;
  // The loops that the compiler makes vectors of.
  if (row.firstStep == 1 && row.secondStep == 1) {
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(a[i], b[i]);
  } else if (row.firstStep == 1 && row.secondStep == 0) {
    const int32_t fixed = *b;
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(a[i], fixed);
  } else if (row.firstStep == 0 && row.secondStep == 1) {
    const int32_t fixed = *a;
    for (int64_t i = 0; i < row.count; ++i) to[i] = function(fixed, b[i]);
  } else {
    for (int64_t i = 0; i < row.count; ++i)
      to[i] = function(a[i * row.firstStep], b[i * row.secondStep]);
  }
}

static void wholeRow(const WholeRow &row) {
  using W = int32_t;
  using U = uint32_t;
  switch (row.function) {
    case CK_WHOLE_ADD: return wholeRowOf(row, [](W a, W b) { return wrapped(U(a) + U(b)); });
    case CK_WHOLE_SUBTRACT: return wholeRowOf(row, [](W a, W b) { return wrapped(U(a) - U(b)); });
    case CK_WHOLE_MULTIPLY: return wholeRowOf(row, [](W a, W b) { return wrapped(U(a) * U(b)); });
    case CK_WHOLE_FLOOR_DIVIDE:
      return wholeRowOf(row, [](W a, W b) { return wrapped(U(flooredQuotient(a, b))); });
    case CK_WHOLE_MODULO:
      return wholeRowOf(row, [](W a, W b) { return wrapped(U(a - flooredQuotient(a, b) * b)); });
    case CK_WHOLE_MAXIMUM: return wholeRowOf(row, [](W a, W b) { return a < b ? b : a; });
    case CK_WHOLE_MINIMUM: return wholeRowOf(row, [](W a, W b) { return b < a ? b : a; });
    case CK_WHOLE_EQUAL: return wholeRowOf(row, [](W a, W b) { return W(a == b); });
    case CK_WHOLE_NOT_EQUAL: return wholeRowOf(row, [](W a, W b) { return W(a != b); });
    case CK_WHOLE_LESS: return wholeRowOf(row, [](W a, W b) { return W(a < b); });
    case CK_WHOLE_AT_MOST: return wholeRowOf(row, [](W a, W b) { return W(a <= b); });
    case CK_WHOLE_GREATER: return wholeRowOf(row, [](W a, W b) { return W(a > b); });
    case CK_WHOLE_AT_LEAST: return wholeRowOf(row, [](W a, W b) { return W(a >= b); });
    case CK_WHOLE_AND: return wholeRowOf(row, [](W a, W b) { return W((a != 0) & (b != 0)); });
    case CK_WHOLE_OR: return wholeRowOf(row, [](W a, W b) { return W((a | b) != 0); });
    case CK_WHOLE_XOR: return wholeRowOf(row, [](W a, W b) { return W((a != 0) != (b != 0)); });
    case CK_WHOLE_GATE: return wholeRowOf(row, [](W a, W b) { return b > 0 ? a : 0; });
    case CK_WHOLE_DIVIDE:
      return wholeRowOf(row, [](W a, W b) { return wrapped(U(truncatedQuotient(a, b))); });
    case CK_WHOLE_POWER: return wholeRowOf(row, [](W a, W b) { return wrappedPower(a, b); });
    case CK_WHOLE_SATURATED_ADD:
      return wholeRowOf(row, [](W a, W b) { return saturated(int64_t(a) + b); });
    case CK_WHOLE_SATURATED_SUBTRACT:
      return wholeRowOf(row, [](W a, W b) { return saturated(int64_t(a) - b); });
    case CK_WHOLE_SATURATED_MULTIPLY:
      return wholeRowOf(row, [](W a, W b) { return saturated(int64_t(a) * b); });
    case CK_WHOLE_SATURATED_FLOOR_DIVIDE:
      return wholeRowOf(row, [](W a, W b) { return saturated(flooredQuotient(a, b)); });
    case CK_WHOLE_SATURATED_DIVIDE:
      return wholeRowOf(row, [](W a, W b) { return saturated(truncatedQuotient(a, b)); });
    case CK_WHOLE_SATURATED_POWER:
      return wholeRowOf(row, [](W a, W b) { return saturatedPower(a, b); });
  }
}
