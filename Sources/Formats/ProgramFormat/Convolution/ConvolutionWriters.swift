import Graph
import Operators

extension ConvolutionOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      var inputs: [String: MILOperand] = [
        "x": .value(x), "weight": .value(try node.real(1)),
        "strides": .ints([stride.height, stride.width]),
        "dilations": .ints([dilation.height, dilation.width]), "groups": .int(groups),
      ]
      if hasBias { inputs["bias"] = .value(try node.vector(2, outputChannels)) }
      inputs.state(paddingLessRows ?? WindowPadding(padding))
      let extents: [Int?] = try node.madePicture(x)
      if outputShape == nil, paddingLessRows == nil, let zeros = zerosForRows {
        inputs["x"] = .value(try node.padded(x, zeros.amounts))
        inputs.state(zeros.padding)
      } else if let outputShape {
        guard let batch = x.extents[0] else {
          throw node.unsupported("it states its output's size, but the batch size is flexible.")
        }
        inputs["output_shape"] = .ints(
          [batch, outputChannels, outputShape.height, outputShape.width])
      }
      return try node.add(isDeconvolution ? "conv_transpose" : "conv", inputs, extents)
    }
  }
}

extension ProgramNode {
  /// Pads an image with zeros.
  fileprivate func padded(_ x: MILValue, _ amounts: EdgeAmounts) throws -> MILValue {
    var extents: [Int?] = x.extents
    extents[2] = extents[2].map { $0 + amounts.top + amounts.bottom }
    extents[3] = extents[3].map { $0 + amounts.left + amounts.right }
    return try add(
      "pad",
      [
        "x": .value(x), "mode": .string("constant"),
        "pad": .ints([amounts.top, amounts.bottom, amounts.left, amounts.right]),
        "constant_val": .value(try number(0, x.element)),
      ], extents, x.element)
  }
}

extension Convolution3DOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.real(0)
    var inputs: [String: MILOperand] = [
      "x": .value(x), "weight": .value(try node.real(1)), "strides": .ints(stride),
      "dilations": .ints(dilation), "groups": .int(groups),
    ]
    if hasBias { inputs["bias"] = .value(try node.vector(2, outputChannels)) }
    inputs.state(WindowPadding(padding))
    if let outputShape {
      guard let batch = x.extents[0] else {
        throw node.unsupported("it states its output's size, but the batch size is flexible.")
      }
      inputs["output_shape"] = .ints([batch, outputChannels] + outputShape)
    }
    return try node.only(isTransposed ? "conv_transpose" : "conv", inputs)
  }
}

extension [String: MILOperand] {
  /// Adds the parameters `pad_type` and `pad` that convolutions and poolings have.
  mutating func state(_ padding: WindowPadding) {
    switch padding {
    case .same(let startHeavy): self["pad_type"] = .string(startHeavy ? "same_lower" : "same")
    case .amounts(let before, let after):
      let pad: [Int] = zip(before, after).flatMap { [$0, $1] }
      self["pad_type"] = .string(pad.allSatisfy { $0 == 0 } ? "valid" : "custom")
      self["pad"] = .ints(pad)
    }
  }
}
