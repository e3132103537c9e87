import Backends
import Graph
import Operators

extension ConvolutionOperator: TunedOperator {
  public var tuningKey: String {
    var words: [String] = [
      isDeconvolution ? "transposed convolution" : "convolution",
      "\(kernel.height) x \(kernel.width)", "\(inputChannels) to \(outputChannels)",
    ]
    if groups > 1 { words.append("\(groups) groups") }
    if stride != Pair(1, 1) { words.append("stride \(stride.height) x \(stride.width)") }
    if dilation != Pair(1, 1) { words.append("dilation \(dilation.height) x \(dilation.width)") }
    switch padding {
    case .valid(0, 0, 0, 0): break
    case .valid(let top, let left, let bottom, let right):
      words.append("padding \(top) \(left) \(bottom) \(right)")
    case .same(let isHeavy): words.append(isHeavy ? "same before" : "same")
    }
    if outputShape != nil { words.append("stated size") }
    if outputPadding != Pair(0, 0) {
      words.append("and \(outputPadding.height) x \(outputPadding.width)")
    }
    if upsampling > 1 { words.append("of \(upsampling) times the picture") }
    if hasBias { words.append("bias") }
    if let residual { words.append("residual at \(residual.top) \(residual.left)") }
    if let activation { words.append("\(activation)") }
    if ceiling != nil { words.append("ceiling") }
    if appliesFactors { words.append("factors") }
    if takesStatistics { words.append("statistics") }
    if let inputNorm {
      words.append(sharesInput ? "through a norm of shared input" : "through a norm")
      if let activation = inputNorm.activation { words.append("\(activation)") }
    }
    return words.joined(separator: ", ")
  }

  public var readsPictures: Bool { true }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    let area = Double(kernel.height * kernel.width)
    if isDeconvolution {
      return Double(inputs[0].shape.count) * Double(outputChannels / groups) * area
    }
    return Double(outputs[0].shape.count) * Double(inputChannels / groups) * area
  }

  /// Returns the operation and its inputs with fewer rows, to be timed instead of the whole. Keeps at least
  /// ``leastTrialPixels``: with fewer pixels, the fastest kernel could be one that is slow for large images.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    let (height, width) = (inputs[0].shape[-2], inputs[0].shape[-1])
    let least: Int = max(window.height + 1, (Self.leastTrialPixels + width - 1) / max(width, 1))
    let fewest: Int = max(Int((Double(height) * share).rounded(.up)), least)
    guard fewest * 5 < height * 4 else { return nil }
    // Twelve is a multiple of all tile sizes (2, 3, 4, 6). With twelve output rows, no tile extends beyond the edge.
    let rows: Int =
      isDeconvolution
      ? fewest
      : try (fewest..<fewest + 12 * stride.height).first {
        try geometry(rows: $0, of: height, width: width).outputHeight % 12 == 0
      } ?? fewest
    guard rows * 5 < height * 4 else { return nil }
    let operation: Self = ofRows(rows, of: height)
    let whole = try Geometry(self, height: height, width: width)
    let part = try geometry(rows: rows, of: height, width: width)
    var inputs: [TensorType] = inputs
    inputs[0].shape[-2] = rows
    if let normInputs {
      inputs[normInputs.upperBound - 1].shape = try BlockStatistics.shape(of: inputs[0].shape)
    }
    if let residualInput {
      inputs[residualInput].shape[-2] -= whole.outputHeight - part.outputHeight
    }
    return (operation, inputs)
  }

  /// Returns the same operation for an image with fewer rows.
  private func ofRows(_ rows: Int, of height: Int) -> Self {
    var operation = self
    if case .valid(let top, let left, let bottom, let right) = padding, !isDeconvolution {
      // Large padding is scaled with the image. Otherwise kernels that skip padding would gain an advantage.
      let (top, bottom) = (
        max(min(top, window.height / 2), top * rows / height),
        max(min(bottom, window.height / 2), bottom * rows / height)
      )
      operation.padding = .valid(top: top, left: left, bottom: bottom, right: right)
    }
    if let outputShape {
      operation.outputShape?.height = outputShape.height - (height - rows) * stride.height
    }
    return operation
  }

  private func geometry(rows: Int, of height: Int, width: Int) throws -> Geometry {
    try Geometry(ofRows(rows, of: height), height: rows, width: width)
  }

  /// If only some rows of an image are timed, these rows have at least this many pixels. The number is twice the number
  /// of pixels from which Winograd's algorithm uses F(4 × 4).
  private static let leastTrialPixels = 2048
}
