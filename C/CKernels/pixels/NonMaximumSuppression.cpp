#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The parts of the scratch memory.
struct Memory {
  uint64_t *order;
  double *left, *right, *top, *bottom, *area;
  int64_t *selected;
  float *score;
  int32_t *best, *selectedBest;

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
    take(selected, most);
    take(selectedBest, most);
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

/// Returns a sort key. Ascending keys give descending scores. Boxes with equal scores keep their order.
uint64_t keyOf(float score, int64_t index) {
  const uint32_t bits = score == 0 ? 0u : __builtin_bit_cast(uint32_t, score);
  const uint32_t rising = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  const uint32_t falling = score != score ? 0xffffffffu : ~rising;
  return static_cast<uint64_t>(falling) << 32 | static_cast<uint64_t>(index);
}

/// Selects the boxes of one batch entry and returns their number.
int64_t select(
    const ck_non_maximum_suppression &d, const float *boxes, const float *scores, const Memory &memory) {
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
    if (static_cast<double>(memory.score[box]) > d.score_threshold) memory.order[candidates++] = key;
  }
  if (d.boxes == 0 || d.max_boxes == 0) return 0;
  if (candidates == 0) {
    memory.selected[0] = static_cast<int64_t>(first & 0xffffffffu);
    return 1;
  }
  std::sort(memory.order, memory.order + candidates);
  SelectedBoxes selected{memory.left, memory.right, memory.top, memory.bottom, memory.area,
      memory.selectedBest, 0};
  const Table &kernels = table();
  for (int64_t i = 0; i < candidates && selected.count < d.max_boxes; ++i) {
    const int64_t index = static_cast<int64_t>(memory.order[i] & 0xffffffffu);
    const Box box = boxOf(boxes + index * 4, memory.best[index]);
    if (kernels.overlapsAny(selected, box, d.overlap_threshold, d.per_class)) continue;
    const int64_t at = selected.count++;
    memory.left[at] = box.left;
    memory.right[at] = box.right;
    memory.top[at] = box.top;
    memory.bottom[at] = box.bottom;
    memory.area[at] = box.area;
    memory.selectedBest[at] = box.best;
    memory.selected[at] = index;
  }
  return selected.count;
}

}  // namespace

extern "C" {

size_t ck_non_maximum_suppression_scratch_bytes(const ck_non_maximum_suppression *d) {
  return Memory(nullptr, d->boxes, std::min(d->boxes, d->max_boxes)).bytes;
}

int32_t ck_non_maximum_suppression_run(
    const ck_non_maximum_suppression *description, const float *boxes, const float *scores,
    float *selectedBoxes, float *selectedScores, float *selectedIndices, float *counts, void *scratch) {
  const ck_non_maximum_suppression &d = *description;
  if (d.classes < 1 || d.boxes > INT32_MAX || d.classes > INT32_MAX) return -1;
  const Memory memory(scratch, d.boxes, std::min(d.boxes, d.max_boxes));
  for (int64_t sample = 0; sample < d.batch; ++sample) {
    const float *ownBoxes = boxes + sample * d.boxes * 4;
    const float *ownScores = scores + sample * d.boxes * d.classes;
    const int64_t count = select(d, ownBoxes, ownScores, memory);
    counts[sample] = static_cast<float>(count);
    float *toBoxes = selectedBoxes + sample * d.max_boxes * 4;
    float *toScores = selectedScores + sample * d.max_boxes * d.classes;
    float *toIndices = selectedIndices + sample * d.max_boxes;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = memory.selected[i];
      std::copy(ownBoxes + index * 4, ownBoxes + index * 4 + 4, toBoxes + i * 4);
      std::copy(ownScores + index * d.classes, ownScores + (index + 1) * d.classes,
          toScores + i * d.classes);
      toIndices[i] = static_cast<float>(index);
    }
    std::fill(toBoxes + count * 4, toBoxes + d.max_boxes * 4, 0.0f);
    std::fill(toScores + count * d.classes, toScores + d.max_boxes * d.classes, 0.0f);
    std::fill(toIndices + count, toIndices + d.max_boxes, -1.0f);
  }
  return 0;
}

}  // extern "C"
