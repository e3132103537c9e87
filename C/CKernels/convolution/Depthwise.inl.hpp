// Included once per instruction set, after Functions.hpp.

/// Applies the layer's activation to the sums of some pixels. Not inlined, because there are 32 kinds of tiles, and each
/// copy of all functions costs compile time.
__attribute__((noinline)) static void activateDepthwise(const ck_depthwise &layer, Vector *sums, int pixels) {
  const Vector alpha = splat(layer.alpha), beta = splat(layer.beta);
  const bool rounds = layer.rounds != 0;
  for (int p = 0; p < pixels; ++p) {
    const Vector value = activate(layer.activation, rounds ? roundToHalf(sums[p]) : sums[p], alpha, beta);
    sums[p] = rounds ? roundToHalf(value) : value;
  }
}

/// Computes `P` neighbouring output pixels of 16 channels. Reads each input column once and adds its products to all
/// sums that use the column. With `atSide`, skips the input columns outside `first ..< last`.
template <int P, int S, int KW, bool atSide, typename Element>
CK_INLINE void depthwiseTile(
    const DepthwiseRow &row, int64_t start, int64_t c, int64_t first, int64_t last) {
  const int64_t channels = row.layer->channels;
  Vector sums[P];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) sums[p] = splat(0.0f);
  for (int r = 0; r < row.rowCount; ++r) {
    const Element *input = static_cast<const Element *>(row.rows[r]) + start * channels + c;
    const float *window = row.weights[r] + c;
    Vector w[KW];
#pragma clang loop unroll(full)
    for (int k = 0; k < KW; ++k) w[k] = load(window + k * channels);
#pragma clang loop unroll(full)
    for (int i = 0; i < (P - 1) * S + KW; ++i) {
      if (atSide && (i < first || i >= last)) continue;
      const Vector x = load(input + i * channels);
#pragma clang loop unroll(full)
      for (int k = 0; k < KW; ++k) {
        if ((i - k) % S != 0 || i < k || (i - k) / S >= P) continue;
        const int p = (i - k) / S;
        sums[p] = multiplyAdd(x, w[k], sums[p]);
      }
    }
  }
  const Vector bias = row.bias ? load(row.bias + c) : splat(0.0f);
  const Vector alpha = splat(row.layer->alpha), beta = splat(row.layer->beta);
  Element *to = static_cast<Element *>(row.destination) + c;
  const ck_function activation = row.layer->activation;
  const bool rounds = row.layer->rounds != 0;
  if (activation == CK_IDENTITY || activation == CK_RELU || activation == CK_CLIP) {
    // Handles the common activations without a branch for each value.
    Vector lower = activation == CK_CLIP ? alpha
        : splat(activation == CK_RELU ? 0.0f : -__builtin_inff());
    Vector upper = activation == CK_CLIP ? beta : splat(__builtin_inff());
    if (rounds) {
      lower = roundToHalf(lower);
      upper = roundToHalf(upper);
    }
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      Vector value = sums[p] + bias;
      if (rounds) value = roundToHalf(value);
      value = choose(value < lower, lower, value);
      store(to + p * channels, choose(value > upper, upper, value));
    }
    return;
  }
  // A copy, because an array whose address is passed on is not kept in registers.
  Vector values[P];
  for (int p = 0; p < P; ++p) values[p] = sums[p] + bias;
  activateDepthwise(*row.layer, values, P);
  for (int p = 0; p < P; ++p) store(to + p * channels, values[p]);
}

/// Computes a tile of pixels, with all channels of the row's part. The last vector of channels overlaps the vector
/// before it, and so stays inside the channels.
template <int P, int S, int KW, bool atSide, typename Element>
static void depthwiseChannels(
    const DepthwiseRow &row, int64_t start, int64_t first, int64_t last) {
  for (int64_t c = row.firstChannel; c < row.endChannel; c += 16)
    depthwiseTile<P, S, KW, atSide, Element>(
        row, start, c + 16 > row.endChannel ? row.endChannel - 16 : c, first, last);
}

template <int P, int S, int KW, typename Element>
static void depthwiseTiles(DepthwiseRow row) {
  const ck_depthwise &layer = *row.layer;
  constexpr int64_t columns = (P - 1) * S + KW;
  char *destination = static_cast<char *>(row.destination);
  for (int64_t x = 0; x < layer.output_width; x += P) {
    // The last tile overlaps the tile before it, and so stays inside the row.
    const int64_t from = x + P > layer.output_width ? layer.output_width - P : x;
    const int64_t start = from * S - layer.pad_left;
    row.destination = destination + from * layer.channels * static_cast<int64_t>(sizeof(Element));
    if (start >= 0 && start + columns <= layer.input_width)
      depthwiseChannels<P, S, KW, false, Element>(row, start, 0, columns);
    else
      depthwiseChannels<P, S, KW, true, Element>(row, start, -start, layer.input_width - start);
  }
}

template <int S, int KW, typename Element>
static void depthwiseRowOf(const DepthwiseRow &row) {
#if CK_LEVEL >= 2
  constexpr int64_t wide = 7, narrow = 4;
#else
  constexpr int64_t wide = 3, narrow = 2;
#endif
  const int64_t width = row.layer->output_width;
  const auto computed = [&](int64_t pixels) { return (width + pixels - 1) / pixels * pixels; };
  if (width >= wide && computed(wide) <= computed(narrow))
    depthwiseTiles<wide, S, KW, Element>(row);
  else
    depthwiseTiles<narrow, S, KW, Element>(row);
}

template <typename Element>
static void depthwiseRowOf(const DepthwiseRow &row) {
  const bool isStrided = row.layer->stride_width == 2;
  if (row.layer->kernel_width == 3)
    isStrided ? depthwiseRowOf<2, 3, Element>(row) : depthwiseRowOf<1, 3, Element>(row);
  else
    isStrided ? depthwiseRowOf<2, 5, Element>(row) : depthwiseRowOf<1, 5, Element>(row);
}

static void depthwiseRow(const DepthwiseRow &row) {
  if (row.layer->type == CK_BF16)
    depthwiseRowOf<BFloat16>(row);
  else
    depthwiseRowOf<float>(row);
}
