#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

/// Fills what every primitive description answers.
template <typename Description>
static void adopt(adnn_primitive &made, const Description &pd) {
  made.implementation = pd.impl_info_str();
  made.source = pd.src_desc();
  made.weights = pd.weights_desc();
  made.destination = pd.dst_desc();
  made.scratchpad = pd.scratchpad_desc();
}

extern "C" adnn_status adnn_convolution_create(
    const adnn_convolution *d, adnn_primitive **result) {
  return guarded("convolution", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    require(d->groups > 0 && d->kernel_height > 0 && d->kernel_width > 0,
        "groups and kernel must be at least 1");
    require(d->stride_height > 0 && d->stride_width > 0 && d->dilation_height > 0
            && d->dilation_width > 0,
        "strides and dilations must be at least 1");
    require(d->input_channels % d->groups == 0 && d->output_channels % d->groups == 0,
        "channels must divide by the groups");
    auto made = std::make_unique<adnn_primitive>();
    const memory::dims in{d->batch, d->input_channels, d->input_height, d->input_width};
    const memory::dims out{d->batch, d->output_channels, d->output_height, d->output_width};
    const auto source = pictures(in, d->source_type, d->source_layout);
    const auto destination = pictures(out, d->destination_type, d->destination_layout);
    memory::dims kernel{d->output_channels / d->groups, d->input_channels / d->groups,
        d->kernel_height, d->kernel_width};
    using tag = memory::format_tag;
    auto order = d->deconvolution ? tag::iohw : tag::oihw;
    if (d->groups > 1) {
      kernel.insert(kernel.begin(), d->groups);
      order = d->deconvolution ? tag::giohw : tag::goihw;
    }
    const memory::desc weights(kernel, dataType(d->weights_type), tag::any);
    made->plainWeights = memory::desc(kernel, memory::data_type::f32, order);
    made->packsWeights = true;
    if (d->has_bias)
      made->bias = memory::desc({d->output_channels}, memory::data_type::f32, tag::x);
    const memory::dims strides{d->stride_height, d->stride_width};
    const memory::dims dilations{d->dilation_height - 1, d->dilation_width - 1};
    const memory::dims before{d->pad_top, d->pad_left}, after{d->pad_bottom, d->pad_right};
    const auto attr = attributes(
        d->post_ops, d->post_op_count, out, 1, d->destination_layout, made->operands);
    const auto inference = dnnl::prop_kind::forward_inference;
    auto &engine = cpuEngine();

    if (d->deconvolution) {
      using Forward = dnnl::deconvolution_forward;
      const auto direct = dnnl::algorithm::deconvolution_direct;
#if DNNL_VERSION_MAJOR >= 3
      const Forward::primitive_desc pd(engine, inference, direct, source, weights, made->bias,
          destination, strides, dilations, before, after, attr);
#else
      const auto desc = d->has_bias
          ? Forward::desc(inference, direct, source, weights, made->bias, destination, strides,
                dilations, before, after)
          : Forward::desc(inference, direct, source, weights, destination, strides, dilations,
                before, after);
      const Forward::primitive_desc pd(desc, attr, engine);
#endif
      adopt(*made, pd);
      made->primitive = Forward(pd);
    } else {
      using Forward = dnnl::convolution_forward;
      const auto algorithm = d->allow_winograd ? dnnl::algorithm::convolution_auto
                                               : dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
      const Forward::primitive_desc pd(engine, inference, algorithm, source, weights, made->bias,
          destination, strides, dilations, before, after, attr);
#else
      const auto desc = d->has_bias
          ? Forward::desc(inference, algorithm, source, weights, made->bias, destination, strides,
                dilations, before, after)
          : Forward::desc(inference, algorithm, source, weights, destination, strides, dilations,
                before, after);
      const Forward::primitive_desc pd(desc, attr, engine);
#endif
      adopt(*made, pd);
      made->primitive = Forward(pd);
    }
    *result = made.release();
  });
}

extern "C" adnn_status adnn_convolution_weights_gradient_create(
    const adnn_convolution *d, adnn_primitive **result) {
  return guarded("convolution weights gradient", [&] {
    require(d != nullptr && result != nullptr, "no description given");
    *result = nullptr;
    require(!d->deconvolution && d->groups > 0, "a plain convolution is expected");
    require(d->input_channels % d->groups == 0 && d->output_channels % d->groups == 0,
        "channels must divide by the groups");
    auto made = std::make_unique<adnn_primitive>();
    const memory::dims in{d->batch, d->input_channels, d->input_height, d->input_width};
    const memory::dims out{d->batch, d->output_channels, d->output_height, d->output_width};
    const auto source = pictures(in, d->source_type, d->source_layout);
    const auto gradient = pictures(out, d->source_type, d->destination_layout);
    memory::dims kernel{d->output_channels / d->groups, d->input_channels / d->groups,
        d->kernel_height, d->kernel_width};
    using tag = memory::format_tag;
    if (d->groups > 1) kernel.insert(kernel.begin(), d->groups);
    const auto single = memory::data_type::f32;
    const memory::desc weights(kernel, single, tag::any);
    const memory::desc forwardWeights(kernel, dataType(d->source_type), tag::any);
    made->plainWeights = memory::desc(kernel, single, d->groups > 1 ? tag::goihw : tag::oihw);
    made->unpacksWeights = true;
    const memory::dims strides{d->stride_height, d->stride_width};
    const memory::dims dilations{d->dilation_height - 1, d->dilation_width - 1};
    const memory::dims before{d->pad_top, d->pad_left}, after{d->pad_bottom, d->pad_right};
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
        Forward::desc(training, direct, source, forwardWeights, gradient, strides, dilations,
            before, after),
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
    *result = made.release();
  });
}
