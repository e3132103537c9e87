import Accelerate
import Testing

@Suite struct LinearAlgebraTests {
  private func numbers(_ count: Int, seed: Int) -> [Double] {
    var numbers = Numbers(seed: seed)
    return (0..<count).map { _ in Double(Float(numbers.next())) }
  }

  /// Element (row, column) of a matrix in memory.
  private func element(
    _ matrix: [Double], _ isByRows: Bool, _ isTransposed: Bool, _ leading: Int, _ row: Int,
    _ column: Int
  ) -> Double {
    let (row, column) = isTransposed ? (column, row) : (row, column)
    return matrix[isByRows ? row * leading + column : column * leading + row]
  }

  @Test("Products of matrices take both orders and transpositions", arguments: [true, false])
  func multiplies(isByRows: Bool) {
    let (m, n, k, leading) = (5, 7, 4, 9)
    let order = isByRows ? CblasRowMajor : CblasColMajor
    let (a, b) = (numbers(100, seed: 1), numbers(100, seed: 2))
    let before = numbers(100, seed: 3)
    for transposesA in [false, true] {
      for transposesB in [false, true] {
        var exact = before
        cblas_dgemm(
          order, transposesA ? CblasTrans : CblasNoTrans, transposesB ? CblasTrans : CblasNoTrans,
          Int32(m), Int32(n), Int32(k), 1.5, a, Int32(leading), b, Int32(leading), -0.5, &exact,
          Int32(leading))
        var single = before.map(Float.init)
        cblas_sgemm(
          order, transposesA ? CblasTrans : CblasNoTrans, transposesB ? CblasTrans : CblasNoTrans,
          Int32(m), Int32(n), Int32(k), 1.5, a.map(Float.init), Int32(leading), b.map(Float.init),
          Int32(leading), -0.5, &single, Int32(leading))
        for row in 0..<m {
          for column in 0..<n {
            var sum = 0.0
            for inner in 0..<k {
              sum +=
                element(a, isByRows, transposesA, leading, row, inner)
                * element(b, isByRows, transposesB, leading, inner, column)
            }
            let index = isByRows ? row * leading + column : column * leading + row
            let expected = 1.5 * sum - 0.5 * before[index]
            #expect(isClose(exact[index], expected, Double.self))
            #expect(isClose(Double(single[index]), expected, Float.self))
          }
        }
      }
    }
  }

  @Test("A matrix times a vector takes strides")
  func multipliesVectors() {
    let a: [Float] = [1, 2, 3, 4, 5, 6]
    var y: [Float] = [10, 9, 20, 9]
    cblas_sgemv(CblasRowMajor, CblasNoTrans, 2, 3, 2, a, 3, [1, 0, -1, 0, 2], 2, 1, &y, 2)
    #expect(y == [20, 9, 42, 9])
    var rankOne = [Float](repeating: 0, count: 6)
    cblas_sger(CblasRowMajor, 2, 3, 1, [1, 2], 1, [3, 4, 5], 1, &rankOne, 3)
    #expect(rankOne == [3, 4, 5, 6, 8, 10])
  }

