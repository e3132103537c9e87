#include "Convolution.hpp"

namespace products {

Sizes::Sizes(const adnn_convolution &d)
    : batch(d.batch), inputChannels(d.input_channels), outputChannels(d.output_channels),
      groups(d.groups), input{1, d.input_height, d.input_width},
      output{1, d.output_height, d.output_width}, kernel{1, d.kernel_height, d.kernel_width},
      stride{1, d.stride_height, d.stride_width}, dilation{1, d.dilation_height, d.dilation_width},
      before{0, d.pad_top, d.pad_left}, isTransposed(d.deconvolution != 0),
      sourceType(d.source_type), destinationType(d.destination_type) {
  if (d.source_layout != ADNN_NHWC || d.destination_layout != ADNN_NHWC || d.factors)
    throw Unavailable{};
}

Sizes::Sizes(const adnn_volume_convolution &d)
    : batch(d.batch), inputChannels(d.input_channels), outputChannels(d.output_channels),
      groups(d.groups), isTransposed(d.deconvolution != 0), sourceType(d.source_type),
      destinationType(d.destination_type) {
  if (d.layout != ADNN_NHWC) throw Unavailable{};
  for (int axis = 0; axis < 3; ++axis) {
    input[axis] = d.input[axis];
    output[axis] = d.output[axis];
    kernel[axis] = d.kernel[axis];
    stride[axis] = d.stride[axis];
    dilation[axis] = d.dilation[axis];
    before[axis] = d.before[axis];
  }
}

static void check(const Sizes &s) {
  require(s.groups > 0, "groups must be at least 1");
  for (int axis = 0; axis < 3; ++axis)
    require(s.kernel[axis] > 0 && s.stride[axis] > 0 && s.dilation[axis] > 0,
        "kernel, strides and dilations must be at least 1");
  require(s.inputChannels % s.groups == 0 && s.outputChannels % s.groups == 0,
      "the number of channels must be a multiple of the groups");
  requireFloats({s.sourceType, s.destinationType});
}

void Windows::gather(
    const void *source, int64_t k, int64_t terms, int64_t length, float *to) const {
  const Sizes &s = sizes;
  const int64_t inputs = s.inputs();
  for (int64_t done = 0; done < terms;) {
    const int64_t tap = (k + done) / inputs, channel = (k + done) % inputs;
    const int64_t part = std::min(inputs - channel, terms - done);
    const int64_t tapX = tap % s.kernel[2], tapY = tap / s.kernel[2] % s.kernel[1];
    const int64_t tapZ = tap / (s.kernel[2] * s.kernel[1]);
    for (int64_t row = 0; row < count; ++row) {
      float *line = to + row * length + done;
      const int64_t z = s.source(0, places[row][0], tapZ), y = s.source(1, places[row][1], tapY);
      const int64_t x = s.source(2, places[row][2], tapX);
      if (z < 0 || y < 0 || x < 0) {
        std::fill(line, line + part, 0.0f);
        continue;
      }
      const int64_t pixel = ((image * s.input[0] + z) * s.input[1] + y) * s.input[2] + x;
      read(source, s.sourceType, pixel * s.inputChannels + group * inputs + channel, part, line);
    }
    done += part;
  }
}

namespace {

struct Convolution : adnn_primitive {
  Sizes sizes;
  Epilogue epilogue;
  /// The weights of one group as a matrix: taps · inputs rows, and a column for each output channel.
  Panels panels;
  int64_t rowsPerTile;
  /// The tiles of one image and one group.
  int64_t lines, tilesPerLine;

  Convolution(const Sizes &sizes, const Epilogue &epilogue)
      : sizes(sizes), epilogue(epilogue), panels(sizes.taps() * sizes.inputs(), sizes.outputs()),
        rowsPerTile(kTileRows) {
    name = panels.kernel.name;
    weightsBytes = size_t(sizes.groups * panels.floats()) * sizeof(float);
    form = name + (sizes.isTransposed ? " deconvolution" : " convolution");
    for (const int64_t size : {sizes.groups, sizes.taps(), sizes.inputs(), sizes.outputs()})
      form += " " + std::to_string(size);
    destinationBytes =
        size_t(sizes.batch * sizes.outputArea() * sizes.outputChannels) * bytesOf(sizes.destinationType);
    if (sizes.isTransposed) {
      // All positions of a tile have the same remainder after division by the stride, so they use the same taps.
      lines = sizes.output[0] * sizes.output[1] * sizes.stride[2];
      tilesPerLine = ceilings(ceilings(sizes.output[2], sizes.stride[2]), rowsPerTile);
    } else {
      rowsPerTile = tileRows(sizes.outputArea());
      lines = 1;
      tilesPerLine = ceilings(sizes.outputArea(), rowsPerTile);
    }
  }

