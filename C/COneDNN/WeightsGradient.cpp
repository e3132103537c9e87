#include <algorithm>

#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

namespace {

/// The minimum number of multiply-adds in a part: some hundred microseconds of work.
constexpr double kProductsPerPart = 4e6;
/// If the batch gives fewer parts than this, the rows of the images are divided, too.
constexpr int64_t kWantedParts = 4;
constexpr int64_t kMostParts = 8;

/// Some images of a batch, and some rows of the convolution's result.
struct Slice {
  int64_t firstPicture, pictures, firstRow, rows;
};

/// The gradient of a convolution's weights.
struct Gradient {
  const adnn_convolution &d;

  std::vector<Slice> slices() const;
  std::unique_ptr<adnn_primitive> primitive(
      int64_t pictures, int64_t inputRows, int64_t outputRows, int64_t top, int64_t bottom,
      const memory::desc *destination) const;
  void add(const Slice &slice, adnn_primitive &whole) const;
};

/// Divides the batch, and the rows if there are few images. The division depends on the sizes alone. The sums are thus
/// the same for any number of threads.
std::vector<Slice> Gradient::slices() const {
  const double products = double(d.batch) * double(d.output_channels) * double(d.output_height)
      * double(d.output_width) * double(d.input_channels / d.groups) * double(d.kernel_height)
      * double(d.kernel_width);
  const int64_t most =
      std::clamp<int64_t>(int64_t(std::min(products / kProductsPerPart, 1e6)), 1, kMostParts);
  const int64_t batches = std::min(d.batch, most);
  const int64_t wanted = std::max<int64_t>(1, std::min(most, kWantedParts) / batches);
  const int64_t pieces = std::min(d.output_height, wanted);
  std::vector<Slice> result;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t picture = batch * d.batch / batches, row = piece * d.output_height / pieces;
      const int64_t end = (piece + 1) * d.output_height / pieces;
      if (pieces == 1) {
        result.push_back({picture, (batch + 1) * d.batch / batches - picture, row, end - row});
        continue;
      }
      // A part has rows of one image, because the rows of several images are not contiguous.
      for (int64_t each = picture; each < (batch + 1) * d.batch / batches; ++each)
        result.push_back({each, 1, row, end - row});
    }
  return result;
}

std::unique_ptr<adnn_primitive> Gradient::primitive(
    int64_t pictures, int64_t inputRows, int64_t outputRows, int64_t top, int64_t bottom,
    const memory::desc *destination) const {
  auto made = std::make_unique<adnn_primitive>();
  const auto source = atelier::pictures(
      {pictures, d.input_channels, inputRows, d.input_width}, d.source_type, d.source_layout);
  const auto gradient = atelier::pictures({pictures, d.output_channels, outputRows, d.output_width},
      d.source_type, d.destination_layout);
  memory::dims kernel{d.output_channels / d.groups, d.input_channels / d.groups, d.kernel_height,
      d.kernel_width};
  using tag = memory::format_tag;
  if (d.groups > 1) kernel.insert(kernel.begin(), d.groups);
  const auto single = memory::data_type::f32;
  const memory::desc weights =
      destination ? *destination : memory::desc(kernel, single, tag::any);
  const memory::desc forwardWeights(kernel, dataType(d.source_type), tag::any);
  made->plainWeights = memory::desc(kernel, single, d.groups > 1 ? tag::goihw : tag::oihw);
  made->unpacksWeights = true;
  const memory::dims strides{d.stride_height, d.stride_width};
  const memory::dims dilations{d.dilation_height - 1, d.dilation_width - 1};
  const memory::dims before{top, d.pad_left}, after{bottom, d.pad_right};
  requireCountable({kernel, strides, dilations, before, after});
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  auto &engine = cpuEngine();
  using Forward = dnnl::convolution_forward;
  using Backward = dnnl::convolution_backward_weights;
  const auto direct = dnnl::algorithm::convolution_direct;
  const auto training = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  const Forward::primitive_desc hint(engine, training, direct, source, forwardWeights, gradient,
      strides, dilations, before, after);
  const Backward::primitive_desc pd(
      engine, direct, source, weights, gradient, strides, dilations, before, after, hint, attr);
#else
  const Forward::primitive_desc hint(
      Forward::desc(
          training, direct, source, forwardWeights, gradient, strides, dilations, before, after),
      engine);
  const Backward::primitive_desc pd(
      Backward::desc(direct, source, weights, gradient, strides, dilations, before, after), attr,
      engine, hint);
#endif
  made->implementation = pd.impl_info_str();
  made->source = pd.src_desc();
  made->weights = pd.diff_dst_desc();
  made->destination = pd.diff_weights_desc();
  made->scratchpad = pd.scratchpad_desc();
  made->weightsArgument = DNNL_ARG_DIFF_DST;
  made->destinationArgument = DNNL_ARG_DIFF_WEIGHTS;
  made->primitive = Backward(pd);
  return made;
}

