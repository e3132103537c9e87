/// A part of a graph, planned for values of certain forms. All sessions share the segment.
final class PlannedSegment: Sendable {
  /// How the segment is computed.
  enum Kind: Sendable {
    /// Adjacent nodes that were planned together.
    case run(PlannedRun)
    /// A node that can be planned only when the values of its inputs are known.
    case alone
    /// A node that concatenates its inputs along their dynamic axis.
    case join(axis: Int)
    /// A node that works on any number of rows of its first input.
    case rows(any RowOperator, RowAction)
  }

  /// A value that the segment reads.
  struct Input: Sendable {
    /// The value's index in the graph.
    let value: Int
    /// The form for which the segment was planned.
    let form: TensorDescriptor
    /// The axis on which the value may be shorter than ``form``. Nil if the value has exactly that form.
    var axis: Int?
  }

  /// A value that the segment makes and that later nodes read.
  struct Output: Sendable {
    /// The value's index in the graph.
    let value: Int
    /// The value's type in the graph.
    let type: TensorType
    /// The value's memory after the segment has run.
    let location: Plan.Location
    /// The axis that has the inputs' dynamic length. Nil if the value has exactly the planned form.
    var axis: Int?
  }

  /// The position in the graph after the segment's last node.
  let end: Int
  let inputs: [Input]
  let outputs: [Output]
  /// The indices of the values that no later node reads.
  let released: [Int]
  let kind: Kind
  /// Whether output types were computed from values. If so, the plan may not fit other values of the same forms.
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

  /// The planned run, if there is one.
  var run: PlannedRun? { if case .run(let run) = kind { run } else { nil } }

  /// Whether the segment was planned for exactly one combination of forms.
  var isExact: Bool {
    guard case .run = kind else { return false }
    return !isOfValues && !inputs.contains { $0.axis != nil }
  }

  /// Returns whether the values' forms, by the values' indices, are those of this plan.
  func fits(_ forms: [TensorDescriptor?]) -> Bool { fits { forms[$0] } }

  /// Returns whether the values, by their indices, have the forms of this plan.
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
      // All dynamic inputs must have the same length, and this plan must be made for that length's power of two.
      let length = found.shape[axis]
      guard extent ?? length == length, LengthBucket.holding(length) == input.form.shape[axis]
      else { return false }
      extent = length
    }
    return true
  }
}
