import Graph
import Operators

extension NCNNLayerReader {
  /// Convolutions and transposed convolutions of rows and columns.
  static let convolution: [NCNNLayerReader] = [
    NCNNLayerReader(
      "Convolution", windows, only: [8: 0, 18: 0, 19: 0], harmless: [17]
    ) { try $0.convolution(groups: 1) },
    NCNNLayerReader(
      "ConvolutionDepthWise", windows + [7], only: [8: 0, 18: 0, 19: 0], harmless: [17]
    ) { try $0.convolution(groups: $0.size(7, or: 1, "The number of groups")) },
    NCNNLayerReader(
      "Deconvolution", windows + [18, 19], only: [8: 0, 20: 0, 21: 0, 28: 0], harmless: [17]
    ) { try $0.deconvolution(groups: 1) },
    NCNNLayerReader(
      "DeconvolutionDepthWise", windows + [7, 18, 19], only: [8: 0, 20: 0, 21: 0, 28: 0],
      harmless: [17]
    ) { try $0.deconvolution(groups: $0.size(7, or: 1, "The number of groups")) },
  ]

  /// The parameters of windows, of the weights' sizes and of the activation function.
  private static let windows = [0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16]
}

/// Four amounts of padding, or the rule by which they follow from the size of the input.
enum NCNNPadding {
  case amounts(EdgeAmounts)
  /// As many outputs as inputs, divided by the stride. An odd pixel is at the top and left, or at the bottom and right.
  case same(topLeftHeavy: Bool)
}

extension NCNNContext {
  /// The numbers in the place of an amount of padding that mean padding to the size of the input.
  private static let sameUpper = -233
  private static let sameLower = -234

  /// Reads a height and a width from two parameters. The height is the width if the file does not state it.
  func pair(_ width: Int, _ height: Int, or standard: Int, _ what: String) throws
    -> ConvolutionOperator.Pair
  {
    let columns: Int = try size(width, or: standard, what)
    return .init(try size(height, or: columns, what), columns)
  }

  /// Reads the padding of windows.
  func padding(left: Int, top: Int, right: Int, bottom: Int) throws -> NCNNPadding {
    let first: Int = try parameters.int(left, or: 0)
    let above: Int = try parameters.int(top, or: first)
    let all: [Int] = try [
      above, parameters.int(bottom, or: above), first, parameters.int(right, or: first),
    ]
    if all.allSatisfy({ $0 == Self.sameUpper }) { return .same(topLeftHeavy: false) }
    if all.allSatisfy({ $0 == Self.sameLower }) { return .same(topLeftHeavy: true) }
    guard all.allSatisfy({ (0...1 << 20).contains($0) }) else {
      throw invalid("the padding is \(all), expected numbers of 0 or more, or only -233 or -234.")
    }
    return .amounts(EdgeAmounts(top: all[0], bottom: all[1], left: all[2], right: all[3]))
  }

  /// The numbers of input and output channels, after a check that the groups divide them and the weights fit.
  private func channelCounts(groups: Int, kernel: ConvolutionOperator.Pair, _ x: Graph.ValueID)
    throws -> (inputs: Int, outputs: Int)
  {
    let outputs: Int = try size(0, or: 0, "The number of output channels")
    let inputs: Int = try channels(x)
    guard inputs % groups == 0, outputs % groups == 0 else {
      throw invalid(
        "\(inputs) channels become \(outputs) in \(groups) groups, expected groups that divide both."
      )
    }
    let count: Int = try parameters.int(6, or: 0)
    let shape = Shape([outputs, inputs / groups, kernel.height, kernel.width])
    guard shape.isMeasurable, shape.count == count else {
      throw invalid(
        "it has \(count) weights, but \(inputs) input and \(outputs) output channels in \(groups) groups with windows of \(kernel.height) × \(kernel.width) need \(shape.isMeasurable ? "\(shape.count)" : "more")."
      )
    }
    return (inputs, outputs)
  }

  fileprivate func convolution(groups: Int) throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    let kernel = try pair(1, 11, or: 0, "The window")
    let (inputs, outputs) = try channelCounts(groups: groups, kernel: kernel, x)
    let matrix: Constant = try weights.tagged(
      [outputs, inputs / groups, kernel.height, kernel.width], "the weights")
    let hasBias: Bool = try parameters.int(5, or: 0) != 0
    var values: [Graph.ValueID] = [x, constant(matrix, "weights")]
    if hasBias { values.append(constant(try weights.floats([outputs], "the biases"), "bias")) }
    let padding: ConvolutionOperator.Padding
    switch try self.padding(left: 4, top: 14, right: 15, bottom: 16) {
    case .amounts(let edges):
      padding = .valid(
        top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right)
    case .same(let topLeftHeavy): padding = .same(topLeftHeavy: topLeftHeavy)
    }
    let made = try add(
      ConvolutionOperator(
        outputChannels: outputs, kernelChannels: inputs / groups, groups: groups, kernel: kernel,
        stride: try pair(3, 13, or: 1, "The stride"),
        dilation: try pair(2, 12, or: 1, "The dilation"), padding: padding, hasBias: hasBias),
      values)
    return try activated(made, kind: 9, numbers: 10)
  }

  fileprivate func deconvolution(groups: Int) throws -> Graph.ValueID {
    let x: Graph.ValueID = try featureMap()
    let kernel = try pair(1, 11, or: 0, "The window")
    let (inputs, outputs) = try channelCounts(groups: groups, kernel: kernel, x)
    let (rows, columns) = (outputs / groups, inputs / groups)
    let stored: Constant = try weights.tagged(
      [groups, rows, columns, kernel.height * kernel.width], "the weights")
    // The file has the output channels of a group before its input channels, the operator the other way round.
    let matrix = Constant(
      [inputs, rows, kernel.height, kernel.width],
      recipe: "input channels first, \(groups) groups", of: [stored]
    ) {
      let values: [Float] = try stored.floats()
      let area: Int = kernel.height * kernel.width
      var result: [Float] = []
      result.reserveCapacity(values.count)
      for group in 0..<groups {
        for column in 0..<columns {
          for row in 0..<rows {
            let first: Int = ((group * rows + row) * columns + column) * area
            result += values[first..<first + area]
          }
        }
      }
      return result
    }
    let hasBias: Bool = try parameters.int(5, or: 0) != 0
    var values: [Graph.ValueID] = [x, constant(matrix, "weights")]
    if hasBias { values.append(constant(try weights.floats([outputs], "the biases"), "bias")) }
    guard case .amounts(let edges) = try padding(left: 4, top: 14, right: 15, bottom: 16) else {
      throw unsupported("it cuts its output to a size that follows from the input.")
    }
    var operation = ConvolutionOperator(
      outputChannels: outputs, kernelChannels: inputs, groups: groups, kernel: kernel,
      stride: try pair(3, 13, or: 1, "The stride"),
      dilation: try pair(2, 12, or: 1, "The dilation"),
      padding: .valid(
        top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right),
      isDeconvolution: true, hasBias: hasBias)
    let right: Int = try size(18, or: 0, "The added width", from: 0)
    operation.outputPadding = .init(try size(19, or: right, "The added height", from: 0), right)
    return try activated(try add(operation, values), kind: 9, numbers: 10)
  }
}
