// Included once per kind of tile, after Vector.hpp: where the inner loop finds its pixels.

/// What a line outside of the picture reads, again and again.
alignas(64) static const char tileZeros[64] = {};

/// 16 neighbouring outputs of a row, of which those from `first` up to `last` are wanted.
struct PixelRun {
  int64_t y, start, first, last;
};

/// The outputs x … x + 15 of a row of `width`. The last run reaches back rather than out.
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

/// The first `count` ≤ 32 values, and zeros after them.
CK_INLINE void copyChunk(const Brain *from, int64_t count, Brain *to) {
#if CK_LEVEL >= 2
  const auto mask = static_cast<__mmask32>(count >= 32 ? ~0u : (1u << count) - 1u);
  _mm512_storeu_si512(to, _mm512_maskz_loadu_epi16(mask, from));
#else
  const size_t bytes = size_t(count < 32 ? count : 32) * sizeof(Brain);
  __builtin_memcpy(to, from, bytes);
  __builtin_memset(reinterpret_cast<char *>(to) + bytes, 0, 64 - bytes);
#endif
}

/// Finds the lines of input that 16 outputs see, one for each row of the window.
///
/// Where 32 channels fill a row of a tile, tiles are read from the picture itself. Runs that touch the
/// picture's edge read a patch with zeros around. Where channels do not fill rows, those of neighbouring
/// columns are brought together, 32 values at a time, and zeros to the end: what lies in other columns must
/// not meet the zeros that stand for missing weights, as it may be infinite.
class TileReader {
 public:
  explicit TileReader(const TileRows &rows)
      : r(rows),
        phase(*rows.phase),
        groupCount(phase.tapsX.empty() ? 0 : phase.tapsX.size() / size_t(phase.merged)),
        chunks((phase.length + 31) / 32) {
    for (size_t group = 0; group < groupCount; ++group) {
      offsets[group] = phase.tapsX[group * size_t(phase.merged)].offset - phase.firstX;
      groups[group] = r.gathers ? int64_t(group) * chunks * 1024
                                : offsets[group] * r.inputChannels * int64_t(sizeof(Brain));
    }
  }

  size_t lineCount() const { return phase.tapsY.size(); }
  /// The steps of one block.
  int64_t steps() const { return int64_t(lineCount() * groupCount) * chunks; }

  /// Lines of run number `which` of a block; number 1 shares what number 0 has brought together where
  /// they see the same rows.
  void read(const PixelRun &run, int which) {
    const int64_t left = run.start * phase.stepX + phase.firstX;
    const int64_t right = (run.start + 15) * phase.stepX + phase.lastX + 1;
    const bool isSingle = run.last == 1;
    const bool inside =
        left >= 0 && (isSingle ? left + phase.span() : right) <= r.inputWidth;
    const bool shares = which == 1 && before.start == run.start;
    const int64_t shift = (run.y - before.y) * phase.stepY;
    size_t known = 0;
    for (size_t tap = 0; tap < lineCount(); ++tap) {
      TileLine &line = lines[which][tap];
      const int64_t y = run.y * phase.stepY + phase.tapsY[tap].offset;
      if (y < 0 || y >= r.inputHeight) {
        line = {tileZeros, 0, 0};
        continue;
      }
      if (shares) {
        const int64_t wanted = phase.tapsY[tap].offset + shift;
        while (known < lineCount() && phase.tapsY[known].offset < wanted) ++known;
        if (known < lineCount() && phase.tapsY[known].offset == wanted
            && lines[0][known].chunkStep) {
          line = lines[0][known];
          continue;
        }
      }
      const size_t slot = size_t(which) * lineCount() + tap;
      const Brain *from = r.source + y * r.sourceRowStride + left * r.inputChannels;
      int64_t pixelStep = phase.stepX * r.inputChannels;
      if (!inside) {
        from = patched(from, left, right, r.patch + int64_t(slot) * r.patchStride);
      } else if (isSingle) {
        pixelStep = 0;
      }
      if (r.gathers) {
        Brain *strip = r.strips + int64_t(slot) * r.stripStride;
        gather(from, pixelStep, strip);
        line = {reinterpret_cast<const char *>(strip), 64, 1024};
      } else {
        line = {reinterpret_cast<const char *>(from), pixelStep * int64_t(sizeof(Brain)), 64};
      }
    }
    if (which == 0) before = run;
  }

  const TileLine *line(int which) const { return lines[which]; }
  const int64_t *groupOffsets() const { return groups; }

  const TileRows &r;
  const ConvolutionPhase &phase;
  const size_t groupCount;
  const int64_t chunks;

 private:
  /// The columns from `left` up to `right`, with zeros for those that the picture has not.
  const Brain *patched(const Brain *from, int64_t left, int64_t right, Brain *to) const {
    const int64_t first = left < 0 ? (left < -(right - left) ? right - left : -left) : 0;
    const int64_t end = right < r.inputWidth ? right : r.inputWidth;
    const int64_t count = end - left - first, all = (right - left) * r.inputChannels;
    if (count <= 0) {
      __builtin_memset(to, 0, size_t(all) * sizeof(Brain));
      return to;
    }
    const int64_t start = first * r.inputChannels, stop = start + count * r.inputChannels;
    __builtin_memset(to, 0, size_t(start) * sizeof(Brain));
    __builtin_memcpy(to + start, from + start, size_t(stop - start) * sizeof(Brain));
    __builtin_memset(to + stop, 0, size_t(all - stop) * sizeof(Brain));
    return to;
  }

  void gather(const Brain *from, int64_t pixelStep, Brain *to) const {
    for (size_t group = 0; group < groupCount; ++group) {
      const Brain *values = from + offsets[group] * r.inputChannels;
      for (int64_t chunk = 0; chunk < chunks; ++chunk, values += 32)
        for (int64_t pixel = 0; pixel < 16; ++pixel, to += 32)
          copyChunk(values + pixel * pixelStep, phase.length - chunk * 32, to);
    }
  }

  PixelRun before{};
  /// Columns from the first that a window touches to each group's, and bytes from a line's beginning.
  int64_t offsets[kMostTaps], groups[kMostTaps];
  TileLine lines[2][kMostTaps];
};
