import Graph
import Operators

extension KerasOperationReader {
  /// Operations on images.
  static let pictures: [KerasOperationReader] = [
    KerasOperationReader(
      "resize",
      parameters:
        "images|image size|target_size interpolation|method antialias crop_to_aspect_ratio|preserve_aspect_ratio pad_to_aspect_ratio fill_mode fill_value data_format",
      harmless: []
    ) { operation in
      let isOfTensorFlow: Bool = operation.layer.type.hasSuffix("OpLambda")
      guard let size = try operation.ints("size"), size.count == 2 else {
        throw operation.wrong("size", "a height and a width")
      }
      guard try operation.text("fill_mode", or: "constant") == "constant" else {
        throw operation.wrong("fill_mode", "constant")
      }
      var resizing = KerasResizing(
        height: size[0], width: size[1],
        interpolation: try operation.text("interpolation", or: "bilinear"))
      resizing.isAntialiased = try operation.flag("antialias")
      resizing.crops = try operation.flag("crop_to_aspect_ratio")
      resizing.pads = try operation.flag("pad_to_aspect_ratio")
      resizing.fill = Float(try operation.number("fill_value", or: 0))
      guard !isOfTensorFlow || !resizing.crops else {
        throw operation.wrong("preserve_aspect_ratio", "False")
      }
      return try operation.picture("images") { try resizing.made(of: $1, $0) }
    },
    KerasOperationReader("depth_to_space", parameters: "x|input block_size data_format") {
      try $0.reorganized(.depthToSpace)
    },
    KerasOperationReader("space_to_depth", parameters: "x|input block_size data_format") {
      try $0.reorganized(.spaceToDepth)
    },
  ]
}

extension KerasOperation {
  /// Applies a function to an image in channels-first order. Returns the result in the axis order that the operation
  /// states.
  fileprivate func picture(
    _ name: String, _ function: (KerasContext, Graph.ValueID) throws -> Graph.ValueID
  ) throws -> KerasTensor {
    let x: KerasTensor = try tensor(name)
    guard x.rank == 4 else {
      throw context.unsupported("its input has \(x.rank) axes, expected 4: a batch of pictures.")
    }
    let order: String = try text("data_format", or: "channels_last")
    let isFirst: Bool = ["channels_first", "NCHW"].contains(order)
    guard isFirst || ["channels_last", "NHWC"].contains(order) else {
      throw wrong("data_format", "channels_last or channels_first")
    }
    let value = try isFirst ? context.kerasOrdered(x) : context.channelFirst(x)
    return KerasTensor(try function(context, value), rank: 4, isChannelFirst: !isFirst)
  }

  /// Moves blocks of pixels to channels (space to depth), or channels to blocks of pixels (depth to space).
  fileprivate func reorganized(_ mode: ReorganizeDataOperator.Mode) throws -> KerasTensor {
    guard let side = try int("block_size"), (1...1 << 10).contains(side) else {
      throw wrong("block_size", "1 to \(1 << 10)")
    }
    return try picture("x") {
      try $0.add(ReorganizeDataOperator(mode: mode, blockSize: side), $1)
    }
  }
}
