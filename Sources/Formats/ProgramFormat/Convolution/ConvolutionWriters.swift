import Graph
import Operators

extension ConvolutionOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    guard residual == nil, !appliesFactors, upsampling == 1,
      outputPadding.height == 0 && outputPadding.width == 0
    else {
      throw node.unsupported("a pass has fused another operator into it; write the graph before.")
    }
    return try node.onPicture { x in
      var inputs: [String: MILOperand] = [
        "x": .value(x), "weight": .value(try node.real(1)),
        "strides": .ints([stride.height, stride.width]),
        "dilations": .ints([dilation.height, dilation.width]), "groups": .int(groups),
      ]
      if hasBias { inputs["bias"] = .value(try node.vector(2, outputChannels)) }
      switch padding {
      case .same(let startHeavy): inputs["pad_type"] = .string(startHeavy ? "same_lower" : "same")
      case .valid(let top, let left, let bottom, let right):
        let pad: [Int] = [top, bottom, left, right]
        inputs["pad_type"] = .string(pad == [0, 0, 0, 0] ? "valid" : "custom")
        inputs["pad"] = .ints(pad)
      }
      let extents: [Int?] = try node.madePicture(x)
      if let outputShape {
        guard let batch = x.extents[0] else {
          throw node.unsupported("it states its output's size, and the number of pictures is free.")
        }
        inputs["output_shape"] = .ints(
          [batch, outputChannels, outputShape.height, outputShape.width])
      }
      let made = try node.add(isDeconvolution ? "conv_transpose" : "conv", inputs, extents)
      return try node.apply(activation, to: made)
    }
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
    switch padding {
    case .same: inputs["pad_type"] = .string("same")
    case .sameLower: inputs["pad_type"] = .string("same_lower")
    case .custom(let before, let after):
      inputs["pad_type"] = .string("custom")
      inputs["pad"] = .ints(zip(before, after).flatMap { [$0, $1] })
    }
    if let outputShape {
      guard let batch = x.extents[0] else {
        throw node.unsupported("it states its output's size, and the number of volumes is free.")
      }
      inputs["output_shape"] = .ints([batch, outputChannels] + outputShape)
    }
    return try node.only(isTransposed ? "conv_transpose" : "conv", inputs)
  }
}
