import Accelerate
import Testing

typealias Reduce<T> = (UnsafePointer<T>, Int, UnsafeMutablePointer<T>, UInt) -> Void
typealias IndexedReduce<T> = (
  UnsafePointer<T>, Int, UnsafeMutablePointer<T>, UnsafeMutablePointer<UInt>, UInt
) -> Void

/// A reduction in both precisions, and its definition.
struct Reduction: CustomTestStringConvertible, @unchecked Sendable {
  let name: String
  let single: Reduce<Float>
  let double: Reduce<Double>
  let definition: ([Double]) -> Double

  var testDescription: String { name }

  static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  static let all: [Reduction] = [
    .init(name: "sve", single: vDSP_sve, double: vDSP_sveD) { $0.reduce(0, +) },
    .init(name: "svemg", single: vDSP_svemg, double: vDSP_svemgD) { $0.map(abs).reduce(0, +) },
    .init(name: "svesq", single: vDSP_svesq, double: vDSP_svesqD) {
      $0.map { $0 * $0 }.reduce(0, +)
    },
    .init(name: "svs", single: vDSP_svs, double: vDSP_svsD) {
      $0.map { $0 * abs($0) }.reduce(0, +)
    },
    .init(name: "meanv", single: vDSP_meanv, double: vDSP_meanvD, definition: mean),
    .init(name: "meamgv", single: vDSP_meamgv, double: vDSP_meamgvD) { mean($0.map(abs)) },
    .init(name: "measqv", single: vDSP_measqv, double: vDSP_measqvD) { mean($0.map { $0 * $0 }) },
    .init(name: "mvessq", single: vDSP_mvessq, double: vDSP_mvessqD) {
      mean($0.map { $0 * abs($0) })
    },
    .init(name: "rmsqv", single: vDSP_rmsqv, double: vDSP_rmsqvD) {
      mean($0.map { $0 * $0 }).squareRoot()
    },
    .init(name: "maxv", single: vDSP_maxv, double: vDSP_maxvD) { $0.max() ?? -.infinity },
    .init(name: "minv", single: vDSP_minv, double: vDSP_minvD) { $0.min() ?? .infinity },
    .init(name: "maxmgv", single: vDSP_maxmgv, double: vDSP_maxmgvD) { $0.map(abs).max() ?? 0 },
    .init(name: "minmgv", single: vDSP_minmgv, double: vDSP_minmgvD) {
      $0.map(abs).min() ?? .infinity
    },
  ]
}

/// A search for an extreme: the value that is compared, and whether one value is more extreme than another value.
struct Search: CustomTestStringConvertible, @unchecked Sendable {
  let name: String
  let single: IndexedReduce<Float>
  let double: IndexedReduce<Double>
  let value: (Double) -> Double
  let isBetter: (Double, Double) -> Bool

  var testDescription: String { name }

  static let all: [Search] = [
    .init(name: "maxvi", single: vDSP_maxvi, double: vDSP_maxviD, value: { $0 }, isBetter: >),
    .init(name: "minvi", single: vDSP_minvi, double: vDSP_minviD, value: { $0 }, isBetter: <),
    .init(name: "maxmgvi", single: vDSP_maxmgvi, double: vDSP_maxmgviD, value: abs, isBetter: >),
    .init(name: "minmgvi", single: vDSP_minmgvi, double: vDSP_minmgviD, value: abs, isBetter: <),
  ]
}

@Suite struct ReductionTests {
  @Test("A reduction computes its definition with any stride", arguments: Reduction.all)
  func reduces(function: Reduction) {
    for length in lengths + [10_000] {
      for stride in [1, 3, -2] {
        check(function, function.single, length, stride)
        check(function, function.double, length, stride)
      }
    }
  }

  @Test("A search gives the first extreme, and its index times the stride", arguments: Search.all)
  func searches(function: Search) {
    for length in [1, 17, 1_000, 10_000] {
      for stride in [1, 3] {
        check(function, function.single, length, stride)
        check(function, function.double, length, stride)
      }
    }
  }

