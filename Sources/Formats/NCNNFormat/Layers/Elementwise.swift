import Foundation
import Graph
import Operators

extension NCNNLayerReader {
  /// Elementwise arithmetic on one or several inputs.
  static let elementwise: [NCNNLayerReader] = [
    NCNNLayerReader("AbsVal") { try $0.add(UnaryOperator(.magnitude), try $0.input()) },
    NCNNLayerReader("UnaryOp", [0]) { try $0.unary() },
    NCNNLayerReader("BinaryOp", [0, 1, 2]) { try $0.binary() },
    NCNNLayerReader("Eltwise", [0, 1]) { try $0.elementwise() },
  ]
}

extension NCNNContext {
  /// The formulas of `UnaryOp`, in the order of their numbers.
  private static let unaryFormulas: [Formula] = [
    .function(.magnitude, .operand(0)), -.operand(0), .function(.floor, .operand(0)),
    .function(.ceiling, .operand(0)), .operand(0) * .operand(0),
    .function(.squareRoot, .operand(0)), 1 / .function(.squareRoot, .operand(0)),
    .function(.exponential, .operand(0)), .function(.logarithm, .operand(0)),
    .function(.sine, .operand(0)), .function(.cosine, .operand(0)),
    .function(.tangent, .operand(0)), .function(.inverseSine, .operand(0)),
    .function(.inverseCosine, .operand(0)), .function(.inverseTangent, .operand(0)),
    .function(.inverse, .operand(0)), .function(.tanh, .operand(0)),
    .function(.logarithm, .operand(0)) * .number(Float(1 / M_LN10)),
    .function(.round, .operand(0)),
  ]

  fileprivate func unary() throws -> Graph.ValueID {
    let number: Int = try parameters.int(0, or: 0)
    guard Self.unaryFormulas.indices.contains(number) else {
      throw unsupported(
        "its function has the number \(number), expected 0 to \(Self.unaryFormulas.count - 1).")
    }
    return try add(FormulaOperator(Self.unaryFormulas[number], inputCount: 1), try input())
  }

  /// Returns the formula of a `BinaryOp` of two values.
  private func formula(_ number: Int, _ a: Formula, _ b: Formula) throws -> Formula {
    switch number {
    case 0: return a + b
    case 1: return a - b
    case 2: return a * b
    case 3: return .operation(.divide, a, b)
    case 4: return .operation(.maximum, a, b)
    case 5: return .operation(.minimum, a, b)
    case 6: return .operation(.power, a, b)
    case 7: return b - a
    case 8: return .operation(.divide, b, a)
    case 9: return .operation(.power, b, a)
    default: throw unsupported("its function has the number \(number), expected 0 to 9.")
    }
  }

  fileprivate func binary() throws -> Graph.ValueID {
    let number: Int = try parameters.int(0, or: 0)
    let (a, b): (Formula, Formula) = (.operand(0), .operand(1))
    guard try parameters.int(1, or: 0) == 0 else {
      let scalar: Float = try parameters.float(2, or: 0)
      return try add(
        FormulaOperator(try formula(number, a, .number(scalar)), inputCount: 1), try input())
    }
    let (first, second) = try matched(try input(0), try input(1))
    return try add(FormulaOperator(try formula(number, a, b), inputCount: 2), first, second)
  }

  /// Adds axes of one element to the value with fewer axes, where ncnn adds them. A vector with as many elements as the
  /// other value has channels gets rows and columns, any other vector gets channels and rows. A matrix gets columns.
  private func matched(_ a: Graph.ValueID, _ b: Graph.ValueID) throws -> (
    Graph.ValueID, Graph.ValueID
  ) {
    let (first, second) = (try extents(a), try extents(b))
    guard first.count != second.count else { return (a, b) }
    guard first.count < second.count else {
      let (wider, narrower) = try matched(b, a)
      return (narrower, wider)
    }
    let missing: Int = second.count - first.count
    guard first.count > 2 || first[1] == second[1] else {
      return (try add(ExpandDimsOperator(axes: Array(1..<1 + missing)), a), b)
    }
    return (try add(ExpandDimsOperator(axes: Array(first.count..<second.count)), a), b)
  }

  fileprivate func elementwise() throws -> Graph.ValueID {
    guard inputs.count >= 2 else {
      throw invalid("the layer has \(inputs.count) inputs, expected 2 or more.")
    }
    let number: Int = try parameters.int(0, or: 0)
    let functions: [BinaryFunction] = [.multiply, .add, .maximum]
    guard functions.indices.contains(number) else {
      throw unsupported("its function has the number \(number), expected 0 to 2.")
    }
    let factors: [Float] = try parameters.floats(1)
    guard factors.isEmpty || (number == 1 && factors.count == inputs.count) else {
      throw invalid("it has \(factors.count) factors for \(inputs.count) inputs.")
    }
    let scaled: [Graph.ValueID] = try zip(inputs, inputs.indices).map { value, index in
      guard factors.indices.contains(index), factors[index] != 1 else { return value }
      return try add(BinaryFunctionOperator(.multiply, number: factors[index]), value)
    }
    return try scaled.dropFirst().reduce(scaled[0]) {
      try add(BinaryFunctionOperator(functions[number]), $0, $1)
    }
  }
}
