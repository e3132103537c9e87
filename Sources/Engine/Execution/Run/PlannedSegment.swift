/// A part of a graph, planned for values of certain forms. Shared by all sessions.
final class PlannedSegment: Sendable {
  /// How it is computed.
  enum Kind: Sendable {
    /// Neighbouring nodes, planned.
    case run(PlannedRun)
    /// A node that can be planned only when its inputs' values are known.
    case alone
    /// A node that puts its inputs one after the other along an axis on which they grow.
    case join(axis: Int)
    /// A node on the rows of its first input, which are any number.
    case rows(any RowOperator, RowAction)
  }

  /// A value that it reads.
  struct Input: Sendable {
    /// The value's index in the graph.
    let value: Int
    /// The form that it was planned for.
    let form: TensorDescriptor
    /// The axis on which it may be shorter than in ``form``; nil where it has that form.
    var axis: Int?
  }

  /// A value that it makes and that others read.
  struct Output: Sendable {
    /// The value's index in the graph.
    let value: Int
    /// What the graph knows of it.
    let type: TensorType
    /// Where it lies when the segment has run.
    let location: Plan.Location
    /// The axis on which it is as long as the inputs that grow; nil where it has the form that was
    /// planned.
    var axis: Int?
  }

  /// The position after the last of its nodes.
  let end: Int
  let inputs: [Input]
  let outputs: [Output]
  /// The values that nobody reads after it.
  let released: [Int]
  let kind: Kind
  /// Whether types of outputs were computed from values: other values of the same forms may need
  /// another plan.
  let isOfValues: Bool

  init(
    end: Int, inputs: [Input], outputs: [Output], released: [Int], kind: Kind,
    isOfValues: Bool = false
  ) {
    self.end = end
    self.inputs = inputs
    self.outputs = outputs
    self.released = released
    self.kind = kind
    self.isOfValues = isOfValues
  }

  /// How it runs, where it is planned.
  var run: PlannedRun? { if case .run(let run) = kind { run } else { nil } }

  /// Whether it was planned for certain forms, and for no others.
  var isExact: Bool {
    guard case .run = kind else { return false }
    return !isOfValues && !inputs.contains { $0.axis != nil }
  }

  /// Whether values have the forms that this was planned for.
  func fits(_ forms: [TensorDescriptor?]) -> Bool { fits { forms[$0] } }

  /// Whether values have the forms that this was planned for.
  func fits(_ values: [RunValue?]) -> Bool { fits { values[$0]?.form } }

  private func fits(_ form: (Int) -> TensorDescriptor?) -> Bool {
    var extent: Int?
    for input in inputs {
      guard let found = form(input.value) else { return false }
      guard let axis = input.axis else {
        if found == input.form { continue }
        return false
      }
      guard found.isLike(input.form, butAlong: axis), found.shape[axis] > 0 else { return false }
      switch kind {
      case .join, .rows: continue
      case .run, .alone: break
      }
      // All are of one length, which needs a plan of this size.
      let length = found.shape[axis]
      guard extent ?? length == length, GrowthBucket.holding(length) == input.form.shape[axis]
      else { return false }
      extent = length
    }
    return true
  }
}
