import Graph

/// The extents of a tensor seen as a batch of feature maps: `[…, C, H, W]` with all leading
/// dimensions joined.
package struct FeatureMap {
  package let batch: Int
  package let channels: Int
  package let height: Int
  package let width: Int

  /// The pixels of one plane.
  package var area: Int { height * width }

  /// A view of a shape of rank three or more; throws a sentence for smaller ones.
  package init(_ shape: Shape) throws {
    guard shape.rank >= 3 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected three dimensions or more ([…, C, H, W]).")
    }
    self.init(ofRankThreeOrMore: shape)
  }

  /// A view of a shape that is known to have rank three or more.
  package init(ofRankThreeOrMore shape: Shape) {
    precondition(shape.rank >= 3)
    batch = shape.dimensions.dropLast(3).product
    channels = shape[-3]
    height = shape[-2]
    width = shape[-1]
  }

  /// Whether each extent can be told to libraries that count in 32 bits. The joined batch of a shape
  /// that the memory would hold can be larger.
  package var fitsLibraries: Bool {
    [batch, channels, height, width].allSatisfy { $0 <= Int(Int32.max) }
  }

  /// The position of an element in row-major order.
  package func offset(_ sample: Int, _ channel: Int, _ y: Int, _ x: Int) -> Int {
    ((sample * channels + channel) * height + y) * width + x
  }
}

extension OperatorInput {
  /// The only input, for operators that read exactly one.
  package static func only(_ inputs: [OperatorInput]) throws -> OperatorInput {
    guard let first = inputs.first, inputs.count == 1 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 1.")
    }
    return first
  }
}
