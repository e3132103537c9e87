import Graph
import Operators

/// Convolutions and transposed convolutions over one, two or three spatial axes.
enum ConvolutionReaders {
  static let all: [NodeReader] = [
    NodeReader("Conv", as: [ConvolutionOperator.self, Convolution3DOperator.self]) { node in
      let x: ONNXTensor = try node.tensor(0)
      let made = try node.convolution(
        node.real(x), node.tensor(1), bias: node.optional(2)?.id, transposed: false)
      return [ONNXTensor(made, x.element)]
    },
    NodeReader("ConvTranspose", as: [ConvolutionOperator.self, Convolution3DOperator.self]) {
      node in
      let x: ONNXTensor = try node.tensor(0)
      let made = try node.convolution(
        node.real(x), node.tensor(1), bias: node.optional(2)?.id, transposed: true)
      return [ONNXTensor(made, x.element)]
    },
  ]
}

extension ONNXNode {
  /// Adds a convolution of a value with weights. The node's attributes determine the windows.
  func convolution(
    _ x: Graph.ValueID, _ weights: ONNXTensor, bias: Graph.ValueID?, transposed: Bool
  ) throws -> Graph.ValueID {
    guard let rank = builder.rank(of: x) else {
      throw unsupported("the number of axes of the input is not known.")
    }
    let axes: Int = rank - 2
    let shape: [Int] = try shape(weights, "the weights")
    guard (1...3).contains(axes), shape.count == rank else {
      throw invalid(
        "the input has \(rank) axes and the weights have \(shape.count), expected 3 to 5 for both.")
    }
    guard shape.allSatisfy({ (1...1 << 30).contains($0) }) else {
      throw invalid("the weights are \(Shape(shape)), expected extents of at least 1.")
    }
    let groups: Int = int("group", or: 1)
    guard groups > 0, groups <= 1 << 30, shape[0] % groups == 0 else {
      throw invalid(
        "the weights are \(Shape(shape)) in \(groups) groups, which do not divide their first axis."
      )
    }
    let kernel = Array(shape.dropFirst(2))
    if has("kernel_shape"), try sizes("kernel_shape", count: axes) != kernel {
      throw invalid(
        "'kernel_shape' is \(ints("kernel_shape") ?? []), but the weights are \(shape).")
    }
    var windows = try Windows(self, axes: axes, kernel: kernel)
    let extra: [Int] = try sizes("output_padding", count: axes, least: 0, or: 0)
    let size: [Int]? =
      transposed ? try transposedSize(of: x, &windows, extra: extra) : nil
    var inputs: [Graph.ValueID] = [x, try real(weights)]
    if let bias { inputs.append(bias) }
    if axes == 3 {
      if transposed, size == nil {
        let zeros: [Int] = windows.extend(by: extra)
        if zeros.contains(where: { $0 > 0 }) {
          inputs[0] = try add(
            ConstantPadOperator(value: 0, amounts: [0, 0, 0, 0] + zeros.flatMap { [0, $0] }),
            inputs[0])
        }
      }
      return try add(
        Convolution3DOperator(
          weights: shape, groups: groups, stride: windows.strides, dilation: windows.dilations,
          padding: windows.padding, isTransposed: transposed, outputShape: size,
          hasBias: bias != nil),
        inputs)
    }
    if axes == 1 {
      windows.expand()
      inputs[0] = try stretched(inputs[0], [-2])
      inputs[1] = try flatWeights(inputs[1], shape)
    }
    var result = ConvolutionOperator(
      outputChannels: transposed ? shape[1] * groups : shape[0],
      kernelChannels: transposed ? shape[0] : shape[1], groups: groups,
      kernel: .init(windows.kernel[0], windows.kernel[1]),
      stride: .init(windows.strides[0], windows.strides[1]),
      dilation: .init(windows.dilations[0], windows.dilations[1]), isDeconvolution: transposed,
      outputShape: size.map { .init(axes == 1 ? 1 : $0[0], $0[axes - 1]) }, hasBias: bias != nil)
    if transposed, size == nil {
      result.outputPadding = .init(axes == 1 ? 0 : extra[0], extra[axes - 1])
    }
    result.padding = windows.padding.for2D
    let made = try add(result, inputs)
    return axes == 1 ? try add(SqueezeOperator(axes: [-2]), made) : made
  }

  /// Returns the output size of a transposed convolution if the node states it, else nil. Sets the padding of `windows`
  /// to the number of rows and columns to crop from the full output. If the node states the output size but the input's
  /// size is not known, sets the padding to SAME instead. Without a stated size, `SAME_UPPER` and `SAME_LOWER` crop the
  /// output to the input size times the stride. If the number of rows or columns to crop is odd, `SAME_UPPER` crops one
  /// more at the end than at the start. All other padding modes crop one more at the start than at the end.
  private func transposedSize(
    of x: Graph.ValueID, _ windows: inout Windows, extra: [Int]
  ) throws -> [Int]? {
    let axes: Int = windows.kernel.count
    let isEndHeavy: Bool = windows.padding == .same(startHeavy: false)
    func cut(_ totals: [Int]) -> WindowPadding {
      let before: [Int] = totals.map { isEndHeavy ? $0 / 2 : $0 - $0 / 2 }
      return .amounts(before: before, after: zip(totals, before).map { $0 - $1 })
    }
    guard let all = ints("output_shape") else {
      if case .same = windows.padding {
        windows.padding = cut(
          (0..<axes).map { max(0, extra[$0] + windows.span($0) - windows.strides[$0]) })
      }
      return nil
    }
    guard all.count == axes || all.count == axes + 2 else {
      throw invalid("'output_shape' has \(all.count) numbers, expected \(axes).")
    }
    let stated = Array(try sizes("output_shape", count: all.count).suffix(axes))
    let spatial: [Int?] = Array((builder.extents(of: x) ?? []).dropFirst(2))
    let known: [Int] = spatial.compactMap { $0 }
    guard known.count == axes else {
      guard extra.allSatisfy({ $0 == 0 }) else {
        throw unsupported(
          "it states both 'output_shape' and 'output_padding', but the input's size is not known; leave one of them out."
        )
      }
      windows.padding = .same(startHeavy: !isEndHeavy)
      return stated
    }
    windows.padding = cut(
      (0..<axes).map {
        max(0, (known[$0] - 1) * windows.strides[$0] + windows.span($0) + extra[$0] - stated[$0])
      })
    return stated
  }

  /// Reshapes weights `[O, I, k]` to `[O, I, 1, k]`.
  private func flatWeights(_ weights: Graph.ValueID, _ shape: [Int]) throws -> Graph.ValueID {
    guard let constant = builder.graph[weights].constant else {
      return try stretched(weights, [-2])
    }
    return builder.addConstant(
      constant.reshaped(to: [shape[0], shape[1], 1, shape[2]]), name: "\(name)/weights")
  }
}
