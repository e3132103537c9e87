import CKernels
import COneDNN
import Operators

/// A C struct that describes a convolution: the sizes that our struct and oneDNN's have in common.
///
/// The properties have the names of the structs' fields.
// swift-format-ignore: AlwaysUseLowerCamelCase
protocol ConvolutionDescription {
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

  /// Sets the sizes that differ between convolutions that sum over channels and depthwise convolutions.
  mutating func setChannels(input: Int, output: Int, dilationWidth: Int)

  /// Creates a description with all fields zero.
  init()
}

extension ConvolutionDescription {
  /// Sets the sizes of an operator's convolution. Nil if the sizes exceed the libraries' limits.
  ///
  /// - Parameters:
  ///   - input: The shape of the convolution's input.
  ///   - output: The shape of the convolution's output.
  init?(sizesOf operation: FusedConvolution, input: Shape, output: Shape) throws {
    let input = FeatureMap(ofRankThreeOrMore: input)
    let output = FeatureMap(ofRankThreeOrMore: output)
    let geometry = try operation.geometry(height: input.height, width: input.width)
    guard input.fitsLibraries, output.fitsLibraries, let top = Int64(exactly: geometry.top),
      let left = Int64(exactly: geometry.left)
    else { return nil }
    self.init()
    set(
      input: input, output: output, kernel: operation.core.kernel, stride: operation.core.stride,
      dilation: operation.core.dilation, top: top, left: left)
  }

  /// Sets all sizes.
  ///
  /// - Parameters:
  ///   - input: The convolution's input.
  ///   - output: The convolution's output.
  mutating func set(
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
    setChannels(
      input: input.channels, output: output.channels, dilationWidth: dilation.width)
  }
}

/// The additional fields of convolutions that sum over channels.
// swift-format-ignore: AlwaysUseLowerCamelCase
protocol DenseDescription: ConvolutionDescription {
  var input_channels: Int64 { get set }
  var output_channels: Int64 { get set }
  var dilation_width: Int64 { get set }
}

extension DenseDescription {
  mutating func setChannels(input: Int, output: Int, dilationWidth: Int) {
    (input_channels, output_channels) = (Int64(input), Int64(output))
    dilation_width = Int64(dilationWidth)
  }
}

extension ck_convolution: DenseDescription {}
extension ck_tile_weights_gradient: DenseDescription {}
extension adnn_convolution: DenseDescription {}

extension ck_depthwise: ConvolutionDescription {
  /// Sets the sizes. Dilated kernels are stored with zeros between their elements, so the kernel width includes the
  /// dilation.
  mutating func setChannels(input: Int, output: Int, dilationWidth: Int) {
    channels = Int64(output)
  }
}
