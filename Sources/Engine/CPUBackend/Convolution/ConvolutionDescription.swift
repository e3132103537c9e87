import CKernels
import COneDNN
import Operators

/// The sizes that the C structs of our convolutions and oneDNN's share.
///
/// The names are those of the structs.
// swift-format-ignore: AlwaysUseLowerCamelCase
protocol WindowDescription {
  var batch: Int64 { get set }
  var input_height: Int64 { get set }
  var input_width: Int64 { get set }
  var output_height: Int64 { get set }
  var output_width: Int64 { get set }
  var kernel_height: Int64 { get set }
  var kernel_width: Int64 { get set }
  var stride_height: Int64 { get set }
  var stride_width: Int64 { get set }
  var dilation_height: Int64 { get set }
  var pad_top: Int64 { get set }
  var pad_left: Int64 { get set }
}

extension WindowDescription {
  /// Sets all sizes that every convolution has.
  ///
  /// - Parameters:
  ///   - input: the picture that the convolution reads.
  ///   - output: the picture that it makes.
  mutating func setWindow(
    input: FeatureMap, output: FeatureMap, kernel: ConvolutionOperator.Pair,
    stride: ConvolutionOperator.Pair, dilation: ConvolutionOperator.Pair, top: Int64, left: Int64
  ) {
    batch = Int64(input.batch)
    (input_height, input_width) = (Int64(input.height), Int64(input.width))
    (output_height, output_width) = (Int64(output.height), Int64(output.width))
    (kernel_height, kernel_width) = (Int64(kernel.height), Int64(kernel.width))
    (stride_height, stride_width) = (Int64(stride.height), Int64(stride.width))
    dilation_height = Int64(dilation.height)
    (pad_top, pad_left) = (top, left)
  }
}

/// What convolutions that sum over channels add to that.
// swift-format-ignore: AlwaysUseLowerCamelCase
protocol ConvolutionDescription: WindowDescription {
  var input_channels: Int64 { get set }
  var output_channels: Int64 { get set }
  var dilation_width: Int64 { get set }
}

extension ConvolutionDescription {
  /// Sets all sizes that every convolution over channels has.
  mutating func set(
    input: FeatureMap, output: FeatureMap, kernel: ConvolutionOperator.Pair,
    stride: ConvolutionOperator.Pair, dilation: ConvolutionOperator.Pair, top: Int64, left: Int64
  ) {
    setWindow(
      input: input, output: output, kernel: kernel, stride: stride, dilation: dilation, top: top,
      left: left)
    (input_channels, output_channels) = (Int64(input.channels), Int64(output.channels))
    dilation_width = Int64(dilation.width)
  }
}

extension ck_depthwise: WindowDescription {}
extension ck_convolution: ConvolutionDescription {}
extension adnn_convolution: ConvolutionDescription {}
