/// An operator with one output that broadcasts its inputs against each other. It computes each element of the output
/// from the elements of the inputs at the same index.
public protocol BroadcastingOperator: Operator {}

/// A broadcasting operator for which a plan may add rows to a tensor, because additional rows change no other row. If a
/// tensor has a dynamic axis, one plan for a power of two can therefore serve all shorter lengths of this axis.
public protocol ElementwiseOperator: BroadcastingOperator {}

/// An operator that concatenates its inputs.
public protocol JoiningOperator: Operator {
  /// Returns the axis along which the operator concatenates inputs of this rank; nil if the operator does not
  /// concatenate them.
  func joinedAxis(ofRank rank: Int) -> Int?
}

/// An operation on the rows of a tensor. Each index along the first axis has a row, which holds all elements at this
/// index.
package enum RowAction: Sendable {
  /// Writes the rows in the third input to the indices in the second input. If `grows` is true, an index may be beyond
  /// the tensor's last row, and the tensor becomes longer.
  case write(grows: Bool)
  /// Reads the rows at the indices in the second input.
  case read
  /// Returns the shape of the tensor.
  case measure
}

/// An operator that works on the rows of its first input without a plan, for any number of rows.
package protocol RowOperator: Operator {
  /// Returns the operation for a tensor of this rank; nil if the operator works on other axes.
  func rowAction(ofRank rank: Int) -> RowAction?

  /// Returns the row to which an index of the second input refers in a tensor of `count` rows. If there is no such row,
  /// returns nil or throws, as the operator requires.
  func row(named index: Int, of count: Int) throws -> Int?
}

extension RowOperator {
  /// Returns `index` unchanged.
  package func row(named index: Int, of count: Int) throws -> Int? { index }
}

extension TensorDescriptor {
  /// Returns a copy of the descriptor with the extent `extent` along an axis.
  package func with(_ extent: Int, along axis: Int) -> TensorDescriptor {
    var result = self
    result.shape.dimensions[axis] = extent
    return result
  }

  /// Returns whether the two descriptors are equal except for their extents along `axis`.
  package func isLike(_ other: TensorDescriptor, butAlong axis: Int) -> Bool {
    let (own, others) = (shape.dimensions, other.shape.dimensions)
    guard own.count == others.count, storage == other.storage, layout == other.layout else {
      return false
    }
    for index in own.indices where index != axis && own[index] != others[index] { return false }
    return true
  }

  /// Returns whether the elements at each index along the axis directly follow the elements at the previous index in
  /// memory. In that case the memory of a longer tensor starts with the memory of a shorter tensor.
  package func canExtend(along axis: Int) -> Bool {
    layout == .dense && shape.dimensions.indices.contains(axis)
      && !shape.dimensions.contains(0)
      && shape.dimensions.prefix(axis).allSatisfy { $0 == 1 }
  }
}

/// The lengths of dynamic axes for which plans are made.
package enum LengthBucket {
  /// Returns the smallest power of two that is at least `extent` and at least 16. Nil if this power is larger than the
  /// 32-bit sizes of kernels.
  package static func holding(_ extent: Int) -> Int? {
    var bucket = 16
    while bucket < extent { bucket *= 2 }
    return bucket <= Int(Int32.max) ? bucket : nil
  }
}
