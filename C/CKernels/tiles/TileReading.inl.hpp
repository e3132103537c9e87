// Included once per kind of tile, after Vector.hpp: how the inner loop finds its pixels.

/// The bytes that operands read in place of rows outside the image. Such operands have steps of 0, so they read these
/// bytes repeatedly.
alignas(64) static const char tileZeros[128] = {};

/// The 16 neighbouring outputs of row `y` from column `start` on. Only the outputs `first ..< last` of the 16 are
/// computed.
struct PixelRun {
  int64_t y, start, first, last;
};

/// Returns the run of the outputs x … x + 15 of a row of `width` outputs. The last run overlaps the run before it, so
/// that the last run stays inside the row.
CK_INLINE PixelRun pixelRun(int64_t y, int64_t x, int64_t width) {
  PixelRun run{y, x, 0, 16};
  if (x + 16 > width && width >= 16) {
    run.start = width - 16;
    run.first = x - run.start;
  } else if (x + 16 > width) {
    run.last = width - x;
  }
  return run;
}

/// Copies the first `count` ≤ 32 values, and writes zeros after them.
CK_INLINE void copyChunk(const BFloat16 *from, int64_t count, BFloat16 *to) {
#if CK_LEVEL >= 2
  const auto mask = static_cast<__mmask32>(count >= 32 ? ~0u : (1u << count) - 1u);
  _mm512_storeu_si512(to, _mm512_maskz_loadu_epi16(mask, from));
#else
  const size_t bytes = size_t(count < 32 ? count : 32) * sizeof(BFloat16);
  __builtin_memcpy(to, from, bytes);
  __builtin_memset(reinterpret_cast<char *>(to) + bytes, 0, 64 - bytes);
#endif
}

/// Finds the input of 16 outputs, as one tile operand for each row of the kernel.
///
/// A row of a tile has 32 values. If the number of channels is a multiple of 32, tiles read the image itself, and only
/// runs that reach beyond the image's edge read a patch (a copy that is padded with zeros). Otherwise, the reader
/// gathers the channels of neighbouring columns, 32 values at a time, and fills the last row with zeros. It does not
/// fill the row with values of further columns, although their weights are zeros. Such a value may be infinite, and
/// infinity times zero is not-a-number.
class TileReader {
 public:
  explicit TileReader(const TileRows &rows)
      : r(rows),
        phase(*rows.phase),
        groupCount(size_t(phase.groups())),
        chunks((phase.length + 31) / 32),
        chunkStep(rows.hasPairs ? 128 : 64) {
    for (size_t group = 0; group < groupCount; ++group) {
      offsets[group] = phase.tapsX[group * size_t(phase.merged)].offset - phase.firstX;
      groups[group] = r.gathers ? int64_t(group) * chunks * 1024
                                : offsets[group] * r.inputChannels * int64_t(sizeof(BFloat16));
    }
  }

  size_t operandCount() const { return phase.tapsY.size(); }
  /// Returns the number of tile steps (of 32 values) that one block takes.
  int64_t steps() const { return int64_t(operandCount() * groupCount) * chunks; }

  /// Finds the operands of run 0 or run 1 of a block (`which`). Run 1 shares gathered rows with run 0 if both read the
  /// same rows.
  void read(const PixelRun &run, int which) {
    const int64_t left = run.start * phase.stepX + phase.firstX;
    const int64_t right = (run.start + 15) * phase.stepX + phase.lastX + 1;
    const bool isSingle = run.last == 1;
    const bool inside =
        left >= 0 && (isSingle ? left + phase.span() : right) <= r.inputWidth;
    const bool shares = which == 1 && before.start == run.start;
    const int64_t shift = (run.y - before.y) * phase.stepY;
    size_t known = 0;
    for (size_t tap = 0; tap < operandCount(); ++tap) {
      TileOperand &operand = operands[which][tap];
      const int64_t y = run.y * phase.stepY + phase.tapsY[tap].offset;
      if (y < 0 || y >= r.inputHeight) {
        operand = {tileZeros, 0, 0};
        continue;
      }
      if (shares) {
        const int64_t wanted = phase.tapsY[tap].offset + shift;
        while (known < operandCount() && phase.tapsY[known].offset < wanted) ++known;
        if (known < operandCount() && phase.tapsY[known].offset == wanted
            && operands[0][known].chunkStep) {
          operand = operands[0][known];
          continue;
        }
      }
      const size_t slot = size_t(which) * operandCount() + tap;
      const BFloat16 *from = r.source + y * r.sourceRowStride + left * r.inputChannels;
      int64_t pixelStep = phase.stepX * r.inputChannels;
      if (!inside) {
        from = patched(from, left, right, r.patch + int64_t(slot) * r.patchStride);
      } else if (isSingle) {
        pixelStep = 0;
      }
      if (r.gathers) {
        BFloat16 *strip = r.strips + int64_t(slot) * r.stripStride;
        gather(from, pixelStep, strip);
        operand = {reinterpret_cast<const char *>(strip), 64, 1024};
      } else {
        operand = {reinterpret_cast<const char *>(from), pixelStep * int64_t(sizeof(BFloat16)),
            chunkStep};
      }
    }
    if (which == 0) before = run;
  }

  const TileOperand *operandsOf(int which) const { return operands[which]; }
  const int64_t *groupOffsets() const { return groups; }

  const TileRows &r;
  const ConvolutionPhase &phase;
  const size_t groupCount;
  const int64_t chunks, chunkStep;

 private:
  /// Returns a copy of the columns `left ..< right`, with zeros for columns outside the image.
  const BFloat16 *patched(const BFloat16 *from, int64_t left, int64_t right, BFloat16 *to) const {
    const int64_t first = left < 0 ? (left < -(right - left) ? right - left : -left) : 0;
    const int64_t end = right < r.inputWidth ? right : r.inputWidth;
    const int64_t count = end - left - first, all = (right - left) * r.inputChannels;
    if (count <= 0) {
      __builtin_memset(to, 0, size_t(all) * sizeof(BFloat16));
      return to;
    }
    const int64_t start = first * r.inputChannels, stop = start + count * r.inputChannels;
    __builtin_memset(to, 0, size_t(start) * sizeof(BFloat16));
    __builtin_memcpy(to + start, from + start, size_t(stop - start) * sizeof(BFloat16));
    __builtin_memset(to + stop, 0, size_t(all - stop) * sizeof(BFloat16));
    return to;
  }

  void gather(const BFloat16 *from, int64_t pixelStep, BFloat16 *to) const {
    for (size_t group = 0; group < groupCount; ++group) {
      const BFloat16 *values = from + offsets[group] * r.inputChannels;
      for (int64_t chunk = 0; chunk < chunks; ++chunk, values += 32)
        for (int64_t pixel = 0; pixel < 16; ++pixel, to += 32)
          copyChunk(values + pixel * pixelStep, phase.length - chunk * 32, to);
    }
  }

  PixelRun before{};
  /// A group is the taps that one pointer reads (`ConvolutionPhase::merged`). offsets: the distance in columns from the
  /// phase's first tap to each group. groups: the distance in bytes to each group from the beginning of a row, or from
  /// the beginning of the strip if pixels are gathered.
  int64_t offsets[kMaxTaps], groups[kMaxTaps];
  TileOperand operands[2][kMaxTaps];
};
