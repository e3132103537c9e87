import Engine
import Operators
import Testing

/// Tests integer kernels over the full range of their types, where float32 and `Double` would lose bits.
@Suite("Integer kernels")
struct IntegerKernelTests {
  /// An operator with its input shapes.
  struct Case: Sendable, CustomTestStringConvertible {
    let operation: any Operator
    let shapes: [Shape]
    var elements: [ElementType] = [.int32, .int64]

    var testDescription: String { "\(operation) of \(shapes)" }
  }

  static let cases: [Case] = {
    let modes: [ReductionMode] = [
      .sum, .mean, .product, .sumOfSquares, .l1, .maximum, .minimum, .indexOfMaximum,
      .indexOfMinimum,
    ]
    var result: [Case] = modes.flatMap { mode in
      [
        Case(operation: ReduceAxesOperator(mode, axes: [1]), shapes: [[3, 41, 300]]),
        Case(
          operation: ReduceAxesOperator(mode, axes: [2], keepsAxes: true), shapes: [[3, 5, 700]]),
        Case(operation: ReduceAxesOperator(mode), shapes: [[7, 1, 9]]),
      ]
    }
    for isReversed in [false, true] {
      result += [
        Case(operation: CumSumOperator(axis: 1, isReversed: isReversed), shapes: [[2, 30, 270]]),
        Case(
          operation: CumSumOperator(axis: -1, isExclusive: true, isReversed: isReversed),
          shapes: [[5, 33]]),
        Case(
          operation: ArgSortOperator(axis: 1, isDescending: isReversed), shapes: [[2, 600, 3]],
          elements: [.int32]),
        Case(
          operation: TopKOperator(axis: 0, count: 7, isBottom: isReversed), shapes: [[900, 2]],
          elements: [.int32]),
      ]
    }
    for (left, right) in [(false, false), (true, false), (false, true), (true, true)] {
      let matrices: [Shape] = [left ? [9, 5] : [5, 9], right ? [8, 9] : [9, 8]]
      let product = BatchedMatMulOperator(transposesLeft: left, transposesRight: right)
      result += [
        Case(operation: product, shapes: matrices),
        Case(
          operation: product,
          shapes: [Shape([4] + matrices[0].dimensions), Shape([4] + matrices[1].dimensions)]),
        Case(operation: product, shapes: [Shape([4] + matrices[0].dimensions), matrices[1]]),
      ]
    }
    for mode in [ReductionMode.sum, .product, .sumOfSquares, .l1] {
      for shape: Shape in [[3, 41, 300], [3, 2, 5]] {
        result.append(
          Case(
            operation: ReduceAxesOperator(mode, axes: [1], overflow: .saturates), shapes: [shape]))
      }
    }
    for isExclusive in [false, true] {
      result.append(
        Case(
          operation: CumSumOperator(axis: 1, isExclusive: isExclusive, overflow: .saturates),
          shapes: [[2, 30, 270]]))
    }
    for transposes in [false, true] {
      result.append(
        Case(
          operation: BatchedMatMulOperator(transposesRight: transposes, overflow: .saturates),
          shapes: [[4, 5, 9], transposes ? [8, 9] : [9, 8]]))
    }
    for overflow in [IntegerOverflow.wraps, .saturates] {
      for function in BinaryFunction.arithmetic {
        for shapes: [Shape] in [
          [[700], [700]], [[7, 100], [1]], [[1], [3, 70]], [[4, 1, 9], [5, 1]],
        ] {
          result.append(
            Case(
              operation: BinaryFunctionOperator(function, overflow: overflow), shapes: shapes,
              elements: [.int32]))
        }
      }
    }
    result.append(Case(operation: BatchedMatMulOperator.ofRows, shapes: [[3, 2, 6], [5, 6]]))
    return result
  }()

  private static func numbers(_ shape: Shape, _ element: ElementType, seed: UInt64)
    -> ReferenceTensor
  {
    var generator = SplitMix64(seed: seed)
    let range: ClosedRange<Int64> = element.integerRange ?? 0...0
    return ReferenceTensor(
      shape,
      integerValues: (0..<shape.count).map { _ in
        // Half of the values are small. Of the others, most have any size within the range, and some are the bounds of
        // the range.
        switch Int.random(in: 0..<8, using: &generator) {
        case 0...2: return Int64.random(in: range, using: &generator)
        case 3...6: return Int64.random(in: -20...20, using: &generator)
        default: return Bool.random(using: &generator) ? range.lowerBound : range.upperBound
        }
      }, element)
  }

  @Test("Integer kernels match their definitions exactly", arguments: cases)
  func exact(test: Case) throws {
    for element in test.elements {
      let inputs: [ReferenceTensor] = test.shapes.enumerated().map {
        Self.numbers($1, element, seed: UInt64($0) + 3)
      }
      let types = try #require(
        try test.operation.outputTypes(for: inputs.map { OperatorInput($0.type) }))
      let expected = try test.operation.define(inputs, types: types)
      for threads in [1, 3] {
        var made: [[ReferenceTensor]] = []
        for candidate in test.operation.candidates {
          let trial = KernelTrial(threads: threads)
          if let outputs = try trial.run(candidate, inputs: inputs, outputs: types) {
            made.append(outputs)
          }
        }
        #expect(!made.isEmpty, "no kernel takes \(element)")
        #expect(made.allSatisfy { $0 == expected }, "\(element), \(threads) threads")
      }
    }
  }

  @Test("Integers are sorted, reduced and multiplied without any float in the plan")
  func plan() throws {
    var graph = Graph()
    let input = graph.addValue("x", type: TensorType([1, 4, 4], .int32))
    graph.inputs = [input]
    var last = input
    let operators: [any Operator] = [
      CumSumOperator(axis: 2), ArgSortOperator(axis: 1), BinaryFunctionOperator(.add, number: 7),
      TransposeOperator(axes: [0, 2, 1]),
    ]
    func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) {
      last = graph.addValue("v\(graph.nodes.count)")
      graph.nodes.append(
        Graph.Node(
          name: "n\(graph.nodes.count)", operation: operation, inputs: inputs, outputs: [last]))
    }
    for operation in operators { add(operation, [last]) }
    add(BatchedMatMulOperator(), [last, input])
    add(ReduceAxesOperator(.maximum, axes: [1]), [last])
    graph.outputs = [last]
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let plan = try network.plan(for: [TensorType([1, 4, 4], .int32)]).plan
    #expect(plan.calls.count >= 6)
    for call in plan.calls {
      #expect(call.kernel != "reference", "\(call.name) runs its definition")
      let forms: [ElementType] = (call.inputs + call.outputs).map(\.form.storage)
      #expect(forms.allSatisfy { $0 == .int32 }, "\(call.name): \(forms)")
    }
  }
}
