import Graph

/// A reduction over some axes of a tensor. ``ReducingOperator/reduction(for:)`` returns it for the shape of an input.
public struct AxisReduction: Sendable {
  /// How values are reduced: sum, mean, maximum and others.
  public let mode: ReductionMode
  /// The axes that are reduced, each once, in ascending order.
  public let axes: [Int]
  /// Whether reduced axes stay in the shape, with an extent of one.
  public let keepsAxes: Bool
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow = IntegerOverflow.wraps

  /// Returns the shape after the reduction. If no axis is left, the shape is `[1]`, because Core ML has no scalars.
  package func outputShape(of shape: Shape) -> Shape {
    var extents: [Int] = []
    for (axis, extent) in shape.dimensions.enumerated() {
      if !axes.contains(axis) {
        extents.append(extent)
      } else if keepsAxes {
        extents.append(1)
      }
    }
    return extents.isEmpty ? [1] : Shape(extents)
  }

  /// Reduces a tensor in `Double`, for reference implementations.
  package func reference(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(
      outputShape(of: input.shape), gathered(input.values, input.shape).map(mode.callAsFunction))
  }

  /// Reduces an integer tensor with integer arithmetic. Nil if the reduction has no integer arithmetic.
  package func integerReference(_ input: ReferenceTensor) -> ReferenceTensor? {
    let shape: Shape = outputShape(of: input.shape)
    let element: ElementType = mode.element(of: input.element)
    let folded: [Int64] = gathered(input.integerValues, input.shape).compactMap {
      mode.integer($0, overflow, as: element)
    }
    guard folded.count == shape.count else { return nil }
    return ReferenceTensor(shape, integerValues: folded.map(element.wrapped), element)
  }

  /// Returns, for each element of the output, the input values that the reduction combines into this element.
  private func gathered<Value>(_ values: [Value], _ shape: Shape) -> [[Value]] {
    var reduced = shape
    for axis in axes { reduced[axis] = 1 }
    let strides = reduced.strides
    var result = [[Value]](repeating: [], count: reduced.count)
    shape.forEachIndex { index, position in
      var target = 0
      for axis in index.indices where !axes.contains(axis) { target += index[axis] * strides[axis] }
      result[target].append(values[position])
    }
    return result
  }
}
