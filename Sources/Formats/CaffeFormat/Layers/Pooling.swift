import Graph
import Operators

extension CaffeLayerReader {
  /// Maximum and average pooling. By default Caffe rounds the number of windows up, so that the last window includes
  /// the last pixel.
  static let pooling: [CaffeLayerReader] = [
    CaffeLayerReader(
      "Pooling", "pooling",
      fields: KnownFields([
        "pool", "pad", "pad_h", "pad_w", "kernel_size", "kernel_h", "kernel_w", "stride",
        "stride_h",
        "stride_w", "global_pooling", "round_mode", "ceil_mode",
      ])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("pooling")
      let x = try context.input()
      guard try context.rank(x) == 4 else {
        throw context.unsupported("its input has \(try context.rank(x)) dimensions, expected 4.")
      }
      let kind: PoolingOperator.Kind
      switch parameters.word("pool") ?? "MAX" {
      case "MAX": kind = .maximum
      case "AVE": kind = .average
      case let other: throw context.unsupported("'pool' is \(other), expected MAX or AVE.")
      }
      guard context.layer.tops.count <= 1 else {
        throw context.unsupported(
          "it also outputs the indices of the maxima, which is not supported.")
      }
      if try parameters.bool("global_pooling", or: false) {
        return try context.add(PoolingOperator.global(kind), x)
      }
      let kernel = try context.sizes(parameters, "kernel_size", "kernel", count: 2, or: nil)
      let stride = try context.sizes(parameters, "stride", "stride", count: 2, or: 1)
      let pad = try context.sizes(parameters, "pad", "pad", count: 2, or: 0)
      guard pad[0] < kernel[0], pad[1] < kernel[1] else {
        throw context.invalid("the padding \(pad) is not smaller than the window \(kernel).")
      }
      let isFloor: Bool =
        try parameters.word("round_mode") == "FLOOR" || !parameters.bool("ceil_mode", or: true)
      return try context.add(
        PoolingOperator(
          kind, kernelHeight: kernel[0], kernelWidth: kernel[1], strideHeight: stride[0],
          strideWidth: stride[1],
          padding: isFloor
            ? .valid(top: pad[0], bottom: pad[0], left: pad[1], right: pad[1])
            : .includeLastPixel(height: pad[0], width: pad[1])),
        x)
    }
  ]
}
