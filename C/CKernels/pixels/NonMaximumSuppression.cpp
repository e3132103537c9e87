#include <algorithm>

#include "Internal.hpp"

using namespace ck;

namespace {

/// Scratch memory, cut up.
struct Memory {
  uint64_t *order;
  double *left, *right, *top, *bottom, *area;
  int64_t *kept;
  float *score;
  int32_t *best, *keptBest;

  Memory(void *start, int64_t boxes, int64_t most) {
    char *at = static_cast<char *>(start);
    const auto take = [&](auto *&pointer, int64_t count) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at);
      at += rounded(sizeof(*pointer) * static_cast<size_t>(count));
    };
    take(order, boxes);
    take(score, boxes);
    take(best, boxes);
    take(left, most);
    take(right, most);
    take(top, most);
    take(bottom, most);
    take(area, most);
    take(kept, most);
    take(keptBest, most);
    bytes = static_cast<size_t>(at - static_cast<char *>(start));
  }

  size_t bytes;
};

Box boxOf(const float *numbers, int32_t best) {
#pragma clang fp contract(off)
  const double x = numbers[0], y = numbers[1], width = numbers[2], height = numbers[3];
  Box box;
  box.left = x - width / 2;
  box.right = x + width / 2;
  box.top = y - height / 2;
  box.bottom = y + height / 2;
  box.area = (box.right - box.left) * (box.bottom - box.top);
  box.best = best;
  return box;
}

/// Falling scores, equal ones in their order: the lower key comes first.
uint64_t keyOf(float score, int64_t place) {
  const uint32_t bits = score == 0 ? 0u : __builtin_bit_cast(uint32_t, score);
  const uint32_t rising = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  const uint32_t falling = score != score ? 0xffffffffu : ~rising;
  return static_cast<uint64_t>(falling) << 32 | static_cast<uint64_t>(place);
}

/// The boxes of one sample that stay, in `memory.kept`; returns their number.
int64_t keep(
    const ck_suppression &d, const float *boxes, const float *scores, const Memory &memory) {
  constexpr int64_t share = 4096;
  const int64_t together = std::max<int64_t>(1, share / d.classes);
  forParts(ceilDivide(d.boxes, together), [&](int64_t part, int) {
    const int64_t end = std::min(d.boxes, (part + 1) * together);
    for (int64_t box = part * together; box < end; ++box) {
      const float *own = scores + box * d.classes;
      int64_t best = 0;
      for (int64_t c = 1; c < d.classes; ++c)
        if (own[c] > own[best]) best = c;
      memory.best[box] = static_cast<int32_t>(best);
      memory.score[box] = own[best];
    }
  });
  int64_t candidates = 0;
  uint64_t first = ~0ull;
  for (int64_t box = 0; box < d.boxes; ++box) {
    const uint64_t key = keyOf(memory.score[box], box);
    first = std::min(first, key);
    if (static_cast<double>(memory.score[box]) > d.least) memory.order[candidates++] = key;
  }
  if (d.boxes == 0 || d.most == 0) return 0;
  if (candidates == 0) {
    memory.kept[0] = static_cast<int64_t>(first & 0xffffffffu);
    return 1;
  }
  std::sort(memory.order, memory.order + candidates);
  KeptBoxes kept{memory.left, memory.right, memory.top, memory.bottom, memory.area,
      memory.keptBest, 0};
  const Table &kernels = table();
  for (int64_t i = 0; i < candidates && kept.count < d.most; ++i) {
    const int64_t place = static_cast<int64_t>(memory.order[i] & 0xffffffffu);
    const Box box = boxOf(boxes + place * 4, memory.best[place]);
    if (kernels.overlapsAny(kept, box, d.overlap, d.per_class)) continue;
    const int64_t at = kept.count++;
    memory.left[at] = box.left;
    memory.right[at] = box.right;
    memory.top[at] = box.top;
    memory.bottom[at] = box.bottom;
    memory.area[at] = box.area;
    memory.keptBest[at] = box.best;
    memory.kept[at] = place;
  }
  return kept.count;
}

}  // namespace

extern "C" {

size_t ck_suppression_scratch_bytes(const ck_suppression *d) {
  return Memory(nullptr, d->boxes, std::min(d->boxes, d->most)).bytes;
}

int32_t ck_suppress(
    const ck_suppression *description, const float *boxes, const float *scores,
    float *keptBoxes, float *keptScores, float *keptIndices, float *counts, void *scratch) {
  const ck_suppression &d = *description;
  if (d.classes < 1 || d.boxes > INT32_MAX || d.classes > INT32_MAX) return -1;
  const Memory memory(scratch, d.boxes, std::min(d.boxes, d.most));
  for (int64_t sample = 0; sample < d.batch; ++sample) {
    const float *ownBoxes = boxes + sample * d.boxes * 4;
    const float *ownScores = scores + sample * d.boxes * d.classes;
    const int64_t count = keep(d, ownBoxes, ownScores, memory);
    counts[sample] = static_cast<float>(count);
    float *toBoxes = keptBoxes + sample * d.most * 4;
    float *toScores = keptScores + sample * d.most * d.classes;
    float *toIndices = keptIndices + sample * d.most;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = memory.kept[i];
      std::copy(ownBoxes + place * 4, ownBoxes + place * 4 + 4, toBoxes + i * 4);
      std::copy(ownScores + place * d.classes, ownScores + (place + 1) * d.classes,
          toScores + i * d.classes);
      toIndices[i] = static_cast<float>(place);
    }
    std::fill(toBoxes + count * 4, toBoxes + d.most * 4, 0.0f);
    std::fill(toScores + count * d.classes, toScores + d.most * d.classes, 0.0f);
    std::fill(toIndices + count, toIndices + d.most, -1.0f);
  }
  return 0;
}

}  // extern "C"
