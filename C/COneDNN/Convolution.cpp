#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

namespace {

/// A forward convolution, or its transpose, over any number of spatial dimensions.
struct Forward {
  bool deconvolution, hasBias;
  dnnl::algorithm algorithm;
  memory::desc source, destination;
  /// The dimensions of the weights: the output channels of a group, the input channels of a group, then the extents of
  /// the kernel. If there are several groups, the number of groups comes first.
  memory::dims kernel;
  memory::data_type weightsType;
  /// The layout of the caller's float32 weights.
  memory::format_tag order;
  memory::dims::value_type outputChannels;
  memory::dims strides, dilations, before, after;
};

template <typename Primitive>
void prepare(adnn_primitive &made, const Forward &f, const dnnl::primitive_attr &attr) {
  const memory::desc weights(f.kernel, f.weightsType, memory::format_tag::any);
  const auto inference = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  const typename Primitive::primitive_desc pd(cpuEngine(), inference, f.algorithm, f.source,
      weights, made.bias, f.destination, f.strides, f.dilations, f.before, f.after, attr);
#else
  using Description = typename Primitive::desc;
  const auto description = f.hasBias
      ? Description(inference, f.algorithm, f.source, weights, made.bias, f.destination,
            f.strides, f.dilations, f.before, f.after)
      : Description(inference, f.algorithm, f.source, weights, f.destination, f.strides,
            f.dilations, f.before, f.after);
  const typename Primitive::primitive_desc pd(description, attr, cpuEngine());
#endif
  adopt(made, pd);
  made.weights = pd.weights_desc();
  made.primitive = Primitive(pd);
}

void prepare(adnn_primitive &made, const Forward &f, const dnnl::primitive_attr &attr) {
  requireCountable({f.kernel, f.strides, f.dilations, f.before, f.after});
  made.plainWeights = memory::desc(f.kernel, memory::data_type::f32, f.order);
  made.packsWeights = true;
  if (f.hasBias)
    made.bias =
        memory::desc({f.outputChannels}, memory::data_type::f32, memory::format_tag::x);
  const auto prepared = [&] {
    if (f.deconvolution)
      prepare<dnnl::deconvolution_forward>(made, f, attr);
    else
      prepare<dnnl::convolution_forward>(made, f, attr);
  };
  prepared();
  made.runsOnOneThread = sharesSums(made.implementation);
  if (!made.runsOnOneThread) return;
  const OneThread one;
  prepared();
}

/// Sets the factors and the zero point with which the primitive converts the integer sums to the destination.
void scaleBytes(dnnl::primitive_attr &attr, const adnn_convolution &d) {
  require(d.source_type == ADNN_U8 && d.weights_type == ADNN_S8,
      "factors need a source of u8 and weights of s8");
  if (!sumsBytesExactly()) throw Unavailable{"no exact products of 8-bit integers with this version or processor"};
#if DNNL_VERSION_MAJOR < 3
  attr.set_output_scales(2, std::vector<float>(d.factors, d.factors + d.output_channels));
  if (d.source_zero) attr.set_zero_points(DNNL_ARG_SRC, 0, {d.source_zero});
#endif
}

}  // namespace

extern "C" adnn_status adnn_convolution_create(
    const adnn_convolution *d, adnn_primitive **result) {
  return make("convolution", d, result, [](const auto &d) {
    require(d.groups > 0 && d.kernel_height > 0 && d.kernel_width > 0,
        "groups and kernel must be at least 1");
    require(d.stride_height > 0 && d.stride_width > 0 && d.dilation_height > 0
            && d.dilation_width > 0,
        "strides and dilations must be at least 1");
    require(d.input_channels % d.groups == 0 && d.output_channels % d.groups == 0,
        "the number of channels must be a multiple of the groups");
    auto made = std::make_unique<adnn_primitive>();
    const memory::dims in{d.batch, d.input_channels, d.input_height, d.input_width};
    const memory::dims out{d.batch, d.output_channels, d.output_height, d.output_width};
    Forward f;
    f.deconvolution = d.deconvolution;
    f.hasBias = d.has_bias;
    f.algorithm = d.deconvolution ? dnnl::algorithm::deconvolution_direct
        : d.allow_winograd        ? dnnl::algorithm::convolution_auto
                                   : dnnl::algorithm::convolution_direct;
    f.source = pictures(in, d.source_type, d.source_layout);
    f.destination = pictures(out, d.destination_type, d.destination_layout);
    f.kernel = {d.output_channels / d.groups, d.input_channels / d.groups, d.kernel_height,
        d.kernel_width};
    f.weightsType = dataType(d.weights_type);
    using tag = memory::format_tag;
    f.order = d.deconvolution ? tag::iohw : tag::oihw;
    if (d.groups > 1) {
      f.kernel.insert(f.kernel.begin(), d.groups);
      f.order = d.deconvolution ? tag::giohw : tag::goihw;
    }
    f.outputChannels = d.output_channels;
    f.strides = {d.stride_height, d.stride_width};
    f.dilations = {d.dilation_height - 1, d.dilation_width - 1};
    f.before = {d.pad_top, d.pad_left};
    f.after = {d.pad_bottom, d.pad_right};
    auto attr = attributes(d.post_ops, d.post_op_count, out, 1, made->operands);
    if (d.factors) scaleBytes(attr, d);
    prepare(*made, f, attr);
    return made;
  });
}

extern "C" adnn_status adnn_volume_convolution_create(
    const adnn_volume_convolution *d, adnn_primitive **result) {
  return make("convolution of volumes", d, result, [](const auto &d) {
    require(d.groups > 0, "groups must be at least 1");
    for (int axis = 0; axis < 3; ++axis)
      require(d.kernel[axis] > 0 && d.stride[axis] > 0 && d.dilation[axis] > 0,
          "kernel, strides and dilations must be at least 1");
    require(d.input_channels % d.groups == 0 && d.output_channels % d.groups == 0,
        "the number of channels must be a multiple of the groups");
    auto made = std::make_unique<adnn_primitive>();
    Forward f;
    f.deconvolution = d.deconvolution;
    f.hasBias = d.has_bias;
    f.algorithm = d.deconvolution ? dnnl::algorithm::deconvolution_direct
                                   : dnnl::algorithm::convolution_direct;
    f.source = volumes(d.batch, d.input_channels, d.input, d.source_type, d.layout);
    f.destination =
        volumes(d.batch, d.output_channels, d.output, d.destination_type, d.layout);
    f.kernel = {d.output_channels / d.groups, d.input_channels / d.groups, d.kernel[0],
        d.kernel[1], d.kernel[2]};
    f.weightsType = dataType(d.weights_type);
    using tag = memory::format_tag;
    f.order = d.deconvolution ? tag::iodhw : tag::oidhw;
    if (d.groups > 1) {
      f.kernel.insert(f.kernel.begin(), d.groups);
      f.order = d.deconvolution ? tag::giodhw : tag::goidhw;
    }
    f.outputChannels = d.output_channels;
    f.strides.assign(d.stride, d.stride + 3);
    for (const auto dilation : d.dilation) f.dilations.push_back(dilation - 1);
    f.before.assign(d.before, d.before + 3);
    f.after.assign(d.after, d.after + 3);
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1, 1}, 1, made->operands);
    prepare(*made, f, attr);
    return made;
  });
}
