import Graph

/// A tensor's shape as a batch of feature maps: `[…, C, H, W]` with all leading dimensions merged into one.
package struct FeatureMap {
  /// The product of all leading dimensions: the number of samples.
  package let batch: Int
  /// The number of channels.
  package let channels: Int
  /// The number of rows.
  package let height: Int
  /// The number of columns.
  package let width: Int

  /// The number of pixels of one channel of one sample.
  package var area: Int { height * width }

  /// Interprets a shape of rank three or more as feature maps. Throws for smaller ranks.
  package init(_ shape: Shape) throws {
    guard shape.rank >= 3 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected three dimensions or more ([…, C, H, W]).")
    }
    self.init(ofRankThreeOrMore: shape)
  }

  /// Interprets a shape as feature maps. The caller guarantees that the rank is three or more.
  package init(ofRankThreeOrMore shape: Shape) {
    precondition(shape.rank >= 3)
    batch = shape.dimensions.dropLast(3).product
    channels = shape[-3]
    height = shape[-2]
    width = shape[-1]
  }

  /// Whether each extent fits into the 32-bit sizes of C libraries. ``batch`` can exceed 32 bits even if the tensor
  /// fits into memory, because it is the product of all leading dimensions.
  package var fitsLibraries: Bool {
    [batch, channels, height, width].allSatisfy { $0 <= Int(Int32.max) }
  }

  /// Returns the offset of an element in row-major order, in elements.
  package func offset(_ sample: Int, _ channel: Int, _ y: Int, _ x: Int) -> Int {
    ((sample * channels + channel) * height + y) * width + x
  }
}

extension OperatorInput {
  /// Returns the input of an operator that reads exactly one input. Throws if the number of inputs is not one.
  package static func only(_ inputs: [OperatorInput]) throws -> OperatorInput {
    guard let first = inputs.first, inputs.count == 1 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 1.")
    }
    return first
  }
}
