import Graph
import Operators

/// Maximum, average and L2 pooling over one, two or three spatial axes.
enum PoolingReaders {
  static let all: [OperationReader] = [
    OperationReader("max_pool", as: [PoolingOperator.self, Pooling3DOperator.self], .exact) {
      [.value(try pooling($0, .maximum))]
    },
    OperationReader("avg_pool", as: [PoolingOperator.self, Pooling3DOperator.self]) {
      [.value(try pooling($0, .average))]
    },
    OperationReader("l2_pool", as: [PoolingOperator.self]) { [.value(try pooling($0, .l2))] },
  ]

  private static func pooling(_ operation: ProgramOperation, _ kind: PoolingOperator.Kind) throws
    -> Graph.ValueID
  {
    let axes: Int = try operation.spatialAxes("x", most: kind == .l2 ? 2 : 3)
    guard operation.has("kernel_sizes") else {
      throw operation.invalid("the input 'kernel_sizes' is missing.")
    }
    var kernel: [Int] = try operation.sizes("kernel_sizes", count: axes)
    var windows = try SpatialWindows(operation, axes: axes)
    let excludesPadding: Bool = try operation.bool("exclude_padding_from_average", or: false)
    let isComplete: Bool = try operation.bool("ceil_mode", or: false)
    var value: Graph.ValueID = try operation.tensor("x").id
    if axes == 3 {
      guard !isComplete else {
        throw operation.invalid("ceil_mode is true, expected false for three spatial axes.")
      }
      return operation.add(
        Pooling3DOperator(
          isMaximum: kind == .maximum, kernel: kernel, stride: windows.strides,
          padding: windows.padding.forPooling3D, excludesPadding: excludesPadding),
        value)
    }
    if axes == 1 {
      kernel.insert(1, at: 0)
      windows.expand()
      value = operation.add(ExpandDimsOperator(axes: [-2]), value)
    }
    let made = operation.add(
      PoolingOperator(
        kind, kernelHeight: kernel[0], kernelWidth: kernel[1], strideHeight: windows.strides[0],
        strideWidth: windows.strides[1],
        padding: try padding(operation, windows, isComplete: isComplete),
        excludesPadding: excludesPadding),
      value)
    return axes == 1 ? operation.add(SqueezeOperator(axes: [-2]), made) : made
  }

  private static func padding(
    _ operation: ProgramOperation, _ windows: SpatialWindows, isComplete: Bool
  ) throws -> PoolingOperator.Padding {
    switch windows.padding {
    case .same(let startHeavy):
      guard !isComplete else {
        throw operation.invalid("ceil_mode is true, expected false where pad_type is same.")
      }
      return .same(topLeftHeavy: startHeavy)
    case .amounts(let before, let after):
      guard isComplete else {
        return .valid(top: before[0], bottom: after[0], left: before[1], right: after[1])
      }
      guard before == after else {
        throw operation.invalid(
          "'pad' differs before and after an axis, expected the same where ceil_mode is true.")
      }
      return .ceiling(height: before[0], width: before[1])
    }
  }
}
