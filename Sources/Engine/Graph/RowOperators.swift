/// An operator that computes each element of its only output from the elements at the same place in its
/// inputs, which are broadcast against each other.
public protocol BroadcastingOperator: Operator {}

/// A broadcasting operator that may be computed for more rows than there are: what the others hold
/// changes nothing. Tensors that grow are computed so, by plans for the next power of two.
public protocol ElementwiseOperator: BroadcastingOperator {}

/// An operator that puts its inputs one after the other.
public protocol JoiningOperator: Operator {
  /// The axis that gets longer, for inputs of a rank; nil where the operator does something else.
  func joinedAxis(ofRank rank: Int) -> Int?
}

/// What is done with the rows of a tensor, its indices along the first axis.
package enum RowAction: Sendable {
  /// Puts rows, the third input, where the second one says; after the last row too where the tensor grows.
  case write(grows: Bool)
  /// Takes the rows that the second input names.
  case read
  /// Gives the extents.
  case measure
}

/// An operator that needs no plan to work on the rows of its first input, however many there are.
package protocol RowOperator: Operator {
  /// What it does; nil where it works on other axes.
  func rowAction(ofRank rank: Int) -> RowAction?

  /// The row that an index names among as many; nil where it names none and that is no error.
  func row(named index: Int, of count: Int) throws -> Int?
}

extension RowOperator {
  /// The row of that number.
  package func row(named index: Int, of count: Int) throws -> Int? { index }
}

extension TensorDescriptor {
  /// The form with another extent along an axis.
  package func with(_ extent: Int, along axis: Int) -> TensorDescriptor {
    var result = self
    result.shape.dimensions[axis] = extent
    return result
  }

  /// Whether both differ along the axis at most.
  package func isLike(_ other: TensorDescriptor, butAlong axis: Int) -> Bool {
    let (own, others) = (shape.dimensions, other.shape.dimensions)
    guard own.count == others.count, storage == other.storage, layout == other.layout else {
      return false
    }
    for index in own.indices where index != axis && own[index] != others[index] { return false }
    return true
  }

  /// Whether the elements of one index along the axis lie after those of the index before, so that a
  /// longer tensor begins with a shorter one.
  package func grows(along axis: Int) -> Bool {
    layout == .dense && shape.dimensions.indices.contains(axis)
      && !shape.dimensions.contains(0)
      && shape.dimensions.prefix(axis).allSatisfy { $0 == 1 }
  }
}

/// Lengths in steps: plans are made for these.
package enum GrowthBucket {
  /// The next power of two, 16 at least; nil for lengths that no kernel counts.
  package static func holding(_ extent: Int) -> Int? {
    var bucket = 16
    while bucket < extent { bucket *= 2 }
    return bucket <= Int(Int32.max) ? bucket : nil
  }
}
