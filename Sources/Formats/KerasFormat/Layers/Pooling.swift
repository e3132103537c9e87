import Graph
import Operators

extension KerasLayerReader {
  private static let pools = KnownFields([
    "pool_size", "pool_length", "strides", "stride", "padding", "border_mode", "data_format",
    "dim_ordering",
  ])
  private static let globalPools = KnownFields(["data_format", "dim_ordering", "keepdims"])

  /// Maximum and average pooling, over windows or over all positions.
  static let pooling: [KerasLayerReader] =
    (1...3).flatMap { axes in
      [
        KerasLayerReader("MaxPooling\(axes)D", "MaxPool\(axes)D", fields: pools) {
          try $0.pooling(axes: axes, isMaximum: true)
        },
        KerasLayerReader("AveragePooling\(axes)D", "AvgPool\(axes)D", fields: pools) {
          try $0.pooling(axes: axes, isMaximum: false)
        },
        KerasLayerReader(
          "GlobalMaxPooling\(axes)D", "GlobalMaxPool\(axes)D", fields: globalPools
        ) {
          try $0.everything(.maximum, axes: axes)
        },
        KerasLayerReader(
          "GlobalAveragePooling\(axes)D", "GlobalAvgPool\(axes)D", fields: globalPools
        ) {
          try $0.everything(.mean, axes: axes)
        },
      ]
    }
}

extension KerasContext {
  fileprivate func pooling(axes: Int, isMaximum: Bool) throws -> KerasTensor {
    let spatial = try KerasSpatial(self, axes: axes)
    let kernel: [Int] = spatial.flat(
      try spatial.sizes(settings.ints("pool_size", "pool_length"), or: 2, "pool_size"))
    let stride: [Int] = spatial.flat(
      try spatial.sizes(
        settings.ints("strides", "stride") ?? (axes == 1 ? [kernel[1]] : kernel), "strides"))
    let isSame: Bool = try settings.text("padding", "border_mode") == "same"
    guard (kernel + stride).allSatisfy({ $0 > 0 }) else {
      throw invalid("the windows are \(kernel) and the strides \(stride), expected 1 or more.")
    }
    if axes == 3 {
      return try spatial.made(
        try add(
          Pooling3DOperator(
            isMaximum: isMaximum, kernel: kernel, stride: stride,
            padding: isSame ? .same : .custom(before: [0, 0, 0], after: [0, 0, 0]),
            excludesPadding: true),
          spatial.value))
    }
    return try spatial.made(
      try add(
        PoolingOperator(
          isMaximum ? .maximum : .average, kernelHeight: kernel[0], kernelWidth: kernel[1],
          strideHeight: stride[0], strideWidth: stride[1],
          padding: isSame
            ? .same(topLeftHeavy: false) : .valid(top: 0, bottom: 0, left: 0, right: 0),
          excludesPadding: !isMaximum),
        spatial.value))
  }

  fileprivate func everything(_ mode: ReductionMode, axes: Int) throws -> KerasTensor {
    let x = try input(ranks: axes + 2...axes + 2)
    let isChannelsFirst: Bool = try KerasSpatial.usesChannelsFirst(self)
    let value = try isChannelsFirst ? kerasOrdered(x) : x.value
    let isFirst: Bool = isChannelsFirst || x.isChannelFirst
    let keeps: Bool = try settings.bool("keepdims", or: false)
    let made = try add(
      ReduceAxesOperator(
        mode, axes: isFirst ? Array(2..<axes + 2) : Array(1..<axes + 1), keepsAxes: keeps),
      value)
    return keeps
      ? KerasTensor(made, rank: x.rank, isChannelFirst: !isChannelsFirst && x.isChannelFirst)
      : KerasTensor(made, rank: 2)
  }
}
