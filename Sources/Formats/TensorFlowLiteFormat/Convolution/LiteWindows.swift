import Operators

/// Windows that move over a picture, as convolutions state them.
struct LiteWindows {
  /// Extents of the window.
  let kernel: ConvolutionOperator.Pair
  /// The step between windows.
  let stride: ConvolutionOperator.Pair
  /// The step within a window.
  let dilation: ConvolutionOperator.Pair
  /// What stands around the picture.
  let padding: ConvolutionOperator.Padding

  /// Reads them from an operator's settings: the padding is field 0.
  ///
  /// - Parameters:
  ///   - strides: the fields for rows and columns.
  ///   - dilations: the same; nil where there are none.
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
  /// Whether as much stands around a picture that its size changes by the stride alone; else nothing does.
  var isSamePadding: Bool {
    get throws {
      let number: Int = try byte(0)
      guard number < 2 else { throw invalid("the padding \(number) does not exist.") }
      return number == 0
    }
  }
}
