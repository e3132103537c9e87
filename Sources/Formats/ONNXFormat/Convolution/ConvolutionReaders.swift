import Graph
import Operators

/// Convolutions over one, two and three spatial axes, and their transposes.
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
  /// A convolution of a value by weights, with the attributes of the node.
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
        "the input has \(rank) axes and the weights \(shape.count), expected 3 to 5 and as many.")
    }
    guard shape.allSatisfy({ (1...1 << 30).contains($0) }) else {
      throw invalid("the weights are \(Shape(shape)), expected at least 1 of everything.")
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
    var size: [Int]?
    if transposed { size = try transposedSize(of: x, &windows) }
    var inputs: [Graph.ValueID] = [x, try real(weights)]
    if let bias { inputs.append(bias) }
    if axes == 3 {
      return try add(
        Convolution3DOperator(
          weights: shape, groups: groups, stride: windows.strides, dilation: windows.dilations,
          padding: windows.padding, isTransposed: transposed, outputShape: size,
          hasBias: bias != nil),
        inputs)
    }
    if axes == 1 {
      windows.expand()
      size?.insert(1, at: 0)
      inputs[0] = try stretched(inputs[0], [-2])
      inputs[1] = try flatWeights(inputs[1], shape)
    }
    var result = ConvolutionOperator(
      outputChannels: transposed ? shape[1] * groups : shape[0],
      kernelChannels: transposed ? shape[0] : shape[1], groups: groups,
      kernel: .init(windows.kernel[0], windows.kernel[1]),
      stride: .init(windows.strides[0], windows.strides[1]),
      dilation: .init(windows.dilations[0], windows.dilations[1]), isDeconvolution: transposed,
      outputShape: size.map { .init($0[0], $0[1]) }, hasBias: bias != nil)
    if transposed, size == nil, has("output_padding") {
      let extra: [Int] = try sizes("output_padding", count: axes, least: 0, or: 0)
      result.outputPadding = .init(axes == 1 ? 0 : extra[0], extra[axes - 1])
    }
    result.padding = windows.padding.aroundPictures
    let made = try add(result, inputs)
    return axes == 1 ? try add(SqueezeOperator(axes: [-2]), made) : made
  }

  /// The size of a transposed convolution's output where the node states it or adds to it, and what is cut off then.
  private func transposedSize(of x: Graph.ValueID, _ windows: inout Windows) throws -> [Int]? {
    let axes: Int = windows.kernel.count
    let extra: [Int] = try sizes("output_padding", count: axes, least: 0, or: 0)
    let stated: [Int]? =
      has("output_shape")
      ? Array(
        try sizes("output_shape", count: ints("output_shape")?.count ?? axes, least: 1)
          .suffix(axes)) : nil
    guard stated != nil || axes == 3 && extra.contains(where: { $0 > 0 }) else { return nil }
    let spatial: [Int] = (builder.extents(of: x) ?? []).dropFirst(2).compactMap { $0 }
    guard spatial.count == axes, stated?.count ?? axes == axes else {
      throw unsupported("the size of the input is not known, but 'output_shape' needs it.")
    }
    let natural: [Int] = (0..<axes).map {
      (spatial[$0] - 1) * windows.strides[$0] + windows.span($0) + extra[$0]
    }
    guard let stated else {
      guard case .amounts(let before, let after) = windows.padding else {
        return (0..<axes).map { spatial[$0] * windows.strides[$0] }
      }
      return (0..<axes).map { natural[$0] - before[$0] - after[$0] }
    }
    let isEndHeavy: Bool = windows.padding == .same(startHeavy: false)
    let total: [Int] = (0..<axes).map { max(0, natural[$0] - stated[$0]) }
    let before: [Int] = total.map { isEndHeavy ? $0 / 2 : $0 - $0 / 2 }
    windows.padding = .amounts(before: before, after: zip(total, before).map { $0 - $1 })
    return stated
  }

  /// The weights `[O, I, k]` as `[O, I, 1, k]`.
  private func flatWeights(_ weights: Graph.ValueID, _ shape: [Int]) throws -> Graph.ValueID {
    guard let constant = builder.graph[weights].constant else {
      return try stretched(weights, [-2])
    }
    return builder.addConstant(
      constant.reshaped(to: [shape[0], shape[1], 1, shape[2]]), name: "\(name)/weights")
  }
}
