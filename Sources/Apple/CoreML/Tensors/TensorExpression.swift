import Engine

/// All operations on which a tensor depends and that are not computed yet, in topological order. Each operation is a
/// step of the expression.
struct TensorExpression {
  /// An input of a step: a known tensor, or the output of another step.
  enum Operand: Hashable {
    case external(Int)
    case made(StepOutput)
  }

  /// One output of a step.
  struct StepOutput: Hashable {
    let step: Int
    let output: Int
  }

  struct Step {
    let operation: TensorOperation
    let inputs: [Operand]
  }

  /// The tensors that the steps read and that the expression does not compute.
  private(set) var externals: [TensorNode] = []
  private(set) var steps: [Step] = []
  private let result: Operand

  /// The maximum number of steps of a ``TensorPart``, which one network computes. A part has more steps only if some
  /// integers must not leave the part: see ``reach(of:)``. Planning a network of about 10,000 steps would take 1 s. A
  /// long unrolled loop becomes several equal parts, which share one plan.
  static let partLimit = 1024

  init(of tensor: TensorNode) {
    // Another thread may compute nodes while this initialiser runs. The initialiser reads the source of each node only
    // once, so the expression stays consistent.
    var sources: [ObjectIdentifier: TensorNode.Source] = [:]
    var operands: [ObjectIdentifier: Operand] = [:]
    var added: [ObjectIdentifier: Int] = [:]
    var externals: [TensorNode] = []
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
        // The node has values already, or it contains random numbers. A separate network computes random numbers,
        // because their seed differs in each iteration of a caller's loop. The network of the other operations does not
        // depend on the seed, so the cache still contains it.
        operands[key] = .external(externals.count)
        externals.append(node)
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
      operands[key] = .made(StepOutput(step: step, output: output))
      open.removeLast()
    }
    self.externals = externals
    self.steps = steps
    result = operands[ObjectIdentifier(tensor)] ?? .external(0)
  }

  /// Computes the parts of the expression one after another. Returns the tensor's values.
  func values(by networks: TensorNetworks = .shared) throws -> TensorValues {
    guard case .made(let result) = result else { return try externals[0].values() }
    let known: [TensorValues] = try externals.map { try $0.values() }
    let lastReads: [StepOutput: Int] = lastReads(of: result)
    let reach: [Int] = reach(of: lastReads)
    var made: [StepOutput: TensorValues] = [:]
    var start = 0
    while start < steps.count {
      var end: Int = min(steps.count, start + Self.partLimit)
      while reach[end - 1] >= end { end += 1 }
      let part = TensorPart(of: self, start..<end, externals: known, made: made, lastReads)
      made = made.filter { lastReads[$0.key, default: 0] >= end }
      for (output, values) in zip(part.results, try networks.run(part)) {
        made[output] = values
      }
      start = end
    }
    guard let values = made[result] else {
      preconditionFailure("the last part computes the expression's result")
    }
    return values
  }

  /// Returns, for each step, the index of the last step that must be in the same part as this step. Values pass from
  /// part to part in arrays, and arrays cannot store integers other than int32. If this step or an earlier step outputs
  /// other integers, all steps that read them must therefore be in the same part.
  private func reach(of lastReads: [StepOutput: Int]) -> [Int] {
    var furthest = -1
    return steps.enumerated().map { position, step in
      for (output, type) in step.operation.types.enumerated()
      where type.element.isInteger && type.element != .int32 {
        let read: Int = lastReads[StepOutput(step: position, output: output), default: -1]
        furthest = max(furthest, min(read, steps.count - 1))
      }
      return furthest
    }
  }

  /// Returns, for each output of a step, the index of the last step that reads the output. For the expression's result,
  /// returns the number of steps, because the caller reads the result after all steps.
  private func lastReads(of result: StepOutput) -> [StepOutput: Int] {
    var reads: [StepOutput: Int] = [:]
    for (position, step) in steps.enumerated() {
      for case .made(let made) in step.inputs { reads[made] = position }
    }
    reads[result] = steps.count
    return reads
  }
}

/// A part of an expression: consecutive steps, which one network computes, and the tensors that these steps read.
struct TensorPart {
  /// The key of a part in the cache of networks. Parts with equal forms share a network.
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
  /// Whether all operators of the part can be compared. Only then do equal forms mean equal computations.
  private(set) var isComparable = true
  private(set) var operations: [TensorOperation] = []
  /// The arrays that the steps read and that the part does not compute.
  private(set) var arrays: [TensorValues] = []
  /// The scalars that the steps read and that the part does not compute. A network may store these scalars as
  /// constants.
  private(set) var numbers: [TensorValues] = []
  /// The outputs of the steps that later parts read. Includes the expression's result if this part computes that
  /// result.
  private(set) var results: [TensorExpression.StepOutput] = []
  /// The index of the part's first step in the expression.
  let firstStep: Int

  init(
    of expression: TensorExpression, _ range: Range<Int>, externals: [TensorValues],
    made: [TensorExpression.StepOutput: TensorValues],
    _ lastReads: [TensorExpression.StepOutput: Int]
  ) {
    firstStep = range.lowerBound
    var forms: [TensorExpression.Operand: Form.Operand] = [:]
    for position in range {
      let step: TensorExpression.Step = expression.steps[position]
      var inputs: [Form.Operand] = []
      for (operand, node) in zip(step.inputs, step.operation.inputs) {
        let input: Form.Operand
        switch operand {
        case .made(let inner) where inner.step >= range.lowerBound:
          input = .made(step: inner.step - range.lowerBound, output: inner.output)
        case .made(let inner):
          input = forms[operand] ?? addArray(made[inner], node.type)
        case .external(let index):
          input =
            forms[operand]
            ?? (node.type.shape.count == 1
              ? addNumber(externals[index], node.type) : addArray(externals[index], node.type))
        }
        forms[operand] = input
        inputs.append(input)
      }
      operations.append(step.operation)
      isComparable = isComparable && step.operation.form != nil
      form.steps.append(Form.Step(operation: step.operation.form ?? AnyHashable(0), inputs: inputs))
      for output in step.operation.types.indices {
        let result = TensorExpression.StepOutput(step: position, output: output)
        guard lastReads[result, default: 0] >= range.upperBound else { continue }
        results.append(result)
        form.results.append(.made(step: position - range.lowerBound, output: output))
      }
    }
  }

  private mutating func addArray(_ values: TensorValues?, _ type: TensorType) -> Form.Operand {
    guard let values else { preconditionFailure("a part reads only outputs of earlier parts") }
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
