import Operators

/// The windows of a convolution or pooling operator over an image.
struct LiteWindows {
  /// The extents of a window, in pixels.
  let kernel: ConvolutionOperator.Pair
  /// The distances between adjacent windows, in pixels.
  let stride: ConvolutionOperator.Pair
  /// The distances between adjacent elements of a window, in pixels.
  let dilation: ConvolutionOperator.Pair
  /// The padding around the image.
  let padding: ConvolutionOperator.Padding

  /// Reads the windows from an operator's options. Field 0 holds the type of padding.
  ///
  /// - Parameters:
  ///   - strides: The field numbers of the strides along rows and along columns.
  ///   - dilations: The field numbers of the dilations along rows and along columns. Nil if the operator has no
  ///     dilations.
  init(
    _ operation: LiteOperation, strides: (Int, Int), dilations: (Int, Int)?, kernel: (Int, Int)
  ) throws {
    self.kernel = .init(kernel.0, kernel.1)
    stride = .init(
      try operation.size(strides.0, or: 1, "the stride"),
      try operation.size(strides.1, or: 1, "the stride"))
    dilation = .init(
      try dilations.map { try operation.size($0.0, or: 1, "the dilation") } ?? 1,
      try dilations.map { try operation.size($0.1, or: 1, "the dilation") } ?? 1)
    padding =
      try operation.isSamePadding
      ? .same(topLeftHeavy: false) : .valid(top: 0, left: 0, bottom: 0, right: 0)
  }
}

extension LiteOperation {
  /// Whether the padding is SAME: the output's size is the input's size divided by the stride, rounded up. If false,
  /// there is no padding.
  var isSamePadding: Bool {
    get throws {
      let number: Int = try byte(0)
      guard number < 2 else { throw invalid("the padding \(number) does not exist.") }
      return number == 0
    }
  }
}
