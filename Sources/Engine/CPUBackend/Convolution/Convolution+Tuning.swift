import Backends
import Graph
import Operators

extension ConvolutionOperator: TunedOperator {
  public var tuningKey: String { FusedConvolution(self).tuningKey }

  public var readsPictures: Bool { true }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    FusedConvolution(self).multiplyAddCount(inputs, outputs)
  }

  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    try FusedConvolution(self).reduced(inputs, share: share)
  }
}

extension FusedConvolution: TunedOperator {
  public var tuningKey: String {
    var words: [String] = [
      core.isDeconvolution ? "transposed convolution" : "convolution",
      "\(core.kernel.height) x \(core.kernel.width)",
      "\(core.inputChannels) to \(core.outputChannels)",
    ]
    if core.groups > 1 { words.append("\(core.groups) groups") }
    if core.stride != Pair(1, 1) {
      words.append("stride \(core.stride.height) x \(core.stride.width)")
    }
    if core.dilation != Pair(1, 1) {
      words.append("dilation \(core.dilation.height) x \(core.dilation.width)")
    }
    switch core.padding {
    case .valid(0, 0, 0, 0): break
    case .valid(let top, let left, let bottom, let right):
      words.append("padding \(top) \(left) \(bottom) \(right)")
    case .same(let isHeavy): words.append(isHeavy ? "same before" : "same")
    }
    if core.outputShape != nil { words.append("stated size") }
    if core.outputPadding != Pair(0, 0) {
      words.append("and \(core.outputPadding.height) x \(core.outputPadding.width)")
    }
    if upsampling > 1 { words.append("of \(upsampling) times the picture") }
    if core.hasBias { words.append("bias") }
    words += epilogue.map(\.description)
    if takesStatistics { words.append("statistics") }
    if let inputNorm {
      words.append(sharesInput ? "through a norm of shared input" : "through a norm")
      words += inputNorm.epilogue.map(\.description)
    }
    return words.joined(separator: ", ")
  }

  public var readsPictures: Bool { true }

  public func multiplyAddCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Double {
    let area = Double(core.kernel.height * core.kernel.width)
    if core.isDeconvolution {
      return Double(inputs[0].shape.count) * Double(core.outputChannels / core.groups) * area
    }
    return Double(outputs[0].shape.count) * Double(core.inputChannels / core.groups) * area
  }

  /// Returns the operation and its inputs with fewer rows, to be timed instead of the whole. Keeps at least
  /// ``leastTrialPixels``: with fewer pixels, the fastest kernel could be one that is slow for large images.
  public func reduced(_ inputs: [TensorType], share: Double) throws -> (
    operation: any TunedOperator, inputs: [TensorType]
  )? {
    let (height, width) = (inputs[0].shape[-2], inputs[0].shape[-1])
    let least: Int = max(
      core.window.height + 1, (Self.leastTrialPixels + width - 1) / max(width, 1))
    let fewest: Int = max(Int((Double(height) * share).rounded(.up)), least)
    guard fewest * 5 < height * 4 else { return nil }
    // Twelve is a multiple of all tile sizes (2, 3, 4, 6). With twelve output rows, no tile extends beyond the edge.
    let rows: Int =
      core.isDeconvolution
      ? fewest
      : try (fewest..<fewest + 12 * core.stride.height).first {
        try geometry(rows: $0, of: height, width: width).outputHeight % 12 == 0
      } ?? fewest
    guard rows * 5 < height * 4 else { return nil }
    let operation: Self = ofRows(rows, of: height)
    let whole = try geometry(height: height, width: width)
    let part = try geometry(rows: rows, of: height, width: width)
    var inputs: [TensorType] = inputs
    inputs[0].shape[-2] = rows
    if let normInputs {
      inputs[normInputs.upperBound - 1].shape = try BlockStatistics.shape(of: inputs[0].shape)
    }
    if let input = steps?.residual?.input {
      inputs[input].shape[-2] -= whole.outputHeight - part.outputHeight
    }
    return (operation, inputs)
  }

  /// Returns the same operation for an image with fewer rows.
  private func ofRows(_ rows: Int, of height: Int) -> Self {
    var operation = self
    if case .valid(let top, let left, let bottom, let right) = core.padding, !core.isDeconvolution {
      // Large padding is scaled with the image. Otherwise kernels that skip padding would gain an advantage.
      let (top, bottom) = (
        max(min(top, core.window.height / 2), top * rows / height),
        max(min(bottom, core.window.height / 2), bottom * rows / height)
      )
      operation.core.padding = .valid(top: top, left: left, bottom: bottom, right: right)
    }
    if let outputShape = core.outputShape {
      operation.core.outputShape?.height = outputShape.height - (height - rows) * core.stride.height
    }
    return operation
  }

  private func geometry(rows: Int, of height: Int, width: Int) throws
    -> ConvolutionOperator.Geometry
  {
    try ofRows(rows, of: height).geometry(height: rows, width: width)
  }

  /// If only some rows of an image are timed, these rows have at least this many pixels. The number is twice the number
  /// of pixels from which Winograd's algorithm uses F(4 × 4).
  private static let leastTrialPixels = 2048
}