  @Test("Functions of vectors follow BLAS, also with negative strides", arguments: [0, 1, 17])
  func computesVectors(length: Int) {
    let x = numbers(length * 3, seed: 4)
    let y = numbers(length * 2, seed: 5)
    let n = Int32(length)
    /// Element i of a vector with BLAS's stride.
    func at(_ vector: [Double], _ index: Int, _ step: Int) -> Double {
      vector[step < 0 ? (length - 1 - index) * -step : index * step]
    }
    for (first, second) in [(1, 1), (3, 2), (-3, 2), (1, -2)] {
      let pairs = (0..<length).map { (at(x, $0, first), at(y, $0, second)) }
      let dot = cblas_ddot(n, x, Int32(first), y, Int32(second))
      #expect(isClose(dot, pairs.map { $0 * $1 }.reduce(0, +), Double.self, tolerance: 500))
      var sums = y
      cblas_daxpy(n, 0.5, x, Int32(first), &sums, Int32(second))
      #expect(
        areClose(
          (0..<length).map { at(sums, $0, second) }, pairs.map { 0.5 * $0 + $1 }, Double.self))
      var copy = y
      cblas_dcopy(n, x, Int32(first), &copy, Int32(second))
      #expect((0..<length).map { at(copy, $0, second) } == pairs.map { $0.0 })
      var (a, b) = (x, y)
      cblas_dswap(n, &a, Int32(first), &b, Int32(second))
      #expect((0..<length).map { at(a, $0, first) } == pairs.map { $0.1 })
    }
    var scaled = x.map(Float.init)
    cblas_sscal(n, -2, &scaled, 3)
    for index in scaled.indices {
      #expect(scaled[index] == Float(x[index]) * (index % 3 == 0 ? -2 : 1))
    }
    let values = (0..<length).map { x[3 * $0] }
    #expect(isClose(cblas_dasum(n, x, 3), values.map(abs).reduce(0, +), Double.self))
    let norm = values.map { $0 * $0 }.reduce(0, +).squareRoot()
    #expect(isClose(cblas_dnrm2(n, x, 3), norm, Double.self))
    if let largest = values.indices.max(by: { abs(values[$0]) < abs(values[$1]) }) {
      #expect(cblas_idamax(n, x, 3) == Int32(largest))
    }
  }

  @Test("A norm neither overflows nor underflows")
  func computesExtremeNorms() {
    #expect(cblas_snrm2(2, [3e30, 4e30], 1) == 5e30)
    #expect(abs(cblas_snrm2(2, [3e-30, 4e-30], 1) - 5e-30) < 1e-36)
    #expect(cblas_snrm2(2, [0, 0], 1) == 0)
  }

  @Test("Least squares, linear equations and eigenvalues solve their equations")
  func solves() {
    // The line 1 + 2x through three points, as columns (1, x).
    var a: [Float] = [1, 1, 1, 0, 1, 2]
    var b: [Float] = [1, 3, 5]
    var values = [Float](repeating: 0, count: 2)
    var (m, n, one, rank, info): (Int32, Int32, Int32, Int32, Int32) = (3, 2, 1, 0, 0)
    var condition: Float = -1
    var workCount: Int32 = 1_000
    var work = [Float](repeating: 0, count: 1_000)
    var integers = [Int32](repeating: 0, count: 1_000)
    var leadingA: __CLPK_integer = 3
    var leadingB: __CLPK_integer = 3
    sgelsd_(
      &m, &n, &one, &a, &leadingA, &b, &leadingB, &values, &condition, &rank, &work, &workCount,
      &integers, &info)
    #expect(info == 0 && rank == 2)
    #expect(abs(b[0] - 1) < 1e-5 && abs(b[1] - 2) < 1e-5)

    var matrix: [Double] = [2, 1, 1, 3]
    var right: [Double] = [5, 10]
    var pivots: [Int32] = [0, 0]
    var two: Int32 = 2
    var alsoTwo: Int32 = 2
    dgesv_(&n, &one, &matrix, &two, &pivots, &right, &alsoTwo, &info)
    #expect(info == 0 && isClose(right[0], 1, Double.self) && isClose(right[1], 3, Double.self))

    var symmetric: [Double] = [2, 1, 1, 2]
    var eigenvalues: [Double] = [0, 0]
    var doubles = [Double](repeating: 0, count: 1_000)
    var (job, part): (CChar, CChar) = (86, 85)  // "V" and "U".
    dsyev_(&job, &part, &n, &symmetric, &two, &eigenvalues, &doubles, &workCount, &info)
    #expect(info == 0 && areClose(eigenvalues, [1, 3], Double.self))
    var singular: [Double] = [1, 2, 2, 4]
    matrix = [1, 2, 3, 6]
    dgesv_(&n, &one, &matrix, &two, &pivots, &singular, &alsoTwo, &info)
    #expect(info == 2)
  }
}