void Gradient::add(const Slice &s, adnn_primitive &whole) const {
  // The slice's output rows read the input rows from `first` to `last`. Of these, only the rows inside the image are
  // kept.
  const int64_t first = s.firstRow * d.stride_height - d.pad_top;
  const int64_t last = (s.firstRow + s.rows - 1) * d.stride_height
      + (d.kernel_height - 1) * d.dilation_height - d.pad_top;
  const int64_t from = std::max<int64_t>(first, 0), to = std::min(last + 1, d.input_height);
  // If the slice reads nothing but padding, it adds nothing to the gradient.
  if (to <= from) return;
  const bool isWhole = s.rows == d.output_height;
  const size_t size = memory::data_type_size(dataType(d.source_type));
  const auto begin = [size](int64_t picture, int64_t row, int64_t rows, int64_t rowElements) {
    return size_t((picture * rows + row) * rowElements) * size;
  };
  adnn_primitive::Part part;
  part.primitive = isWhole
      ? primitive(s.pictures, d.input_height, d.output_height, d.pad_top, d.pad_bottom,
            whole.parts.empty() ? nullptr : &whole.destination)
      : primitive(s.pictures, to - from, s.rows, from - first, last + 1 - to,
            whole.parts.empty() ? nullptr : &whole.destination);
  part.sourceBytes = begin(
      s.firstPicture, isWhole ? 0 : from, d.input_height, d.input_width * d.input_channels);
  part.weightsBytes = begin(
      s.firstPicture, s.firstRow, d.output_height, d.output_width * d.output_channels);
  part.destinationBytes = part.columns = 0;
  if (whole.parts.empty()) {
    whole.destination = part.primitive->destination;
    whole.plainWeights = part.primitive->plainWeights;
    whole.implementation = part.primitive->implementation;
  }
  whole.add(std::move(part));
}

}  // namespace

extern "C" adnn_status adnn_convolution_weights_gradient_create(
    const adnn_convolution *d, adnn_primitive **result) {
  return make("convolution weights gradient", d, result, [](const auto &d) {
    require(!d.deconvolution && d.groups > 0, "expected a convolution, found a deconvolution or no groups");
    require(d.input_channels % d.groups == 0 && d.output_channels % d.groups == 0,
        "the number of channels must be a multiple of the groups");
    require(d.batch > 0 && d.output_height > 0, "every dimension must be at least 1");
    require(d.source_layout == ADNN_NHWC && d.destination_layout == ADNN_NHWC,
        "expected channels-last images");
    // The library divides the sums among the threads that exist when a primitive is created.
    const OneThread one;
    auto made = std::make_unique<adnn_primitive>();
    made->addsParts = made->unpacksWeights = true;
    const Gradient gradient{d};
    for (const Slice &slice : gradient.slices()) gradient.add(slice, *made);
    require(!made->parts.empty(), "every window lies in the padding");
    return made;
  });
}
