import Graph
import Operators

extension PaddingOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    var inputs: [String: MILOperand] = [
      "x": .value(x),
      "pad": .ints([amounts.top, amounts.bottom, amounts.left, amounts.right]),
    ]
    var value: Float = 0
    switch mode {
    case .constant(let number):
      inputs["mode"] = .string("constant")
      value = number
    case .reflection: inputs["mode"] = .string("reflect")
    case .replication: inputs["mode"] = .string("replicate")
    }
    inputs["constant_val"] = .value(try node.number(value, x.element))
    return try node.only("pad", inputs, x.element)
  }
}

extension PadAxesOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.moved()
    var inputs: [String: MILOperand] = [
      "x": .value(x), "mode": .string(repeatsEdge ? "replicate" : "reflect"),
      "constant_val": .value(try node.number(0, x.element)),
    ]
    if let amounts = amounts ?? node.ints(1) {
      inputs["pad"] = .ints(amounts)
    } else {
      inputs["pad"] = .value(try node.integer(1))
    }
    return try node.only("pad", inputs, x.element)
  }
}

extension ReorganizeDataOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    guard blockHeight == blockWidth else { return try blocks(node) }
    let (name, factor): (String, String)
    switch mode {
    case .depthToSpace: (name, factor) = ("depth_to_space", "block_size")
    case .spaceToDepth: (name, factor) = ("space_to_depth", "block_size")
    case .pixelShuffle: (name, factor) = ("pixel_shuffle", "upscale_factor")
    case .pixelUnshuffle:
      try node.block.output.require(.iOS16)
      (name, factor) = ("pixel_unshuffle", "downscale_factor")
    }
    return try node.onPicture { x in
      try node.add(
        name, ["x": .value(x), factor: .int(blockHeight)], try node.madePicture(x))
    }
  }

  /// Moves blocks that are not square, with reshapes and a transposition.
  private func blocks(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      let known: [Int] = x.extents.compactMap { $0 }
      guard known.count == 4 else {
        throw node.unsupported("its blocks are not square, and an extent is not known.")
      }
      let (n, c, h, w) = (known[0], known[1], known[2], known[3])
      let (b, d) = (blockHeight, blockWidth)
      // With a batch axis, the transposition would need six axes. Programs allow only five. So the batch size must be
      // 1, and the batch axis is dropped.
      switch mode {
      case .spaceToDepth, .pixelUnshuffle:
        guard n == 1 else {
          throw node.unsupported("its blocks are not square, and there are several pictures.")
        }
        let split = try node.reshape(x, [c, h / b, b, w / d, d])
        let turned = try node.transpose(
          split, mode == .spaceToDepth ? [2, 4, 0, 1, 3] : [0, 2, 4, 1, 3])
        return try node.reshape(turned, [1, c * b * d, h / b, w / d])
      case .depthToSpace, .pixelShuffle:
        guard n == 1 else {
          throw node.unsupported("its blocks are not square, and there are several pictures.")
        }
        let channels: Int = c / (b * d)
        let isShuffle: Bool = mode == .pixelShuffle
        let split = try node.reshape(
          x, isShuffle ? [channels, b, d, h, w] : [b, d, channels, h, w])
        let turned = try node.transpose(split, isShuffle ? [0, 3, 1, 4, 2] : [2, 3, 0, 4, 1])
        return try node.reshape(turned, [1, channels, h * b, w * d])
      }
    }
  }
}
