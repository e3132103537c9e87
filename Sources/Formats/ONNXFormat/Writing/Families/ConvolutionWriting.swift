import Graph
import Operators

/// Convolutions and transposed convolutions.
enum ConvolutionWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(ConvolutionOperator.self) { operation, node in
      try node.asPictures { try node.convolution(operation, $0) }
    },
    OperatorWriting(Convolution3DOperator.self) { operation, node in
      var attributes: [NodeAttribute] = [
        .ints("kernel_shape", operation.kernel), .ints("strides", operation.stride),
        .ints("dilations", operation.dilation), .int("group", operation.groups),
      ]
      switch operation.padding {
      case .custom(let before, let after): attributes.append(.ints("pads", before + after))
      case .same: attributes.append(.string("auto_pad", "SAME_UPPER"))
      case .sameLower: attributes.append(.string("auto_pad", "SAME_LOWER"))
      }
      guard operation.outputShape == nil else {
        throw node.unsupported(
          "it states the output size of a 3D transposed convolution, which ONNX cannot express.")
      }
      return node.emit(
        operation.isTransposed ? "ConvTranspose" : "Conv", try node.inputs(), outputs: 1,
        attributes)[0]
    },
  ]
}

extension NodeContext {
  fileprivate func convolution(_ operation: ConvolutionOperator, _ x: String) throws -> String {
    var attributes: [NodeAttribute] = [
      .ints("kernel_shape", [operation.kernel.height, operation.kernel.width]),
      .ints("strides", [operation.stride.height, operation.stride.width]),
      .ints("dilations", [operation.dilation.height, operation.dilation.width]),
      .int("group", operation.groups),
    ]
    var rest: [String] = []
    for (position, value) in node.inputs.enumerated().dropFirst() {
      // Constant weights keep the shape that they have in the file from which they were read. The operator states the
      // shape that ONNX needs.
      if position == 1, let known = writer.graph[value].constant,
        known.shape != operation.weightShape, known.count == operation.weightShape.count
      {
        rest.append(
          try writer.write(known.reshaped(to: operation.weightShape), named: "weights"))
      } else {
        rest.append(try writer.name(of: value))
      }
    }
    switch operation.padding {
    case .valid(let top, let left, let bottom, let right):
      var pads: [Int] = [top, left, bottom, right]
      var extra: [Int] = [operation.outputPadding.height, operation.outputPadding.width]
      if operation.isDeconvolution, let size = operation.outputShape {
        let extents: [Int?] = try extents()
        guard let height = extents[extents.count - 2], let width = extents[extents.count - 1]
        else { throw unsupported("the size of the input is not known.") }
        let strides: [Int] = [operation.stride.height, operation.stride.width]
        let spans: [Int] = [
          (operation.kernel.height - 1) * operation.dilation.height + 1,
          (operation.kernel.width - 1) * operation.dilation.width + 1,
        ]
        for (axis, (own, wanted)) in zip([height, width], [size.height, size.width]).enumerated() {
          let rest: Int = (own - 1) * strides[axis] + spans[axis] - pads[axis] - wanted
          pads[axis + 2] = max(0, rest)
          extra[axis] = max(0, -rest)
        }
      }
      attributes.append(.ints("pads", pads))
      if operation.isDeconvolution, extra.contains(where: { $0 > 0 }) {
        guard extra[0] < max(operation.stride.height, operation.dilation.height),
          extra[1] < max(operation.stride.width, operation.dilation.width)
        else {
          throw unsupported("its output is larger than a transposed convolution can make it.")
        }
        attributes.append(.ints("output_padding", extra))
      }
    case .same(let topLeftHeavy):
      guard operation.isDeconvolution else {
        attributes.append(.string("auto_pad", topLeftHeavy ? "SAME_LOWER" : "SAME_UPPER"))
        break
      }
      attributes += try transposedSame(operation, topLeftHeavy)
    }
    return emit(
      operation.isDeconvolution ? "ConvTranspose" : "Conv", [x] + rest, outputs: 1, attributes)[0]
  }

  /// Returns the padding of a transposed convolution whose padding is SAME. With SAME padding, the output's size is the
  /// input's size times the stride, or a size that the operator states.
  private func transposedSame(_ operation: ConvolutionOperator, _ topLeftHeavy: Bool) throws
    -> [NodeAttribute]
  {
    let spans: [Int] = [
      (operation.kernel.height - 1) * operation.dilation.height + 1,
      (operation.kernel.width - 1) * operation.dilation.width + 1,
    ]
    let strides: [Int] = [operation.stride.height, operation.stride.width]
    var totals: [Int] = zip(spans, strides).map { $0 - $1 }
    if let size = operation.outputShape {
      let extents: [Int?] = try extents()
      guard let height = extents[extents.count - 2], let width = extents[extents.count - 1] else {
        throw unsupported("the size of the input is not known.")
      }
      totals = [
        (height - 1) * strides[0] + spans[0] - size.height,
        (width - 1) * strides[1] + spans[1] - size.width,
      ]
    }
    let cut: [Int] = totals.map { max(0, $0) }
    let before: [Int] = cut.map { topLeftHeavy ? ($0 + 1) / 2 : $0 / 2 }
    let after: [Int] = zip(cut, before).map { $0 - $1 }
    let extra: [Int] = zip(totals, [operation.outputPadding.height, operation.outputPadding.width])
      .map { max(0, -$0) + $1 }
    var attributes: [NodeAttribute] = [.ints("pads", before + after)]
    if extra.contains(where: { $0 > 0 }) { attributes.append(.ints("output_padding", extra)) }
    return attributes
  }
}
