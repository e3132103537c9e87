// Included once per instruction set, after Functions.hpp.

/// Loads 16 values. Only the first `some` of them matter. Does not read beyond `end`, the end of all elements.
template <typename Element>
CK_INLINE Vector loadWithin(const Element *from, int64_t some, const Element *end) {
  return from + 16 <= end ? load(from) : loadSome(from, some);
}

/// Computes the maxima of `vectors` · 16 neighbouring channels of one window. Compares pixels in pairs, because one
/// comparison finds a not-a-number in either pixel of a pair.
template <typename Element, int vectors>
CK_INLINE void maxOfWindow(
    const MaxPoolingRow &row, const Element *source, int64_t columns, Element *to, int64_t some) {
  const Element *end = static_cast<const Element *>(row.sourceEnd);
  const Element *rowEnd = static_cast<const Element *>(row.destinationEnd);
  auto at = [&](const Element *pixel, int v) {
    return vectors == 1 ? loadWithin(pixel, some, end) : load(pixel + v * 16);
  };
  Vector largest[vectors];
  Integers isBad[vectors];
  for (int v = 0; v < vectors; ++v) {
    largest[v] = splat(-__builtin_inff());
    isBad[v] = (Integers)(0);
  }
  for (int64_t y = 0; y < row.rows; ++y) {
    const Element *pixel = source + y * row.rowStride;
    int64_t x = 0;
    for (; x + 2 <= columns; x += 2, pixel += 2 * row.channels)
      for (int v = 0; v < vectors; ++v) {
        const Vector first = at(pixel, v), second = at(pixel + row.channels, v);
        isBad[v] |= (first != first) | (second != second);
        largest[v] = greatest(greatest(first, second), largest[v]);
      }
    if (x < columns)
      for (int v = 0; v < vectors; ++v) {
        const Vector value = at(pixel, v);
        isBad[v] |= value != value;
        largest[v] = greatest(value, largest[v]);
      }
  }
  for (int v = 0; v < vectors; ++v) {
    const Vector result = choose(isBad[v], splat(__builtin_nanf("")), largest[v]);
    // The store may write into the next pixel, which is computed later and overwrites these values.
    if (vectors > 1 || to + 16 <= rowEnd) {
      store(to + v * 16, result);
    } else {
      storeSome(to, result, some);
    }
  }
}

template <typename Element>
static void maxPoolingRowOf(const MaxPoolingRow &row) {
  const Element *source = static_cast<const Element *>(row.source);
  Element *to = static_cast<Element *>(row.destination);
  for (int64_t column = 0; column < row.outputWidth; ++column, to += row.channels) {
    const int64_t left = row.columnStarts[column], columns = row.columnEnds[column] - left;
    if (row.rows <= 0 || columns <= 0) {
      for (int64_t c = 0; c < row.channels; c += 16) storeSome(to + c, splat(0.0f), row.channels - c);
      continue;
    }
    const Element *from = source + left * row.channels;
    int64_t c = 0;
    for (; c + 64 <= row.channels; c += 64)
      maxOfWindow<Element, 4>(row, from + c, columns, to + c, 64);
    for (; c + 32 <= row.channels; c += 32)
      maxOfWindow<Element, 2>(row, from + c, columns, to + c, 32);
    for (; c < row.channels; c += 16)
      maxOfWindow<Element, 1>(row, from + c, columns, to + c, row.channels - c);
  }
}

static void maxPoolingRow(const MaxPoolingRow &row) {
  switch (row.type) {
    case CK_F32: return maxPoolingRowOf<float>(row);
    case CK_BF16: return maxPoolingRowOf<BFloat16>(row);
    default: return maxPoolingRowOf<Half>(row);
  }
}
