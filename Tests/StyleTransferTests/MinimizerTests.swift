import Testing

@testable import StyleTransfer

/// A function defined by a closure.
private final class Formula: Objective, Sendable {
  let formula: @Sendable ([Float]) -> (Double, [Double])
  init(_ formula: @escaping @Sendable ([Float]) -> (Double, [Double])) { self.formula = formula }

  func evaluate(at point: [Float], gradient: inout [Float]) throws -> Double {
    let (value, slopes) = formula(point)
    gradient = slopes.map { Float($0) }
    return value
  }

  /// Rosenbrock's function of pairs of numbers. Its minimum is 0, where all numbers are 1.
  static let valley = Formula { point in
    var value: Double = 0
    var gradient = [Double](repeating: 0, count: point.count)
    for index in stride(from: 0, to: point.count, by: 2) {
      let (x, y) = (Double(point[index]), Double(point[index + 1]))
      value += (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x)
      gradient[index] = -2 * (1 - x) - 400 * x * (y - x * x)
      gradient[index + 1] = 200 * (y - x * x)
    }
    return (value, gradient)
  }

  /// The function `Σ (i + 1) · (xᵢ − i)²`.
  static let bowl = Formula { point in
    var value: Double = 0
    var gradient: [Double] = []
    for (index, x) in point.enumerated() {
      let distance = Double(x) - Double(index)
      value += Double(index + 1) * distance * distance
      gradient.append(2 * Double(index + 1) * distance)
    }
    return (value, gradient)
  }
}

struct MinimizerTests {
  @Test func `L-BFGS minimises Rosenbrock's function`() throws {
    let start: [Float] = (0..<40).map { $0 % 2 == 0 ? -1.2 : 1 }
    var search = try LBFGS(Formula.valley, from: start)
    var steps: Int = 0
    while steps < 100, try search.step(Formula.valley) { steps += 1 }
    #expect(search.value < 1e-9)
    #expect(search.point.allSatisfy { abs($0 - 1) < 1e-4 })
    #expect(search.evaluations < 150)
  }

  @Test func `L-BFGS minimises a quadratic function in few steps`() throws {
    var search = try LBFGS(Formula.bowl, from: [Float](repeating: 0, count: 8), memory: 8)
    var steps: Int = 0
    while steps < 25, try search.step(Formula.bowl) { steps += 1 }
    for (index, x) in search.point.enumerated() { #expect(abs(x - Float(index)) < 1e-4) }
  }

  @Test func `no L-BFGS step increases the value`() throws {
    var search = try LBFGS(Formula.valley, from: [-1.2, 1], memory: 3)
    for _ in 0..<20 {
      let before = search.value
      guard try search.step(Formula.valley) else { break }
      #expect(search.value < before)
    }
  }

  @Test func `the same start gives the same steps`() throws {
    func run() throws -> [Float] {
      var search = try LBFGS(Formula.valley, from: [-1.2, 1, 0.5, 0.2])
      for _ in 0..<15 { _ = try search.step(Formula.valley) }
      return search.point
    }
    #expect(try run() == run())
  }

  @Test func `the first step has the requested length`() throws {
    let flat = Formula { point in (Double(point[0]) * -1, [-1, 0]) }
    var search = try LBFGS(flat, from: [0, 0], firstLength: 3)
    #expect(try search.step(flat))
    #expect(search.point[0] >= 3)
    #expect(search.point[1] == 0)
  }

  @Test func `L-BFGS stops if no step decreases the value`() throws {
    var search = try LBFGS(Formula.bowl, from: [0, 1, 2])
    #expect(try search.step(Formula.bowl) == false)
    #expect(search.point == [0, 1, 2])
  }

  @Test func `L-BFGS shortens a step to where the function is NaN`() throws {
    let cliff = Formula { point in
      point[0] < -2 ? (.nan, [0]) : (Double(point[0] * point[0]), [2 * Double(point[0])])
    }
    var search = try LBFGS(cliff, from: [1], firstLength: 8)
    for _ in 0..<10 { _ = try search.step(cliff) }
    #expect(abs(search.point[0]) < 1e-3)
  }

  @Test func `Adam's first step has the learning rate's length in each coordinate`() throws {
    var search = try Adam(Formula.bowl, from: [5, -5, 2], rate: 0.5)
    #expect(try search.step(Formula.bowl))
    #expect(abs(search.point[0] - 4.5) < 1e-4)
    #expect(abs(search.point[1] + 4.5) < 1e-4)
    #expect(search.point[2] == 2)
  }

  @Test func `Adam decreases the value`() throws {
    var search = try Adam(Formula.bowl, from: [4, 4, 4, 4], rate: 0.1)
    for _ in 0..<400 { _ = try search.step(Formula.bowl) }
    #expect(search.value < 0.01)
  }

  @Test func `a minimiser refuses a start where the function is NaN`() {
    let nowhere = Formula { _ in (.nan, [0]) }
    #expect(throws: StyleTransferError.self) { try LBFGS(nowhere, from: [1]) }
    #expect(throws: StyleTransferError.self) { try Adam(nowhere, from: [1], rate: 1) }
  }
}