  void pack(const float *weights, float *packed) const override {
    const Sizes &s = sizes;
    const int64_t inputs = s.inputs(), outputs = s.outputs(), taps = s.taps();
    forParts(s.groups * panels.count(), [&](int64_t index) {
      const int64_t group = index / panels.count(), panel = index % panels.count();
      panels.pack(panel, packed + group * panels.floats(), [=](int64_t k, int64_t output) {
        const int64_t tap = k / inputs, input = k % inputs;
        const int64_t place = s.isTransposed ? (group * inputs + input) * outputs + output
                                             : (group * outputs + output) * inputs + input;
        return weights[place * taps + tap];
      });
    });
  }

  /// Sets the positions of a tile. Returns false if it has none.
  bool place(Windows &windows, int64_t line, int64_t piece) const {
    const Sizes &s = sizes;
    if (!s.isTransposed) {
      const int64_t first = piece * rowsPerTile;
      windows.count = std::min(rowsPerTile, s.outputArea() - first);
      for (int64_t row = 0; row < windows.count; ++row) {
        const int64_t pixel = first + row;
        windows.places[row][0] = pixel / (s.output[1] * s.output[2]);
        windows.places[row][1] = pixel / s.output[2] % s.output[1];
        windows.places[row][2] = pixel % s.output[2];
      }
      return windows.count > 0;
    }
    const int64_t remainder = line % s.stride[2], row = line / s.stride[2];
    windows.count = 0;
    for (int64_t index = 0; index < rowsPerTile; ++index) {
      const int64_t x = remainder + (piece * rowsPerTile + index) * s.stride[2];
      if (x >= s.output[2]) break;
      windows.places[index][0] = row / s.output[1];
      windows.places[index][1] = row % s.output[1];
      windows.places[index][2] = x;
      ++windows.count;
    }
    return windows.count > 0;
  }

  /// Whether a tap reads an input for any position of a tile of a deconvolution.
  bool reads(const Windows &windows, int64_t tap) const {
    const Sizes &s = sizes;
    const int64_t *place = windows.places[0];
    const int64_t x = place[2] + s.before[2] - tap % s.kernel[2] * s.dilation[2];
    return x % s.stride[2] == 0 && s.source(1, place[1], tap / s.kernel[2] % s.kernel[1]) >= 0
        && s.source(0, place[0], tap / (s.kernel[2] * s.kernel[1])) >= 0;
  }

  void run(const adnn_arguments &a) const override {
    const Sizes &s = sizes;
    const int64_t inputs = s.inputs(), tiles = panels.tiles();
    const int64_t perImage = s.groups * lines * tilesPerLine * tiles;
    forParts(s.batch * perImage, [&](int64_t index) {
      const int64_t tile = index % tiles, piece = index / tiles % tilesPerLine;
      const int64_t line = index / (tiles * tilesPerLine) % lines;
      Windows windows{s, index / perImage, index / (tiles * tilesPerLine * lines) % s.groups, 0, {}};
      if (!place(windows, line, piece)) return;
      const auto chunk = [&](int64_t k) -> int64_t {
        if (!s.isTransposed) return std::min(kDepth, panels.depth - k);
        const int64_t left = inputs - k % inputs;
        return reads(windows, k / inputs) ? std::min(kDepth, left) : -left;
      };
      const auto left = [&](int64_t k, int64_t terms, int64_t &length) -> const float * {
        length = terms;
        windows.gather(a.source, k, terms, length, buffers().left);
        return buffers().left;
      };
      multiply(panels, static_cast<const float *>(a.weights) + windows.group * panels.floats(), tile,
          windows.count, chunk, left,
          [&](int64_t row, float *results, int64_t column, int64_t count) {
            const int64_t *at = windows.places[row];
            const int64_t pixel =
                ((windows.image * s.output[0] + at[0]) * s.output[1] + at[1]) * s.output[2] + at[2];
            const int64_t channel = windows.group * s.outputs() + column;
            const int64_t place = pixel * s.outputChannels + channel;
            if (epilogue.sums())
              read(a.destination, s.destinationType, place, count, buffers().former);
            epilogue.apply(results, count, channel, a, buffers().former);
            write(results, count, a.destination, s.destinationType, place);
          });
    });
  }
};

/// The gradient of the weights: for each group, the transposed matrix of windows times the matrix of gradients.
struct WeightsGradient : adnn_primitive {
  Sizes sizes;
  /// The gradients of kTileRows positions as a right matrix.
  Panels panels;

