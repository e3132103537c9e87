#include "Primitive.hpp"

using dnnl::memory;
using namespace atelier;

extern "C" adnn_status adnn_pooling_create(const adnn_pooling *d, adnn_primitive **result) {
  return make("pooling", d, result, [](const auto &d) {
    auto made = std::make_unique<adnn_primitive>();
    const auto source = pictures(
        {d.batch, d.channels, d.input_height, d.input_width}, d.type, d.layout);
    const auto destination = pictures(
        {d.batch, d.channels, d.output_height, d.output_width}, d.type, d.layout);
    const memory::dims strides{d.stride_height, d.stride_width};
    const memory::dims kernel{d.kernel_height, d.kernel_width};
    const memory::dims before{d.pad_top, d.pad_left}, after{d.pad_bottom, d.pad_right};
    requireCountable({strides, kernel, before, after});
    const auto algorithm = d.kind == ADNN_POOLING_MAXIMUM ? dnnl::algorithm::pooling_max
        : d.kind == ADNN_POOLING_AVERAGE_INCLUDE_PADDING
        ? dnnl::algorithm::pooling_avg_include_padding
        : dnnl::algorithm::pooling_avg_exclude_padding;
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const auto inference = dnnl::prop_kind::forward_inference;
    using Forward = dnnl::pooling_forward;
#if DNNL_VERSION_MAJOR >= 3
    const Forward::primitive_desc pd(cpuEngine(), inference, algorithm, source, destination,
        strides, kernel, {0, 0}, before, after, attr);
#else
    const Forward::primitive_desc pd(
        Forward::desc(
            inference, algorithm, source, destination, strides, kernel, before, after),
        attr, cpuEngine());
#endif
    adopt(*made, pd);
    made->primitive = Forward(pd);
    return made;
  });
}

extern "C" adnn_status adnn_lrn_create(const adnn_lrn *d, adnn_primitive **result) {
  return make("local response normalisation", d, result, [](const auto &d) {
    auto made = std::make_unique<adnn_primitive>();
    const auto source = pictures({d.batch, d.channels, d.height, d.width}, d.type, d.layout);
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const auto inference = dnnl::prop_kind::forward_inference;
    const auto across = dnnl::algorithm::lrn_across_channels;
    using Forward = dnnl::lrn_forward;
#if DNNL_VERSION_MAJOR >= 3
    const Forward::primitive_desc pd(cpuEngine(), inference, across, source, source, d.size,
        d.alpha, d.beta, d.k, attr);
#else
    const Forward::primitive_desc pd(
        Forward::desc(inference, across, source, d.size, d.alpha, d.beta, d.k), attr,
        cpuEngine());
#endif
    adopt(*made, pd);
    made->primitive = Forward(pd);
    return made;
  });
}

extern "C" adnn_status adnn_reorder_create(const adnn_reorder *d, adnn_primitive **result) {
  return make("reorder", d, result, [](const auto &d) {
    auto made = std::make_unique<adnn_primitive>();
    const memory::dims dims{d.batch, d.channels, d.height, d.width};
    const auto attr = attributes(nullptr, 0, {1, 1, 1, 1}, 1, made->operands);
    const dnnl::reorder::primitive_desc pd(cpuEngine(),
        pictures(dims, d.source_type, d.source_layout), cpuEngine(),
        pictures(dims, d.destination_type, d.destination_layout), attr);
    adopt(*made, pd);
    made->primitive = dnnl::reorder(pd);
    return made;
  });
}
