// Included once per instruction set, after Functions.hpp.

/// The larger of a maximum so far and a value; not a number as soon as one of them is none.
CK_INLINE Vector keepGreatest(Vector value, Vector largest) {
  return choose(value != value, value, greatest(value, largest));
}

/// The maxima of `vectors` times 16 neighbouring channels of one window.
template <typename Element, int vectors>
CK_INLINE void maxOfWindow(const MaxPoolingRow &row, const Element *source, int64_t columns, Element *to) {
  Vector largest[vectors];
  for (int v = 0; v < vectors; ++v) largest[v] = splat(-__builtin_inff());
  for (int64_t y = 0; y < row.rows; ++y) {
    const Element *at = source + y * row.rowStride;
    for (int64_t x = 0; x < columns; ++x, at += row.channels)
      for (int v = 0; v < vectors; ++v) largest[v] = keepGreatest(load(at + v * 16), largest[v]);
  }
  for (int v = 0; v < vectors; ++v) store(to + v * 16, largest[v]);
}

template <typename Element>
CK_INLINE void maxOfSomeChannels(
    const MaxPoolingRow &row, const Element *source, int64_t columns, Element *to, int64_t some) {
  Vector largest = splat(-__builtin_inff());
  for (int64_t y = 0; y < row.rows; ++y) {
    const Element *at = source + y * row.rowStride;
    for (int64_t x = 0; x < columns; ++x, at += row.channels)
      largest = keepGreatest(loadSome(at, some), largest);
  }
  storeSome(to, largest, some);
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
    for (; c + 64 <= row.channels; c += 64) maxOfWindow<Element, 4>(row, from + c, columns, to + c);
    for (; c + 16 <= row.channels; c += 16) maxOfWindow<Element, 1>(row, from + c, columns, to + c);
    if (c < row.channels) maxOfSomeChannels(row, from + c, columns, to + c, row.channels - c);
  }
}

static void maxPoolingRow(const MaxPoolingRow &row) {
  switch (row.type) {
    case CK_F32: return maxPoolingRowOf<float>(row);
    case CK_BF16: return maxPoolingRowOf<Brain>(row);
    default: return maxPoolingRowOf<Half>(row);
  }
}