  explicit WeightsGradient(const Sizes &sizes)
      : sizes(sizes), panels(kTileRows, sizes.outputs()) {
    name = panels.kernel.name;
    destinationBytes = size_t(sizes.groups * depth() * sizes.outputs()) * sizeof(float);
  }

  int64_t depth() const { return sizes.taps() * sizes.inputs(); }

  /// A run writes, for each group, a matrix with a row for each tap and input channel.
  void unpack(const float *packed, float *weights) const override {
    const int64_t inputs = sizes.inputs(), outputs = sizes.outputs(), taps = sizes.taps();
    for (int64_t group = 0; group < sizes.groups; ++group)
      for (int64_t k = 0; k < depth(); ++k)
        for (int64_t output = 0; output < outputs; ++output)
          weights[((group * outputs + output) * inputs + k % inputs) * taps + k / inputs] =
              packed[(group * depth() + k) * outputs + output];
  }

  void run(const adnn_arguments &a) const override {
    const Sizes &s = sizes;
    const int64_t outputs = s.outputs(), area = s.outputArea();
    const int64_t downward = ceilings(depth(), kTileRows), tiles = panels.tiles();
    // The sum runs over all positions of all images, in steps of kTileRows positions.
    forParts(s.groups * downward * tiles, [&](int64_t index) {
      Buffers &own = buffers();
      const int64_t group = index / (downward * tiles), tile = index % tiles;
      const int64_t first = index / tiles % downward * kTileRows;
      const int64_t rows = std::min(kTileRows, depth() - first);
      const int64_t firstPanel = tile * panels.perTile();
      const int64_t count = std::min(panels.perTile(), panels.count() - firstPanel);
      const int64_t column = firstPanel * panels.width, length = count * panels.width;
      const int64_t columns = std::min(length, outputs - column);
      float windowsOfPlaces[kTileRows * kTileRows];
      std::fill(own.result, own.result + rows * length, 0.0f);
      for (int64_t position = 0; position < s.batch * area; position += kTileRows) {
        const int64_t terms = std::min(kTileRows, s.batch * area - position);
        for (int64_t term = 0; term < terms; ++term) {
          const int64_t pixel = (position + term) % area;
          Windows one{s, (position + term) / area, group, 1,
              {{pixel / (s.output[1] * s.output[2]), pixel / s.output[2] % s.output[1],
                  pixel % s.output[2]}}};
          one.gather(a.source, first, rows, rows, windowsOfPlaces + term * rows);
          float line[kTileColumns];
          read(a.weights, s.sourceType, (position + term) * s.outputChannels + group * outputs + column,
              columns, line);
          std::fill(line + columns, line + length, 0.0f);
          for (int64_t panel = 0; panel < count; ++panel)
            std::memcpy(own.right + (panel * terms + term) * panels.width,
                line + panel * panels.width, size_t(panels.width) * sizeof(float));
        }
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t term = 0; term < terms; ++term)
            own.left[row * terms + term] = windowsOfPlaces[term * rows + row];
        for (int64_t panel = 0; panel < count; ++panel)
          panels.kernel.run(rows, terms, own.left, terms, own.right + panel * terms * panels.width,
              own.result + panel * panels.width, length, true);
      }
      for (int64_t row = 0; row < rows; ++row)
        std::memcpy(static_cast<float *>(a.destination)
                + (group * depth() + first + row) * outputs + column,
            own.result + row * length, size_t(columns) * sizeof(float));
    });
  }
};

}  // namespace
}  // namespace products

using namespace products;

extern "C" {

adnn_status adnn_convolution_create(const adnn_convolution *d, adnn_primitive **result) {
  return make("convolution", d, result, [](const adnn_convolution &d) {
    const Sizes sizes(d);
    check(sizes);
    return std::make_unique<Convolution>(
        sizes, Epilogue(d.post_ops, d.post_op_count, d.has_bias));
  });
}

adnn_status adnn_volume_convolution_create(
    const adnn_volume_convolution *d, adnn_primitive **result) {
  return make("convolution of volumes", d, result, [](const adnn_volume_convolution &d) {
    const Sizes sizes(d);
    check(sizes);
    return std::make_unique<Convolution>(sizes, Epilogue(nullptr, 0, d.has_bias));
  });
}

adnn_status adnn_convolution_weights_gradient_create(
    const adnn_convolution *d, adnn_primitive **result) {
  return make("convolution weights gradient", d, result, [](const adnn_convolution &d) {
    require(!d.deconvolution, "expected a convolution, found a deconvolution");
    Sizes sizes(d);
    sizes.destinationType = ADNN_F32;
    check(sizes);
    return std::make_unique<WeightsGradient>(sizes);
  });
}

}  // extern "C"
