/// Arithmetic on long lists of numbers, added up in `Double` in one fixed order.
enum Vectors {
  private static let lanes = 8

  /// `Σ a · b`.
  static func dot(_ first: [Float], _ second: [Float]) -> Double {
    precondition(first.count == second.count)
    return first.withUnsafeBufferPointer { (a: UnsafeBufferPointer<Float>) -> Double in
      second.withUnsafeBufferPointer { (b: UnsafeBufferPointer<Float>) -> Double in
        var sums = SIMD8<Double>(repeating: 0)
        let whole: Int = a.count / lanes * lanes
        var index: Int = 0
        // Safe: eight neighbours from an index below `whole` lie inside both lists.
        while index < whole {
          var left = SIMD8<Float>()
          var right = SIMD8<Float>()
          for lane in 0..<lanes {
            left[lane] = a[index + lane]
            right[lane] = b[index + lane]
          }
          sums += SIMD8<Double>(left) * SIMD8<Double>(right)
          index += lanes
        }
        var rest: Double = 0
        while index < a.count {
          rest += Double(a[index]) * Double(b[index])
          index += 1
        }
        return sums.sum() + rest
      }
    }
  }

  /// `target += factor · other`.
  static func add(_ factor: Double, _ other: [Float], to target: inout [Float]) {
    precondition(target.count == other.count)
    let factor = Float(factor)
    target.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
      other.withUnsafeBufferPointer { (other: UnsafeBufferPointer<Float>) in
        for index in 0..<target.count { target[index] += factor * other[index] }
      }
    }
  }

  /// `target *= factor`.
  static func scale(_ target: inout [Float], by factor: Double) {
    let factor = Float(factor)
    target.withUnsafeMutableBufferPointer { (target: inout UnsafeMutableBufferPointer<Float>) in
      for index in 0..<target.count { target[index] *= factor }
    }
  }

  /// `a + factor · b`.
  static func sum(_ first: [Float], _ factor: Double, _ second: [Float]) -> [Float] {
    var result: [Float] = first
    add(factor, second, to: &result)
    return result
  }

  /// `a − b`.
  static func difference(_ first: [Float], _ second: [Float]) -> [Float] { sum(first, -1, second) }
}
