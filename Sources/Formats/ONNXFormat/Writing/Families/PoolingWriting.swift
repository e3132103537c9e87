import Graph
import Operators

/// Pooling.
enum PoolingWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(PoolingOperator.self) { operation, node in
      try node.asPictures { try node.pooling(operation, $0) }
    },
    OperatorWriting(Pooling3DOperator.self) { operation, node in
      var attributes: [NodeAttribute] = [
        .ints("kernel_shape", operation.kernel), .ints("strides", operation.stride),
      ]
      switch operation.padding {
      case .custom(let before, let after):
        guard zip(before + after, operation.kernel + operation.kernel).allSatisfy({ $0 < $1 })
        else { throw node.unsupported("its padding is not smaller than its window.") }
        attributes.append(.ints("pads", before + after))
      case .same: attributes.append(.string("auto_pad", "SAME_UPPER"))
      case .sameLower: attributes.append(.string("auto_pad", "SAME_LOWER"))
      }
      if !operation.isMaximum {
        if !operation.excludesPadding, operation.padding == .same || operation.padding == .sameLower
        {
          throw node.unsupported(
            "its average counts padding with a size that depends on the input's.")
        }
        attributes.append(.int("count_include_pad", operation.excludesPadding ? 0 : 1))
      }
      return node.emit(
        operation.isMaximum ? "MaxPool" : "AveragePool", [try node.input()], outputs: 1,
        attributes)[0]
    },
    OperatorWriting(GlobalPooling3DOperator.self) { operation, node in
      node.emit(
        operation.isMaximum ? "GlobalMaxPool" : "GlobalAveragePool", [try node.input()])
    },
  ]
}

extension NodeContext {
  fileprivate func pooling(_ operation: PoolingOperator, _ x: String) throws -> String {
    let types: [PoolingOperator.Kind: String] = [
      .maximum: "MaxPool", .average: "AveragePool", .l2: "LpPool",
    ]
    let type: String = types[operation.kind] ?? "MaxPool"
    if operation.isGlobal {
      switch operation.kind {
      case .maximum: return emit("GlobalMaxPool", [x])
      case .average: return emit("GlobalAveragePool", [x])
      case .l2: return emit("GlobalLpPool", [x], .int("p", 2))
      }
    }
    var attributes: [NodeAttribute] = [
      .ints("kernel_shape", [operation.kernelHeight, operation.kernelWidth]),
      .ints("strides", [operation.strideHeight, operation.strideWidth]),
    ]
    let kernel: [Int] = [operation.kernelHeight, operation.kernelWidth]
    func require(_ pads: [Int]) throws {
      guard zip(pads, kernel + kernel).allSatisfy({ $0 < $1 }) else {
        throw unsupported("its padding is not smaller than its window.")
      }
    }
    switch operation.padding {
    case .valid(let top, let bottom, let left, let right):
      try require([top, left, bottom, right])
      attributes.append(.ints("pads", [top, left, bottom, right]))
    case .same(let topLeftHeavy):
      // If the padding changes the number of counted elements, the node must state the padding.
      let extents: [Int?] = try extents()
      guard let height = extents[extents.count - 2], let width = extents[extents.count - 1] else {
        if operation.kind == .average, !operation.excludesPadding {
          throw unsupported("its average counts padding with a size that depends on the input's.")
        }
        attributes.append(.string("auto_pad", topLeftHeavy ? "SAME_LOWER" : "SAME_UPPER"))
        break
      }
      let windows = try operation.windows(height: height, width: width)
      attributes.append(
        .ints(
          "pads",
          [windows.height.before, windows.width.before, windows.height.after, windows.width.after]))
    case .includeLastPixel(let height, let width), .ceiling(let height, let width):
      // ONNX rounds the number of windows down. The padding at the end is chosen so that this number is the operator's.
      let extents: [Int?] = try extents()
      guard let rows = extents[extents.count - 2], let columns = extents[extents.count - 1] else {
        throw unsupported("its last windows depend on the size of the input, which is not known.")
      }
      let windows = try operation.windows(height: rows, width: columns)
      let ends: [Int] = [windows.height, windows.width].map { axis in
        (axis.count - 1) * axis.stride + axis.kernel - axis.before - axis.extent
      }
      let isOver: Bool = ends[0] > height || ends[1] > width
      if operation.kind == .average, isOver, !operation.excludesPadding {
        throw unsupported("its average counts part of a window beyond its padding.")
      }
      let after: [Int] = [max(0, ends[0]), max(0, ends[1])]
      if zip(after, kernel).allSatisfy({ $0 < $1 }), max(height, 0) < kernel[0], width < kernel[1] {
        attributes.append(.ints("pads", [height, width] + after))
        // Padding at the end that no window needs is omitted.
        if ends[0] < 0 || ends[1] < 0 { break }
      } else {
        throw unsupported("its padding is not smaller than its window.")
      }
    }
    if operation.kind == .average {
      attributes.append(.int("count_include_pad", operation.excludesPadding ? 0 : 1))
    }
    if operation.kind == .l2 { attributes.append(.int("p", 2)) }
    return emit(type, [x], outputs: 1, attributes)[0]
  }
}
