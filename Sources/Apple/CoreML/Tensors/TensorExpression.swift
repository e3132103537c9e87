import Engine

/// Everything that a tensor is made of and that is not computed yet, in an order in which it can be computed.
struct TensorExpression {
  /// A tensor that is read.
  enum Operand: Hashable {
    case given(Int)
    case made(Made)
  }

  /// What a step makes.
  struct Made: Hashable {
    let step: Int
    let output: Int
  }

  struct Step {
    let operation: TensorOperation
    let inputs: [Operand]
  }

  /// The tensors that are known before.
  private(set) var given: [TensorNode] = []
  private(set) var steps: [Step] = []
  private let result: Operand

  /// So many steps are planned as one network: planning takes a second for some ten thousand, and a loop that was
  /// written out becomes parts that have one plan.
  static let partLimit = 1024

  init(of tensor: TensorNode) {
    // What a thread beside us computes meanwhile must not change what we have seen.
    var sources: [ObjectIdentifier: TensorNode.Source] = [:]
    var operands: [ObjectIdentifier: Operand] = [:]
    var added: [ObjectIdentifier: Int] = [:]
    var given: [TensorNode] = []
    var steps: [Step] = []
    var open: [TensorNode] = [tensor]
    while let node = open.last {
      let key = ObjectIdentifier(node)
      if operands[key] != nil {
        open.removeLast()
        continue
      }
      let source: TensorNode.Source = sources[key] ?? node.source
      sources[key] = source
      guard case .made(let operation, let output) = source,
        operation.isDeterministic || node === tensor
      else {
        // Random numbers are drawn apart: each has a seed of its own, and a loop shall find the rest of its
        // expression planned.
        operands[key] = .given(given.count)
        given.append(node)
        open.removeLast()
        continue
      }
      let missing: [TensorNode] = operation.inputs.filter { operands[ObjectIdentifier($0)] == nil }
      guard missing.isEmpty else {
        open += missing
        continue
      }
      let step: Int = added[ObjectIdentifier(operation)] ?? steps.count
      if step == steps.count {
        added[ObjectIdentifier(operation)] = step
        steps.append(
          Step(
            operation: operation,
            inputs: operation.inputs.compactMap { operands[ObjectIdentifier($0)] }))
      }
      operands[key] = .made(Made(step: step, output: output))
      open.removeLast()
    }
    self.given = given
    self.steps = steps
    result = operands[ObjectIdentifier(tensor)] ?? .given(0)
  }

  /// Computes the tensor, part after part.
  func values(by networks: TensorNetworks = .shared) throws -> TensorValues {
    guard case .made(let result) = result else { return try given[0].values() }
    let known: [TensorValues] = try given.map { try $0.values() }
    let lastReads: [Made: Int] = lastReads(of: result)
    let reach: [Int] = reach(of: lastReads)
    var made: [Made: TensorValues] = [:]
    var start = 0
    while start < steps.count {
      var end: Int = min(steps.count, start + Self.partLimit)
      while reach[end - 1] >= end { end += 1 }
      let part = TensorPart(of: self, start..<end, given: known, made: made, lastReads)
      made = made.filter { lastReads[$0.key, default: 0] >= end }
      for (place, values) in zip(part.results, try networks.run(part)) {
        made[place] = values
      }
      start = end
    }
    guard let values = made[result] else {
      preconditionFailure("the last part makes what the expression is for")
    }
    return values
  }

  /// For each step, the last one that reads a tensor which no array holds, made by this step or one before it: integers
  /// of other widths than int32 stay within a part.
  private func reach(of lastReads: [Made: Int]) -> [Int] {
    var furthest = -1
    return steps.enumerated().map { position, step in
      for (output, type) in step.operation.types.enumerated()
      where type.element.isInteger && type.element != .int32 {
        let read: Int = lastReads[Made(step: position, output: output), default: -1]
        furthest = max(furthest, min(read, steps.count - 1))
      }
      return furthest
    }
  }

  /// The last step that reads what others make; later than all for the result.
  private func lastReads(of result: Made) -> [Made: Int] {
    var reads: [Made: Int] = [:]
    for (position, step) in steps.enumerated() {
      for case .made(let made) in step.inputs { reads[made] = position }
    }
    reads[result] = steps.count
    return reads
  }
}

/// Steps of an expression that are computed by one network, and what it reads.
struct TensorPart {
  /// What is equal for parts that one network computes.
  struct Form: Hashable {
    enum Operand: Hashable {
      case array(Int)
      case number(Int)
      case made(step: Int, output: Int)
    }

    struct Step: Hashable {
      let operation: AnyHashable
      let inputs: [Operand]
    }

    var arrays: [TensorType] = []
    var numbers: [TensorType] = []
    var steps: [Step] = []
    var results: [Operand] = []
  }

  private(set) var form = Form()
  /// Whether parts of an equal form compute the same.
  private(set) var isComparable = true
  private(set) var operations: [TensorOperation] = []
  /// The arrays that are read.
  private(set) var arrays: [TensorValues] = []
  /// The single numbers that are read, which networks may hold as constants.
  private(set) var numbers: [TensorValues] = []
  /// What others read of it.
  private(set) var results: [TensorExpression.Made] = []
  /// The position of its first step in the expression.
  let firstStep: Int

  init(
    of expression: TensorExpression, _ range: Range<Int>, given: [TensorValues],
    made: [TensorExpression.Made: TensorValues], _ lastReads: [TensorExpression.Made: Int]
  ) {
    firstStep = range.lowerBound
    var places: [TensorExpression.Operand: Form.Operand] = [:]
    for position in range {
      let step: TensorExpression.Step = expression.steps[position]
      var inputs: [Form.Operand] = []
      for (operand, node) in zip(step.inputs, step.operation.inputs) {
        let place: Form.Operand
        switch operand {
        case .made(let inner) where inner.step >= range.lowerBound:
          place = .made(step: inner.step - range.lowerBound, output: inner.output)
        case .made(let inner):
          place = places[operand] ?? addArray(made[inner], node.type)
        case .given(let index):
          place =
            places[operand]
            ?? (node.type.shape.count == 1
              ? addNumber(given[index], node.type) : addArray(given[index], node.type))
        }
        places[operand] = place
        inputs.append(place)
      }
      operations.append(step.operation)
      isComparable = isComparable && step.operation.form != nil
      form.steps.append(Form.Step(operation: step.operation.form ?? AnyHashable(0), inputs: inputs))
      for output in step.operation.types.indices {
        let result = TensorExpression.Made(step: position, output: output)
        guard lastReads[result, default: 0] >= range.upperBound else { continue }
        results.append(result)
        form.results.append(.made(step: position - range.lowerBound, output: output))
      }
    }
  }

  private mutating func addArray(_ values: TensorValues?, _ type: TensorType) -> Form.Operand {
    guard let values else { preconditionFailure("a part reads what parts before it have made") }
    form.arrays.append(type)
    arrays.append(values)
    return .array(arrays.count - 1)
  }

  private mutating func addNumber(_ values: TensorValues, _ type: TensorType) -> Form.Operand {
    form.numbers.append(type)
    numbers.append(values)
    return .number(numbers.count - 1)
  }
}
