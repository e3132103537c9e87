#include <cmath>

#include "Tiles.hpp"

namespace products {
namespace {

/// The elements of an image batch: the distance between channels, and between pixels.
struct Strides {
  int64_t channel, pixel;

  Strides(adnn_layout layout, int64_t channels, int64_t area)
      : channel(layout == ADNN_NHWC ? 1 : area), pixel(layout == ADNN_NHWC ? channels : 1) {}
};

struct Pooling : adnn_primitive {
  adnn_pooling d;

  explicit Pooling(const adnn_pooling &d) : d(d) { name = "products:pooling"; }

  /// Calls `body(pixel)` for the pixels of the input in a window. Returns their number.
  template <typename Body>
  int64_t window(int64_t y, int64_t x, const Body &body) const {
    const int64_t top = y * d.stride_height - d.pad_top, left = x * d.stride_width - d.pad_left;
    const int64_t endY = std::min(top + d.kernel_height, d.input_height);
    const int64_t endX = std::min(left + d.kernel_width, d.input_width);
    int64_t count = 0;
    for (int64_t row = std::max<int64_t>(top, 0); row < endY; ++row)
      for (int64_t column = std::max<int64_t>(left, 0); column < endX; ++column, ++count)
        body(row * d.input_width + column);
    return count;
  }

  template <typename Value, typename Reduce>
  void eachRow(const adnn_arguments &a, const Reduce &reduce) const {
    const int64_t inputArea = d.input_height * d.input_width;
    const int64_t outputArea = d.output_height * d.output_width;
    const Strides from(d.layout, d.channels, inputArea), to(d.layout, d.channels, outputArea);
    forParts(d.batch * d.output_height, [&](int64_t index) {
      const int64_t image = index / d.output_height, y = index % d.output_height;
      const Value *source = static_cast<const Value *>(a.source) + image * inputArea * d.channels;
      Value *target = static_cast<Value *>(a.destination) + image * outputArea * d.channels;
      for (int64_t x = 0; x < d.output_width; ++x)
        for (int64_t channel = 0; channel < d.channels; ++channel)
          target[channel * to.channel + (y * d.output_width + x) * to.pixel] =
              reduce(source + channel * from.channel, from.pixel, y, x);
    });
  }

  template <typename Value, typename Read, typename Write>
  void average(const adnn_arguments &a, const Read &read, const Write &write) const {
    const bool counts = d.kind == ADNN_POOLING_AVERAGE_INCLUDE_PADDING;
    eachRow<Value>(a, [&](const Value *source, int64_t pixel, int64_t y, int64_t x) -> Value {
      float sum = 0;
      const int64_t inside = window(y, x, [&](int64_t at) { sum += read(source[at * pixel]); });
      const int64_t count = counts ? d.kernel_height * d.kernel_width : inside;
      return write(sum / float(std::max<int64_t>(count, 1)));
    });
  }

  template <typename Value>
  void maximum(const adnn_arguments &a) const {
    eachRow<Value>(a, [&](const Value *source, int64_t pixel, int64_t y, int64_t x) -> Value {
      bool found = false;
      Value most = 0;
      window(y, x, [&](int64_t at) {
        const Value value = source[at * pixel];
        if (!found || value > most) most = value;
        found = true;
      });
      return most;
    });
  }

  void run(const adnn_arguments &a) const override {
    if (d.kind == ADNN_POOLING_MAXIMUM)
      return d.type == ADNN_U8 ? maximum<uint8_t>(a) : maximum<int8_t>(a);
    if (d.type == ADNN_F32)
      return average<float>(a, [](float value) { return value; }, [](float value) { return value; });
    average<uint16_t>(a, fromBFloat16, toBFloat16);
  }
};

struct LocalResponse : adnn_primitive {
  adnn_lrn d;

  explicit LocalResponse(const adnn_lrn &d) : d(d) {
    name = "products:lrn";
  }

  void run(const adnn_arguments &a) const override {
    const int64_t area = d.height * d.width;
    const Strides strides(d.layout, d.channels, area);
    const int64_t half = (d.size - 1) / 2;
    forParts(d.batch * d.height, [&](int64_t index) {
      const int64_t image = index / d.height, first = index % d.height * d.width;
      for (int64_t pixel = first; pixel < first + d.width; ++pixel)
        for (int64_t channel = 0; channel < d.channels; ++channel) {
          const auto place = [&](int64_t channel) {
            return image * area * d.channels + channel * strides.channel + pixel * strides.pixel;
          };
          const auto value = [&](int64_t channel) {
            float result;
            read(a.source, d.type, place(channel), 1, &result);
            return result;
          };
          float sum = 0;
          const int64_t end = std::min(channel + half + 1, d.channels);
          for (int64_t other = std::max<int64_t>(channel - half, 0); other < end; ++other)
            sum += value(other) * value(other);
          const float result =
              value(channel) * std::pow(d.k + d.alpha / float(d.size) * sum, -d.beta);
          write(&result, 1, a.destination, d.type, place(channel));
        }
    });
  }
};

struct Reorder : adnn_primitive {
  adnn_reorder d;

  explicit Reorder(const adnn_reorder &d) : d(d) { name = "products:copy"; }

  void run(const adnn_arguments &a) const override {
    const int64_t area = d.height * d.width;
    const int64_t extents[] = {d.batch, d.channels, area};
    const auto strides = [&](adnn_layout layout, int64_t *result) {
      const Strides strides(layout, d.channels, area);
      result[0] = d.channels * area;
      result[1] = strides.channel;
      result[2] = strides.pixel;
    };
    int64_t from[3], to[3];
    strides(d.source_layout, from);
    strides(d.destination_layout, to);
    // The numbers of the element types are the same in both interfaces.
    const int32_t status = ck_copy(3, extents, a.source, ck_type(d.source_type), from, a.destination,
        ck_type(d.destination_type), to);
    require(status == 0, "the copy rejected its arguments");
  }
};

}  // namespace
}  // namespace products

using namespace products;

extern "C" {

adnn_status adnn_pooling_create(const adnn_pooling *d, adnn_primitive **result) {
  return make("pooling", d, result, [](const adnn_pooling &d) {
    if (d.kind == ADNN_POOLING_MAXIMUM) {
      if (d.type != ADNN_U8 && d.type != ADNN_S8) throw Unavailable{};
    } else {
      requireFloats({d.type});
    }
    return std::make_unique<Pooling>(d);
  });
}

adnn_status adnn_lrn_create(const adnn_lrn *d, adnn_primitive **result) {
  return make("local response normalisation", d, result, [](const adnn_lrn &d) {
    requireFloats({d.type});
    return std::make_unique<LocalResponse>(d);
  });
}

adnn_status adnn_reorder_create(const adnn_reorder *d, adnn_primitive **result) {
  return make("reorder", d, result, [](const adnn_reorder &d) {
    return std::make_unique<Reorder>(d);
  });
}

}  // extern "C"