  @Test("Products and distances of two vectors sum over both strides", arguments: lengths)
  func sumsPairs(length: Int) {
    for (first, second) in [(1, 1), (3, 2), (1, 5)] {
      var numbers = Numbers(seed: length + 1)
      let a = Strided<Float>(count: length, stride: first) { _ in numbers.next() }
      let b = Strided<Float>(count: length, stride: second) { _ in numbers.next() }
      let pairs = Array(zip(a.values, b.values))
      var (dot, distance): (Float, Float) = (-1, -1)
      vDSP_dotpr(a.memory, first, b.memory, second, &dot, UInt(length))
      vDSP_distancesq(a.memory, first, b.memory, second, &distance, UInt(length))
      let products = pairs.map { $0 * $1 }
      let size = products.map(abs).reduce(0, +)
      #expect(abs(Double(dot) - products.reduce(0, +)) <= 1e-6 * (1 + size))
      let squares = pairs.map { ($0 - $1) * ($0 - $1) }.reduce(0, +)
      #expect(isClose(Double(distance), squares, Float.self))

      let (x, y) = (a.memory.map(Double.init), b.memory.map(Double.init))
      var exact = -1.0
      vDSP_dotprD(x, first, y, second, &exact, UInt(length))
      #expect(abs(exact - products.reduce(0, +)) <= 1e-13 * (1 + size))
      vDSP_distancesqD(x, first, y, second, &exact, UInt(length))
      #expect(isClose(exact, squares, Double.self, tolerance: 200))
    }
  }

  @Test("A sum of a million numbers keeps the precision of its elements")
  func keepsPrecision() {
    let vector = [Float](repeating: 0.1, count: 1_000_000)
    var sum: Float = 0
    vDSP_sve(vector, 1, &sum, 1_000_000)
    #expect(abs(Double(sum) - 1e6 * Double(Float(0.1))) < 0.2)
  }

  @Test("Normalised vectors have mean 0 and deviation 1", arguments: [1, 3])
  func normalizes(stride: Int) {
    var numbers = Numbers(seed: 5)
    let vector = Strided<Float>(count: 1_000, stride: stride) { _ in 1_000 + numbers.next() }
    var result = Strided<Float>(count: 1_000, stride: 2) { _ in 0 }
    var (mean, deviation): (Float, Float) = (0, 0)
    vDSP_normalize(vector.memory, stride, &result.memory, 2, &mean, &deviation, 1_000)
    let expected = Reduction.mean(vector.values)
    let variance = Reduction.mean(vector.values.map { ($0 - expected) * ($0 - expected) })
    #expect(isClose(Double(mean), expected, Float.self))
    #expect(isClose(Double(deviation), variance.squareRoot(), Float.self))
    let normalized = vector.values.map { ($0 - expected) / variance.squareRoot() }
    #expect(zip(result.values, normalized).allSatisfy { abs($0 - $1) < 1e-3 })
    #expect(result.isIntact)
  }

  @Test("Zero crossings are counted up to a limit")
  func countsZeroCrossings() {
    let vector: [Float] = [1, 9, -1, 9, -2, 9, 3, 9, -1]
    var (last, count): (UInt, UInt) = (9, 9)
    vDSP_nzcros(vector, 2, 2, &last, &count, 5)
    #expect((last, count) == (6, 2))
    vDSP_nzcros(vector, 2, 10, &last, &count, 5)
    #expect((last, count) == (0, 3))
  }

  private func check<T: BinaryFloatingPoint>(
    _ function: Reduction, _ code: Reduce<T>, _ length: Int, _ stride: Int
  ) {
    var numbers = Numbers(seed: length)
    let vector = Strided<T>(count: length, stride: stride) { _ in numbers.next() }
    var result: T = 55
    vector.memory.withUnsafeBufferPointer {
      code($0.baseAddress! + max(vector.first, 0), stride, &result, UInt(length))
    }
    let expected = function.definition(vector.values)
    // The rounding error of a sum depends on the magnitudes of the numbers, not on the sum.
    let size = vector.values.map { $0 * $0 }.reduce(1, +)
    let errors = T.self == Double.self ? 100.0 : 4
    #expect(
      isClose(Double(result), expected, T.self)
        || abs(Double(result) - expected) <= errors * Double(T.ulpOfOne) * size,
      "\(T.self), \(length) elements, stride \(stride): \(result), expected \(expected)")
  }

  private func check<T: BinaryFloatingPoint>(
    _ function: Search, _ code: IndexedReduce<T>, _ length: Int, _ stride: Int
  ) {
    var numbers = Numbers(seed: length)
    // Every value occurs several times.
    let vector = Strided<T>(count: length, stride: stride) { _ in numbers.next().rounded() }
    let values = vector.values.map(function.value)
    var best = 0
    for index in values.indices where function.isBetter(values[index], values[best]) {
      best = index
    }
    var result: T = 55
    var index: UInt = 99
    code(vector.memory, stride, &result, &index, UInt(length))
    #expect(Double(result) == values[best], "\(T.self), \(length) elements, stride \(stride)")
    #expect(index == UInt(best * stride), "\(T.self), \(length) elements, stride \(stride)")
  }
}
